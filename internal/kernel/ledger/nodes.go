package ledger

import (
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

func (l *Ledger) nodeUp(e *sched.Event) {
	if e.Node < 1 || e.Detail == nil || e.Detail.Node == nil {
		l.discrepancy(e, "a node came up without a handle or a description")
		return
	}
	for int(e.Node) >= len(l.nodes) {
		l.nodes = append(l.nodes, nodeBook{})
	}
	nb := &l.nodes[e.Node]
	if nb.Up {
		l.capacity.Sub(&nb.Capacity)
	}
	if nb.Occupied > 0 && !l.resyncing {
		l.leaveOn(e.Node)
	}
	if nb.Spec == nil {
		nb.Beat = -1
	}
	nb.ID, nb.Up, nb.Draining = e.Node, true, false
	l.describe(nb, e.Detail.Node)
	nb.Power, nb.asked = e.Power, 0
	nb.Speed, nb.Since = nb.Spec.Class.Speed, l.since(e)
	l.offer(nb, nb.Spec.Class.Capacity)
	l.capacity.Add(&nb.Capacity)
}

// leaveOn notes the attempts of which the book knows on a node that comes back: it is empty. O(handles of attempts).
func (l *Ledger) leaveOn(n sched.NodeID) {
	for a := range l.attempts {
		if l.attempts[a].ID != 0 && l.attempts[a].Node == n {
			l.left = append(l.left, l.attempts[a].ID)
		}
	}
}

// loseLeft ends what was left on nodes that came back and that nobody has ended, when the ends of the batch
// have been taken in.
func (l *Ledger) loseLeft() {
	for _, id := range l.left {
		if ab := l.attempt(id); ab != nil {
			gone := sched.Event{Kind: sched.Ended, Derived: true, Attempt: id, Outcome: sched.Lost}
			l.discrepancy(&sched.Event{Kind: sched.NodeUp, Job: ab.Job, Stage: ab.Stage, Node: ab.Node, Attempt: id}, "an attempt that nobody ended was on it; it counts as lost")
			l.finish(&gone)
			l.derived = append(l.derived, gone)
		}
	}
	l.left = l.left[:0]
}

// offer sets what the node has for containers; what they take of it stays taken.
func (l *Ledger) offer(nb *nodeBook, capacity units.Vector) {
	nb.Free.Sub(&nb.Capacity)
	nb.Free.Add(&capacity)
	nb.Capacity = capacity
}

func (l *Ledger) nodeChanged(e *sched.Event) {
	nb := l.node(e.Node)
	if nb == nil {
		l.discrepancy(e, "a node changed that the book does not know")
		return
	}
	factor := nb.Speed / nb.Spec.Class.Speed
	if e.X > 0 {
		factor = e.X
	}
	if e.Detail != nil && e.Detail.Node != nil {
		l.describe(nb, e.Detail.Node)
		if nb.Up {
			l.capacity.Sub(&nb.Capacity)
			l.offer(nb, nb.Spec.Class.Capacity)
			l.capacity.Add(&nb.Capacity)
		}
	}
	nb.Speed = nb.Spec.Class.Speed * factor
}

func (l *Ledger) nodeDown(e *sched.Event) {
	nb := l.node(e.Node)
	if nb == nil || !nb.Up {
		l.discrepancy(e, "a node went down that was not up")
		return
	}
	nb.Up = false
	l.capacity.Sub(&nb.Capacity)
	l.offer(nb, units.Vector{})
}
