package admit

import (
	"slices"

	"github.com/slackline/slackline/internal/maths/heap"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// roster is what a Limit remembers of jobs: who runs, counted at each bound, and who waits, in one
// line for each kind.
type roster struct {
	known   bool          // it is that of the view, but for the jobs to look at again
	records []record      // by handle
	due     []sched.JobID // to look at again, as something befell them
	flows   []sched.JobID // jobs of workflows that wait, whose deadlines other parts move

	kinds   map[kindKey]*kind
	busy    []*kind // those for which jobs wait
	total   bound
	users   map[string]*bound
	running map[string]*bound // by path

	// Of one decision, reused.
	undecided []waiter
	open      heap.Heap[*kind] // kinds with room for one more
}

// nowhere is the place of a job that stands in no line.
const nowhere = -1

// record is what is remembered of a job.
type record struct {
	kind *kind // nil: it neither runs nor waits
	runs bool
	due  bool
	flow bool // it is among the flows
	at   int  // its place in its kind's line
}

// kindKey says which jobs are of one kind: whatever keeps one of them out keeps out all.
type kindKey struct {
	queue  string // or pool
	user   string // where users are bounded
	need   units.Vector
	master bool
}

// kind is what jobs of one kind have in common.
type kind struct {
	kindKey
	path   string
	bounds []*bound // as they are asked: of the cluster, of the user, of the queue, of the queues above it
	pool   *pool
	jobs   int // that run or wait
	line   heap.Heap[waiter]
	at     int // its place among the busy
}

// bound is how many jobs run at once, and how many may.
type bound struct {
	has, limit int
	kinds      int // that come under it
}

// full tells whether no more may run.
func (b *bound) full() bool { return b.limit > 0 && b.has >= b.limit }

// waiter is a waiting job in a line: by its key, then by its arrival.
type waiter struct {
	key sched.Key
	seq int64
	job sched.JobID
}

func (p *waiter) before(q *waiter) bool {
	return p.key.Less(q.key) || p.key == q.key && p.seq < q.seq
}

func (k *kind) first() *waiter { return &k.line.List[0] }

// note takes down which jobs to look at again: those that came, went or changed. O(events).
func (l *Limit) note(v sched.View, batch []sched.Event) {
	for i := 0; i < len(batch) && l.known; i++ {
		switch e := &batch[i]; {
		case e.Kind == sched.Resync || e.Kind == sched.Control:
			l.known = false
		case e.Job >= 1 && e.Job <= v.Jobs() && concerns(*e):
			l.again(e.Job)
		}
	}
}

// again has the job looked at once more.
func (l *Limit) again(j sched.JobID) {
	l.turnTo(j)
	if !l.records[j].due {
		l.records[j].due = true
		l.due = append(l.due, j)
	}
}

// turnTo makes sure that the job has a record.
func (l *Limit) turnTo(j sched.JobID) {
	for int(j) >= len(l.records) {
		l.records = append(l.records, record{at: nowhere})
	}
}

// look brings the roster up to date, O(jobs that changed + jobs of workflows that wait). It lists the jobs that are not
// decided: all of them are decided on at each look, so they are among those that were looked at.
func (l *Limit) look(v sched.View) {
	l.undecided = l.undecided[:0]
	if !l.known {
		l.forget()
		for j := sched.JobID(1); j <= v.Jobs(); j++ {
			l.turnTo(j)
			l.read(v, j)
		}
		l.known = l.lines
		return
	}
	l.flows = slices.DeleteFunc(l.flows, func(j sched.JobID) bool {
		switch r := &l.records[j]; {
		case r.at == nowhere:
			r.flow = false
		case r.kind.line.List[r.at].key != l.key(v, v.Job(j)):
			l.again(j)
		}
		return !l.records[j].flow
	})
	for _, j := range l.due {
		l.records[j].due = false
		l.read(v, j)
	}
	l.due = l.due[:0]
}

// forget empties the roster.
func (l *Limit) forget() {
	l.roster = roster{total: bound{limit: l.total.limit}, records: l.records[:0], due: l.due[:0], flows: l.flows[:0], undecided: l.undecided,
		kinds: make(map[kindKey]*kind), users: make(map[string]*bound), running: make(map[string]*bound),
		open: heap.Heap[*kind]{Before: func(a, b **kind) bool { return (*a).first().before((*b).first()) }}}
	l.share.reset()
}

// read puts a job where the view says that it is. O(log jobs).
func (l *Limit) read(v sched.View, j sched.JobID) {
	job, is := v.Job(j), sched.NoJob
	if job != nil {
		is = job.Standing()
	}
	if is != sched.Admitted && is != sched.Pending && is != sched.HeldBack {
		l.leave(j)
		return
	}
	k := l.kindOf(job)
	k.jobs++
	l.leave(j)
	l.records[j].kind = k
	if is == sched.Admitted {
		l.records[j].runs = true
		l.runs(k, 1)
		return
	}
	if job.Spec.Workflow != nil && !l.records[j].flow {
		l.records[j].flow, l.flows = true, append(l.flows, j)
	}
	at := waiter{l.key(v, job), job.Seq, j}
	if len(k.line.List) == 0 {
		k.at = len(l.busy)
		l.busy = append(l.busy, k)
	}
	k.line.Push(at)
	if is == sched.Pending {
		l.undecided = append(l.undecided, at)
	}
}

// leave takes a job out of the roster.
func (l *Limit) leave(j sched.JobID) {
	pg := &l.records[j]
	k := pg.kind
	if k == nil {
		return
	}
	if pg.runs {
		l.runs(k, -1)
	} else if pg.at != nowhere {
		l.unline(k, pg.at)
	}
	pg.kind, pg.runs = nil, false
	if k.jobs--; k.jobs == 0 {
		l.drop(k)
	}
}

// unline takes the job at that place out of its kind's line.
func (l *Limit) unline(k *kind, at int) {
	l.records[k.line.List[at].job].at = nowhere
	k.line.Remove(at)
	if len(k.line.List) == 0 {
		last := len(l.busy) - 1
		l.busy[k.at] = l.busy[last]
		l.busy[k.at].at = k.at
		l.busy = l.busy[:last]
	}
}

// runs counts one running job more, or less, and its master.
func (l *Limit) runs(k *kind, by int) {
	for _, b := range k.bounds {
		b.has += by
	}
	l.share.runs(k, by)
}

// kindOf returns the job's kind.
func (l *Limit) kindOf(j *sched.Job) *kind {
	key := kindKey{queue: l.pool(j.Spec)}
	if l.user > 0 {
		key.user = j.Spec.User
	}
	key.need, key.master = MasterOf(j.Spec)
	if k := l.kinds[key]; k != nil {
		return k
	}
	k := &kind{kindKey: key, path: key.queue}
	k.line = heap.Heap[waiter]{Before: (*waiter).before, Moved: func(p *waiter, at int) { l.records[p.job].at = at }}
	l.kinds[key] = k
	chain := l.paths[key.queue]
	if chain != nil {
		k.path = chain[0]
	}
	k.under(&l.total)
	if key.user != "" {
		k.under(boundOf(l.users, key.user, l.user))
	}
	if chain == nil {
		k.under(boundOf(l.running, key.queue, l.each))
	}
	for _, path := range chain {
		k.under(boundOf(l.running, path, l.bounds[path]))
	}
	k.pool = l.share.at(k.path)
	k.pool.kinds++
	return k
}

// drop forgets a kind of which there are no more jobs.
func (l *Limit) drop(k *kind) {
	delete(l.kinds, k.kindKey)
	for _, b := range k.bounds {
		b.kinds--
	}
	unused(l.users, k.user)
	for _, path := range l.paths[k.queue] {
		unused(l.running, path)
	}
	unused(l.running, k.queue)
	l.share.leave(k)
}

// under notes a bound, if it is one.
func (k *kind) under(b *bound) {
	if b.limit > 0 {
		b.kinds++
		k.bounds = append(k.bounds, b)
	}
}

// boundOf returns the bound of that name.
func boundOf(of map[string]*bound, name string, limit int) *bound {
	if of[name] == nil {
		of[name] = &bound{limit: limit}
	}
	return of[name]
}

// unused drops a bound under which no job comes.
func unused(of map[string]*bound, name string) {
	if b := of[name]; b != nil && b.kinds == 0 {
		delete(of, name)
	}
}
