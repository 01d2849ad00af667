package conform

import (
	"cmp"
	"context"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Retold is a world that binds tasks, behind which all is told again now and then: a resync with its full
// state, as it was told so far, and with all that was asked of it void. Where nodes beat it also yields to a
// stock scheduler, which starts nothing, and takes over again; or from one resync to the next the policy
// only watches. There jobs also avoid a node now and then.
type Retold struct {
	drive.World
	// Resyncs is how often all was told again, Yields how often the world yielded, and Watches how
	// often it let the policy watch; Shuns is how often a job began to avoid a node.
	Resyncs, Yields, Watches, Shuns int

	dice     *rand.Rand
	every    int // batches, on average
	at       units.Time
	again    bool
	yielded  bool
	watching bool
	quiet    bool         // the last plan asked for nothing that is still to be told
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

// NewRetold tells a world again, by a seed.
func NewRetold(w drive.World, seed uint64) *Retold {
	return &Retold{World: w, dice: rand.New(rand.NewPCG(seed, 5)), every: 20, next: 1 << 25, nodes: map[sched.NodeID]*toldNode{}, jobs: map[sched.JobID]*toldJob{},
		attempts: map[sched.AttemptID]sched.Event{}}
}

// Next tells what the world tells, or all again in a batch of its own.
func (w *Retold) Next(ctx context.Context) (drive.Batch, error) {
	if w.again {
		w.again = false
		w.Resyncs++
		calm := w.Resyncs > 30 // so that a run which is stuck finds out
		if w.watching = w.Can().Heartbeat > 0 && !calm && w.quiet && !w.watching && w.dice.IntN(3) == 0; w.watching {
			w.Watches++
			w.yielded = false
		}
		return drive.Batch{At: w.at, Events: w.all()}, w.void()
	}
	b, err := w.World.Next(ctx)
	if err != nil {
		return b, err
	}
	w.at = b.At
	came := false
	for i := range b.Events {
		w.note(&b.Events[i])
		came = came || b.Events[i].Kind == sched.JobArrived
	}
	if w.watching {
		w.again = w.dice.IntN(8) == 0
		if came {
			err = w.void() // the stock scheduler lets in whoever comes
		}
		return b, err
	}
	calm := w.Resyncs > 30 // so that a run which is stuck finds out
	if w.Can().Heartbeat > 0 {
		b.Events = w.shun(b.Events, calm)
	}
	w.again = w.dice.IntN(w.every) == 0 && !calm
	if w.yielded && w.dice.IntN(8) == 0 || w.Can().Heartbeat > 0 && !w.yielded && !calm && w.dice.IntN(2*w.every) == 0 {
		if w.yielded = !w.yielded; w.yielded {
			w.Yields++
		}
		b.Events = append([]sched.Event{w.control()}, b.Events...) // with what it has done by then
	}
	return b, nil
}

// shun has jobs avoid a node for a while, of which only who is told knows.
func (w *Retold) shun(events []sched.Event, calm bool) []sched.Event {
	more := slices.Clip(events)
	for _, id := range slices.Sorted(maps.Keys(w.jobs)) {
		j := w.jobs[id]
		comes := func(e sched.Event) bool { return e.Kind == sched.JobArrived && e.Job == id }
		spec := *j.spec
		switch {
		case len(spec.Avoids) > 0 && (calm || w.dice.IntN(6) == 0):
			spec.Avoids = nil
		case len(spec.Avoids) == 0 && !calm && len(w.nodes) > 1 && w.dice.IntN(2*w.every) == 0 && !slices.ContainsFunc(events, comes):
			nodes := slices.Sorted(maps.Keys(w.nodes))
			spec.Avoids = []sched.NodeID{nodes[w.dice.IntN(len(nodes))]}
			w.Shuns++
		default:
			continue
		}
		j.spec = &spec
		more = append(more, sched.Event{Kind: sched.JobAmended, Job: id, Detail: &sched.Detail{Job: &spec}})
	}
	if len(more) > len(events) {
		slices.SortStableFunc(more, func(a, b sched.Event) int { return cmp.Compare(a.Kind, b.Kind) })
		return more
	}
	return events
}

// control says who places work.
func (w *Retold) control() sched.Event {
	switch {
	case w.watching:
		return sched.Event{Kind: sched.Control, Control: sched.Watch}
	case w.yielded:
		return sched.Event{Kind: sched.Control, Control: sched.Yield}
	}
	return sched.Event{Kind: sched.Control, Control: sched.TakeOver}
}

// note keeps what was told.
func (w *Retold) note(e *sched.Event) {
	switch e.Kind {
	case sched.NodeUp:
		w.nodes[e.Node] = &toldNode{up: *e, since: w.at}
	case sched.NodeChanged:
		n := w.nodes[e.Node]
		if n == nil {
			n = &toldNode{up: sched.Event{Kind: sched.NodeChanged, Node: e.Node}}
			w.nodes[e.Node] = n
		}
		if e.Detail != nil {
			n.up.Detail = e.Detail
		}
		if e.State != sched.Down {
			if n.up.State, n.since = e.State, w.at; e.State == sched.Offered {
				n.up.Kind = sched.NodeChanged
			}
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
	case sched.Progress:
		if a, is := w.attempts[e.Attempt]; is {
			a.X = e.X // to be told by an event of its own
			w.attempts[e.Attempt] = a
		}
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

// Enact notes whether anything is asked for.
func (w *Retold) Enact(p *sched.Plan) error {
	w.quiet = true
	for i := range p.Items {
		it := &p.Items[i]
		if it.Verb != sched.Foretell && it.Verb != sched.Rank && it.Verb != sched.WakeMe && !it.Held && it.Refused == sched.OK {
			w.quiet = false
		}
		if it.Verb == sched.Sleep && !it.Held && it.Refused == sched.OK && w.nodes[it.Node] != nil {
			w.nodes[it.Node].up.State = sched.Draining
		}
	}
	return w.World.Enact(p)
}

// all is the full state.
func (w *Retold) all() []sched.Event {
	out := []sched.Event{{Kind: sched.Resync}}
	if w.yielded || w.watching {
		out = append(out, w.control())
	}
	for n, told := range w.nodes {
		e := told.up
		e.Age = w.at.Sub(told.since)
		if out = append(out, e); e.Kind == sched.NodeUp && (e.State == sched.Down || e.State == sched.Awake) {
			out = append(out, sched.Event{Kind: sched.Heartbeat, Node: n})
		}
		if is := &out[slices.IndexFunc(out, func(o sched.Event) bool { return o.Node == n })]; is.Kind == sched.NodeChanged {
			is.X = told.changed.X
		} else if told.changed.Node != 0 {
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
		if a.X > 0 {
			out = append(out, sched.Event{Kind: sched.Progress, Attempt: a.Attempt, X: a.X})
		}
		a.Age, a.X = w.at.Sub(units.Time(a.Age)), 0
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

// void has the world forget what was asked of it. While the policy watches all jobs run, so that nodes beat.
func (w *Retold) void() error {
	w.plan.Reset(nil)
	for id, j := range w.jobs {
		if w.watching {
			w.plan.Admit(id, sched.Outlook{}, sched.Reason{})
		} else {
			w.plan.Hold(id, sched.Reason{})
		}
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
