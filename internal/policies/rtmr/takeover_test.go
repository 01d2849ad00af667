package rtmr

import (
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/policies/policytest"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// other has another policy decide: the book takes in what has happened at a second, and books the
// items; the scheduler hears of neither.
func (d *desk) other(second int, events []sched.Event, items ...sched.Item) {
	d.T.Helper()
	d.Round++
	d.Book.Apply(units.Time(second)*1e9, d.Round, events)
	d.Book.Begin(&d.Plan)
	for _, it := range items {
		if !d.Plan.Add(it) {
			d.T.Errorf("%v is refused: %v", it.Verb, d.Plan.Items[len(d.Plan.Items)-1].Refused)
		}
	}
	d.Book.Check(&d.Plan)
}

// up are nodes 1 to n, each with a slot of each kind.
func up(n int) (events []sched.Event) {
	for i := range n {
		spec := &cluster.Node{Name: "n", Class: &cluster.Class{Name: "n", Speed: 1, Capacity: units.Slots(1, 1)}}
		events = append(events, sched.Event{Kind: sched.NodeUp, Node: sched.NodeID(i + 1), Detail: &sched.Detail{Node: spec}})
	}
	return events
}

var takeOver = sched.Event{Kind: sched.Control, Control: sched.TakeOver}

// arrives is the arrival of a job of so many maps of class c.
func arrives(handle, maps, deadline int) sched.Event {
	return sched.Event{Kind: sched.JobArrived, Job: sched.JobID(handle), Detail: &sched.Detail{Job: policytest.Claims("j", maps, deadline)}}
}

// runs has another policy admit the job be, whose maps begin on these nodes.
func (d *desk) runs(nodes ...sched.NodeID) {
	d.T.Helper()
	be := []sched.Item{{Verb: sched.Admit, Job: 1}}
	var began []sched.Event
	for i, n := range nodes {
		be = append(be, sched.Item{Verb: sched.Start, Job: 1, Stage: sched.Map, Node: n, Count: 1, Locality: sched.Remote})
		began = append(began, sched.Event{Kind: sched.Started, Attempt: sched.AttemptID(i + 1), Job: 1, Stage: sched.Map, Task: sched.TaskID(i + 1), Node: n})
	}
	d.other(0, append(up(3), policytest.Opening(forever(policytest.Claims("be", len(nodes), 0)))[1:]...), be...)
	for i, it := range d.Plan.Items[1:] {
		began[i].Item = it.ID
	}
	d.other(0, began)
}

// Slots of nodes that another policy has sent to sleep, or drains, are not in service, whether
// something runs there or not: with three nodes one slot is promised.
func TestTakesOverNodes(t *testing.T) {
	for _, busy := range []bool{true, false} {
		d := newDesk(t, usual)
		if busy {
			d.runs(2)
		} else {
			d.other(0, append(up(3), policytest.Opening()[1:]...))
		}
		d.other(1, nil, sched.Item{Verb: sched.Sleep, Node: 2}, sched.Item{Verb: sched.Sleep, Node: 3})
		got := d.At(2, takeOver, arrives(2, 1, 15), arrives(3, 1, 15))
		want := "admit job=2 word=promised confidence=1000000 by=12000000000 reason=promised:15000000000; reject job=3 word=no-earlier by=22000000000 reason=deadline:15000000000,22000000000,1 evidence=2:12000000000:1"
		if got != want {
			t.Errorf("busy=%v: %s\nwant %s", busy, got, want)
		}
		for _, slot := range []sched.Stage{sched.Map, sched.Reduce} {
			if serving, idle := d.s.serving(d.Book, slot), d.s.idle(d.Book, slot); serving != 1 || idle != 1 {
				t.Errorf("busy=%v: %d %v slots in service, %d idle, want 1 and 1", busy, serving, slot, idle)
			}
		}
	}
}
