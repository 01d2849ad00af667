package report

import (
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// An attempt whose task another one has committed counts for the models and the worst case by how long
// it had run, but is no task; one that had hardly run does not count at all.
func TestOvertakenAttempts(t *testing.T) {
	l := NewLearner()
	f := follow.New(l)
	second := func(n int) units.Time { return units.Time(0).Add(units.Duration(n) * units.Second) }
	starts := func(attempt, task int) sched.Event {
		return sched.Event{Kind: sched.Started, Job: 1, Attempt: sched.AttemptID(attempt), Stage: sched.Map, Task: sched.TaskID(task), Node: 1}
	}
	ends := func(attempt int, how sched.Outcome) sched.Event {
		e := sched.Event{Kind: sched.Ended, Attempt: sched.AttemptID(attempt), Outcome: how}
		if how == sched.Committed {
			e.Bytes = 100
		}
		return e
	}
	job := &workload.Job{ID: "a", Class: "c", Stages: []workload.StageSpec{{Kind: sched.Map, Tasks: []workload.Task{{Input: 100}, {Input: 100}}}}}
	node := &cluster.Node{Name: "n1", Class: &cluster.Class{Name: "n", Speed: 1, Capacity: units.Slots(4, 1)}}
	for _, b := range []struct {
		at     int
		events []sched.Event
	}{
		{0, []sched.Event{{Kind: sched.NodeUp, Node: 1, Detail: &sched.Detail{Node: node}}, {Kind: sched.JobArrived, Job: 1, Detail: &sched.Detail{Job: job}}}},
		{0, []sched.Event{starts(1, 1), starts(2, 2)}},
		{9, []sched.Event{starts(3, 1)}},
		{10, []sched.Event{ends(1, sched.Committed), ends(3, sched.Superseded)}},
		{30, []sched.Event{starts(4, 2)}},
		{42, []sched.Event{ends(4, sched.Committed), ends(2, sched.Superseded)}},
		{42, []sched.Event{{Kind: sched.JobEnded, Job: 1, Outcome: sched.Committed}}},
	} {
		if err := f.Batch(0, second(b.at), b.events); err != nil {
			t.Fatal(err)
		}
	}
	c := l.Profiles()[0]
	if e := c.Any(sched.Map); e.Task.N != 2 || e.Task.Mean != 11 || e.Task.Max != 42 || e.PerByte.Max != 0.42 {
		t.Errorf("tasks took %v, a byte %v", e.Task, e.PerByte)
	}
	if n := len(c.Samples[0].Jobs[0]); n != 3 {
		t.Errorf("the models are fitted to %d tasks: %v", n, c.Samples[0].Jobs)
	}
}
