package admit

import (
	"cmp"
	"slices"

	"github.com/slackline/slackline/internal/policies/order"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/workload"
)

// Limit bounds how many jobs run at once: in all, of a queue (or pool), of a user (Hadoop 1.2.1,
// FairScheduler: maxRunningJobs, userMaxJobsDefault). A job runs from its admission to its end.
// Jobs above a bound are held; when one ends, those that waited are let in, in the policy's order
// as far as the bounds go: a job that its queue or user holds back does not hold back the jobs
// behind it. Of several bounds the reason names the first that is reached, or else the first that
// there is: of all jobs, of the user, of the queue. Where jobs have ApplicationMasters it bounds
// what these take besides (masters.go).
//
// Jobs that wait for predecessors are not running and hold no place; they join when those are done.
// Jobs that run are never held again, and those that had begun before a resync or a change of
// policy are let in first, so bounds may be exceeded after a resync or a change of policy until
// enough of them have ended.
//
// Limit remembers who runs and who waits, and looks again only at jobs that events name, or that it
// has decided on (roster.go). It need not be saved: a new Limit, like one after a resync or a
// change of policy, takes all of it from the view, O(jobs · log jobs). Other batches cost O(log
// jobs) for each job that came, went or changed, and O(1) for each kind of job that waits: the jobs
// of one queue, of one user where users are bounded, with masters of one size. So the cost does not
// grow with the jobs that wait. Under an order that is no order.Liner, as those of the catalogue
// all are, places may change with whatever befalls a job, so everything is taken from the view each
// time.
type Limit struct {
	order  sched.Order
	pool   func(*workload.Job) string
	each   int                 // of each queue without a bound of its own, 0 = no bound
	user   int                 // of each user, 0 = no bound
	bounds map[string]int      // of queues, by path
	paths  map[string][]string // by name and by path: the queue's path and those of the queues above it
	share  masters
	says   Verdict
	lines  bool // the order ranks waiting jobs by nothing that changes unseen
	roster
}

// NewLimit returns the rule with the bounds of the description.
func NewLimit(c queues.Config) *Limit {
	l := &Limit{pool: queues.Of, each: c.MaxRunningPerQueue, user: c.MaxRunningPerUser,
		bounds: make(map[string]int), paths: make(map[string][]string), share: newMasters(c), lines: true}
	l.total.limit = c.MaxRunning
	l.describe(c.Queues, "", nil)
	return l
}

// Serial returns the rule that one job runs at a time, the next being the first in the order among
// those that wait.
func Serial() *Limit { return NewLimit(queues.Config{MaxRunning: 1}) }

// Follow takes the order in which jobs that wait are let in, and its pools if it has some.
func (l *Limit) Follow(o sched.Order) error {
	l.order = o
	_, l.lines = o.(order.Liner)
	if p, ok := o.(interface{ PoolOf(*workload.Job) string }); ok {
		l.pool = p.PoolOf
	}
	l.share.follow(o)
	return nil
}

func (l *Limit) describe(qs []queues.Queue, prefix string, above []string) {
	for i := range qs {
		q := &qs[i]
		path := prefix + q.Name
		chain := append([]string{path}, above...)
		switch {
		case q.MaxRunning != nil: // 0 closes a queue, so that no job comes here: queues.Config.Check
			l.bounds[path] = *q.MaxRunning
		case len(q.Queues) == 0:
			l.bounds[path] = l.each
		}
		l.paths[path] = chain
		l.share.describe(path, q)
		if len(q.Queues) == 0 {
			l.paths[q.Name] = chain
		}
		l.describe(q.Queues, path+".", chain)
	}
}

// Decide lets in and holds back.
func (l *Limit) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	l.note(v, batch)
	if !slices.ContainsFunc(batch, concerns) {
		return
	}
	if slices.ContainsFunc(batch, takesOver) {
		l.resume(v, p)
	}
	l.admit(v, p)
}

// takesOver tells whether jobs may run of which this policy has decided nothing.
func takesOver(e sched.Event) bool { return e.Kind == sched.Resync || e.Kind == sched.Control }

// resume lets the jobs run on that had begun when the scheduler took over, whatever stands before
// them in the order and whatever the bounds are: to hold them would stop them midway. O(jobs).
func (l *Limit) resume(v sched.View, p *sched.Plan) {
	for j := sched.JobID(1); j <= v.Jobs(); j++ {
		if job := v.Job(j); undecided(job) && job.Standing() != sched.Waiting && job.Begun() {
			l.lets(v, j, sched.Because(sched.Begun), p)
		}
	}
}

// admit decides on the jobs that wait, in their order: it lets in the first of a kind as long as
// its bounds have room, and holds those not decided yet. Within a batch bounds only fill, so a kind
// that once had no room has none for those behind.
func (l *Limit) admit(v sched.View, p *sched.Plan) {
	l.look(v)
	slices.SortFunc(l.undecided, func(a, b waiter) int {
		if a.before(&b) {
			return -1
		}
		return 1
	})
	l.open.Clear()
	if !l.total.full() {
		for _, k := range l.busy {
			if _, full := l.full(v, k); !full {
				l.open.Push(k)
			}
		}
	}
	rest := l.undecided
	for len(rest) > 0 || len(l.open.List) > 0 {
		if len(rest) > 0 && (len(l.open.List) == 0 || rest[0].before(l.open.List[0].first())) {
			l.hold(v, rest[0].job, p)
			rest = rest[1:]
		} else {
			l.letIn(v, p)
		}
	}
}

// letIn admits the first job of the open kinds, or closes its kind if that has no more room.
func (l *Limit) letIn(v sched.View, p *sched.Plan) {
	k := l.open.List[0]
	why, full := l.full(v, k)
	switch {
	case l.total.full():
		l.open.Clear() // of whatever kind
		return
	case full:
		l.open.Remove(0)
		return
	}
	j := k.first().job
	l.unline(k, 0)
	if l.lets(v, j, why, p) {
		l.runs(k, 1)
		l.records[j].runs = true
	}
	l.again(j)
	if len(k.line.List) == 0 {
		l.open.Remove(0)
	} else {
		l.open.Fix(0)
	}
}

// A Verdict lets a job in with what it is told, and tells whether the book agrees.
type Verdict func(v sched.View, job *sched.Job, why sched.Reason, p *sched.Plan) bool

// lets lets a job in.
func (l *Limit) lets(v sched.View, j sched.JobID, why sched.Reason, p *sched.Plan) bool {
	if l != nil && l.says != nil {
		return l.says(v, v.Job(j), why, p)
	}
	return p.Admit(j, sched.Outlook{}, why)
}

// hold lets a job wait that has not just been let in; its kind is full.
func (l *Limit) hold(v sched.View, j sched.JobID, p *sched.Plan) {
	if l.records[j].at == nowhere {
		return
	}
	why, _ := l.full(v, l.records[j].kind)
	p.Hold(j, why)
	l.again(j)
}

// concerns tells whether the event may change who runs or who waits.
func concerns(e sched.Event) bool {
	return takesOver(e) || sched.Events(comings|capacity|1<<sched.JobArrived).Has(e.Kind)
}

// Ask says what would become of a job that came now. Those that wait stand before it only as far as
// the bounds are reached that keep them out: whoever could run was let in when the last plan was
// made.
func (l *Limit) Ask(v sched.View, job *sched.Job) sched.Answer {
	if job.State == sched.Waiting {
		return sched.Answer{Reason: sched.Because(sched.BehindOthers)}
	}
	if !l.known {
		l.look(v)
	}
	k := l.kindOf(job)
	why, full := l.full(v, k)
	if k.jobs == 0 {
		l.drop(k)
	}
	if full {
		return sched.Answer{Verb: sched.Hold, Reason: why}
	}
	return sched.Answer{Verb: sched.Admit, Reason: why}
}

func (l *Limit) key(v sched.View, j *sched.Job) sched.Key {
	switch o := l.order.(type) {
	case nil:
		return sched.Key{}
	case order.Liner:
		return o.Line(j)
	default:
		return o.JobKey(v, j, sched.Map)
	}
}

// full tells whether a bound keeps jobs of the kind out, and why; else under which bound they come in.
func (l *Limit) full(v sched.View, k *kind) (why sched.Reason, full bool) {
	var under *bound
	for _, b := range k.bounds {
		if b.full() {
			return sched.Because(OverLimit, int64(b.has), int64(b.limit)), true
		}
		under = cmp.Or(under, b)
	}
	if why, full = l.share.full(v, k); full {
		return why, true
	}
	if under == nil {
		return sched.Because(sched.AdmitAll), false
	}
	return sched.Because(SlotOfOrder, int64(under.has), int64(under.limit)), false
}
