package page

import (
	"slices"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Queues and slots, event by event: what waits, runs and is held after each, second attempts and lost output included.
func TestQueues(t *testing.T) {
	c := newCollector(100, 100)
	class := &cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(2, 1)}
	node := &sched.Detail{Node: &cluster.Node{Name: "n", Rack: 1, Class: class}}
	job := &workload.Job{ID: "j", Deadline: units.Never, Stages: []workload.StageSpec{{Kind: workload.Map, Tasks: make([]workload.Task, 3)}, {Kind: workload.Reduce, Tasks: make([]workload.Task, 1)}}}
	start := func(attempt sched.AttemptID, task sched.TaskID, stage sched.Stage, item sched.ItemID) sched.Event {
		return sched.Event{Kind: sched.Started, Job: 1, Attempt: attempt, Task: task, Stage: stage, Node: 1, Item: item}
	}
	end := func(attempt sched.AttemptID, o sched.Outcome) sched.Event {
		return sched.Event{Kind: sched.Ended, Attempt: attempt, Outcome: o}
	}
	f := follow.New(c)
	if err := f.Plan(0, 0, &sched.Plan{Items: []sched.Item{{Verb: sched.Speculate, ID: 77}, {Verb: sched.Speculate, ID: 78, Refused: 1}}}); err != nil {
		t.Fatal(err)
	}
	type now = [seriesCount]int64
	for i, step := range []struct {
		event sched.Event
		// maps held, offered, reduces held, offered, running, maps waiting, reduces waiting, jobs
		// running, waiting
		want now
	}{
		{sched.Event{Kind: sched.NodeUp, Node: 1, Detail: node}, now{0, 2, 0, 1, 0, 0, 0, 0, 0}},
		{sched.Event{Kind: sched.JobArrived, Job: 1, Detail: &sched.Detail{Job: job}}, now{0, 2, 0, 1, 0, 3, 1, 0, 1}},
		{start(1, 1, sched.Map, 0), now{1, 2, 0, 1, 1, 2, 1, 1, 0}},
		{start(2, 1, sched.Map, 77), now{2, 2, 0, 1, 2, 2, 1, 1, 0}}, // a second attempt takes no task off the queue
		{end(1, sched.Failed), now{1, 2, 0, 1, 1, 2, 1, 1, 0}},       // the second one goes on
		{end(2, sched.Committed), now{0, 2, 0, 1, 0, 2, 1, 0, 1}},
		{start(3, 2, sched.Map, 0), now{1, 2, 0, 1, 1, 1, 1, 1, 0}},
		{end(3, sched.Lost), now{0, 2, 0, 1, 0, 2, 1, 0, 1}},
		{sched.Event{Kind: sched.OutputLost, Job: 1, Stage: sched.Map, Task: 1}, now{0, 2, 0, 1, 0, 3, 1, 0, 1}},
		{start(4, 1, sched.Reduce, 0), now{0, 2, 1, 1, 1, 3, 0, 1, 0}},
		{sched.Event{Kind: sched.NodeDown, Node: 1}, now{0, 0, 1, 1, 1, 3, 0, 1, 0}}, // what still runs is there still
		{end(4, sched.Killed), now{0, 0, 0, 0, 0, 3, 1, 0, 1}},
		{sched.Event{Kind: sched.JobEnded, Job: 1, Outcome: sched.Killed}, now{}},
		{sched.Event{Kind: sched.JobEnded, Job: 1, Outcome: sched.Killed}, now{}},
		{start(5, 1, sched.Map, 0), now{}},
	} {
		if err := f.Batch(0, units.Time(i), []sched.Event{step.event}); err != nil {
			t.Fatal(err)
		}
		for k := range groupings { // all of one class, queue and user
			step.want[held+k*mostGroups] = step.want[attemptsRunning]
		}
		if c.series.now != step.want {
			t.Errorf("step %d, %v:\ngot  %v\nwant %v", i, step.event.Kind, c.series.now, step.want)
		}
	}
	if len(c.extras) != 0 {
		t.Errorf("second attempts are left: %v", c.extras)
	}
	c.close()
	c.close()
	var outcomes []sched.Outcome
	c.gantt.rows(func(_ rowInfo, bars []bar) {
		for _, b := range bars {
			outcomes = append(outcomes, b.outcome)
		}
	})
	if want := []sched.Outcome{sched.Failed, sched.Lost, sched.Committed, sched.Killed}; !slices.Equal(outcomes, want) {
		t.Errorf("bars %v, want %v", outcomes, want)
	}
}

// The end of time breaks nothing: bars and series end where they are told apart last.
func TestTheEndOfTime(t *testing.T) {
	for _, bars := range []int{1, 100} {
		c := newCollector(bars, 100)
		f := follow.New(c)
		class := &cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(5, 1)}
		job := &workload.Job{ID: "j", Deadline: units.Never, Stages: []workload.StageSpec{{Kind: workload.Map, Tasks: make([]workload.Task, 5)}}}
		events := []sched.Event{
			{Kind: sched.NodeUp, Node: 1, Detail: &sched.Detail{Node: &cluster.Node{Name: "n", Rack: 1, Class: class}}},
			{Kind: sched.JobArrived, Job: 1, Detail: &sched.Detail{Job: job}},
		}
		for i := range 5 {
			events = append(events, sched.Event{Kind: sched.Started, Job: 1, Attempt: sched.AttemptID(i + 1), Stage: sched.Map, Node: 1})
		}
		for i, at := range []units.Time{0, 1, 1 << 40, 1 << 57, 1 << 62, units.Never - 1} {
			if i > 0 {
				events = append(events, sched.Event{Kind: sched.Ended, Attempt: sched.AttemptID(i), Outcome: sched.Committed})
			}
			if err := f.Batch(0, at, events); err != nil {
				t.Fatal(err)
			}
			events = events[:0]
		}
		c.close()
		if got, busy, _, n := tally(t, c.gantt); got > max(bars, laneKinds) || n != 5 || busy != 1+1<<40+1<<57+2*units.Duration(farthest) {
			t.Errorf("%d bars of %d attempts, busy %v", got, n, busy)
		}
		blockOf(t, write(t, &Page{[]*collector{c}}, report.New(&report.Run{Jobs: []report.Job{}})))
	}
}
