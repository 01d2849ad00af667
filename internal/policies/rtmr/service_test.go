package rtmr

import (
	"strings"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/policies/policytest"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// A task without a promise on a node that drains holds no slot that could be taken back: of two the
// one in service is killed, and when the node comes back both count.
func TestDraining(t *testing.T) {
	d := newDesk(t, usual)
	of := func(slots int) *sched.Detail {
		return &sched.Detail{Node: &cluster.Node{Name: "n2", Class: &cluster.Class{Name: "n", Speed: 1, Capacity: units.Slots(slots, slots)}}}
	}
	check := func(when string, serving, idle, held int64) {
		t.Helper()
		if a, b, c := d.s.serving(d.Book, sched.Map), d.s.idle(d.Book, sched.Map), d.s.held(d.Book, sched.Map); a != serving || b != idle || c != held {
			t.Errorf("%s: %d slots in service, %d idle, %d lent; want %d, %d and %d", when, a, b, c, serving, idle, held)
		}
	}
	d.At(0, append(policytest.Opening(forever(policytest.Claims("be", 2, 0))), sched.Event{Kind: sched.NodeUp, Node: 2, Detail: of(1)},
		sched.Event{Kind: sched.Heartbeat, Node: 1}, sched.Event{Kind: sched.Heartbeat, Node: 2})...)
	var began []sched.Event
	for _, it := range d.Plan.Items {
		if it.Verb == sched.Start {
			began = append(began, sched.Event{Kind: sched.Started, Attempt: sched.AttemptID(it.Node), Job: 1, Stage: sched.Map, Task: d.Plan.Bound[it.Tasks.From].Task, Node: it.Node, Item: it.ID})
		}
	}
	d.At(1, began...)
	check("before", 2, 0, 2)
	d.At(2, sched.Event{Kind: sched.NodeChanged, Node: 2, Detail: of(0)})
	check("while it drains", 1, 0, 1)
	if got := d.At(3, sched.Event{Kind: sched.JobArrived, Job: 2, Detail: &sched.Detail{Job: policytest.Claims("j2", 2, 100)}}); strings.Count(got, "kill ") != 1 || !strings.Contains(got, "node=1 attempt=1 ") {
		t.Error(got)
	}
	d.At(4, sched.Event{Kind: sched.NodeChanged, Node: 2, Detail: of(1)})
	check("when it is back", 2, 0, 2)
}
