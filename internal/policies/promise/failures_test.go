package promise

import (
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/internal/policies/policytest"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// A node that goes while it serves has failed; one that had drained, or slept, has not. The rate is of all nodes
// together, for as long as they served.
func TestFailuresAreLearned(t *testing.T) {
	d := newDesk(t, usual)
	of := func(slots int) *sched.Detail {
		return &sched.Detail{Node: &cluster.Node{Name: "n", Class: &cluster.Class{Name: "other", Speed: 1, Capacity: units.Slots(slots, slots)}}}
	}
	check := func(now int, want finish.Failures) {
		t.Helper()
		at := units.Time(now) * units.Time(units.Second)
		if got := d.s.failures.of(at, at.Add(7*units.Second)); got != want {
			t.Errorf("at %d s: %+v, want %+v", now, got, want)
		}
	}
	d.At(0, append(policytest.Opening(policytest.Claims("j1", 1, 0)), sched.Event{Kind: sched.NodeUp, Node: 2, Detail: of(1)},
		sched.Event{Kind: sched.NodeUp, Node: 3, Detail: of(1)}, sched.Event{Kind: sched.NodeUp, Node: 4, Detail: of(1), State: sched.Asleep})...)
	check(100, finish.Failures{})
	if got := d.s.failures.Class; got != "" {
		t.Errorf("nodes of two classes serve, and all are said to be of %q", got)
	}
	d.At(100, sched.Event{Kind: sched.NodeDown, Node: 2})
	check(100, finish.Failures{Nodes: 2, Rate: 1. / (3600 + 300), Wait: 7})
	d.At(150, sched.Event{Kind: sched.NodeChanged, Node: 3, Detail: of(0)}, sched.Event{Kind: sched.NodeDown, Node: 4})
	d.At(200, sched.Event{Kind: sched.NodeDown, Node: 3})
	check(600, finish.Failures{Nodes: 1, Rate: 1. / (3600 + 850), Wait: 7})
	if got := d.s.failures.Class; got != "n" {
		t.Errorf("the node that is left is said to be of class %q", got)
	}
}

// A node that is taken away once it has drained has not failed.
func TestNoFailureOfADrainedNode(t *testing.T) {
	for drained, want := range map[bool]int64{true: 0, false: 1} {
		d := newDesk(t, usual)
		n := &cluster.Node{Name: "n2", Class: &cluster.Class{Name: "n", Speed: 1, Capacity: units.Slots(1, 1)}}
		d.At(0, append(policytest.Opening(policytest.Claims("j1", 1, 0)), sched.Event{Kind: sched.NodeUp, Node: 2, Detail: &sched.Detail{Node: n}})...)
		if drained {
			d.Book.Node(2).State = sched.Draining
		}
		d.At(100, sched.Event{Kind: sched.NodeDown, Node: 2})
		if got := d.s.failures.Failed; got != want {
			t.Errorf("drained %v: %d failures, want %d", drained, got, want)
		}
	}
}
