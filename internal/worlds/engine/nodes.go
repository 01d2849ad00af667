package engine

import (
	"cmp"
	"maps"
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/worlds/cloud"
	"github.com/slackline/slackline/internal/worlds/truth"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// node is the truth about a worker.
type node struct {
	truth.Node
	up    bool
	lease lease
	desk  *cloud.Desk // at the cloud that offers it
	last  units.Time  // when it beat
	fresh bool        // something changed for it since: it need not wait for its interval

	outputs map[*job]bool // jobs that map output lies on it of
}

// Down takes a worker down with all that it holds, as a broken machine would; Up brings it back,
// empty. Both may be called from any goroutine while the engine runs.
func (w *World) Down(n sched.NodeID) { w.reports.post(report{node: n}) }

// Up brings a worker back.
func (w *World) Up(n sched.NodeID) { w.reports.post(report{node: n, up: true}) }

func (w *World) nodeUp(n sched.NodeID) {
	nd := w.nodes[n]
	if nd.up {
		return
	}
	nd.up, nd.fresh, nd.Free = true, true, nd.Spec.Class.Capacity
	w.emit(sched.Event{Kind: sched.NodeUp, Node: n, Detail: &sched.Detail{Node: nd.Spec}})
}

func (w *World) nodeDown(n sched.NodeID) {
	nd := w.nodes[n]
	if !nd.up {
		return
	}
	nd.up = false
	w.emit(sched.Event{Kind: sched.NodeDown, Node: n})
	for _, a := range w.attempts {
		if a != nil && a.node == n {
			w.stop(a, sched.Lost, "its node went down")
			w.end(a, sched.Lost, "its node went down", nil)
			w.settle(a.job)
		}
	}
	inOrder := func(a, b *job) int { return cmp.Compare(a.number, b.number) }
	for _, j := range slices.SortedFunc(maps.Keys(nd.outputs), inOrder) {
		if j.ending != sched.NoOutcome { // it may have to be undone
			continue
		}
		delete(nd.outputs, j)
		for m := range j.stages[0].tasks {
			t := &j.stages[0].tasks[m]
			if t.State == truth.Done && t.Node == int32(n) && j.outs.drop(m, t.out) {
				w.remove(t.out)
				w.reopen(j, sched.TaskID(m+1))
			}
		}
	}
}

// step gives workers the slots of the last step that has come.
func (w *World) step() {
	steps := w.cfg.Steps
	for w.nextStep() <= w.now {
		w.cfg.Steps = w.cfg.Steps[1:]
	}
	if n := len(steps) - len(w.cfg.Steps); n > 0 {
		for i, slots := range steps[n-1].Slots {
			if slots != w.nodes[i+1].Spec.Class.Capacity {
				_ = w.resize(sched.NodeID(i+1), slots) // checked by validate
			}
		}
	}
}

// nextStep is when slots change next.
func (w *World) nextStep() units.Time {
	if len(w.cfg.Steps) == 0 {
		return units.Never
	}
	return w.cfg.Steps[0].At
}

// freshen lets all nodes beat at once: there is more to do than before.
func (w *World) freshen() {
	for _, n := range w.nodes[1:] {
		n.fresh = true
	}
}

// beats tells the nodes that can be served: those with room for something that waits, at once when
// something changed for them, else once in an interval. A worker with nothing to get is silent.
func (w *World) beats() {
	for n := 1; n < len(w.nodes); n++ {
		nd := w.nodes[n]
		if (nd.fresh || nd.last.Add(w.cfg.Heartbeat) <= w.now) && w.wanted(nd) {
			nd.fresh, nd.last = false, w.now
			w.emit(sched.Event{Kind: sched.Heartbeat, Node: sched.NodeID(n)})
		}
	}
}

func (w *World) nextBeat() units.Time {
	next := units.Never
	for _, nd := range w.nodes[1:] {
		if w.wanted(nd) {
			next = min(next, nd.last.Add(w.cfg.Heartbeat))
		}
	}
	return next
}

// want is kinds of containers on nodes with certain labels. Stages of any number of jobs share it,
// so that what waits is counted and never searched for.
type want struct {
	kinds  []cluster.Container
	labels []string
	stages int // of jobs that are there
	waits  int // of these, that wait for room
}

// wanting returns the want of one stage more.
func (w *World) wanting(kinds []cluster.Container, labels []string) *want {
	for _, k := range w.wants {
		if slices.Equal(k.kinds, kinds) && slices.Equal(k.labels, labels) {
			k.stages++
			return k
		}
	}
	k := &want{kinds: kinds, labels: labels, stages: 1}
	w.wants = append(w.wants, k)
	return k
}

// unwant forgets what the stages of a job wanted that has ended.
func (w *World) unwant(j *job) {
	w.recount(j)
	for _, s := range j.stages {
		s.want.stages--
	}
	w.wants = slices.DeleteFunc(w.wants, func(k *want) bool { return k.stages == 0 })
}

// recount notes which stages of the job wait for room. Whatever changes that calls it.
func (w *World) recount(j *job) {
	w.looks++
	now := j.now()
	for _, s := range j.stages {
		if waits := s.want != nil && s.Waits(now); waits != s.waits {
			if s.waits = waits; waits {
				s.want.waits++
			} else {
				s.want.waits--
			}
		}
	}
}

// more takes note that more of the job waits than before.
func (w *World) more(j *job) {
	w.recount(j)
	w.freshen()
}

// wanted tells whether some stage waits for a container that fits on the node.
func (w *World) wanted(nd *node) bool {
	return nd.up && nd.lease != draining && slices.ContainsFunc(w.wants, func(k *want) bool {
		return k.waits > 0 && slices.ContainsFunc(k.kinds, func(c cluster.Container) bool { return nd.Free.Fits(&c.Needs) }) && nd.Spec.Carries(k.labels)
	})
}
