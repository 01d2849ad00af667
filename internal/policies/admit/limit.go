package admit

import (
	"slices"

	"github.com/slackline/slackline/internal/policies/order"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/workload"
)

// Limit bounds how many jobs run at once: in all, of a queue (or pool), of a user (Hadoop 1.2.1, FairScheduler: maxRunningJobs,
// userMaxJobsDefault). A job runs from its admission to its end. Jobs above a bound are held; when one ends, those that
// waited are let in, in the policy's order as far as the bounds go: a job that its queue or user holds back does not hold back
// the jobs behind it. Where jobs have ApplicationMasters it bounds what these take besides (masters.go).
//
// Jobs that wait for predecessors are not running and hold no place; they join when those are done. Jobs that run are never held
// again, so bounds may be exceeded after a resync or a change of policy until enough of them have ended.
//
// Limit remembers nothing between batches: it counts what the view shows, in batches where a job came, went or changed.
// O(jobs · log jobs) in these, O(events) in others.
type Limit struct {
	order  sched.Order
	pool   func(*workload.Job) string
	all    int                 // running jobs, 0 = no bound
	each   int                 // of each queue without a bound of its own, 0 = no bound
	user   int                 // of each user, 0 = no bound
	bounds map[string]int      // of queues, by path
	paths  map[string][]string // by name and by path: the queue's path and those of the queues above it
	share  masters

	// Reused.
	waiting []waiting
	total   int
	running map[string]int // by path
	users   map[string]int
}

type waiting struct {
	job *sched.Job
	key sched.Key
}

// NewLimit returns the rule with the bounds of the description.
func NewLimit(c queues.Config) *Limit {
	l := &Limit{pool: queues.Of, all: c.MaxRunning, each: c.MaxRunningPerQueue, user: c.MaxRunningPerUser,
		bounds: make(map[string]int), paths: make(map[string][]string), share: newMasters(c), running: make(map[string]int), users: make(map[string]int)}
	l.describe(c.Queues, "", nil)
	return l
}

// Serial returns the rule that one job runs at a time, the next being the first in the order among those that wait.
func Serial() *Limit { return NewLimit(queues.Config{MaxRunning: 1}) }

// Follow takes the order in which jobs that wait are let in, and its pools if it has some.
func (l *Limit) Follow(o sched.Order) error {
	l.order = o
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
		l.bounds[path] = q.MaxRunning
		if q.MaxRunning == 0 && len(q.Queues) == 0 {
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

// Admit lets in and holds back.
func (l *Limit) Admit(v sched.View, batch []sched.Event, p *sched.Plan) {
	if slices.ContainsFunc(batch, concerns) {
		l.admit(v, p)
	}
}

// admit looks at all jobs.
func (l *Limit) admit(v sched.View, p *sched.Plan) {
	l.count(v)
	slices.SortFunc(l.waiting, func(a, b waiting) int {
		if a.key.Less(b.key) || a.key == b.key && a.job.Seq < b.job.Seq {
			return -1
		}
		return 1
	})
	for _, w := range l.waiting {
		has, limit, full := l.full(w.job)
		why := sched.Because(sched.OverLimit, int64(has), int64(limit))
		if !full {
			if why, full = l.share.full(v, l.path(w.job), w.job.Spec); !full {
				why = sched.Because(sched.SlotOfOrder, int64(has), int64(limit))
			}
			if !full && limit == 0 {
				why = sched.Because(sched.AdmitAll)
			}
		}
		if !full {
			if p.Admit(w.job.ID, why) {
				l.runs(w.job)
			}
		} else if w.job.State == sched.Pending {
			p.Hold(w.job.ID, why)
		}
	}
}

// concerns tells whether the event may change who runs or who waits.
func concerns(e sched.Event) bool {
	switch e.Kind {
	case sched.JobArrived, sched.JobEnded, sched.JobAmended, sched.JobCancelled, sched.StageReady, sched.Resync, sched.Control,
		sched.NodeUp, sched.NodeChanged: // more capacity lets more masters in
		return true
	}
	return false
}

// count finds the jobs that run and those that wait.
func (l *Limit) count(v sched.View) {
	l.total, l.waiting = 0, l.waiting[:0]
	clear(l.running)
	clear(l.users)
	l.share.reset()
	for j := sched.JobID(1); j <= v.Jobs(); j++ {
		job := v.Job(j)
		if job == nil {
			continue
		}
		switch job.State {
		case sched.Admitted:
			l.runs(job)
		case sched.Pending, sched.HeldBack:
			l.waiting = append(l.waiting, waiting{job, l.key(v, job)})
			l.share.at(l.path(job))
		}
	}
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

// runs counts one more running job.
func (l *Limit) runs(j *sched.Job) {
	l.total++
	l.users[j.Spec.User]++
	l.share.runs(l.path(j), j.Spec)
	name := l.pool(j.Spec)
	chain := l.paths[name]
	if chain == nil {
		l.running[name]++
	}
	for _, path := range chain {
		l.running[path]++
	}
}

// path returns the path of the job's queue, its name if that is not described.
func (l *Limit) path(j *sched.Job) string {
	name := l.pool(j.Spec)
	if chain := l.paths[name]; chain != nil {
		return chain[0]
	}
	return name
}

// full tells whether a bound keeps the job out, and that bound: how many run, how many may. If none does it returns a bound
// that the job comes under, limit 0 if there is none.
func (l *Limit) full(j *sched.Job) (has, limit int, full bool) {
	over := func(h, m int) bool {
		if m > 0 && (limit == 0 || h >= m) {
			has, limit, full = h, m, h >= m
		}
		return full
	}
	if over(l.total, l.all) || j.Spec.User != "" && over(l.users[j.Spec.User], l.user) {
		return
	}
	name := l.pool(j.Spec)
	chain := l.paths[name]
	if chain == nil {
		over(l.running[name], l.each)
		return
	}
	for _, path := range chain {
		if over(l.running[path], l.bounds[path]) {
			return
		}
	}
	return
}
