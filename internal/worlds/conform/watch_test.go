package conform

import (
	"strings"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Each promise that is broken on purpose is noticed, and what only looks so is not.
func TestWatch(t *testing.T) {
	node := func(k sched.EventKind, n sched.NodeID, slots int) sched.Event {
		class := &cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(slots, 0)}
		return sched.Event{Kind: k, Node: n, Detail: &sched.Detail{Node: &cluster.Node{Name: "n", Rack: 1, Class: class}}}
	}
	job := func(j sched.JobID, id string, after ...string) sched.Event {
		return sched.Event{Kind: sched.JobArrived, Job: j, Detail: &sched.Detail{Job: &workload.Job{ID: id, After: after,
			Stages: []workload.StageSpec{{Kind: workload.Map, Tasks: make([]workload.Task, 3)}}}}}
	}
	ready := sched.Event{Kind: sched.StageReady, Job: 1, Stage: sched.Map}
	start := func(a sched.AttemptID, task sched.TaskID, item sched.ItemID) sched.Event {
		return sched.Event{Kind: sched.Started, Attempt: a, Job: 1, Stage: sched.Map, Task: task, Node: 1, Item: item}
	}
	end := func(a sched.AttemptID) sched.Event {
		return sched.Event{Kind: sched.Ended, Attempt: a, Outcome: sched.Committed}
	}
	begin := []sched.Event{node(sched.NodeUp, 1, 2), job(1, "j"), ready}
	down := sched.Event{Kind: sched.NodeDown, Node: 1}
	for name, c := range map[string]struct {
		want    string // "" = nothing is broken
		batches [][]sched.Event
	}{
		"as it was expected":     {"", [][]sched.Event{begin, {start(1, 1, 1), start(2, 2, 1), end(1)}, {start(3, 3, 2), end(2), end(3)}}},
		"no room":                {"on node 1 runs {map:3}, it has {map:2}", [][]sched.Event{begin, {start(1, 1, 0), start(2, 2, 0), start(3, 3, 0)}}},
		"no room after a change": {"on node 1 runs {map:2}, it has {map:1}", [][]sched.Event{begin, {node(sched.NodeChanged, 1, 1)}, {start(1, 1, 0), start(2, 2, 0)}}},
		"room until the change":  {"", [][]sched.Event{begin, {node(sched.NodeChanged, 1, 1), start(1, 1, 0), start(2, 2, 0)}, {end(1)}}},
		"a node that shrinks":    {"", [][]sched.Event{begin, {start(1, 1, 0), start(2, 2, 0)}, {node(sched.NodeChanged, 1, 0)}, {end(2)}}},
		"on a node that fell":    {"which is not up", [][]sched.Event{begin, {down}, {start(1, 1, 0)}}},
		"as its node falls":      {"", [][]sched.Event{begin, {down, start(1, 1, 0), end(1)}}},
		"not ready":              {"started before it was ready", [][]sched.Event{begin[:2], {start(1, 1, 0)}}},
		"behind a predecessor":   {`its predecessor "p" has not finished`, [][]sched.Event{{begin[0], job(1, "j", "p"), ready}}},
		"twice at once":          {"started while it ran", [][]sched.Event{begin, {start(1, 1, 0), start(2, 1, 0)}}},
		"a second attempt":       {"", [][]sched.Event{begin, {start(1, 1, 1)}, {start(2, 1, 3)}}},
		"again when it is done":  {"started again after its commit", [][]sched.Event{begin, {start(1, 1, 1), end(1)}, {start(2, 1, 0)}}},
		"one end too many":       {"ended twice, or never started", [][]sched.Event{begin, {start(1, 1, 0), end(1)}, {end(1)}}},
		"an item done twice":     {"item 2 was answered for more than it asks", [][]sched.Event{begin, {start(1, 1, 2), end(1)}, {start(2, 2, 2)}}},
		"an item refused twice":  {"item 2 was answered for more than it asks", [][]sched.Event{begin, {start(1, 1, 2), end(1)}, {{Kind: sched.Refused, Item: 2}}}},
		"too far":                {"started remote of its input, item 2 allows node", [][]sched.Event{begin, {{Kind: sched.Started, Attempt: 1, Job: 1, Stage: sched.Map, Task: 1, Node: 1, Item: 2, Locality: sched.Remote}}}},
		"out of order":           {"node-up comes after job-arrived", [][]sched.Event{{begin[1], begin[0]}}},
		"nobody's output":        {"which was not there", [][]sched.Event{begin, {{Kind: sched.OutputLost, Job: 1, Stage: sched.Map, Task: 1}}}},
		"a beat of a node below": {"beats and is not up", [][]sched.Event{begin, {down}, {{Kind: sched.Heartbeat, Node: 1}}}},
	} {
		w := NewWatch(true)
		for i, batch := range c.batches {
			if err := w.Batch(int64(i+1), units.Time(i), batch); err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				plan := &sched.Plan{Items: []sched.Item{{Verb: sched.Admit, Job: 1}, {Verb: sched.Start, ID: 1, Count: 2, Job: 1}, {Verb: sched.Start, ID: 2, Count: 1, Job: 1, Locality: sched.NodeLocal},
					{Verb: sched.Speculate, ID: 3, Count: 1, Job: 1}}}
				if err := w.Plan(1, 0, plan); err != nil {
					t.Fatal(err)
				}
			}
		}
		if got := strings.Join(w.Broken, "; "); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	w := NewWatch(true)
	if _ = w.Batch(1, 0, begin); w.Broken != nil {
		t.Error(w.Broken)
	}
	_ = w.Batch(2, 0, []sched.Event{start(1, 1, 0)})
	if len(w.Broken) != 1 || !strings.Contains(w.Broken[0], "which was never admitted") {
		t.Errorf("not admitted: %v", w.Broken)
	}
	for i := range 1002 {
		if err := w.Batch(int64(i+3), 5, nil); err != nil {
			return
		}
	}
	t.Error("time that stands still was not noticed")
}
