package rds

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// A load is a job as paper 000 has it: what equations 2 to 5 need, and no more.
type load struct {
	tasks, mean, held [2]float64 // by stage: tasks, all to be done, what one takes, and slots that it has
	soft, waited, w   float64
	from              [2]int // the first step in which a stage can run
}

// cost3 is equation 3 of slots u[job][stage][step], step by step.
func cost3(loads []load, u [][2][]float64, speed []float64, p [2]float64) (sum float64) {
	const interval = 600.0
	for j, l := range loads {
		work := l.tasks[0]*l.mean[0] + l.tasks[1]*l.mean[1]
		finish := 0.0 // by when it would be done with its slots, if that is before it would be at the pace of y_ref
		for s := range 2 {
			finish += l.tasks[s] * l.mean[s] / math.Max(1, l.held[s])
		}
		delta := 1.0
		if end := l.waited + math.Min(finish, math.Max(l.soft, interval)); end > 2*l.soft {
			delta = 0
		} else if end > l.soft {
			delta = 2 - end/l.soft
		}
		owed, left := interval/l.soft, 1.0
		for step := range speed {
			y := 0.0
			for s := range 2 {
				y += u[j][s][min(step, len(u[j][s])-1)] * interval * speed[step] / work
			}
			now := math.Min(math.Min(1, owed), left)
			left -= now
			sum += delta * l.w * (y - now) * (y - now) / math.Min(1, owed) / math.Min(1, owed)
		}
		for s, all := range [2]float64{4, 2} {
			before := l.held[s]
			for _, x := range u[j][s] {
				sum += p[s] * (x - before) * (x - before) / all / all
				before = x
			}
		}
	}
	return sum
}

// beyond bounds by how much a plan costs more than the least there is. As equation 3 is convex, no plan costs less than
// the tangent at this one says, and the least of that is known: each slot goes to who gains most by it, as far as tasks
// and equation 2 allow.
func beyond(loads []load, u [][2][]float64, part, speed []float64, p [2]float64) (gap float64) {
	for s, all := range [2]float64{4, 2} {
		for step := range u[0][s] {
			room := all * part[step]
			if step == len(u[0][s])-1 {
				room = all * slices.Min(part[step:])
			}
			type use struct{ gain, most float64 }
			var uses []use
			for j, l := range loads {
				x := &u[j][s][step]
				if step < l.from[s] {
					continue
				}
				at := *x
				*x = at + 1e-3
				more := cost3(loads, u, speed, p)
				*x = at - 1e-3
				gain := (cost3(loads, u, speed, p) - more) / 2e-3 // exact, but for rounding, of a square
				*x = at
				gap -= gain * at
				uses = append(uses, use{gain, l.tasks[s]})
			}
			slices.SortFunc(uses, func(a, b use) int { return cmp.Compare(b.gain, a.gain) })
			for _, of := range uses {
				if n := math.Min(room, of.most); of.gain > 0 {
					gap, room = gap+n*of.gain, room-n
				}
			}
		}
	}
	return gap
}

// What is planned costs no more than a millionth above the least of equation 3, as it is written from the paper here,
// for one to three jobs that are new, of which nothing is known but the mean time of a task.
func TestPlanIsTheLeast(t *testing.T) {
	p := [2]float64{0.0107, 0.0173}
	for seed := range uint64(2000) {
		dice := rand.New(rand.NewPCG(seed, 17))
		d := newDesk(t, settings{hard: 200, mapPenalty: p[0], reducePenalty: p[1]})
		hp := 1 + dice.IntN(3)
		d.c.set.hp, d.c.set.hc = hp, 1+dice.IntN(hp)
		var part, speed []float64
		for range hp {
			part, speed = append(part, 0.3+0.7*dice.Float64()), append(speed, 0.3+dice.Float64())
		}
		part[0] = 1
		d.c.set.beliefs.Capacity = func(_ sched.View, _ units.Duration, _ int64, a, b []float64) {
			copy(a, part)
			copy(b, speed)
		}
		var loads []load
		for range 1 + dice.IntN(3) {
			l := load{tasks: [2]float64{float64(1 + dice.IntN(40)), float64(dice.IntN(4))}, soft: 300 + 6000*dice.Float64(), w: 0.5 + dice.Float64()}
			l.soft, l.w = math.Round(l.soft), math.Round(4*l.w)/4
			job := d.comesWith("c", int(l.tasks[0]), int(l.tasks[1]), func(j *workload.Job) {
				j.Deadline, j.Weight = units.Time(l.soft*1e9), l.w
			})
			job.State = sched.Admitted
			job.Stages[sched.Reduce].Ready = dice.IntN(2) == 0
			m := d.c.find(job.ID)
			for s := range 2 {
				m.Bound[s] = int32(dice.IntN(3))
				l.held[s] = float64(m.Bound[s])
			}
			loads = append(loads, l)
		}
		mean := [2]float64{60 + 300*dice.Float64(), 60 + 300*dice.Float64()}
		for s := range 2 {
			d.c.Classes[0].Stages[s].Mean = mean[s]
		}
		waited := float64(dice.IntN(2) * 500)
		d.book.Apply(units.Time(waited*1e9), d.book.Round()+1, []sched.Event{{Kind: sched.Tick}})
		for j := range loads {
			l := &loads[j]
			l.mean, l.waited = mean, waited
			if !d.book.Job(sched.JobID(j + 1)).Stages[sched.Reduce].Ready {
				l.from[1] = min(int(l.tasks[0]*mean[0]/math.Min(l.tasks[0], 4)/600), d.c.set.hc-1)
			}
		}
		d.c.control(d.book)
		u, found := make([][2][]float64, len(loads)), d.c.solverState.Solve(&d.c.problem)
		for j, o := range d.c.outlooks {
			for s := range 2 {
				u[j][s] = make([]float64, d.c.set.hc)
				for step := o.from[s]; step < d.c.set.hc && loads[j].tasks[s] > 0; step++ {
					u[j][s][step] = found.X[j][o.at(s, step, d.c.set.hc)]
				}
				// What is next to nothing is left out.
				if off := u[j][s][0] - float64(o.m.Plan[s])/1000; off > 3e-3 || off < -1e-3 {
					t.Errorf("seed %d: job %d is given %d thousandths of slots of stage %d, the plan is %v", seed, j, o.m.Plan[s], s, u[j][s])
				}
			}
		}
		if gap, cost := beyond(loads, u, part, speed, p), cost3(loads, u, speed, p); gap > 1e-6*(1+cost) {
			t.Errorf("seed %d: the plan costs %v, which is up to %v above the least", seed, cost, gap)
		}
	}
}
