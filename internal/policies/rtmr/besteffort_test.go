package rtmr

import (
	"strings"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/policies/policytest"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Slots that are idle or about to be given back are counted before more is killed: j2's three maps
// find one idle slot and need two others, and asked again while these die nothing more is killed.
func TestReclaimsNoMoreThanMissing(t *testing.T) {
	d := newDesk(t, usual)
	class := profile.New("c")
	class.At(workload.Map, "n").Task.Add(10)
	n := &cluster.Node{Name: "n1", Class: &cluster.Class{Name: "n", Speed: 1, Capacity: units.Slots(5, 0)}}
	d.At(0, sched.Event{Kind: sched.NodeUp, Node: 1, Detail: &sched.Detail{Node: n}}, sched.Event{Kind: sched.ProfileLearned, Detail: &sched.Detail{Profile: class}},
		sched.Event{Kind: sched.JobArrived, Job: 1, Detail: &sched.Detail{Job: forever(policytest.Claims("be", 4, 0))}}, sched.Event{Kind: sched.Heartbeat, Node: 1})
	var began []sched.Event
	for i, it := range d.Plan.Items {
		if it.Verb == sched.Start {
			b := d.Plan.Bound[it.Tasks.From]
			began = append(began, sched.Event{Kind: sched.Started, Attempt: sched.AttemptID(i + 1), Job: 1, Stage: sched.Map, Task: b.Task, Node: 1, Item: it.ID})
		}
	}
	if len(began) != 4 {
		t.Fatalf("%d tasks started", len(began))
	}
	d.At(1, began...)
	if got := d.At(2, sched.Event{Kind: sched.JobArrived, Job: 2, Detail: &sched.Detail{Job: policytest.Claims("j2", 3, 100)}}); strings.Count(got, "kill ") != 2 {
		t.Errorf("first: %s", got)
	}
	if got := d.At(3, sched.Event{Kind: sched.Tick}); strings.Contains(got, "kill ") {
		t.Errorf("again: %s", got)
	}
}

// forever is the job without a deadline.
func forever(j *workload.Job) *workload.Job {
	j.Deadline = units.Never
	return j
}
