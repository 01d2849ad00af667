package rds

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/maths/forecast"
	"github.com/slackline/slackline/internal/maths/fuzzy"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// comesWith lets a job of so many maps and reduces of a class arrive.
func (d *desk) comesWith(class string, maps, reduces int, change func(*workload.Job)) *sched.Job {
	d.jobs++
	job := &workload.Job{ID: class + string(rune('0'+d.jobs)), Class: class, Weight: 1, Soft: units.Never, Deadline: 6000e9,
		Stages: []workload.StageSpec{{Kind: workload.Map, Tasks: make([]workload.Task, maps)}, {Kind: workload.Reduce, Tasks: make([]workload.Task, reduces)}}}
	if change != nil {
		change(job)
	}
	j := sched.JobID(d.jobs)
	d.at(units.Time(d.book.Now()/1e9), sched.Event{Kind: sched.JobArrived, Job: j, Detail: &sched.Detail{Job: job}})
	return d.book.Job(j)
}

// near tells whether two numbers are alike but for rounding.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) }

// What the optimizer is told of a job's progress (equations 5 to 8, strengths frozen) is what the models say when
// they are asked one step after the other: each step has the progress and the slots of the one before as inputs.
func TestOutlook(t *testing.T) {
	for seed := range uint64(60) {
		dice := rand.New(rand.NewPCG(seed, 9))
		d := newDesk(t, settings{hard: 200})
		hp := 1 + dice.IntN(6)
		d.c.set.outputLags, d.c.set.inputLags = dice.IntN(mostLags+1), dice.IntN(mostLags+1)
		d.c.set.hp, d.c.set.hc = hp, 1+dice.IntN(hp)
		job := d.comesWith("c", 10+dice.IntN(90), 1+dice.IntN(20), nil)
		m := d.c.find(job.ID)
		k := d.c.class(d.book, job)
		var of [2]*model
		for s, stage := range planned {
			of[s] = &k.Stages[s]
			of[s].Mean = 20 + 200*dice.Float64()
			rules := make([]fuzzy.Rule, 1+dice.IntN(3))
			n := d.c.set.inputs()
			number := func(least, more float64) []float64 {
				list := make([]float64, n)
				for k := range list {
					list[k] = least + more*dice.Float64()
				}
				return list
			}
			for i := range rules {
				rules[i] = fuzzy.Rule{Center: number(0, 1), Width: number(1, 1), Then: append(number(0.2, 0.3), 0.1*dice.Float64())}
				rules[i].Then[n-1] = 0.1 * dice.Float64()
			}
			of[s].Learner = fuzzy.Learn(fuzzy.Model{Inputs: n, Rules: rules}, 0.98, 1)
			for lag := range mostLags {
				m.Past[s][0][lag], m.Past[s][1][lag] = dice.Float64(), dice.Float64()
			}
			m.Bound[s] = int32(dice.IntN(5)) - 1
			tally := &job.Stages[stage]
			tally.Done = int32(dice.IntN(int(tally.Total)))
			tally.Open = tally.Total - tally.Done
			tally.Occupied = int32(dice.IntN(3))
		}
		speed := make([]float64, hp)
		for i := range speed {
			speed[i] = 0.2 + dice.Float64()
		}
		have, _ := available(d.book)
		o := d.c.look(d.book, m, job, have, speed)

		u := make([]float64, o.n)
		for i := range u {
			u[i] = 4 * dice.Float64()
		}
		slots := func(s, step int) float64 { // stage by stage; reduces have none before maps can be done
			step = min(step, d.c.set.hc-1)
			if s == 0 {
				return u[step]
			}
			late := 2*d.c.set.hc - o.n
			if step < late {
				return 0
			}
			return u[d.c.set.hc+step-late]
		}
		all := of[0].Mean*float64(job.Stages[sched.Map].Total) + of[1].Mean*float64(job.Stages[sched.Reduce].Total)
		want := make([]float64, hp)
		for s, stage := range planned {
			tally := &job.Stages[stage]
			total := float64(tally.Total)
			part := 600 / of[s].Mean / total
			y, used := slices.Clone(m.Past[s][0][:]), slices.Clone(m.Past[s][1][:]) // the last interval first
			asked := append([]float64{float64(max(m.Bound[s], tally.Occupied)) * speed[0] * part}, y[:d.c.set.outputLags]...)
			e := of[s].affine(&d.c.set, append(append(asked, used[:d.c.set.inputLags]...), math.Log1p(total)/10))
			for step := range hp {
				used = append([]float64{slots(s, step) * part * speed[step]}, used...)
				now := e.rest
				for lag, by := range e.inputs[:1+d.c.set.inputLags] {
					now += by * used[lag]
				}
				for lag, by := range e.outputs[:d.c.set.outputLags] {
					now += by * y[lag]
				}
				y = append([]float64{now}, y...)
				want[step] += now * of[s].Mean * total / all
			}
		}
		for step := range hp {
			got := o.base[step]
			for i, x := range u {
				got += o.gain[step*len(u)+i] * x
			}
			if !near(got, want[step]) {
				t.Fatalf("seed %d: step %d of %d has progress %v, asked one by one the models say %v", seed, step, hp, got, want[step])
			}
		}
	}
}

// No job is planned more slots than it has tasks, and no reduces before its maps could be done: 40 maps of 100 s
// take 4 slots a thousand seconds.
func TestPlansWhatCanRun(t *testing.T) {
	for _, c := range []struct {
		done  int32
		ready bool
		want  []float64 // bounds of maps in each step, and of reduces
	}{
		{0, false, []float64{40, 40, 40, 3, 3}},
		{20, false, []float64{20, 20, 20, 3, 3, 3}},
		{38, false, []float64{2, 2, 2, 3, 3, 3}},
		{0, true, []float64{40, 40, 40, 3, 3, 3}},
		{40, true, []float64{3, 3, 3}},
	} {
		d := newDesk(t, settings{hard: 200})
		job := d.comesWith("c", 40, 3, nil)
		d.c.class(d.book, job).Stages[0].Mean = 100
		job.Stages[sched.Map].Done, job.Stages[sched.Map].Open = c.done, 40-c.done
		job.Stages[sched.Reduce].Ready = c.ready
		have, _ := available(d.book)
		o := d.c.look(d.book, d.c.find(job.ID), job, have, []float64{1, 1, 1})
		d.c.pose([]*outlook{o}, []float64{1, 1, 1})
		if got := d.c.problem.Blocks[0].Upper; !slices.Equal(got, c.want) {
			t.Errorf("with %d maps done the bounds are %v, want %v", c.done, got, c.want)
		}
	}
}

// Slots are planned where they are worth most, all of them where there are too few, and then they have a price.
func TestControl(t *testing.T) {
	for _, c := range []struct {
		deadline units.Time
		scarce   bool
	}{{6000e9, true}, {60000e9, false}} {
		d := newDesk(t, settings{hard: 200, mapPenalty: 0.0107, reducePenalty: 0.0173})
		for range 2 {
			job := d.comesWith("c", 40, 0, func(j *workload.Job) { j.Deadline, j.Stages = c.deadline, j.Stages[:1] })
			job.State = sched.Admitted
		}
		for i := range d.c.Classes {
			d.c.Classes[i].Stages[0].Mean = 450
		}
		d.c.control(d.book)
		sum := int64(0)
		for _, m := range d.c.Members {
			sum += m.Plan[0]
			// A slot does a thirtieth of the maps in an interval.
			if want := m.Plan[0] * 1000 / 30; m.Foreseen < want-2 || m.Foreseen > want+2 {
				t.Errorf("with %d thousandths of slots it is foreseen to do %d millionths", m.Plan[0], m.Foreseen)
			}
		}
		if c.scarce && (sum < 3990 || sum > 4000 || d.c.Prices[mapSlots] <= 0) {
			t.Errorf("of 4 slots %d thousandths are planned, and one costs %d", sum, d.c.Prices[mapSlots])
		}
		if !c.scarce && (sum < 500 || sum > 700 || d.c.Prices[mapSlots] != 0) {
			t.Errorf("%d thousandths are planned where 0.6 slots suffice, and one costs %d", sum, d.c.Prices[mapSlots])
		}
	}
}

// What there is, is looked at when a node comes, goes or changes, and not when a stage gets ready.
func TestNodesAreLookedAt(t *testing.T) {
	c, book := busy(20)
	for _, step := range []struct {
		what sched.Event
		sees bool
	}{
		{sched.Event{Kind: sched.NodeChanged, Node: 1, X: 0.5}, true},
		{sched.Event{Kind: sched.NodeDown, Node: 2}, true},
		{sched.Event{Kind: sched.StageReady, Job: 1, Stage: sched.Reduce}, false},
	} {
		c.Pace = 7 // which nobody measures
		var p sched.Plan
		Admission{c}.Decide(book, book.Apply(book.Now()+1, book.Round()+1, []sched.Event{step.what}), &p)
		if total, pace := available(book); step.sees && (c.Total != total || c.Pace != pace) || !step.sees && c.Pace != 7 {
			t.Errorf("%v: %v at %v, there is %v at %v", step.what.Kind, c.Total, c.Pace, total, pace)
		}
	}
}

// A job is on the fast path if its deadline lies before the next interval.
func TestShort(t *testing.T) {
	for deadline, want := range map[units.Time]bool{599e9: true, 600e9: false, 601e9: false, units.Never: false} {
		for _, fast := range []bool{false, true} {
			d := newDesk(t, settings{hard: 200, fast: fast})
			job := d.comesWith("c", 40, 0, func(j *workload.Job) { j.Deadline, j.Stages = deadline, j.Stages[:1] })
			if got := d.c.short(job); d.c.Next != 600e9 || got != (fast && want) {
				t.Errorf("with its deadline at %v, and fast %v: on the fast path %v", deadline, fast, got)
			}
		}
	}
}

// Where slots are planned within an interval, so much of each step lies in the next one of the forecaster.
func TestBetweenForecasts(t *testing.T) {
	to, doubles := make([]float64, 3), forecast.NewAR(1, 10)
	doubles.Past.Values = []float64{0.625, 1.25, 2.5, 5}
	var steps [3]forecast.Step
	doubles.Predict(steps[:])
	newController(settings{}).predict(doubles, 5, 0.25, to)
	if want := []float64{5, 0.75*steps[0].Mid + 0.25*steps[1].Mid, 0.75*steps[1].Mid + 0.25*steps[2].Mid}; !slices.EqualFunc(to, want, near) {
		t.Errorf("a quarter of an interval after the last value it expects %v", to)
	}
}

// Who goes first goes by virtual deadlines, as in each order.
func TestLineByVirtualDeadlines(t *testing.T) {
	d := newDesk(t, settings{hard: 200})
	first := d.comesWith("c", 3, 1, nil)
	second := d.comesWith("c", 3, 1, func(j *workload.Job) { j.Deadline, j.Virtual = 7000e9, 5000e9 })
	for _, m := range d.c.Members {
		m.Plan = [2]int64{1000, 1000}
	}
	d.c.line(d.book)
	if len(d.c.sorted) != 4 || d.c.sorted[0].job.ID != second.ID || d.c.sorted[3].job.ID != first.ID {
		t.Errorf("%d stand in line", len(d.c.sorted))
	}
}

// By hand: P weighs changes of map slots and Q those of reduce slots, each as part of its kind.
func TestPenaltiesByKind(t *testing.T) {
	d := newDesk(t, settings{hard: 200, mapPenalty: 0.5, reducePenalty: 3})
	d.c.set.hp, d.c.set.hc = 1, 1
	job := d.comesWith("c", 40, 3, nil)
	job.Stages[sched.Reduce].Ready = true
	have, _ := available(d.book)
	o := d.c.look(d.book, d.c.find(job.ID), job, have, []float64{1})
	clear(o.gain)
	d.c.pose([]*outlook{o}, []float64{1})
	if got := d.c.problem.Blocks[0].Hessian; !slices.EqualFunc(got, []float64{2 * 0.5 / 16, 0, 0, 2 * 3.0 / 4}, near) {
		t.Errorf("changes weigh %v, want 1/16 of maps, which have 4 slots, and 6/4 of reduces, which have 2", got)
	}
}

// On the fast path is who comes with a deadline before the next interval, and nobody else: it has all slots that it
// can use, by deadline, at once. When the interval begins it is planned as others are.
func TestFastPathByHand(t *testing.T) {
	d := newDesk(t, settings{hard: 200, fast: true, mapPenalty: 0.0107})
	maps := func(n int, deadline units.Time) *sched.Job {
		return d.comesWith("c", n, 0, func(j *workload.Job) { j.Deadline, j.Stages = deadline, j.Stages[:1] })
	}
	long, waits := maps(40, 6000e9), maps(2, 1100e9) // which waits for the interval that begins at 600 s
	later, soon := maps(2, 580e9), maps(3, 500e9)
	d.c.adjust(d.book)
	var got []int32
	for _, job := range []*sched.Job{long, waits, soon, later} {
		slots := int32(0)
		for _, g := range d.c.queue {
			if g.job.ID == job.ID {
				slots = g.slots
			}
		}
		got = append(got, slots)
		if fast := d.c.find(job.ID).Fast; fast != (job == later || job == soon) {
			t.Errorf("with its deadline at %v: on the fast path %v", job.Deadline, fast)
		}
	}
	if got[2] != 3 || got[3] != 1 || got[0]+got[1] != 0 { // of four slots
		t.Errorf("slots are %v, want 3 for the first deadline and what is left for the other", got)
	}
	d.at(600, sched.Event{Kind: sched.Tick})
	var p sched.Plan
	Admission{d.c}.Decide(d.book, []sched.Event{{Kind: sched.Tick}}, &p)
	for _, job := range []*sched.Job{waits, soon, later} {
		if d.c.find(job.ID).Fast {
			t.Errorf("the next interval has begun, and the job with its deadline at %v is on the fast path", job.Deadline)
		}
	}
}

// The paper has a pair of weights for each of three applications; that of wordcount is given, and that of all
// others.
func TestPenaltiesByApplication(t *testing.T) {
	c := newController(settings{mapPenalty: 0.0107, reducePenalty: 0.0173})
	for class, want := range map[string][2]float64{"wordcount": {0.0107, 0.0173}, "grep": {0.0096, 0.0168}, "terasort": {0.0132, 0.0194}, "other": {0.0107, 0.0173}} {
		if got := [2]float64{c.penalty(class, 0), c.penalty(class, 1)}; !near(got[0], want[0]) || !near(got[1], want[1]) {
			t.Errorf("%s has %v, want %v", class, got, want)
		}
	}
}
