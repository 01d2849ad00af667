package admit

import (
	"slices"

	"github.com/slackline/slackline/internal/policies/order"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// plainLimit is Limit without memory: it counts and sorts all jobs of the view, each time that one came, went or changed.
type plainLimit struct {
	order  sched.Order
	pool   func(*workload.Job) string
	all    int                 // running jobs, 0 = no bound
	each   int                 // of each queue without a bound of its own, 0 = no bound
	user   int                 // of each user, 0 = no bound
	bounds map[string]int      // of queues, by path
	paths  map[string][]string // by name and by path: the queue's path and those of the queues above it
	share  plainMasters

	// Reused.
	waiting []plainWaiting
	total   int
	running map[string]int // by path
	users   map[string]int
}

type plainWaiting struct {
	job *sched.Job
	key sched.Key
}

// newPlainLimit returns the rule with the bounds of the description.
func newPlainLimit(c queues.Config) *plainLimit {
	l := &plainLimit{pool: queues.Of, all: c.MaxRunning, each: c.MaxRunningPerQueue, user: c.MaxRunningPerUser,
		bounds: make(map[string]int), paths: make(map[string][]string), share: newPlainMasters(c), running: make(map[string]int), users: make(map[string]int)}
	l.describe(c.Queues, "", nil)
	return l
}

// Follow takes the order in which jobs that wait are let in, and its pools if it has some.
func (l *plainLimit) Follow(o sched.Order) error {
	l.order = o
	if p, ok := o.(interface{ PoolOf(*workload.Job) string }); ok {
		l.pool = p.PoolOf
	}
	l.share.follow(o)
	return nil
}

func (l *plainLimit) describe(qs []queues.Queue, prefix string, above []string) {
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
func (l *plainLimit) Admit(v sched.View, batch []sched.Event, p *sched.Plan) {
	if !slices.ContainsFunc(batch, concerns) {
		return
	}
	for i := range batch {
		if batch[i].Kind == sched.Resync || batch[i].Kind == sched.Control {
			plainResume(v, p)
		}
	}
	l.admit(v, p)
}

// plainResume lets in the jobs that have tasks running or done, and are not decided.
func plainResume(v sched.View, p *sched.Plan) {
	for j := sched.JobID(1); j <= v.Jobs(); j++ {
		job := v.Job(j)
		if job == nil || job.State != sched.Pending && job.State != sched.HeldBack {
			continue
		}
		busy := int32(0)
		for _, t := range job.Stages {
			busy += t.Done + t.Occupied
		}
		if busy > 0 {
			p.Admit(j, sched.Because(sched.Begun))
		}
	}
}

// admit looks at all jobs.
func (l *plainLimit) admit(v sched.View, p *sched.Plan) {
	l.count(v)
	slices.SortFunc(l.waiting, func(a, b plainWaiting) int {
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

// count finds the jobs that run and those that wait.
func (l *plainLimit) count(v sched.View) {
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
			l.waiting = append(l.waiting, plainWaiting{job, l.key(v, job)})
			l.share.at(l.path(job))
		}
	}
}

func (l *plainLimit) key(v sched.View, j *sched.Job) sched.Key {
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
func (l *plainLimit) runs(j *sched.Job) {
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
func (l *plainLimit) path(j *sched.Job) string {
	name := l.pool(j.Spec)
	if chain := l.paths[name]; chain != nil {
		return chain[0]
	}
	return name
}

// full tells whether a bound keeps the job out, and that bound: how many run, how many may. If none does it returns a bound
// that the job comes under, limit 0 if there is none.
func (l *plainLimit) full(j *sched.Job) (has, limit int, full bool) {
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

// plainMasters bounds masters by what is counted anew each time.
type plainMasters struct {
	share float64            // of a queue that does not say, as part of 1
	whole float64            // of the cluster, all queues together
	own   map[string]float64 // of queues that say, by path

	guaranteed func(queue string) float64 // capacity: as part of the cluster
	weight     func(pool string) float64  // fair

	// Counted anew each time.
	n     int
	used  units.Vector
	pools map[string]*plainPool // by path
	sum   float64               // of the weights of pools with jobs
}

// pool is what the masters of a queue's jobs take.
type plainPool struct {
	n    int
	used units.Vector
}

func newPlainMasters(c queues.Config) plainMasters {
	share := c.MaxMasterShare
	if share == 0 {
		share = usualMasterShare
	}
	m := plainMasters{share: share / 100, own: make(map[string]float64), pools: make(map[string]*plainPool)}
	m.whole = m.share
	return m
}

// describe takes what a queue says of itself.
func (m *plainMasters) describe(path string, q *queues.Queue) {
	if q.MaxMasterShare > 0 {
		m.own[path] = q.MaxMasterShare / 100
		m.whole = max(m.whole, m.own[path])
	}
}

// follow learns from the order what queues are promised.
func (m *plainMasters) follow(o sched.Order) {
	const half = 0.5
	switch o := o.(type) {
	case interface{ Guaranteed(queue string) float64 }:
		m.guaranteed, m.whole = o.Guaranteed, max(m.whole, half)
	case interface{ Pool(name string) *order.Pool }:
		m.weight, m.whole = func(name string) float64 { return float64(o.Pool(name).Weight) }, max(m.whole, half)
	}
}

func (m *plainMasters) reset() {
	m.n, m.used, m.sum = 0, units.Vector{}, 0
	clear(m.pools)
}

// at returns the page of a queue, and counts its weight when it is met first.
func (m *plainMasters) at(path string) *plainPool {
	p := m.pools[path]
	if p == nil {
		p = new(plainPool)
		m.pools[path] = p
		if m.weight != nil {
			m.sum += m.weight(path)
		}
	}
	return p
}

// runs counts the master of one more running job.
func (m *plainMasters) runs(path string, j *workload.Job) {
	p := m.at(path)
	if need, has := masterOf(j); has {
		m.n++
		m.used.Add(&need)
		p.n++
		p.used.Add(&need)
	}
}

// full tells whether masters leave no room for that of one more job, and why.
func (m *plainMasters) full(v sched.View, path string, j *workload.Job) (sched.Reason, bool) {
	need, has := masterOf(j)
	if !has || m.n == 0 {
		return sched.Reason{}, false
	}
	capacity, p := v.Capacity(), m.at(path)
	for d := range units.Dims {
		if need[d] == 0 {
			continue
		}
		if may := portion(m.whole, capacity[d]); m.used[d]+need[d] > may {
			return sched.Because(sched.MasterShare, m.used[d], may, int64(d)), true
		}
		if may := portion(m.bound(path), capacity[d]); p.n > 0 && p.used[d]+need[d] > may {
			return sched.Because(sched.MasterShare, p.used[d], may, int64(d)), true
		}
	}
	return sched.Reason{}, false
}

// bound is what the masters of a queue may take, as part of the cluster.
func (m *plainMasters) bound(path string) float64 {
	share, own := m.own[path]
	if !own {
		share = m.share
	}
	switch {
	case m.guaranteed != nil:
		return share * m.guaranteed(path)
	case m.weight != nil:
		return share * m.weight(path) / m.sum
	}
	return share
}

// plainAll is All in front of it.
type plainAll struct{ bound *plainLimit }

// newPlainAll returns the rule with the bounds on masters of the description; it has no others.
func newPlainAll(c queues.Config) plainAll {
	l := newPlainLimit(c)
	l.all, l.each, l.user = 0, 0, 0
	clear(l.bounds)
	return plainAll{l}
}

// Follow takes the order in which jobs that wait are let in.
func (a plainAll) Follow(o sched.Order) error {
	if a.bound == nil {
		return nil
	}
	return a.bound.Follow(o)
}

// Admit lets in whatever has arrived. After a resync, or when the policy has just been changed, that is every job not decided.
// O(events) where no job has a master, O(jobs · log jobs) when one with a master comes or goes.
func (a plainAll) Admit(v sched.View, batch []sched.Event, p *sched.Plan) {
	look := false
events:
	for i := range batch {
		switch e := &batch[i]; e.Kind {
		case sched.JobArrived:
			look = a.arrived(v.Job(e.Job), p) || look
		case sched.JobEnded, sched.JobAmended, sched.JobCancelled:
			look = look || a.bounds(v.Job(e.Job))
		case sched.StageReady:
			look = look || e.Stage == sched.Master && a.bounds(v.Job(e.Job))
		case sched.NodeUp, sched.NodeChanged:
			look = a.bound != nil
		case sched.Resync, sched.Control:
			look = a.bound != nil
			plainResume(v, p)
			for j := sched.JobID(1); j <= v.Jobs(); j++ {
				a.arrived(v.Job(j), p)
			}
			break events
		}
	}
	if look {
		a.bound.admit(v, p)
	}
}

// arrived admits a job, or tells that there has to be room for its master.
func (a plainAll) arrived(j *sched.Job, p *sched.Plan) (look bool) {
	if !undecided(j) {
		return false
	}
	if a.bounds(j) {
		return true
	}
	p.Admit(j.ID, sched.Because(sched.AdmitAll))
	return false
}

// bounds tells whether the job may have to wait for room for its master.
func (a plainAll) bounds(j *sched.Job) bool {
	if a.bound == nil || j == nil || j.Spec == nil {
		return false
	}
	_, has := masterOf(j.Spec)
	return has
}
