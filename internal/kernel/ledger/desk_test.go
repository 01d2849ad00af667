package ledger

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// desk is a book to write in by hand: each batch comes one nanosecond after the last, unless at says otherwise.
type desk struct {
	*testing.T
	*Ledger
	plan  sched.Plan
	at    units.Time
	turns int64
}

func open(t *testing.T, can sched.Capabilities, order sched.Order) *desk {
	return &desk{T: t, Ledger: New(can, order)}
}

// bound is a world that binds tasks and can do all else.
var bound = sched.Capabilities{Bind: true, Kill: true, Speculate: true, Mold: true, Power: true}

// told takes in a batch and returns it with what was derived.
func (d *desk) told(events ...sched.Event) []sched.Event {
	d.turns++
	d.at++
	return slices.Clone(d.Apply(d.at, d.turns, events))
}

// decide makes a plan and returns its items.
func (d *desk) decide(items ...sched.Item) []sched.Item {
	d.Begin(&d.plan)
	for _, it := range items {
		d.plan.Add(it)
	}
	d.Check(&d.plan)
	return slices.Clone(d.plan.Items)
}

// one plans one item and returns it.
func (d *desk) one(it sched.Item) sched.Item {
	d.Helper()
	items := d.decide(it)
	return items[len(items)-1]
}

// want plans one item, which is to be answered so.
func (d *desk) want(it sched.Item, why sched.Code) {
	d.Helper()
	if got := d.one(it); got.Refused != why {
		d.Errorf("%v: %v, want %v", it.Verb, got.Refused, why)
	}
}

// is checks a number of the book.
func (d *desk) is(what string, got, want any) {
	d.Helper()
	if got != want {
		d.Errorf("%s: %v, want %v", what, got, want)
	}
}

func nodeUp(n sched.NodeID, rack cluster.RackID, maps, reduces int, labels ...string) sched.Event {
	class := &cluster.Class{Name: "c", Speed: 2, Capacity: units.Slots(maps, reduces)}
	return sched.Event{Kind: sched.NodeUp, Node: n, Detail: &sched.Detail{Node: &cluster.Node{Name: "n", Rack: rack, Class: class, Labels: labels}}}
}

func maps(n int, hosts ...cluster.NodeID) workload.StageSpec {
	st := workload.StageSpec{Kind: workload.Map, Tasks: make([]workload.Task, n)}
	for i := range st.Tasks {
		st.Hosts.Set(i, hosts...)
	}
	return st
}

func reduces(n int) workload.StageSpec {
	return workload.StageSpec{Kind: workload.Reduce, Tasks: make([]workload.Task, n)}
}

func jobOf(j sched.JobID, id string, stages ...workload.StageSpec) sched.Event {
	return sched.Event{Kind: sched.JobArrived, Job: j, Detail: &sched.Detail{Job: &workload.Job{ID: id, Weight: 1, Soft: units.Never, Deadline: units.Never, Stages: stages}}}
}

func admit(j sched.JobID) sched.Item { return sched.Item{Verb: sched.Admit, Job: j} }

func start(j sched.JobID, s sched.Stage, n sched.NodeID, count int32) sched.Item {
	return sched.Item{Verb: sched.Start, Job: j, Stage: s, Node: n, Count: count}
}

func started(a sched.AttemptID, it sched.Item, task sched.TaskID) sched.Event {
	return sched.Event{Kind: sched.Started, Attempt: a, Job: it.Job, Stage: it.Stage, Node: it.Node, Task: task, Item: it.ID}
}

func ended(a sched.AttemptID, o sched.Outcome) sched.Event {
	return sched.Event{Kind: sched.Ended, Attempt: a, Outcome: o}
}

func kinds(events []sched.Event, k sched.EventKind) (n int) {
	for i := range events {
		if events[i].Kind == k {
			n++
		}
	}
	return n
}

// load gives a desk the book of another.
func load(to, from *desk) {
	to.Helper()
	var text bytes.Buffer
	if err := errors.Join(from.Save(&text), to.Load(&text)); err != nil {
		to.Fatal(err)
	}
}
