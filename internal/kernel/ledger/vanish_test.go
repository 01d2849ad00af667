package ledger

import (
	"testing"

	"github.com/slackline/slackline/sched"
)

// A node that comes back is empty: what nobody has told the end of was lost with it, and an end that is
// told later is nobody's.
func TestNodeComesBackEmpty(t *testing.T) {
	for _, can := range []sched.Capabilities{{Kill: true}, bound} {
		d := open(t, can, nil)
		d.told(nodeUp(1, 1, 2, 0), nodeUp(2, 1, 2, 0), jobOf(1, "j", maps(3)), demand(3, 0))
		d.decide(admit(1))
		on := func(a sched.AttemptID, n sched.NodeID, task sched.TaskID) sched.Event {
			if !can.Bind {
				task = 0
			}
			return sched.Event{Kind: sched.Started, Attempt: a, Job: 1, Stage: sched.Map, Node: n, Task: task}
		}
		d.told(on(1, 1, 1), on(2, 2, 2), on(3, 1, 3))
		d.told(sched.Event{Kind: sched.NodeDown, Node: 1})
		d.is("running", d.Job(1).Stages[sched.Map].Running, int32(3))
		got := d.told(nodeUp(1, 1, 2, 0))
		d.is("running", d.Job(1).Stages[sched.Map].Running, int32(1))
		d.is("free", d.Node(1).Free, d.Node(1).Spec.Class.Capacity)
		d.is("ends", kinds(got, sched.Ended), 2)
		d.is("discrepancies", kinds(got, sched.Discrepancy), 2)
		for i := range got {
			if e := &got[i]; e.Kind == sched.Ended && (!e.Derived || e.Outcome != sched.Lost || e.Attempt == 2) {
				t.Errorf("%+v", e)
			}
		}
		again(d)
		got = d.told(ended(1, sched.Killed), on(1, 1, 1))
		d.is("discrepancies", kinds(got, sched.Discrepancy), 2) // the end, and a start that was not planned
		d.is("running", d.Job(1).Stages[sched.Map].Running, int32(2))
		again(d)

		// What is told to have ended in the batch that brings the node back has ended as told.
		d.told(sched.Event{Kind: sched.NodeDown, Node: 2})
		got = d.told(nodeUp(2, 1, 2, 0), ended(2, sched.Killed), on(4, 2, 2))
		d.is("ends", kinds(got, sched.Ended), 1)
		d.is("discrepancies", kinds(got, sched.Discrepancy), 1) // a start that was not planned
		d.is("running", d.Job(1).Stages[sched.Map].Running, int32(2))

		// One that the world has placed itself, as the job is left to it, is no surprise.
		left := on(5, 1, 1)
		left.Why = sched.Yielded
		d.is("discrepancies", kinds(d.told(left), sched.Discrepancy), 0)
		d.is("running", d.Job(1).Stages[sched.Map].Running, int32(3))

		// What a resync tells again has not come back: it never went.
		got = d.told(sched.Event{Kind: sched.Resync}, nodeUp(1, 1, 2, 0), jobOf(1, "j", maps(3)), on(1, 1, 1))
		d.is("discrepancies", kinds(got, sched.Discrepancy), 0)
		d.is("running", d.Job(1).Stages[sched.Map].Running, int32(1))
	}
}
