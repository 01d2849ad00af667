package shadow

import (
	"errors"
	"slices"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

const second = units.Duration(units.Second)

func node(h sched.NodeID, name string, rack cluster.RackID) sched.Event {
	class := &cluster.Class{Name: "c", Speed: 2, Capacity: units.Slots(2, 1)}
	return sched.Event{Kind: sched.NodeUp, Node: h, Detail: &sched.Detail{Node: &cluster.Node{Name: name, Rack: rack, Class: class}}}
}

// A master takes what it needed until it asked for something, a reduce counts from the last map on, and times are
// those of a node of speed 1. Nodes, racks and hosts get numbers of their own.
func TestRecordedTimes(t *testing.T) {
	r := NewRecorded()
	f := follow.New(r)
	tell := func(at int, events ...sched.Event) {
		t.Helper()
		if err := errors.Join(f.Batch(0, units.Time(0).Add(units.Duration(at)*second), events), f.Flush()); err != nil {
			t.Fatal(err)
		}
	}
	job := &workload.Job{ID: "a", Class: "c", Weight: 1, Soft: units.Never, Deadline: units.Never, Stages: []workload.StageSpec{
		{Kind: sched.Master, Tasks: make([]workload.Task, 1)},
		{Kind: sched.Map, Tasks: []workload.Task{{Input: 7}}, Hosts: workload.HostsOf([]cluster.NodeID{9}), Grows: true},
		{Kind: sched.Reduce, Grows: true}}}
	lost := *job
	lost.ID = "b"
	run := func(a sched.AttemptID, s sched.Stage) sched.Event {
		return sched.Event{Kind: sched.Started, Attempt: a, Job: 1, Stage: s, Node: 9}
	}
	end := func(a sched.AttemptID, o sched.Outcome) sched.Event {
		return sched.Event{Kind: sched.Ended, Attempt: a, Outcome: o}
	}
	tell(0, node(4, "x", 7), node(9, "y", 3))
	if _, err := r.Config(second); !errors.Is(err, ErrNothing) {
		t.Error(err)
	}
	tell(1, sched.Event{Kind: sched.JobArrived, Job: 1, Detail: &sched.Detail{Job: job}}, sched.Event{Kind: sched.JobArrived, Job: 2, Detail: &sched.Detail{Job: &lost}},
		sched.Event{Kind: sched.Demand, Job: 1, Stage: sched.Map}) // it does not run yet, and asks for nothing
	tell(2, run(1, sched.Master))
	tell(5, sched.Event{Kind: sched.Demand, Job: 1, Stage: sched.Map, Count: 2})
	tell(6, run(2, sched.Map), run(3, sched.Map), sched.Event{Kind: sched.Demand, Job: 1, Stage: sched.Map})
	tell(8, run(4, sched.Reduce))
	tell(9, end(2, sched.Failed), run(5, sched.Map))
	tell(12, end(3, sched.Committed))
	tell(16, end(5, sched.Committed))
	tell(20, end(4, sched.Committed))
	tell(21, end(1, sched.Committed), sched.Event{Kind: sched.JobEnded, Job: 1, Outcome: sched.Committed}, sched.Event{Kind: sched.JobEnded, Job: 2, Outcome: sched.Failed})
	cfg, err := r.Config(3 * second)
	if err != nil || r.Left != 1 || len(cfg.Workload.Jobs) != 1 || cfg.Heartbeat != 3*second {
		t.Fatalf("%v, %d left, %+v", err, r.Left, cfg)
	}
	if c := cfg.Cluster; c.Validate() != nil || c.Racks != 2 || len(c.Classes) != 1 || c.Nodes[1].Name != "y" || c.Nodes[1].Rack != 2 {
		t.Errorf("%+v: %v", c, c.Validate())
	}
	got := cfg.Workload.Jobs[0]
	if err := got.Validate(); err != nil || got.Arrive != units.Time(0).Add(second) {
		t.Errorf("%+v: %v", got, err)
	}
	times := map[sched.Stage][]units.Duration{}
	for _, st := range got.Stages {
		for _, task := range st.Tasks {
			times[st.Kind] = append(times[st.Kind], task.Work/second)
		}
	}
	for s, want := range map[sched.Stage][]units.Duration{sched.Master: {3}, sched.Map: {12, 14}, sched.Reduce: {8}} {
		if !slices.Equal(times[s], want) {
			t.Errorf("%v: %v s, want %v", s, times[s], want)
		}
	}
	if first := got.Stages[1].Tasks[0]; first.Input != 7 || !slices.Equal(got.Stages[1].Hosts.Of(0), []cluster.NodeID{2}) {
		t.Errorf("%+v", first)
	}
}

// Advice for a node stands until that node beats again, or other advice comes for it; no longer than a resync.
func TestAdviceIsVoid(t *testing.T) {
	for _, void := range []sched.Event{{Kind: sched.Heartbeat, Node: 1}, {Kind: sched.Heartbeat, Node: 2}, {Kind: sched.Resync}} {
		a := NewAgreement(9)
		watch := []sched.Event{{Kind: sched.Control, Control: sched.Watch}, node(1, "x", 1), node(2, "y", 1),
			{Kind: sched.JobArrived, Job: 1, Detail: &sched.Detail{Job: &workload.Job{ID: "a"}}}}
		_ = a.Batch(1, 0, watch)
		_ = a.Plan(1, 0, &sched.Plan{Items: []sched.Item{{Verb: sched.Start, Job: 1, Stage: sched.Map, Node: 1, Count: 2, Refused: sched.Watched}}})
		started := sched.Event{Kind: sched.Started, Attempt: 1, Job: 1, Stage: sched.Map, Node: 1}
		_ = a.Batch(2, 0, []sched.Event{started})
		next := []sched.Event{void}
		if void.Kind == sched.Resync {
			next = append(next, watch...)
		}
		_ = a.Batch(3, 0, next)
		_ = a.Plan(3, 0, &sched.Plan{})
		_ = a.Batch(4, 0, []sched.Event{started})
		want := [Kinds]int{Same: 1, Nothing: 1}
		if void.Node == 2 {
			want = [Kinds]int{Same: 2}
		}
		if a.Counts != want {
			t.Errorf("after %v of node %d: %v, want %v", void.Kind, void.Node, a.Counts, want)
		}
	}
}
