package rds

import (
	"math"
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/maths/optimize"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// By hand: a job of ten intervals owes a tenth in each as long as that is left, or what is left by the intervals
// that are left; and a miss counts by its weight, doubled by each step of its priority, and by δ of when it would end:
// with its slots, or at the pace of its reference if that is sooner.
func TestRefer(t *testing.T) {
	for _, c := range []struct {
		name               string
		adaptive           bool
		now, left, finish  float64
		priority           int
		owes               []float64
		weight, wantWeight float64
	}{
		{"at the start", false, 0, 1, 5000, 0, []float64{0.1, 0.1, 0.1}, 1, 1},
		{"near its end", false, 3000, 0.25, 600, 0, []float64{0.1, 0.1, 0.05}, 3, 3},
		{"adaptive", true, 3000, 0.25, 600, 0, []float64{0.05, 0.05, 0.05}, 1, 1},
		{"adaptive and late", true, 6600, 0.25, 600, 0, []float64{0.25, 0, 0}, 1, 1 - 1200.0/6000},
		{"of priority", false, 0, 1, 5000, 2, []float64{0.1, 0.1, 0.1}, 3, 12},
		{"of low priority", false, 0, 1, 5000, -1, []float64{0.1, 0.1, 0.1}, 1, 0.5},
		{"late by its slots", false, 3000, 1, 5000, 0, []float64{0.1, 0.1, 0.1}, 1, 1 - 2000.0/6000},
		{"late by its reference", false, 3000, 1, 9e9, 0, []float64{0.1, 0.1, 0.1}, 1, 1 - 3000.0/6000},
		{"beyond its hard bound", false, 11000, 1, 5000, 0, []float64{0.1, 0.1, 0.1}, 1, 0},
	} {
		d := newDesk(t, settings{hard: 200, adaptive: c.adaptive})
		job := d.comesWith("c", 40, 3, func(j *workload.Job) { j.Weight, j.Priority = c.weight, c.priority })
		d.at(units.Time(c.now), sched.Event{Kind: sched.Tick})
		o := &outlook{job: job, m: d.c.find(job.ID), left: c.left}
		d.c.refer(d.book, o, c.finish)
		if !slices.EqualFunc(o.owes, c.owes, near) || !near(o.weight, c.wantWeight) {
			t.Errorf("%s: it owes %v and weighs %v, want %v and %v", c.name, o.owes, o.weight, c.owes, c.wantWeight)
		}
	}
}

// By hand: a job that owes by its deadline alone owes all that is left by the last interval that ends before it, and of
// what is left its part by the end of a horizon of three where that comes first. A late one owes it at once.
func TestReferByDeadline(t *testing.T) {
	for _, c := range []struct {
		now, left float64
		due       int
		total     float64
	}{
		{0, 1, 2, 0.3}, // a deadline at 6000 s is ten intervals away
		{3600, 0.5, 2, 0.5 * 3 / 4}, {4200, 0.5, 2, 0.5}, {4500, 0.5, 1, 0.5}, {5000, 0.5, 0, 0.5}, {7000, 0.5, 0, 0.5},
	} {
		d := newDesk(t, settings{hard: 200, byDeadline: true})
		job := d.comesWith("c", 40, 3, func(*workload.Job) {})
		d.at(units.Time(c.now), sched.Event{Kind: sched.Tick})
		o := &outlook{job: job, m: d.c.find(job.ID), left: c.left}
		d.c.refer(d.book, o, 100)
		if o.due != c.due || !near(o.total, c.total) {
			t.Errorf("at %v s it owes %v by step %d, want %v by %d", c.now, o.total, o.due, c.total, c.due)
		}
	}
	// By hand: of what two steps do together 0.5 is owed: (0.25 + 0.25 x + 0.5 y - 0.5)² / 0.25² times a weight of 1.
	o := &outlook{n: 2, per: 0.25, weight: 1, gain: []float64{0.25, 0, 0, 0.5, 9, 9}, base: []float64{0.125, 0.125, 9}}
	b := optimize.Block{Hessian: make([]float64, 4), Cost: make([]float64, 2)}
	o.count(&b, make([]float64, 2), 0, 1, 0.5)
	if !slices.Equal(b.Hessian, []float64{2, 4, 4, 8}) || !slices.Equal(b.Cost, []float64{-2, -4}) {
		t.Errorf("the cost is %v %v", b.Hessian, b.Cost)
	}
}

// By hand: an urgent job needs all of the first of two intervals, another one has both. By its pace each owes in the
// first one what it shares with the other; by the deadline the urgent one has all of it.
func TestPlanByDeadline(t *testing.T) {
	for _, byDeadline := range []bool{false, true} {
		d := newDesk(t, settings{hard: 200, forgetting: 0.98, byDeadline: byDeadline})
		for _, due := range []units.Time{900e9, 1800e9} {
			job := d.comesWith("c", 8, 0, func(j *workload.Job) { j.Deadline, j.Stages = due, j.Stages[:1] })
			job.State = sched.Admitted
		}
		for i := range d.c.Classes {
			d.c.Classes[i].Stages[0].Mean = 300 // four slots do eight maps in an interval
		}
		d.c.control(d.book)
		if plan := d.c.Members[0].Plan[0]; byDeadline != (plan > 3900) {
			t.Errorf("by deadline %v: the urgent job has %d thousandths of four slots", byDeadline, plan)
		}
	}
}

// By hand: maps are four fifths of the work and run on 40 slots, reduces on 20. Alone the maps take a fiftieth of
// all work's time on one slot, and the reduces as long as one of them, which is a twentieth. So of ten intervals
// maps have 2/7, and owe 0.28 of all work in each, and reduces 5/7, and owe 0.028.
func TestPhases(t *testing.T) {
	for _, c := range []struct {
		adaptive bool
		todo     [2]float64
		want     []float64
	}{
		{false, [2]float64{0.8, 0.2}, []float64{0.28, 0.28, 0.24 + 0.004, 0.028}},
		{false, [2]float64{0.14, 0.2}, []float64{0.14 + 0.014, 0.028, 0.028, 0.028}},
		{false, [2]float64{0, 0.042}, []float64{0.028, 0.014, 0, 0}},
		// A quarter of the maps is left: 1/200 of that time, which one of them takes longer than. Their part is 1/6.
		{true, [2]float64{0.2, 0.2}, []float64{0.12, 0.08 + 0.024*(1-0.08/0.12), 0.024, 0.024}},
	} {
		o := &outlook{work: [2]float64{0.8, 0.2}, todo: c.todo, left: c.todo[0] + c.todo[1], each: [2]float64{1.0 / 40, 1.0 / 20}, task: [2]float64{0.01, 0.05}, per: 0.1}
		if c.adaptive {
			o.per = o.left / 10
		}
		o.owesByPhase(4, c.adaptive)
		for i, want := range c.want {
			if math.Abs(o.owes[i]-want) > 1e-12 {
				t.Errorf("%v: step %d owes %v, want %v", c.todo, i, o.owes[i], want)
			}
		}
	}
	// A job without reduces owes what it owes without phases, and one that has nothing left owes nothing.
	o := &outlook{work: [2]float64{1, 0}, todo: [2]float64{0.25, 0}, left: 0.25, each: [2]float64{1.0 / 40, 0}, task: [2]float64{0.01, 0}, per: 0.1}
	o.owesByPhase(4, false)
	for i, want := range []float64{0.1, 0.1, 0.05, 0} {
		if math.Abs(o.owes[i]-want) > 1e-12 {
			t.Errorf("step %d owes %v, want %v", i, o.owes[i], want)
		}
	}
}
