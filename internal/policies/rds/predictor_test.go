package rds

import (
	"math"
	"slices"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/ledger"
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
	set.hp, set.hc, set.outputLags, set.inputLags, set.interval = 3, 3, 1, 1, 600*units.Second
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
	d := newDesk(t, settings{})
	for minute := units.Time(0); minute <= 60; minute++ {
		events := []sched.Event{{Kind: sched.NodeChanged, Node: 1, X: 1 + float64(minute/10)/10}}
		if minute%7 == 0 {
			events = append(events, d.comes()...)
		}
		d.at(60*minute, events...)
	}
	seen := d.c.Speed.Past.Values
	if want := []float64{1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6}; !slices.Equal(seen, want) {
		t.Errorf("it has seen %v, speed was %v", seen, want)
	}
}

// Progress is that of whole intervals, however often it is planned within: here a job does 10 of its 40 maps in each.
func TestProgressIsOfWholeIntervals(t *testing.T) {
	d := newDesk(t, settings{})
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
		if m := d.c.find(1); minute%10 == 0 && minute > 10 && m.Past[0][0][0] != 0.25 || m.Past[0][0][0] != 0 && m.Past[0][0][0] != 0.25 {
			t.Fatalf("in minute %d it has done %v of its work in the interval before, it was 0.25", minute, m.Past[0][0][0])
		}
	}
	past := [2][mostLags]float64{{0.25, 0.25, 0.25}, {1, 1, 1}}
	k := &d.c.Classes[0].Stages[0]
	if y, _ := k.Learner.Predict(d.c.set.regress(nil, 1, &past, 40)); k.Samples < 2 || math.Abs(y-0.25) > 0.1 {
		t.Errorf("of %d samples the model makes %v", k.Samples, y)
	}
}
