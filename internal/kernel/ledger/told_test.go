package ledger

import (
	"math"
	"strings"
	"testing"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// The book has a case for every kind of event, so that none is told in vain.
func TestEveryEventIsTaken(t *testing.T) {
	unknown := func(k sched.EventKind) bool {
		for _, e := range open(t, bound, nil).told(sched.Event{Kind: k}) {
			if e.Kind == sched.Discrepancy && strings.HasSuffix(e.Text, "there is no such event") {
				return true
			}
		}
		return false
	}
	for k := sched.NoEvent + 1; k < sched.EventKinds; k++ {
		if unknown(k) {
			t.Errorf("%v falls through", k)
		}
	}
	if !unknown(sched.NoEvent) || !unknown(sched.EventKinds) {
		t.Error("the book takes events that do not exist")
	}
}

func forecast(of sched.SupplyKind, f sched.Forecast) sched.Event {
	return sched.Event{Kind: sched.ForecastIssued, Of: of, Detail: &sched.Detail{Forecast: &f}}
}

// Supplies and forecasts: the latest of each kind stays, past a resync too; what makes no sense is noted and not taken.
func TestSupplies(t *testing.T) {
	d := open(t, bound, nil)
	d.is("nothing told", d.Supply(sched.GreenPower) == nil && d.Forecast(sched.Price) == nil && d.Supply(sched.Supplies) == nil && d.Forecast(99) == nil, true)
	first := sched.Forecast{Start: 5, Interval: units.Minute, Mid: []float64{1, 2}}
	d.at = 100
	d.told(sched.Event{Kind: sched.SupplyChanged, Of: sched.GreenPower, X: 40}, old(30, sched.Event{Kind: sched.SupplyChanged, Of: sched.Capacity, X: 0.5}),
		forecast(sched.GreenPower, first))
	d.told(sched.Event{Kind: sched.SupplyChanged, Of: sched.GreenPower, X: 50},
		forecast(sched.GreenPower, sched.Forecast{Interval: 1, Mid: []float64{3}, Low: []float64{2}, High: []float64{3}}))
	for _, bad := range []sched.Event{{Kind: sched.SupplyChanged, X: 1}, {Kind: sched.SupplyChanged, Of: sched.Supplies},
		{Kind: sched.SupplyChanged, Of: sched.GreenPower, X: math.NaN()}, {Kind: sched.SupplyChanged, Of: sched.Capacity, X: 1.5},
		{Kind: sched.SupplyChanged, Of: sched.GreenPower, X: -1}, {Kind: sched.ForecastIssued, Of: sched.GreenPower}, forecast(sched.NoSupply, first),
		forecast(sched.GreenPower, sched.Forecast{Mid: []float64{1}}), forecast(sched.GreenPower, sched.Forecast{Interval: 1}),
		forecast(sched.GreenPower, sched.Forecast{Interval: 1, Mid: []float64{math.Inf(1)}}),
		forecast(sched.GreenPower, sched.Forecast{Interval: 1, Mid: []float64{1}, Low: []float64{2}, High: []float64{3}}),
		forecast(sched.GreenPower, sched.Forecast{Interval: 1, Mid: []float64{4}, Low: []float64{2}, High: []float64{3}}),
		forecast(sched.GreenPower, sched.Forecast{Interval: 1, Mid: []float64{4, 4}, Low: []float64{2}, High: []float64{3}}),
		forecast(sched.GreenPower, sched.Forecast{Interval: 1, Mid: []float64{4}, Low: []float64{2}})} {
		if got := kinds(d.told(bad), sched.Discrepancy); got != 1 {
			t.Errorf("%+v: %d discrepancies", bad, got)
		}
	}
	check := func(d *desk) {
		t.Helper()
		d.is("green", *d.Supply(sched.GreenPower), sched.Supply{Amount: 50, Since: 102})
		d.is("capacity", *d.Supply(sched.Capacity), sched.Supply{Amount: 0.5, Since: 71})
		d.is("forecast", d.Forecast(sched.GreenPower).Mid[0], 3.)
		d.is("price", d.Supply(sched.Price) == nil && d.Forecast(sched.Price) == nil, true)
	}
	check(d)
	other := open(t, bound, nil)
	load(other, d)
	check(other)
	d.told(sched.Event{Kind: sched.Resync})
	check(d)
}

// A cancelled job starts nothing more, sample or not; its end follows. A resync that does not tell
// it again has taken it back.
func TestCancelledJobs(t *testing.T) {
	d := open(t, bound, nil)
	arrives := jobOf(1, "a", maps(3))
	d.told(nodeUp(1, 1, 9, 1), arrives, sched.Event{Kind: sched.Heartbeat, Node: 1})
	d.decide(admit(1), start(1, sched.Map, 1, 1))
	d.is("before", d.First(1, sched.Map, 0), sched.JobID(1))
	d.told(sched.Event{Kind: sched.JobCancelled, Job: 1})
	other := open(t, bound, nil)
	load(other, d)
	for _, d := range []*desk{d, other} {
		d.is("cancelled", d.Job(1).Cancelled, true)
		d.is("after", d.First(1, sched.Map, 0)+d.Waiting(sched.Map, 0), sched.JobID(0))
		d.want(start(1, sched.Map, 1, 1), sched.TooLate)
		d.is("what runs is booked", d.Job(1).Stages[sched.Map].Occupied, int32(1))
	}
	d.is("of nobody", kinds(d.told(sched.Event{Kind: sched.JobCancelled, Job: 9}), sched.Discrepancy), 1)
	d.told(sched.Event{Kind: sched.Resync}, nodeUp(1, 1, 9, 1), arrives)
	d.is("void", d.Job(1).Cancelled, false)
	got := d.told(sched.Event{Kind: sched.Resync}, sched.Event{Kind: sched.JobCancelled, Job: 1}, arrives)
	d.is("told again", d.Job(1).Cancelled && kinds(got, sched.Discrepancy) == 0, true)
}

// The number of tasks that was asked for stands beside what the world made of it: nothing yet,
// another number, a refusal.
func TestMoldedStages(t *testing.T) {
	d := open(t, bound, nil)
	stage := maps(3)
	stage.MinTasks, stage.MaxTasks = 1, 9
	d.told(jobOf(1, "a", stage))
	ask := sched.Item{Verb: sched.SetTasks, Job: 1, Stage: sched.Map, Count: 5}
	mold := func(want sched.Mold) {
		t.Helper()
		other := open(t, bound, nil)
		load(other, d)
		d.is("mold", d.Job(1).Molds[sched.Map], want)
		d.is("mold, loaded", other.Job(1).Molds[sched.Map], want)
	}
	mold(sched.Mold{})
	asked := d.one(ask)
	mold(sched.Mold{Item: asked.ID, Asked: 5})
	answer := jobOf(1, "a", maps(4))
	answer.Kind, answer.Item = sched.JobAmended, asked.ID
	d.is("discrepancies", kinds(d.told(answer), sched.Discrepancy), 0)
	mold(sched.Mold{Item: asked.ID, Asked: 5, Accepted: 4})
	answer.Item = 99
	d.is("an answer to nothing", kinds(d.told(answer), sched.Discrepancy), 1)

	d.told(jobOf(1, "a", stage))
	asked = d.one(ask)
	d.told(sched.Event{Kind: sched.Refused, Item: asked.ID, Job: 1, Stage: sched.Map, Why: sched.TooLate})
	mold(sched.Mold{Item: asked.ID, Asked: 5, Accepted: -1})
}

// A node is asleep from the item on, on its way up from the next, and awake when it says so; a
// refusal takes the item back.
func TestNodeStates(t *testing.T) {
	d := open(t, bound, nil)
	d.told(nodeUp(1, 1, 1, 1))
	state := func(want sched.NodeState) {
		t.Helper()
		other := open(t, bound, nil)
		load(other, d)
		d.is("state", d.Node(1).State, want)
		d.is("state, loaded", other.Node(1).State, want)
		d.is("serves", d.Node(1).Serves(), want == sched.Awake)
	}
	refuse := func(it sched.Item) {
		d.told(sched.Event{Kind: sched.Refused, Item: it.ID, Node: 1, Why: sched.NodeAway})
	}
	sleep, wake := sched.Item{Verb: sched.Sleep, Node: 1}, sched.Item{Verb: sched.Wake, Node: 1}
	d.want(wake, sched.TooLate)
	asked := d.one(sleep)
	state(sched.Asleep)
	other := open(t, bound, nil)
	load(other, d)
	refuse(asked)
	state(sched.Awake)
	d = other // what a refusal takes back is saved too
	refuse(asked)
	state(sched.Awake)
	d.want(sleep, sched.OK)
	d.want(sleep, sched.NodeAway)
	refuse(asked) // an older item
	state(sched.Asleep)
	asked = d.one(wake)
	state(sched.Waking)
	d.want(wake, sched.TooLate)
	d.want(sleep, sched.NodeAway)
	refuse(asked)
	state(sched.Asleep)
	d.want(wake, sched.OK)
	d.told(nodeUp(1, 1, 1, 1))
	state(sched.Awake)
	sleeps := nodeUp(1, 1, 1, 1)
	sleeps.State = sched.Asleep
	d.told(sched.Event{Kind: sched.Resync}, sleeps)
	state(sched.Asleep)
}

// A busy node drains first, and the world says when it sleeps. What the book thinks runs there then is lost.
func TestSleepDrains(t *testing.T) {
	d := open(t, bound, nil)
	d.told(nodeUp(1, 1, 2, 2), nodeUp(2, 1, 1, 1), jobOf(1, "j", maps(3)))
	d.decide(admit(1), start(1, sched.Map, 1, 2))
	d.want(sched.Item{Verb: sched.Sleep, Node: 1}, sched.OK)
	d.is("state", d.Node(1).State, sched.Draining)
	d.want(start(1, sched.Map, 1, 1), sched.NodeAway)
	d.is("capacity", d.Capacity()[units.MapSlots], int64(3))
	d.told(sched.Event{Kind: sched.Started, Attempt: 1, Job: 1, Stage: sched.Map, Node: 1, Task: 1, Item: 2})
	d.told(sched.Event{Kind: sched.NodeChanged, Node: 1, State: sched.Asleep})
	d.is("state", d.Node(1).State, sched.Asleep)
	d.is("attempt", d.Attempt(1) == nil, true)
}

// What a cloud offers counts for nothing until it is there: it is rented, boots, and is given back when it is empty.
func TestOffersAreNodes(t *testing.T) {
	d := open(t, bound, nil)
	rented := nodeUp(2, 1, 4, 4)
	rented.Detail.Node.Class.Most, rented.Detail.Node.Class.WakeTime = 1, 90*units.Second
	offer := rented
	offer.Kind, offer.State = sched.NodeChanged, sched.Offered
	is := func(state sched.NodeState, slots int64) {
		t.Helper()
		other := open(t, bound, nil)
		load(other, d)
		for _, b := range []*desk{d, other} {
			d.is("state", b.Node(2).State, state)
			d.is("capacity", b.Capacity()[units.MapSlots], slots)
			checkClasses(t, b.Ledger)
		}
	}
	sleep, wake := sched.Item{Verb: sched.Sleep, Node: 2}, sched.Item{Verb: sched.Wake, Node: 2}
	d.told(nodeUp(1, 1, 1, 1), offer, jobOf(1, "j", maps(9)))
	is(sched.Offered, 1)
	d.want(sleep, sched.NodeAway)
	asked := d.one(wake)
	is(sched.Waking, 1)
	d.is("until", d.Node(2).Until, d.at.Add(90*units.Second))
	d.told(sched.Event{Kind: sched.NodeChanged, Node: 2, State: sched.Waking})
	d.told(sched.Event{Kind: sched.Refused, Item: asked.ID, Node: 2, Why: sched.Gone})
	is(sched.Offered, 1)
	d.want(wake, sched.OK)
	d.told(rented)
	is(sched.Awake, 5)
	begun := d.decide(admit(1), start(1, sched.Map, 2, 1))[1]
	asked = d.one(sleep)
	is(sched.Draining, 5)
	d.told(sched.Event{Kind: sched.Refused, Item: asked.ID, Node: 2, Why: sched.Needed})
	is(sched.Awake, 5)
	d.want(sleep, sched.OK)
	d.told(sched.Event{Kind: sched.Refused, Item: begun.ID, Job: 1, Stage: sched.Map, Node: 2, Count: 1, Why: sched.NodeAway})
	d.told(sched.Event{Kind: sched.NodeChanged, Node: 2, State: sched.Offered})
	is(sched.Offered, 1)
	d.told(rented)
	d.want(sleep, sched.OK) // it is empty, and so given back at once
	is(sched.Offered, 1)
	d.told(sched.Event{Kind: sched.NodeChanged, Node: 2, State: sched.Waking, Age: 30 * units.Second})
	d.is("until", d.Node(2).Until, d.at.Add(60*units.Second))
}

// What is asked while the scheduler watches is not asked: no record shows it.
func TestNothingIsAskedWhileWatching(t *testing.T) {
	d := open(t, bound, nil)
	stage := maps(3)
	stage.MinTasks, stage.MaxTasks = 1, 9
	d.watch(nodeUp(1, 1, 1, 1), jobOf(1, "a", stage))
	d.want(sched.Item{Verb: sched.SetTasks, Job: 1, Stage: sched.Map, Count: 5}, sched.Watched)
	d.want(sched.Item{Verb: sched.Sleep, Node: 1}, sched.Watched)
	d.is("mold", d.Job(1).Molds[sched.Map], sched.Mold{})
	d.is("state", d.Node(1).State, sched.Awake)
	asleep := nodeUp(1, 1, 1, 1)
	asleep.State = sched.Asleep
	d.told(asleep)
	d.want(sched.Item{Verb: sched.Wake, Node: 1}, sched.Watched)
	d.is("state of one that slept", d.Node(1).State, sched.Asleep)
}

// What cannot be, the book says once and does not count; an attempt under a handle that is in use ends the older one.
func TestEventsThatDoNotFit(t *testing.T) {
	map1 := func(a sched.AttemptID, j sched.JobID, task sched.TaskID) sched.Event {
		return sched.Event{Kind: sched.Started, Attempt: a, Job: j, Stage: sched.Map, Node: 1, Task: task}
	}
	for _, c := range []struct {
		text          string
		events        []sched.Event
		running, open int32
	}{
		{"no handle or no stage", []sched.Event{map1(0, 1, 2)}, 1, 2},
		{"no handle or no stage", []sched.Event{{Kind: sched.Started, Attempt: 2, Job: 1, Stage: sched.Stages, Node: 1, Task: 2}}, 1, 2},
		{"started of a job that the book does not know", []sched.Event{map1(2, 9, 2)}, 1, 2},
		{"the older one counts as lost", []sched.Event{map1(1, 1, 2)}, 1, 2},
		{"lost of a job that the book does not know", []sched.Event{{Kind: sched.OutputLost, Job: 9, Stage: sched.Map, Task: 1}}, 1, 2},
		{"lost of a task that had not committed", []sched.Event{{Kind: sched.OutputLost, Job: 1, Stage: sched.Map, Task: 2}}, 1, 2},
	} {
		d := open(t, bound, nil)
		d.told(nodeUp(1, 1, 4, 1), jobOf(1, "j", maps(3)))
		d.decide(admit(1))
		d.told(started(1, d.one(start(1, sched.Map, 1, 1)), 1))
		out := d.told(c.events...)
		said := 0
		for _, e := range out {
			if e.Kind == sched.Discrepancy && strings.Contains(e.Text, c.text) {
				said++
			}
		}
		d.is(c.text, said, 1)
		d.is(c.text+": running", d.Job(1).Stages[sched.Map].Running, c.running)
		d.is(c.text+": open", d.Job(1).Stages[sched.Map].Open, c.open)
		d.is(c.text+": free slots", d.Node(1).Free[units.MapSlots], int64(4-c.running))
	}
}

// A kind of container that the job does not list counts as its first.
func TestContainerThatIsNotListed(t *testing.T) {
	d := open(t, bound, nil)
	d.told(nodeUp(1, 1, 4, 1), jobOf(1, "j", maps(3)))
	d.told(sched.Event{Kind: sched.Started, Attempt: 1, Job: 1, Stage: sched.Map, Node: 1, Task: 2, Container: 7})
	d.is("free slots", d.Node(1).Free[units.MapSlots], int64(3))
}
