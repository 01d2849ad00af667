package scale

import (
	"fmt"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// While no node is up, what comes counts for nothing: nobody knows which part of all it is.
func TestNoNodeIsUp(t *testing.T) {
	book, plan, s := ledger.New(sched.Capabilities{World: "desk", Bind: true, Power: true}, nil), &sched.Plan{}, NewSlack()
	class := profile.New("c")
	class.At(workload.Map, "n").Task.Add(10)
	round := int64(0)
	at := func(second int, events ...sched.Event) {
		round++
		batch := book.Apply(units.Time(second)*1e9, round, events)
		book.Begin(plan)
		s.Decide(book, batch, plan)
	}
	job := func(id, due int) sched.Event {
		return sched.Event{Kind: sched.JobArrived, Job: sched.JobID(id), Detail: &sched.Detail{Job: &workload.Job{ID: fmt.Sprint(id), Class: "c", Weight: 1, Soft: units.Never,
			Deadline: units.Time(due) * 1e9, Stages: []workload.StageSpec{{Kind: workload.Map, Tasks: make([]workload.Task, 20)}}}}}
	}
	n := &cluster.Node{Name: "n1", Rack: 1, Class: &cluster.Class{Name: "n", Speed: 1, Capacity: units.Slots(1, 1), Idle: 100, Dynamic: 100, WakeTime: 10e9}}
	at(0, sched.Event{Kind: sched.Resync}, sched.Event{Kind: sched.NodeUp, Node: 1, Detail: &sched.Detail{Node: n}}, sched.Event{Kind: sched.ProfileLearned, Detail: &sched.Detail{Profile: class}}, job(1, 9000))
	at(100, sched.Event{Kind: sched.NodeDown, Node: 1})
	at(101, job(2, 3000))
	if s.Over < 0 || s.Over > 1<<40 {
		t.Errorf("%d ms of all nodes came between", s.Over)
	}
	at(110, sched.Event{Kind: sched.NodeUp, Node: 1, Detail: &sched.Detail{Node: n}})
	t.Log(s.Over, s.Reach, s.Lax)
}
