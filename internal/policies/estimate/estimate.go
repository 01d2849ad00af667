// Package estimate says what the tasks of a job take at worst, by what is known of its class (paper
// 003, section 5.2.1: definitions and the equations printed there as 4.2 to 4.4). It keeps nothing:
// profiles come through sched.View.
//
//	symbol    paper 003                                             here
//	c_m^max   highest cost of a unit of data in a map               PerByte.Max of the class's maps, over all classes of nodes
//	η         highest ratio of intermediate data to input           Ratio.Max of the class
//	c_r^max   highest cost of a unit of data in a reduce            PerByte.Max + Fetch.Max of its reduces
//	δ_i^m     input of a map                                        Task.Input
//	max δ_i^r largest input of a reduce, unknown before the maps    η · input of all maps / reduces · skew
//
// Deviations from the paper:
//
//   - A reduce's time is learned in two parts, its fetching and the rest. The sum of the worst of
//     each is at least the worst of the sums.
//   - Some time of an attempt is not for its bytes: no task is taken to be shorter than the longest
//     start and commit seen.
//   - The paper's jobs have no ApplicationMaster. What is known of its start-up is the longest so far,
//     as of all else.
//   - Where no byte tells anything (maps that read nothing, reduces to which no map sends
//     anything), the longest task seen stands for the cost.
package estimate

import (
	"math"

	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Times are what a job's tasks take at worst, each for itself.
type Times struct {
	Map    units.Duration // the longest map: c_m^max · max δ_i^m (alg. 5.2, line 1)
	Maps   units.Duration // all maps one after the other: c_m^max · δ
	Reduce units.Duration // the longest reduce: c_r^max · max δ_i^r (alg. 5.3, line 2)
	// from the start of its ApplicationMaster to the first task that this asks for; 0 = it has none
	Master units.Duration
	// every stage of the job has been seen, and all its tasks are known; if not, the times say
	// nothing
	Known bool
}

// Worst returns the times of a job. skew is how many times the mean the largest share of a reduce
// is, 1 if all are even; what is below 1 counts as 1.
func Worst(v sched.View, job *workload.Job, skew float64) Times {
	return times(v, job, max(1, skew), func(e *profile.Estimate) float64 { return e.Max })
}

// Mean is Worst with means in place of the worst: what schedulers expect that know one cost of
// a unit of data for all tasks and nodes.
func Mean(v sched.View, job *workload.Job) Times {
	return times(v, job, 1, func(e *profile.Estimate) float64 { return e.Mean })
}

// Task is what one task of a stage takes, by what is known of its class over all classes of nodes: the mean and
// the least, of a reduce with its shuffle, of a master its start-up. It costs no allocation.
func Task(c *profile.Class, s sched.Stage) (mean, least units.Duration, known bool) {
	n, sum, low := int64(0), 0.0, math.Inf(1)
	for i := range c.Stages {
		k := &c.Stages[i]
		if k.Stage != s {
			continue
		}
		task, shuffle := &k.Task, &k.Shuffle
		if s == sched.Master {
			task = &k.Start
		}
		if task.N == 0 {
			continue
		}
		n += task.N
		sum += float64(float64(task.N) * (task.Mean + shuffle.Mean))
		low = min(low, task.Min+shuffle.Min)
	}
	if n == 0 {
		return 0, 0, false
	}
	return above(units.Rounded(sum / float64(n))), above(units.Rounded(low)), true
}

// times takes one number of each estimate.
func times(v sched.View, job *workload.Job, skew float64, of func(*profile.Estimate) float64) Times {
	c := v.Profile(job.Class)
	if c == nil {
		return Times{}
	}
	t := Times{Known: true}
	read := units.Bytes(0)
	for i := range job.Stages {
		t.Known = t.Known && !job.Stages[i].Grows
		switch st := &job.Stages[i]; st.Kind {
		case sched.Master:
			k := c.Any(sched.Master)
			t.Known = t.Known && k.Start.N > 0
			t.Master = above(of(&k.Start))
		case sched.Map:
			k := c.Any(sched.Map)
			t.Known = t.Known && k.Task.N > 0
			largest := units.Bytes(0)
			for i := range st.Tasks {
				in := st.Tasks[i].Input
				largest, read = max(largest, in), read+in
				t.Maps = sum(t.Maps, mapTime(&k, in, of))
			}
			t.Map = mapTime(&k, largest, of)
		case sched.Reduce:
			k := c.Any(sched.Reduce)
			t.Known = t.Known && k.Task.N > 0 && len(st.Tasks) > 0
			share := of(&c.Ratio) * float64(read) / float64(len(st.Tasks)) * skew
			t.Reduce = reduceTime(&k, share, of)
		default:
			t.Known = false // nothing is learned that would bound the others
		}
	}
	if !t.Known {
		return Times{}
	}
	return t
}

func mapTime(k *profile.Stage, input units.Bytes, of func(*profile.Estimate) float64) units.Duration {
	if input == 0 || k.PerByte.N == 0 {
		return above(of(&k.Task))
	}
	return above(max(of(&k.PerByte)*float64(input), of(&k.Start)))
}

func reduceTime(k *profile.Stage, share float64, of func(*profile.Estimate) float64) units.Duration {
	if share == 0 || k.PerByte.N == 0 {
		return above(of(&k.Task) + of(&k.Shuffle))
	}
	return above(max((of(&k.PerByte)+of(&k.Fetch))*share, of(&k.Start)))
}

// Master returns what a job's ApplicationMaster takes, nil if the job has none, and whether that is one
// map slot. Not ok: it is neither that nor a container outside of all slots, and cannot be promised.
func Master(job *workload.Job) (needs *units.Vector, slot, ok bool) {
	st := job.Stage(sched.Master)
	if st == nil {
		return nil, false, true
	}
	c := st.Container(0)
	slot = c.Needs == units.Slots(1, 0)
	outside := c.Needs[units.MapSlots] == 0 && c.Needs[units.ReduceSlots] == 0
	return &c.Needs, slot, len(st.Tasks) == 1 && len(st.Containers) <= 1 && (slot || outside)
}

// sum adds two times, neither of them negative, up to the longest that there is.
func sum(a, b units.Duration) units.Duration {
	return a + min(b, math.MaxInt64-a)
}

// above rounds seconds up to whole nanoseconds, and such that the result is the same on all processors.
func above(seconds float64) units.Duration {
	ns := math.Ceil(units.RoundedUp(seconds * 1e9))
	if ns >= math.MaxInt64 {
		return math.MaxInt64
	}
	return units.Duration(max(0, ns))
}
