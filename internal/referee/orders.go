package referee

import (
	"cmp"
	"math"
	"slices"
)

// An order says which of two jobs goes first; equals go by arrival.
type order interface {
	look(b *book)                             // before it is asked about a book that has changed
	compare(x *job, s int, y *job, t int) int // work of a stage of x with such of y; below 0: x goes first
	line(x, y *job) int                       // among jobs that wait to be let in
	open(b *book, j *job, s int) bool         // whether more work of the stage may start
	shares() bool                             // whether what jobs hold counts
}

// flat is the part of an order without queues.
type flat struct{}

func (flat) look(*book)                 {}
func (flat) open(*book, *job, int) bool { return true }
func (flat) shares() bool               { return false }

// byArrival is Hadoop's default: priority, higher first, then arrival.
type byArrival struct{ flat }

func (byArrival) compare(x *job, _ int, y *job, _ int) int {
	return cmp.Compare(y.Priority, x.Priority)
}
func (o byArrival) line(x, y *job) int { return o.compare(x, 0, y, 0) }

// edf is earliest deadline first (paper 000, section 6); jobs without a deadline, whose deadline is
// the end of time, come last. A deadline that a plan has set goes before the job's own.
type edf struct{ flat }

func (edf) compare(x *job, _ int, y *job, _ int) int { return cmp.Compare(x.due(), y.due()) }

func (j *job) due() int64 {
	if j.virtual != 0 {
		return j.virtual
	}
	return j.Deadline
}
func (o edf) line(x, y *job) int { return o.compare(x, 0, y, 0) }

// A described queue, as the header has it.
type describedQueue struct {
	Name             string           `json:"name"`
	Queues           []describedQueue `json:"queues"`
	MaxRunning       int              `json:"max_running"`
	MaxMasterShare   float64          `json:"max_master_share"`
	Weight           float64          `json:"weight"`
	MinMaps          int              `json:"min_maps"`
	MinReduces       int              `json:"min_reduces"`
	Jobs             string           `json:"jobs"`
	MinShareTimeout  string           `json:"min_share_timeout"`
	Capacity         float64          `json:"capacity"`
	Maximum          float64          `json:"maximum"`
	Confidence       string           `json:"confidence"`
	MinimumUserLimit float64          `json:"minimum_user_limit"`
	UserLimitFactor  float64          `json:"user_limit_factor"`
}

type describedQueues struct {
	Queues             []describedQueue `json:"queues"`
	MaxRunning         int              `json:"max_running"`
	MaxRunningPerUser  int              `json:"max_running_per_user"`
	MaxRunningPerQueue int              `json:"max_running_per_queue"`
	MaxMasterShare     float64          `json:"max_master_share"`
}

// leaf finds the description of the queue that a job names, and its path from the root.
func (d *describedQueues) leaf(name string) (q *describedQueue, path []*describedQueue) {
	if name == "" {
		name = "default"
	}
	var find func(list []describedQueue, above []*describedQueue, prefix string) bool
	find = func(list []describedQueue, above []*describedQueue, prefix string) bool {
		for i := range list {
			full := prefix + list[i].Name
			here := append(slices.Clone(above), &list[i])
			if len(list[i].Queues) == 0 && (name == list[i].Name || name == full || name == "root."+full) {
				q, path = &list[i], here
				return true
			}
			if find(list[i].Queues, here, full+".") {
				return true
			}
		}
		return false
	}
	find(d.Queues, nil, "")
	return q, path
}

// fairShare is Hadoop 1.2.1's FairScheduler: pools by minimum share and weight, then, if asked for, users, then jobs.
type fairShare struct {
	queues *describedQueues
	byUser bool // a job's pool is its user
	users  bool // within a pool users share
	fifo   bool // jobs of a pool that does not say stand in line
	pools  map[string]*pool
	// when a pool, or a user of one, had the first of its jobs; none is remembered that has no job
	came map[string]int
}

type pool struct {
	queue  *describedQueue
	seq    int // of its first job
	held   [stages]int
	demand [stages]int
	users  map[string]*pool
	weight float64
}

func (o *fairShare) shares() bool               { return true }
func (o *fairShare) open(*book, *job, int) bool { return true }
func (o *fairShare) line(x, y *job) int         { return byArrival{}.line(x, y) }

func (o *fairShare) name(j *job) string {
	if o.byUser {
		return j.User
	}
	return j.Queue
}

// look counts what each pool, and each user in it, holds and wants.
func (o *fairShare) look(b *book) {
	o.pools = map[string]*pool{}
	was := o.came
	o.came = map[string]int{}
	at := func(m map[string]*pool, key, name string, seq int) *pool {
		p := m[key]
		if p == nil {
			p = &pool{users: map[string]*pool{}, weight: 1}
			m[key] = p
		}
		p.seq = sinceWhen(was, o.came, name, seq)
		return p
	}
	for _, j := range b.live {
		p := at(o.pools, o.name(j), o.name(j), j.joined)
		if p.queue == nil {
			p.queue, _ = o.queues.leaf(o.name(j))
			if p.queue == nil {
				p.queue = &describedQueue{}
			}
			if p.queue.Weight != 0 {
				p.weight = p.queue.Weight
			}
		}
		u := at(p.users, j.User, o.name(j)+"\n"+j.User, j.joined)
		for i := range j.Stages {
			s := &j.Stages[i]
			for _, q := range []*pool{p, u} {
				q.held[s.kind] += s.occupied
				q.demand[s.kind] += s.occupied
				if b.runs(j, s) {
					q.demand[s.kind] += s.open
				}
			}
		}
	}
}

// least is a pool's minimum share, which its demand bounds.
func (p *pool) least(s int) int {
	switch s {
	case mapStage:
		return min(p.queue.MinMaps, p.demand[s])
	case reduceStage:
		return min(p.queue.MinReduces, p.demand[s])
	}
	return 0
}

func (o *fairShare) compare(x *job, s int, y *job, t int) int {
	p, q := o.pools[o.name(x)], o.pools[o.name(y)]
	if p != q {
		short, other := p.held[s] < p.least(s), q.held[t] < q.least(t)
		switch {
		case short && !other:
			return -1
		case other && !short:
			return 1
		case short:
			return cmp.Or(cmp.Compare(p.held[s]*q.least(t), q.held[t]*p.least(s)), came(s, p.seq, t, q.seq))
		}
		return cmp.Or(cmp.Compare(float64(p.held[s])*q.weight, float64(q.held[t])*p.weight), came(s, p.seq, t, q.seq))
	}
	if o.users && x.User != y.User {
		u, v := p.users[x.User], p.users[y.User]
		return cmp.Or(cmp.Compare(u.held[s], v.held[t]), came(s, u.seq, t, v.seq))
	}
	if p.queue.Jobs == "fifo" || p.queue.Jobs == "" && o.fifo {
		return byArrival{}.line(x, y)
	}
	return cmp.Compare(float64(x.stage[s].occupied)*jobWeight(y), float64(y.stage[t].occupied)*jobWeight(x))
}

// sinceWhen returns when a queue came that is there now: as it was known, or with the job of that number.
func sinceWhen(was, is map[string]int, name string, seq int) int {
	if before, there := was[name]; there {
		seq = before
	} else if since, known := is[name]; known {
		seq = min(seq, since)
	}
	is[name] = seq
	return seq
}

// came compares when two queues came, for work of one stage. Of two stages the jobs' own arrival decides.
func came(s, a, t, b int) int {
	if s != t {
		return 0
	}
	return cmp.Compare(a, b)
}

// jobWeight is a job's own weight, doubled for each step of priority up to two and halved down to two.
func jobWeight(j *job) float64 {
	return j.Weight * math.Pow(2, float64(min(max(j.Priority, -2), 2)))
}
