package workflow_test

import (
	"fmt"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// played is a book and a policy, with what has happened since it last decided.
type played struct {
	l          *ledger.Ledger
	p          sched.Policy
	plan       sched.Plan
	events     []sched.Event
	now, round int64
	last       sched.AttemptID
}

func play(t testing.TB, policy string) *played {
	p, err := catalog.New(policy, queues.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return &played{l: ledger.New(sched.Capabilities{Bind: true, Kill: true, Heartbeat: units.Second}, p.About().Order), p: p}
}

func (w *played) node(n int, class *cluster.Class) {
	w.events = append(w.events, sched.Event{Kind: sched.NodeUp, Node: sched.NodeID(n), Detail: &sched.Detail{Node: &cluster.Node{Name: fmt.Sprint(n), Rack: 1, Class: class}}})
}

// job brings a job of maps that take alike long in slots of so many each.
func (w *played) job(id sched.JobID, maps int, takes units.Duration, slots int, due units.Time) {
	st := workload.StageSpec{Kind: workload.Map, Tasks: make([]workload.Task, maps), MinTasks: maps, MaxTasks: maps, Works: []units.Duration{takes},
		Containers: []cluster.Container{{Name: fmt.Sprint(slots, " slots"), Needs: units.Slots(slots, 0)}}}
	w.events = append(w.events, sched.Event{Kind: sched.JobArrived, Job: id, Detail: &sched.Detail{Job: &workload.Job{ID: fmt.Sprint(id),
		Weight: 1, Deadline: due, Soft: units.Never, Stages: []workload.StageSpec{st}}}})
}

func (w *played) ends(a sched.AttemptID, how sched.Outcome) {
	w.events = append(w.events, sched.Event{Kind: sched.Ended, Attempt: a, Outcome: how})
}

// apply tells the book what has happened.
func (w *played) apply() []sched.Event {
	w.now, w.round = w.now+1, w.round+1
	batch := w.l.Apply(units.Time(w.now), w.round, w.events)
	w.events = w.events[:0]
	return batch
}

// beat has nodes beat, and starts what the policy starts there; the jobs of these tasks are returned.
func (w *played) beat(nodes ...sched.NodeID) (started []sched.JobID) {
	for _, n := range nodes {
		w.events = append(w.events, sched.Event{Kind: sched.Heartbeat, Node: n})
	}
	batch := w.apply()
	w.l.Begin(&w.plan)
	w.p.Decide(w.l, batch, &w.plan)
	w.l.Check(&w.plan)
	for i := range w.plan.Items {
		if it := &w.plan.Items[i]; it.Verb == sched.Start && it.Refused == sched.OK {
			w.last++
			started = append(started, it.Job)
			w.events = append(w.events, sched.Event{Kind: sched.Started, Attempt: w.last, Item: it.ID, Job: it.Job, Stage: it.Stage, Task: w.plan.Bound[it.Tasks.From].Task, Node: it.Node})
		}
	}
	w.apply()
	return started
}

// By predict a class without room for a task counts as soon as it has it, though nothing else has happened, and others
// that need less room are left where they are.
func TestPredictRoom(t *testing.T) {
	w := play(t, "edf+deets(waiting=predict)")
	w.node(1, &cluster.Class{Name: "frugal", Speed: 1, Capacity: units.Slots(4, 0), Dynamic: units.Watts(40)})
	w.node(2, &cluster.Class{Name: "fast", Speed: 2, Capacity: units.Slots(4, 0), Dynamic: units.Watts(400)})
	in := func(seconds int) units.Time { return units.Time(seconds) * units.Time(units.Second) }
	w.job(1, 1, 600*units.Second, 2, in(1000))
	w.job(2, 1, 20*units.Second, 4, in(15))
	w.beat()
	if got := fmt.Sprint(w.beat(1), w.beat(2)); got != "[1] [2]" {
		t.Fatalf("%s starts", got)
	}
	w.job(3, 1, 60*units.Second, 3, in(100)) // where it costs least there is no room for it in time
	w.job(4, 1, 60*units.Second, 1, in(50))  // it would be late there
	w.beat()
	if got := fmt.Sprint(w.beat(1), w.beat(1)); got != "[] []" {
		t.Fatalf("%s starts, of jobs that are to wait for the fast node", got)
	}
	w.ends(1, sched.Committed)
	if got := fmt.Sprint(w.beat(1)); got != "[3]" {
		t.Errorf("%s starts when there is room", got)
	}
}
