package conform

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// retold is a world that binds tasks, behind which all is told again now and then: a resync with its full
// state, as it was told so far, and with all that was asked of it void.
type retold struct {
	drive.World
	dice     *rand.Rand
	every    int // batches, on average
	at       units.Time
	again    bool
	resyncs  int
	next     sched.ItemID // of items that void, far above those of the book
	plan     sched.Plan
	nodes    map[sched.NodeID]*toldNode
	jobs     map[sched.JobID]*toldJob
	attempts map[sched.AttemptID]sched.Event // with their start in Age, until they are told again
}

type toldNode struct {
	up, changed sched.Event
	since       units.Time
}

type toldJob struct {
	spec      *workload.Job
	arrived   units.Time
	cancelled bool
	ready     [sched.Stages]bool
	done      [sched.Stages][]int32
}

func newRetold(w drive.World, seed uint64) *retold {
	return &retold{World: w, dice: rand.New(rand.NewPCG(seed, 5)), every: 20, next: 1 << 25, nodes: map[sched.NodeID]*toldNode{}, jobs: map[sched.JobID]*toldJob{},
		attempts: map[sched.AttemptID]sched.Event{}}
}

// Next tells what the world tells, or all again in a batch of its own.
func (w *retold) Next(ctx context.Context) (drive.Batch, error) {
	if w.again {
		w.again = false
		w.resyncs++
		return drive.Batch{At: w.at, Events: w.all()}, w.void()
	}
	b, err := w.World.Next(ctx)
	if err != nil {
		return b, err
	}
	w.at = b.At
	for i := range b.Events {
		w.note(&b.Events[i])
	}
	w.again = w.dice.IntN(w.every) == 0
	return b, nil
}

// note keeps what was told.
func (w *retold) note(e *sched.Event) {
	switch e.Kind {
	case sched.NodeUp:
		w.nodes[e.Node] = &toldNode{up: *e, since: w.at}
	case sched.NodeChanged:
		n := w.nodes[e.Node]
		if e.Detail != nil {
			n.up.Detail = e.Detail
		}
		if e.X > 0 {
			n.changed = sched.Event{Kind: sched.NodeChanged, Node: e.Node, X: e.X}
		}
	case sched.NodeDown:
		delete(w.nodes, e.Node)
	case sched.JobArrived:
		j := &toldJob{spec: e.Detail.Job, arrived: w.at.Add(-e.Age)}
		for i := range j.spec.Stages {
			j.done[j.spec.Stages[i].Kind] = slices.Clone(j.spec.Stages[i].Done)
		}
		w.jobs[e.Job] = j
	case sched.JobAmended:
		w.jobs[e.Job].spec = e.Detail.Job
	case sched.JobCancelled:
		w.jobs[e.Job].cancelled = true
	case sched.StageReady:
		w.jobs[e.Job].ready[e.Stage] = true
	case sched.JobEnded:
		delete(w.jobs, e.Job)
	case sched.OutputLost:
		j := w.jobs[e.Job]
		j.done[e.Stage] = slices.DeleteFunc(j.done[e.Stage], func(t int32) bool { return t == int32(e.Task) })
	case sched.Started:
		a := *e
		a.Age = units.Duration(w.at)
		w.attempts[e.Attempt] = a
	case sched.Ended:
		a := w.attempts[e.Attempt]
		delete(w.attempts, e.Attempt)
		if n := w.nodes[a.Node]; n != nil {
			n.since = w.at
		}
		if j := w.jobs[a.Job]; j != nil && e.Outcome == sched.Committed {
			j.done[a.Stage] = append(j.done[a.Stage], int32(a.Task))
		}
	}
}

// all is the full state.
func (w *retold) all() []sched.Event {
	out := []sched.Event{{Kind: sched.Resync}}
	for n, told := range w.nodes {
		e := told.up
		e.Age = w.at.Sub(told.since)
		out = append(out, e, sched.Event{Kind: sched.Heartbeat, Node: n})
		if told.changed.Node != 0 {
			out = append(out, told.changed)
		}
	}
	for id, j := range w.jobs {
		spec := *j.spec
		spec.Stages = slices.Clone(spec.Stages)
		for i := range spec.Stages {
			s := &spec.Stages[i]
			if s.Done = slices.Sorted(slices.Values(j.done[s.Kind])); j.ready[s.Kind] {
				out = append(out, sched.Event{Kind: sched.StageReady, Job: id, Stage: s.Kind})
			}
		}
		out = append(out, sched.Event{Kind: sched.JobArrived, Job: id, Age: w.at.Sub(j.arrived), Detail: &sched.Detail{Job: &spec}})
		if j.cancelled {
			out = append(out, sched.Event{Kind: sched.JobCancelled, Job: id})
		}
	}
	for _, a := range w.attempts {
		a.Age = w.at.Sub(units.Time(a.Age))
		out = append(out, a)
	}
	slices.SortFunc(out, func(a, b sched.Event) int {
		for _, d := range []int{int(a.Kind) - int(b.Kind), int(a.Node - b.Node), int(a.Job - b.Job), int(a.Stage) - int(b.Stage), int(a.Attempt - b.Attempt)} {
			if d != 0 {
				return d
			}
		}
		return 0
	})
	return out
}

// void has the world forget what was asked of it.
func (w *retold) void() error {
	w.plan.Reset(nil)
	for id, j := range w.jobs {
		w.plan.Hold(id, sched.Reason{})
		for i := range j.spec.Stages {
			s := j.spec.Stages[i].Kind
			w.plan.Add(sched.Item{Verb: sched.Release, Job: id, Stage: s})
			w.plan.Add(sched.Item{Verb: sched.SetSlots, Job: id, Stage: s, Count: -1})
		}
	}
	for i := range w.plan.Items {
		w.next++
		w.plan.Items[i].ID = w.next
	}
	return w.World.Enact(&w.plan)
}

// What a resync voids every policy asks for again, and what it tells again every book has as it was, also
// where tasks are bound here: all jobs end, in the simulator with and without heartbeats, whatever is told
// again when.
func TestResyncsOfTheSimulator(t *testing.T) {
	acts := newActs()
	every(t, func(t *testing.T, fresh func() sched.Policy) {
		resyncs := 0
		s, full := simulated(runs(30)), pressed(1)
		s.sinks = []drive.Sink{acts.of(fresh().(*compose.Policy))}
		plain := s.New
		s.New = func(t *testing.T, seed uint64) drive.World {
			of := plain
			if seed%3 == 0 {
				of = full.New
			}
			w := newRetold(&taught{World: of(t, seed), told: seed%2 > 0}, seed)
			t.Cleanup(func() { resyncs += w.resyncs })
			return w
		}
		t.Run("sim", func(t *testing.T) {
			for seed := range s.Seeds {
				s.finished(t, s.run(t, uint64(seed), fresh, nil))
			}
		})
		if resyncs == 0 {
			t.Error("nothing was told again: this tests nothing")
		}
	})
	acts.check(t, "retold", simulated(1).New(t, 0).Can(), "out of time")
}
