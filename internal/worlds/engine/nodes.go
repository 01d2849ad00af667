package engine

import (
	"slices"

	"github.com/slackline/slackline/internal/worlds/truth"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// node is the truth about a worker.
type node struct {
	truth.Node
	up    bool
	last  units.Time // when it beat
	fresh bool       // something changed for it since: it need not wait for its interval
}

// Down takes a worker down with all that it holds, as a broken machine would; Up brings it back, empty. Both may be called
// from any goroutine while the engine runs.
func (w *World) Down(n sched.NodeID) { w.reports.post(report{node: n}) }

// Up brings a worker back.
func (w *World) Up(n sched.NodeID) { w.reports.post(report{node: n, up: true}) }

func (w *World) nodeUp(n sched.NodeID) {
	nd := w.nodes[n]
	if nd.up {
		return
	}
	nd.up, nd.Closed, nd.fresh, nd.Free = true, false, true, nd.Spec.Class.Capacity
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
			id := a.job
			w.end(a, sched.Lost, "its node went down", nil)
			w.settle(id)
		}
	}
	for i, j := range w.jobs[1:] {
		if j.ending != sched.NoOutcome || len(j.stages) < 2 {
			continue
		}
		for m := range j.stages[0].tasks {
			t := &j.stages[0].tasks[m]
			if t.State == truth.Done && t.Node == int32(n) && j.outs.drop(m, t.out) {
				w.remove(t.out)
				w.reopen(sched.JobID(i+1), sched.TaskID(m+1))
			}
		}
	}
}

// freshen lets all nodes beat at once: there is more to do than before.
func (w *World) freshen() {
	for _, n := range w.nodes[1:] {
		n.fresh = true
	}
}

// beats tells the nodes that can be served: those with room for something that waits, at once when something changed for them,
// else once in an interval. A worker with nothing to get is silent.
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

// wanted tells whether some stage waits for a container that fits on the node.
func (w *World) wanted(nd *node) bool {
	if !nd.up || nd.Closed {
		return false
	}
	return slices.ContainsFunc(w.jobs[1:], func(j *job) bool {
		return slices.ContainsFunc(j.stages, func(s *stage) bool {
			c := s.Spec.Container(0)
			return s.Waits(j.now()) && nd.Free.Fits(&c.Needs) && nd.Spec.Carries(j.Spec.Labels)
		})
	})
}
