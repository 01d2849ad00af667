package admit

import (
	"cmp"
	"math"

	"github.com/slackline/slackline/internal/policies/order"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// usualMasterShare is YARN's default of maximum-am-resource-percent.
const usualMasterShare = 10

// masters bounds what the ApplicationMasters of running jobs take, so that there is room for the
// tasks that they wait for (YARN: maximum-am-resource-percent of the CapacityScheduler, maxAMShare
// of the FairScheduler).
//
//   - A queue's masters take at most its share of what the queue is promised: under capacity of its
//     guaranteed part of the cluster, under fair of its weight among the pools that have jobs
//     (those that wait for predecessors do not count), under other orders of the cluster. The first
//     master of a queue may always run as far as this bound goes.
//   - All of them together take at most the largest of these shares of the cluster; under capacity
//     and fair, where each queue may have one, at least half of it.
//   - If none runs, one may.
//
// If both bounds are reached, the reason names that of all queues.
//
// A job's master counts from the job's admission to its end, with the first of its kinds of containers.
//
// Deviation: YARN measures a queue that has grown beyond its guarantee by what it could have now;
// here it is always the guarantee.
type masters struct {
	share float64            // of a queue that does not say, as part of 1
	whole float64            // of the cluster, all queues together
	own   map[string]float64 // of queues that say, by path

	guaranteed func(queue string) float64 // capacity: as part of the cluster
	weight     func(pool string) float64  // fair

	// Of the jobs that run.
	n     int
	used  units.Vector
	pools map[string]*pool // by path
	// of the weights of pools with jobs: whole numbers, so it does not matter in which order they
	// come
	sum float64
}

// pool is what the masters of a queue's jobs take.
type pool struct {
	n     int
	used  units.Vector
	kinds int // of jobs that stand in it
}

func newMasters(c queues.Config) masters {
	share := c.MaxMasterShare
	share = cmp.Or(share, usualMasterShare)
	m := masters{share: share / 100, own: make(map[string]float64)}
	m.whole = m.share
	return m
}

// describe takes what a queue says of itself.
func (m *masters) describe(path string, q *queues.Queue) {
	if q.MaxMasterShare > 0 {
		m.own[path] = q.MaxMasterShare / 100
		m.whole = max(m.whole, m.own[path])
	}
}

// follow learns from the order what queues are promised.
func (m *masters) follow(o sched.Order) {
	const half = 0.5
	switch o := o.(type) {
	case interface{ Guaranteed(queue string) float64 }:
		m.guaranteed, m.whole = o.Guaranteed, max(m.whole, half)
	case interface{ Pool(name string) *order.Pool }:
		m.weight, m.whole = func(name string) float64 { return float64(o.Pool(name).Weight) }, max(m.whole, half)
	}
}

func (m *masters) reset() {
	m.n, m.used, m.sum = 0, units.Vector{}, 0
	m.pools = make(map[string]*pool)
}

// at returns the record of a queue, and counts its weight when it is met first.
func (m *masters) at(path string) *pool {
	p := m.pools[path]
	if p == nil {
		p = new(pool)
		m.pools[path] = p
		if m.weight != nil {
			m.sum += m.weight(path)
		}
	}
	return p
}

// leave forgets the queue of a kind, and its weight, when no other kind stands there.
func (m *masters) leave(k *kind) {
	if k.pool.kinds--; k.pool.kinds > 0 {
		return
	}
	delete(m.pools, k.path)
	if m.weight != nil {
		m.sum -= m.weight(k.path)
	}
}

// runs counts the master of one running job more, or less.
func (m *masters) runs(k *kind, by int) {
	if !k.master {
		return
	}
	m.n += by
	k.pool.n += by
	if by > 0 {
		m.used.Add(&k.need)
		k.pool.used.Add(&k.need)
	} else {
		m.used.Sub(&k.need)
		k.pool.used.Sub(&k.need)
	}
}

// full tells whether masters leave no room for that of one more job, and why.
func (m *masters) full(v sched.View, k *kind) (sched.Reason, bool) {
	if !k.master || m.n == 0 {
		return sched.Reason{}, false
	}
	capacity, p, need := v.Capacity(), k.pool, &k.need
	for d := range units.Dims {
		if need[d] == 0 {
			continue
		}
		if may := portion(m.whole, capacity[d]); m.used[d]+need[d] > may {
			return sched.Because(MasterShare, m.used[d], may, int64(d)), true
		}
		if may := portion(m.bound(k.path), capacity[d]); p.n > 0 && p.used[d]+need[d] > may {
			return sched.Because(MasterShare, p.used[d], may, int64(d)), true
		}
	}
	return sched.Reason{}, false
}

// Share is the part of a cluster that ApplicationMasters may take.
type Share float64

// Full tells whether masters that take so much leave no room for one more, and why. If none runs, one may.
func (s Share) Full(capacity, used, need *units.Vector) (sched.Reason, bool) {
	if *used == (units.Vector{}) {
		return sched.Reason{}, false
	}
	for d := range units.Dims {
		if may := portion(float64(s), capacity[d]); need[d] > 0 && used[d]+need[d] > may {
			return sched.Because(MasterShare, used[d], may, int64(d)), true
		}
	}
	return sched.Reason{}, false
}

// bound is what the masters of a queue may take, as part of the cluster.
func (m *masters) bound(path string) float64 {
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

// portion returns a share of an amount, rounded down.
func portion(share float64, amount int64) int64 {
	return int64(math.Floor(units.Rounded(share * float64(amount)))) // of 100, 0.29 must be 29
}

// MasterOf returns what the job's ApplicationMaster takes.
func MasterOf(j *workload.Job) (need units.Vector, has bool) {
	s := j.Stage(sched.Master)
	if s == nil {
		return need, false
	}
	return s.Container(0).Needs, true
}
