package order

import (
	"math"

	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// FairConfig says how a Fair order groups and shares.
type FairConfig struct {
	Queues queues.Config // pools: weight, minimum shares, jobs by share or FIFO
	ByUser bool          // a job's pool is its user (mapred.fairscheduler.poolnameproperty = user.name), not its queue
	Users  bool          // within a pool share among users first, then among each user's jobs
	FIFO   bool          // jobs of a pool that does not say stand in FIFO order
}

// Fair shares containers among pools, then optionally among the users of a pool, then among jobs
// (Hadoop 1.2.1's FairScheduler, SchedulingAlgorithms.FairShareComparator). Maps and reduces are
// shared separately. Among pools,
//
//  1. one below its minimum share goes before one that is not; its demand bounds what it can be owed,
//  2. of two below, the one that has the smaller part of its minimum share goes first,
//  3. of two not below, the one that has less for its weight goes first.
//
// Users in a pool are equals. A job's weight is its own, doubled for each step of priority up to
// two and halved down to two: Hadoop's VERY_HIGH 4, HIGH 2, NORMAL 1, LOW 1/2, VERY_LOW 1/4. What
// is shared are containers, Hadoop 1's slots, however large they are.
type Fair struct {
	pools   map[string]*Pool // by name and by path
	unnamed Pool             // settings of pools that are not described
	byUser  bool
	users   bool
	fifo    bool // some pool is in FIFO order
}

// Pool is what a pool is promised.
type Pool struct {
	Name    string
	Weight  int64               // in thousandths
	Min     [sched.Stages]int64 // containers
	Timeout units.Duration      // on its minimum share before others are preempted, 0 = none of its own
	fifo    bool
}

// NewFair returns the order. The pools' description must be valid; of a tree of queues the leaves are the pools.
func NewFair(c FairConfig) *Fair {
	f := &Fair{byUser: c.ByUser, users: c.Users, pools: make(map[string]*Pool), unnamed: Pool{Weight: 1000, fifo: c.FIFO}}
	f.fifo = c.FIFO
	f.describe(c.Queues.Queues, "", c.FIFO)
	return f
}

func (f *Fair) describe(qs []queues.Queue, prefix string, fifo bool) {
	for i := range qs {
		q := &qs[i]
		if len(q.Queues) > 0 {
			f.describe(q.Queues, prefix+q.Name+".", fifo)
			continue
		}
		p := &Pool{Name: q.Name, Weight: 1000, fifo: fifo, Timeout: units.Duration(q.MinShareTimeout)}
		if q.Weight > 0 {
			p.Weight = thousandths(q.Weight)
		}
		if q.Jobs != "" {
			p.fifo = q.Jobs == "fifo"
		}
		f.fifo = f.fifo || p.fifo
		p.Min[sched.Map], p.Min[sched.Reduce] = int64(q.MinMaps), int64(q.MinReduces)
		f.pools[q.Name], f.pools[prefix+q.Name] = p, p
	}
}

// Pool returns what the pool of that name is promised.
func (f *Fair) Pool(name string) *Pool {
	if p := f.pools[name]; p != nil {
		return p
	}
	return &f.unnamed
}

// PoolOf returns the name of the job's pool.
func (f *Fair) PoolOf(j *workload.Job) string {
	if f.byUser {
		return userOf(j)
	}
	name := queues.Of(j)
	if p := f.pools[name]; p != nil {
		return p.Name
	}
	return name
}

// Path is the job's pool, and its user where users share.
func (f *Fair) Path(j *sched.Job) []string {
	if f.users && !f.byUser {
		return []string{f.PoolOf(j.Spec), userOf(j.Spec)}
	}
	return []string{f.PoolOf(j.Spec)}
}

// QueueKey ranks pools (below the root) and users (below a pool).
func (f *Fair) QueueKey(_ sched.View, q *sched.Queue, s sched.Stage) sched.Key {
	has := int64(q.Stages[s].Occupied)
	if q.Depth > 1 {
		return sched.Key{1, sched.Ratio(has, 1)}
	}
	p := f.Pool(q.Name)
	if owed := min(p.Min[s], has+int64(q.Stages[s].Open)); has < owed {
		return sched.Key{0, sched.Ratio(has, owed)}
	}
	return sched.Key{1, sched.Ratio(has*1000, p.Weight)}
}

// JobKey ranks jobs of one pool, or of one user of it.
func (f *Fair) JobKey(_ sched.View, j *sched.Job, s sched.Stage) sched.Key {
	if f.fifo && f.Pool(f.PoolOf(j.Spec)).fifo {
		return fifoKey(j)
	}
	has := int64(j.Stages[s].Occupied)
	if j.Spec.Weight == 1 && j.Spec.Priority == 0 { // as most are, and this is asked at each start and end
		return sched.Key{sched.Ratio(has, 1)}
	}
	return sched.Key{sched.Ratio(has*1000, weightOf(j.Spec))}
}

// Follows says that maps and reduces are shared separately.
func (f *Fair) Follows() sched.Tallies { return sched.OwnTally }

// Open closes no pool: limits on running jobs are a matter of admission.
func (f *Fair) Open(sched.View, *sched.Queue, sched.Stage) bool { return true }

// Line ranks jobs that wait for a limit by priority and arrival, as FairScheduler makes jobs runnable.
func (f *Fair) Line(j *sched.Job) sched.Key { return fifoKey(j) }

// weightOf returns a job's weight in thousandths, at least one.
func weightOf(j *workload.Job) int64 {
	return thousandths(j.Weight * priorityWeights[min(max(j.Priority, -2), 2)+2])
}

var priorityWeights = [...]float64{0.25, 0.5, 1, 2, 4}

func thousandths(w float64) int64 { return max(1, int64(math.Round(units.Rounded(min(w, 1e9)*1000)))) }

// nobody stands for the user of jobs that name none.
const nobody = "-"

func userOf(j *workload.Job) string {
	if j.User == "" {
		return nobody
	}
	return j.User
}
