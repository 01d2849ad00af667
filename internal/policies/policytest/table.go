// Package policytest has a policy with its book that is told event by event: for tests of policies that promise
// deadlines.
package policytest

import (
	"strings"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/journal"
	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// A Table is a policy with its book, told event by event.
type Table struct {
	T      *testing.T
	Policy *compose.Policy
	Book   *ledger.Ledger
	Round  int64
	Plan   sched.Plan
}

// NewTable puts a policy of these parts to it.
func NewTable(t *testing.T, recipe compose.Recipe) *Table {
	t.Helper()
	d := &Table{T: t}
	var err error
	if d.Policy, err = compose.New(recipe); err != nil {
		t.Fatal(err)
	}
	d.Book = ledger.New(sched.Capabilities{World: "desk", Bind: true, Kill: true, Power: true}, d.Policy.About().Order)
	return d
}

// decide tells what has happened at a second, and has the policy plan.
func (d *Table) decide(second int, events []sched.Event) {
	d.Round++
	batch := d.Book.Apply(units.Time(second)*1e9, d.Round, events)
	d.Book.Begin(&d.Plan)
	d.Policy.Decide(d.Book, batch, &d.Plan)
	d.Book.Check(&d.Plan)
}

// At tells what has happened at a second, and returns what is planned, without starts.
func (d *Table) At(second int, events ...sched.Event) string {
	d.T.Helper()
	d.decide(second, events)
	if j, s := d.Book.Misranked(); j != 0 {
		d.T.Errorf("at %d s job %d does not stand where its key for its %v puts it", second, j, s)
	}
	var lines []string
	for i := range d.Plan.Items {
		it := d.Plan.Items[i]
		if it.Refused != sched.OK {
			d.T.Errorf("%v of job %d is refused: %v", it.Verb, it.Job, it.Refused)
		}
		if it.ID = 0; it.Verb != sched.Start {
			lines = append(lines, strings.TrimSpace(string(journal.AppendItem(nil, &d.Plan, &it))))
		}
	}
	return strings.Join(lines, "; ")
}

// Starts tells what happens at a second, and returns what is started then, also if only as advice.
func (d *Table) Starts(second int, events ...sched.Event) (all []sched.Item) {
	d.decide(second, events)
	for _, it := range d.Plan.Items {
		if it.Verb == sched.Start {
			all = append(all, it)
		}
	}
	return all
}

// Claims is a job of so many maps, whose class is c.
func Claims(id string, maps int, deadline int) *workload.Job {
	j := &workload.Job{ID: id, Class: "c", Weight: 1, Soft: units.Never, Deadline: units.Time(deadline) * 1e9, SlowStart: 1}
	j.Stages = []workload.StageSpec{{Kind: workload.Map, Tasks: make([]workload.Task, maps)}}
	return j
}

// Opening are the events with which a run begins: a node of a map slot and a reduce slot, what is known of class c, a
// map of which takes 10 s, and the jobs.
func Opening(jobs ...*workload.Job) []sched.Event {
	class := profile.New("c")
	class.At(workload.Map, "n").Task.Add(10)
	n := &cluster.Node{Name: "n1", Class: &cluster.Class{Name: "n", Speed: 1, Capacity: units.Slots(1, 1)}}
	events := []sched.Event{{Kind: sched.NodeUp, Node: 1, Detail: &sched.Detail{Node: n}}, {Kind: sched.ProfileLearned, Detail: &sched.Detail{Profile: class}}}
	for i, j := range jobs {
		events = append(events, sched.Event{Kind: sched.JobArrived, Job: sched.JobID(i + 1), Detail: &sched.Detail{Job: j}})
	}
	return events
}

// Amended says what a job is now.
func Amended(handle int, j *workload.Job) sched.Event {
	return sched.Event{Kind: sched.JobAmended, Job: sched.JobID(handle), Detail: &sched.Detail{Job: j}}
}

// Stale refuses a start, as what it rests on is no more so.
func Stale(it sched.Item) sched.Event {
	return sched.Event{Kind: sched.Refused, Item: it.ID, Job: it.Job, Stage: it.Stage, Node: it.Node, Count: it.Count, Why: sched.Stale}
}

// StartOf confirms one.
func StartOf(it sched.Item) sched.Event {
	return sched.Event{Kind: sched.Started, Attempt: 1, Item: it.ID, Job: it.Job, Stage: it.Stage, Node: it.Node, Task: 1, Locality: sched.Anywhere}
}

// Watch asks the policy to decide while nothing is done.
var Watch = []sched.Event{{Kind: sched.Resync}, {Kind: sched.Control, Control: sched.Watch}}
