package rds

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/internal/maths/optimize"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// frozen is a job whose progress is proportional to its map slots, as an outlook.
func frozen(c *controller, each, gain, owed, weight float64, has int32) *outlook {
	m := &member{Bound: [2]int32{has, -1}}
	job := &sched.Job{Spec: &workload.Job{}}
	job.Stages[sched.Map].Ready = true
	o := &outlook{m: m, job: job, stages: []int{0}, per: owed, weight: weight}
	o.each[0], o.most[0] = each, 1/each
	n := c.set.hc
	o.n = n
	o.base = make([]float64, c.set.hp)
	o.gain = make([]float64, c.set.hp*n)
	for i := range c.set.hp {
		o.owes = append(o.owes, owed)
		o.gain[i*n+min(i, n-1)] = gain
	}
	return o
}

// horizons is a controller with these horizons, in which no job is on the fast path.
func horizons(hp, hc int) *controller {
	c := newController(settings{hp: hp, hc: hc, mapPenalty: 0.0107, reducePenalty: 0.0173, interval: 600 * units.Second})
	c.Total[mapSlots], c.budget[mapSlots] = 40, 40
	return c
}

// equation3 is equation 3 as it is printed, but that its sums end at Hp-1 and Hc-1, written from the paper.
func equation3(v []float64, c *controller, list []*outlook) float64 {
	sum, n := 0.0, c.set.hc
	for k, o := range list {
		u := v[k*n : k*n+n]
		for i := range c.set.hp {
			y := o.gain[i*n+min(i, n-1)] * u[min(i, n-1)]
			sum += o.weight * math.Pow((y-o.owes[i])/o.per, 2)
		}
		before := float64(o.m.Bound[0])
		for i := range n {
			sum += c.set.mapPenalty * math.Pow((u[i]-before)*o.each[0], 2)
			before = u[i]
		}
	}
	return sum
}

// What is posed is equation 3: the same differences of cost at any two points, and no point near the
// optimum within equation 2 is better.
func TestEquation3(t *testing.T) {
	for seed := range uint64(30) {
		dice := rand.New(rand.NewPCG(seed, 1))
		hp := 1 + dice.IntN(5)
		c := horizons(hp, 1+dice.IntN(hp))
		var list []*outlook
		for range 1 + dice.IntN(6) {
			owed := 0.05 + dice.Float64()/3
			list = append(list, frozen(c, 1.0/40, owed/(5+20*dice.Float64()), owed, 0.2+dice.Float64(), int32(dice.IntN(20))))
		}
		part := make([]float64, hp)
		for i := range part {
			part[i] = 0.3 + dice.Float64()
		}
		part[0] = 1
		c.pose(list, part)
		n := c.set.hc
		posed := func(v []float64) (sum float64) {
			for k := range list {
				b := &c.problem.Blocks[k]
				for i := range n {
					sum += v[k*n+i] * b.Cost[i]
					for j := range n {
						sum += 0.5 * v[k*n+i] * b.Hessian[i*n+j] * v[k*n+j]
					}
				}
			}
			return sum
		}
		point := func(at []float64, by float64) []float64 {
			v := make([]float64, len(list)*n)
			for i := range v {
				v[i] = math.Max(0, at[i]+by*dice.NormFloat64())
			}
			return v
		}
		origin := make([]float64, len(list)*n)
		for range 10 {
			a, b := point(origin, 10), point(origin, 10)
			if got, want := posed(a)-posed(b), equation3(a, c, list)-equation3(b, c, list); math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
				t.Fatalf("seed %d: costs differ by %v, equation 3 says %v", seed, got, want)
			}
		}
		found := c.solverState.Solve(&c.problem)
		if found.Status != optimize.Optimal {
			t.Fatalf("seed %d: %s", seed, found.Status)
		}
		var best []float64
		for _, x := range found.X {
			best = append(best, x...)
		}
		least := equation3(best, c, list)
		for step := range hp { // the slots of the last step that is controlled stay to the end
			used := 0.0
			for k := range list {
				used += best[k*n+min(step, n-1)] / 40
			}
			if used > part[step]+1e-6 {
				t.Errorf("seed %d: step %d takes %v of %v", seed, step, used, part[step])
			}
		}
		for range 300 {
			v := point(best, math.Pow(10, -3*dice.Float64()))
			fits := true
			for step := range hp {
				used := 0.0
				for k := range list {
					used += v[k*n+min(step, n-1)] / 40
				}
				fits = fits && used <= part[step]
			}
			if got := equation3(v, c, list); fits && got < least-1e-6*(1+least) {
				t.Errorf("seed %d: %v, and a point nearby costs %v", seed, least, got)
			}
		}
	}
}

func TestDecay(t *testing.T) {
	for _, c := range []struct{ y, soft, hard, want float64 }{
		{5, 10, 20, 1}, {9.99, 10, 20, 1}, {10, 10, 20, 1}, {15, 10, 20, 0.5}, {20, 10, 20, 0}, {20.1, 10, 20, 0}, {12, 10, 12, 0.8}, {12.1, 10, 12, 0},
	} {
		if got := decay(c.y, c.soft, c.hard); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("δ(%v) between %v and %v is %v, want %v", c.y, c.soft, c.hard, got, c.want)
		}
	}
}

func TestBounds(t *testing.T) {
	const s = units.Second
	for _, c := range []struct {
		soft, deadline units.Time
		hundredths     int64
		wantSoft, want units.Duration
	}{
		{units.Never, 110e9, 200, 100 * s, 200 * s},
		{units.Never, 110e9, 100, 100 * s, 100 * s},
		{60e9, 90e9, 200, 50 * s, 80 * s},
		{20e9, 90e9, 200, 10 * s, 20 * s}, // t_hard is at most twice t_soft
	} {
		job := &sched.Job{Arrived: 10e9, Deadline: c.deadline, Spec: &workload.Job{Soft: c.soft}}
		if soft, hard := bounds(job, c.hundredths); soft != c.wantSoft || hard != c.want {
			t.Errorf("%v, %v: %v and %v, want %v and %v", c.soft, c.deadline, soft, hard, c.wantSoft, c.want)
		}
	}
}

// Parameters that make no sense are refused in one sentence.
func TestParameters(t *testing.T) {
	for text, want := range map[string]string{
		"hp=2":        "hc is 3, it must be from 1 to hp, which is 2",
		"hp=13":       "hp is 13, it must be from 1 to 12",
		"hc=0":        "hc is 0",
		"ny=4":        "ny is 4, it must be from 0 to 3",
		"nu=4":        "nu is 4, it must be from 0 to 3",
		"hard=99":     "hard is 99, it must be from 100 to 200 percent of the deadline",
		"hard=201":    "hard is 201",
		"interval=0s": "interval is 0",
		"solver=10m":  "solver is 10m, it must be less than the interval",
	} {
		if _, err := made(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// made is the policy with some parameters.
func made(text string) (r compose.Recipe, err error) {
	e := Entry()
	values := map[string]string{}
	for _, p := range e.Params {
		values[p.Name], _ = p.Canonical(p.Default)
	}
	for set := range strings.FieldsSeq(text) {
		key, value, _ := strings.Cut(set, "=")
		values[key] = value
	}
	err = r.Put(e, compose.NewArgs(queues.Config{}, e.Params, values))
	return r, err
}

// The book knows one wake-up and forgets it when it comes, so what comes behind it is asked for then.
func TestWakesForEachInstant(t *testing.T) {
	c := newController(settings{})
	tick, news := sched.EventsOf(sched.Tick), sched.EventsOf(sched.JobArrived)
	c.Next, c.Due, c.Activate = 600, 2, 15
	for _, step := range []struct {
		now    units.Time
		brings sched.Events
		want   units.Time // 0 = nothing is asked for
	}{{0, news, 2}, {1, news, 0}, {2, tick, 15}, {7, news, 0}, {15, tick, 600}, {600, tick, 0}} {
		var p sched.Plan
		c.wake(step.now, step.brings, &p)
		got := units.Time(0)
		if len(p.Items) > 0 {
			got = p.Items[0].At
		}
		if got != step.want {
			t.Errorf("at %d it asks to be woken at %d, want %d", step.now, got, step.want)
		}
	}
}

// Picking the largest Δu again and again, one slot at a time, is what goRound does at once (algorithm 1).
func TestGoRound(t *testing.T) {
	for seed := range uint64(500) {
		dice := rand.New(rand.NewPCG(seed, 5))
		c := newController(settings{})
		c.budget[0] = int64(dice.IntN(40))
		for i := range 1 + dice.IntN(8) {
			c.queue = append(c.queue, grant{need: int32(dice.IntN(12)), each: 1 + int64(dice.IntN(2)*int(seed%2)), left: int64(dice.IntN(12000) - 2000*dice.IntN(2)), s: i})
		}
		want, room := make([]int32, len(c.queue)), c.budget[0]
		for {
			best := -1
			for i, g := range c.queue {
				left := g.left - 1000*int64(want[i])
				if want[i] < g.need && g.each <= room && (best < 0 || left > c.queue[best].left-1000*int64(want[best])) {
					best = i
				}
			}
			if best < 0 {
				break
			}
			want[best]++
			room -= c.queue[best].each
		}
		for i := range c.queue {
			c.sorted = append(c.sorted, &c.queue[i])
		}
		c.goRound(0)
		for i, g := range c.queue {
			if g.slots != want[i] {
				t.Fatalf("seed %d: job %d gets %d slots, one at a time it is %d", seed, i, g.slots, want[i])
			}
		}
	}
}

// After a resync nothing that was asked of the book holds any more, and jobs may have other handles. What was
// learned stays, and so does the interval.
func TestResyncVoidsBounds(t *testing.T) {
	c := newController(settings{})
	c.Members = []*member{{ID: "gone", Job: 2, Bound: [2]int32{1, 1}}, {ID: "j", Job: 1, Bound: [2]int32{3, 2}, Let: true, First: true}}
	c.Due, c.Woken, c.Held, c.Next, c.Intervals, c.Classes = 5, 5, true, 9, 7, []*performance{{Name: "c"}}
	book := ledger.New(sched.Capabilities{Bind: true}, nil)
	job := &workload.Job{ID: "j", Class: "c", Weight: 1, Soft: units.Never, Deadline: units.Never, Stages: []workload.StageSpec{{Kind: workload.Map, Tasks: make([]workload.Task, 2)}}}
	book.Apply(1, 1, []sched.Event{{Kind: sched.Resync}, {Kind: sched.JobArrived, Job: 3, Detail: &sched.Detail{Job: job}}})
	c.meet(book, sched.EventsOf(sched.Resync, sched.JobArrived))
	if len(c.Members) != 1 || c.Due != 0 || c.Woken != 0 {
		t.Fatalf("%d members, due %d, woken %d", len(c.Members), c.Due, c.Woken)
	}
	if c.Held || c.Next != 9 || c.Intervals != 7 || len(c.Classes) != 1 {
		t.Errorf("held %v, next %d, %d intervals, classes %v", c.Held, c.Next, c.Intervals, c.Classes)
	}
	if m := c.Members[0]; m.ID != "j" || m.Job != 3 || m.Bound != [2]int32{-1, -1} || m.Let || m.First {
		t.Errorf("%+v", *m)
	}
}
