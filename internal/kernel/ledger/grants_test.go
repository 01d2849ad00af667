package ledger

import (
	"testing"

	"github.com/slackline/slackline/sched"
)

// A world that takes over a part of a start has refused the rest; what it takes over is still to start.
func TestGranted(t *testing.T) {
	d := late(t)
	d.told(demand(4, 0))
	it := d.one(start(1, sched.Map, 1, 3))
	granted := sched.Event{Kind: sched.Granted, Item: it.ID, Count: 2}
	events := d.told(granted)
	d.is("refusals", kinds(events, sched.Refused), 1)
	r := events[len(events)-1]
	if r.Item != it.ID || r.Count != 1 || !r.Derived || r.Job != 1 || r.Node != 1 || r.Why != sched.Stale {
		t.Errorf("refused: %+v", r)
	}
	page := func(open, occupied, running int32) {
		t.Helper()
		got := d.Job(1).Stages[sched.Map]
		d.is("open", got.Open, open)
		d.is("occupied", got.Occupied, occupied)
		d.is("running", got.Running, running)
	}
	page(2, 2, 0)
	again(d)
	d.is("refusals when it is told again", kinds(d.told(sched.Event{Kind: sched.Granted, Item: it.ID, Count: 1}), sched.Refused), 0)
	page(2, 2, 0)
	d.told(started(1, it, 0), started(2, it, 0))
	page(2, 2, 2)
	for _, e := range []sched.Event{{Kind: sched.Granted}, {Kind: sched.Granted, Item: 99}} {
		d.is("notes", kinds(d.told(e), sched.Discrepancy), 1)
	}
	d.is("notes on one that is answered", len(d.told(granted)), 1)
	whole := d.one(start(1, sched.Map, 1, 2))
	d.told(sched.Event{Kind: sched.Granted, Item: whole.ID})
	page(0, 4, 2)

	d = open(t, bound, nil)
	d.told(nodeUp(1, 1, 9, 0), jobOf(1, "j", maps(3)))
	d.decide(admit(1))
	it = d.one(start(1, sched.Map, 1, 3))
	d.told(sched.Event{Kind: sched.Granted, Item: it.ID, Count: 2})
	page(1, 2, 0)
	d.is("the task that is open again", d.jobs[1].tasks[sched.Map].List[3].State, taskOpen)
	d.told(sched.Event{Kind: sched.Refused, Item: it.ID, Task: -1, Count: 1}) // which task it was nobody knows
	page(1, 1, 0)
}
