package rds

import (
	"slices"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/internal/maths/forecast"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// desk is a controller with a book of one node of 4 map slots, whose speed changes.
type desk struct {
	t    *testing.T
	c    *controller
	book *ledger.Ledger
	jobs int
}

func newDesk(t *testing.T, set settings) *desk {
	set.hp, set.hc, set.interval, set.activate, set.guess = 3, 3, 600*units.Second, 600*units.Second, 60*units.Second
	d := &desk{t: t, c: newController(set), book: ledger.New(sched.Capabilities{Bind: true}, nil)}
	class := &cluster.Class{Name: "c", Capacity: units.Vector{units.MapSlots: 4, units.ReduceSlots: 2}, Speed: 1}
	d.at(0, sched.Event{Kind: sched.NodeUp, Node: 1, X: 1, Detail: &sched.Detail{Node: &cluster.Node{Name: "n", Class: class}}})
	return d
}

// at lets events happen.
func (d *desk) at(seconds units.Time, events ...sched.Event) {
	batch := d.book.Apply(seconds*1e9, d.book.Round()+1, events)
	var p sched.Plan
	Admission{d.c}.Decide(d.book, batch, &p)
}

// comes is the arrival of a job of 40 maps, which is admitted.
func (d *desk) comes() []sched.Event {
	d.jobs++
	job := &workload.Job{ID: string(rune('a' + d.jobs)), Class: "c", Weight: 1, Soft: units.Never, Deadline: units.Time(1e15),
		Stages: []workload.StageSpec{{Kind: workload.Map, Tasks: make([]workload.Task, 40)}}}
	return []sched.Event{{Kind: sched.JobArrived, Job: sched.JobID(d.jobs), Detail: &sched.Detail{Job: job}}}
}

// The forecasters see a value for each interval, however often it is planned in between: here
// speed is a tenth more every ten minutes, from 1.0 on.
func TestObservationsAreEquallyFarApart(t *testing.T) {
	d := newDesk(t, settings{events: true})
	for minute := units.Time(0); minute <= 60; minute++ {
		events := []sched.Event{{Kind: sched.NodeChanged, Node: 1, X: 1 + float64(minute/10)/10}}
		if minute%7 == 0 {
			events = append(events, d.comes()...)
		}
		d.at(60*minute, events...)
	}
	seen := d.c.Speed.(*forecast.AR).Past.Values
	if want := []float64{1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6}; !slices.Equal(seen, want) {
		t.Errorf("it has seen %v, speed was %v", seen, want)
	}
}

// Progress is that of whole intervals, however often it is planned within: here a job does 10 of its 40 maps in each.
func TestProgressIsOfWholeIntervals(t *testing.T) {
	d := newDesk(t, settings{events: true, forgetting: 1})
	for minute := units.Time(0); minute <= 40; minute++ {
		events := []sched.Event{{Kind: sched.Tick}}
		if minute%7 == 0 {
			events = append(events, d.comes()...)
		}
		if minute > 0 {
			tally := &d.book.Job(1).Stages[sched.Map]
			d.book.Job(1).State, tally.Occupied, tally.Done = sched.Admitted, 4, int32(minute)
		}
		d.at(60*minute, events...)
		if m := d.c.find(1); minute%10 == 0 && minute > 10 && m.Was[0] != 0.25 || m.Was[0] != 0 && m.Was[0] != 0.25 {
			t.Fatalf("in minute %d it has done %v of its work in the interval before, it was 0.25", minute, m.Was[0])
		}
	}
	if k := d.c.Classes[0].Stages[0]; len(k.Outputs) < 2 || slices.ContainsFunc(k.Outputs, func(y float64) bool { return y != 0.25 }) {
		t.Errorf("the model learns from %v", k.Outputs)
	}
}

// What is told is a mean over the step: as now before it begins, its last value behind its end.
func TestExpected(t *testing.T) {
	f := &sched.Forecast{Start: 100, Interval: 10, Mid: []float64{0.5, 0.25}}
	for _, c := range []struct {
		from, to units.Time
		want     float64
	}{{80, 90, 1}, {95, 105, 0.75}, {100, 110, 0.5}, {105, 115, 0.375}, {90, 120, 1.75 / 3}, {115, 125, 0.25}, {500, 600, 0.25}} {
		if got := expected(f, 1, c.from, c.to); units.Rounded(got) != units.Rounded(c.want) {
			t.Errorf("from %d to %d: %v, want %v", c.from, c.to, got, c.want)
		}
	}
}

// The capacity of the steps to come is what the world tells of them, as speed where that is what changes; where it
// tells nothing, what the intervals before make of it. Of both the one counts that was right. All of it is saved.
func TestForecastsOfTheWorld(t *testing.T) {
	near := func(got, want []float64) bool {
		return slices.EqualFunc(got, want, func(a, b float64) bool { return max(a-b, b-a) < 1e-6 })
	}
	trace := []float64{0.9, 0.8, 0.5, 0.9, 0.7, 0.4, 0.6, 1, 0.3, 0.5, 0.8, 0.9, 0.2, 0.7, 0.6, 0.8, 0.5}
	for name, from := range map[string]source{"told": fromWorld, "combined": combined, "nothing is told": fromWorld} {
		d := newDesk(t, settings{source: from})
		var part, speed []float64
		for i := range 14 {
			events := []sched.Event{{Kind: sched.NodeChanged, Node: 1, X: trace[i]}, {Kind: sched.SupplyChanged, Of: sched.Capacity, X: trace[i]}}
			if i == 0 {
				events = append(events, d.comes()...)
			}
			if name != "nothing is told" {
				events = append(events, sched.Event{Kind: sched.ForecastIssued, Of: sched.Capacity, Detail: &sched.Detail{
					Forecast: &sched.Forecast{Start: units.Time(i+1) * 600e9, Interval: 600 * units.Second, Mid: trace[i+1 : i+3]}}})
			}
			d.at(units.Time(600*i), append(events, sched.Event{Kind: sched.Tick})...)
			part, speed = d.c.foresee(d.book)
		}
		var want []float64
		if name == "nothing is told" {
			own := forecast.NewAR(3, remembered)
			for _, x := range trace[:14] {
				own.Observe(x)
			}
			var steps [2]forecast.Step
			own.Predict(steps[:])
			want = []float64{trace[13], steps[0].Mid, steps[1].Mid}
		} else {
			want = []float64{trace[13], trace[14], trace[15]}
		}
		if !near(speed, want) || !near(part, []float64{1, 1, 1}) {
			t.Errorf("%s: it expects speeds of %v, want %v, and slots of %v", name, speed, want, part)
		}
		text, err := d.c.save()
		if err != nil {
			t.Fatal(err)
		}
		again := newController(d.c.set)
		if err := again.load(text); err != nil {
			t.Fatal(err)
		}
		other := newController(d.c.set)
		other.copyFrom(again)
		for _, c := range []*controller{again, other} {
			c.Total, c.Pace = available(d.book)
			if _, loaded := c.foresee(d.book); !slices.Equal(loaded, speed) {
				t.Errorf("%s: it expects %v, and %v when it was saved and read", name, speed, loaded)
			}
		}
	}
}
