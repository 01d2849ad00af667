package experiment

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// fluid is a scenario of which all is known: when capacity changes, and how much work each stage of
// each job is, at the mean time of its tasks. Work can be divided at will, and slots are taken from
// one job for another at once.
type fluid struct {
	jobs   []fluidJob
	levels []level // by time, from 0 on
}

// fluidJob is a job; times are in seconds.
type fluidJob struct {
	arrives, deadline, weight float64
	left, tasks, share        [2]float64 // of maps and reduces: slot time, most slots, CPU share
}

// level is what there is from an instant on.
type level struct{ at, nodes, speed float64 }

// mostOrdered bounds the number of jobs: all their orders are played.
const mostOrdered = 9

// ordered plays a scenario's jobs in an order, each with all slots that it can use and those before
// it leave: by deadline, or in that order of all in which the penalty is least (paper 000, equation
// 1).
func ordered(best bool) func(context.Context, *computed, float64, uint64) (map[string]float64, error) {
	return func(ctx context.Context, c *computed, _ float64, seed uint64) (map[string]float64, error) {
		if c.scenario == nil {
			return nil, fmt.Errorf("orders need a scenario")
		}
		cfg := c.scenario.Sim(seed)
		if cfg.Workload == nil || len(cfg.Workload.Jobs) > mostOrdered {
			return nil, fmt.Errorf("orders need a list of at most %d jobs", mostOrdered)
		}
		f, err := newFluid(&cfg)
		if err != nil {
			return nil, err
		}
		order := make([]int, len(f.jobs))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(f.jobs[a].deadline, f.jobs[b].deadline) })
		slots := cfg.Cluster.Nodes[0].Class.Capacity
		least := f.penalty(order, slots)
		if best {
			permutations(order, 0, func() bool {
				least = min(least, f.penalty(order, slots))
				return ctx.Err() == nil
			})
		}
		return map[string]float64{"penalty": least}, ctx.Err()
	}
}

// permutations calls f with each order of the numbers behind the first k; false ends it.
func permutations(order []int, k int, f func() bool) bool {
	if k == len(order) {
		return f()
	}
	for i := k; i < len(order); i++ {
		order[k], order[i] = order[i], order[k]
		on := permutations(order, k+1, f)
		order[k], order[i] = order[i], order[k]
		if !on {
			return false
		}
	}
	return true
}

func newFluid(cfg *sim.Config) (*fluid, error) {
	f := &fluid{}
	for i := range cfg.Workload.Jobs {
		j := cfg.Workload.Jobs[i]
		if j.Deadline == units.Never {
			return nil, fmt.Errorf("job %s has no deadline", j.ID)
		}
		one := fluidJob{arrives: j.Arrive.Seconds(), deadline: j.Deadline.Seconds(), weight: j.Weight}
		for s, stage := range [2]workload.Stage{workload.Map, workload.Reduce} {
			spec := j.Stage(stage)
			if spec == nil {
				continue
			}
			one.tasks[s], one.share[s] = float64(len(spec.Tasks)), cmp.Or(spec.CPUShare, 1)
			for k := range spec.Tasks {
				one.left[s] += (spec.Tasks[k].Work + spec.Tasks[k].Shuffle).Seconds()
			}
		}
		f.jobs = append(f.jobs, one)
	}
	f.levels = []level{{0, float64(len(cfg.Cluster.Own())), 1}}
	for _, s := range cfg.Speeds {
		f.levels = append(f.levels, level{s.At.Seconds(), -1, s.Factor})
	}
	for _, s := range cfg.Sizes {
		f.levels = append(f.levels, level{s.At.Seconds(), float64(s.Nodes), -1})
	}
	slices.SortStableFunc(f.levels, func(a, b level) int { return cmp.Compare(a.at, b.at) })
	for i := 1; i < len(f.levels); i++ {
		l, before := &f.levels[i], f.levels[i-1]
		if l.nodes < 0 {
			l.nodes = before.nodes
		} else {
			l.speed = before.speed
		}
	}
	return f, nil
}

// penalty plays the jobs in an order, and returns the mean penalty. slots are those of a node.
func (f *fluid) penalty(order []int, slots units.Vector) (sum float64) {
	var left [mostOrdered][2]float64
	for i := range f.jobs {
		left[i] = f.jobs[i].left
	}
	var rate [mostOrdered]float64
	now, at := 0.0, 0
	for open := len(f.jobs); open > 0; {
		for at+1 < len(f.levels) && f.levels[at+1].at <= now {
			at++
		}
		l, next := f.levels[at], math.Inf(1)
		if at+1 < len(f.levels) {
			next = f.levels[at+1].at - now
		}
		free := [2]float64{l.nodes * float64(slots[units.MapSlots]), l.nodes * float64(slots[units.ReduceSlots])}
		for _, i := range order {
			j := &f.jobs[i]
			rate[i] = 0
			if j.arrives > now {
				next = min(next, j.arrives-now)
				continue
			}
			s := stageLeft(&left[i])
			if s < 0 {
				continue
			}
			use := min(free[s], j.tasks[s])
			free[s] -= use
			if rate[i] = use / (j.share[s]/l.speed + 1 - j.share[s]); rate[i] > 0 {
				next = min(next, left[i][s]/rate[i])
			}
		}
		if math.IsInf(next, 1) {
			return next // nothing gets on any more
		}
		now += next
		for _, i := range order {
			if rate[i] == 0 {
				continue
			}
			s := stageLeft(&left[i])
			if left[i][s] -= rate[i] * next; left[i][s] > 1e-6 {
				continue
			}
			left[i][s] = 0
			if stageLeft(&left[i]) < 0 {
				j := &f.jobs[i]
				sum += j.weight * max(0, now-j.deadline) / (j.deadline - j.arrives)
				open--
			}
		}
	}
	return sum / float64(len(f.jobs))
}

// stageLeft is the stage that is not done, maps before reduces; -1 = all is done.
func stageLeft(left *[2]float64) int {
	switch {
	case left[0] > 0:
		return 0
	case left[1] > 0:
		return 1
	}
	return -1
}
