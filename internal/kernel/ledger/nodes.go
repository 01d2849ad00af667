package ledger

import (
	"cmp"
	"slices"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

func (l *Ledger) nodeUp(e *sched.Event) {
	if e.Node < 1 || e.Detail == nil || e.Detail.Node == nil {
		l.discrepancy(e, "a node came up without a handle or a description")
		return
	}
	nb := l.page(e.Node)
	if nb.Occupied > 0 && !l.resyncing {
		l.leaveOn(e.Node)
	}
	l.enroll(nb, -1)
	l.describe(nb, e.Detail.Node)
	nb.Speed, nb.Since = nb.Spec.Class.Speed, l.since(e)
	l.offer(nb, nb.Spec.Class.Capacity)
	l.enroll(nb, 1)
	l.turn(nb, cmp.Or(e.State, sched.Awake), nb.Since)
}

// classify finds the class of a node by the name of what describes it, a new one if there is none. O(classes).
func (l *Ledger) classify(nb *nodeBook) {
	is := nb.Spec.Class
	i := 1 + slices.IndexFunc(l.classes[1:], func(c sched.Class) bool { return c.Spec.Name == is.Name })
	if i == 0 {
		i = len(l.classes)
		l.classes = append(l.classes, sched.Class{Spec: is})
	} else if is.Capacity != (units.Vector{}) {
		l.classes[i].Spec = is
	}
	nb.Class = sched.ClassID(i)
}

// enroll counts a node in its class, or with sign -1 takes it out before it changes.
func (l *Ledger) enroll(nb *nodeBook, sign int32) {
	if nb.Class == 0 {
		return
	}
	c := &l.classes[nb.Class]
	if c.Nodes[nb.State] += sign; nb.State != sched.Awake {
		return
	}
	if sign > 0 {
		c.Free.Add(&nb.Free)
	} else {
		c.Free.Sub(&nb.Free)
	}
}

// page returns the page of a node, a new one if there is none.
func (l *Ledger) page(n sched.NodeID) *nodeBook {
	nb := sched.Row(&l.nodes, n)
	if nb.Spec == nil {
		nb.ID, nb.Beat = n, -1
	}
	return nb
}

// turn notes where a node stands since an instant. One that is not there offers nothing; one that wakes offers what
// it did: all if it slept, nothing if it is rented.
func (l *Ledger) turn(nb *nodeBook, to sched.NodeState, since units.Time) {
	l.enroll(nb, -1)
	defer l.enroll(nb, 1)
	nb.State, nb.Was, nb.asked, nb.Until = to, nb.State, 0, 0
	switch {
	case to == sched.Waking:
		nb.Until = since.Add(nb.Spec.Class.WakeTime)
	case to.There():
		l.offer(nb, nb.Spec.Class.Capacity)
	default:
		l.offer(nb, units.Vector{})
	}
}

// leaveOn notes the attempts of which the book knows on a node that comes back, or sleeps: it is empty. O(handles of
// attempts).
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
	l.capacity.Sub(&nb.Capacity)
	nb.Free.Add(&capacity)
	l.capacity.Add(&capacity)
	nb.Capacity = capacity
}

func (l *Ledger) nodeChanged(e *sched.Event) {
	nb := l.node(e.Node)
	if nb == nil && e.Node > 0 && (e.State == sched.Offered || e.State == sched.Waking) && e.Detail != nil && e.Detail.Node != nil {
		nb = l.page(e.Node)
		l.describe(nb, e.Detail.Node)
		l.enroll(nb, 1)
		nb.Speed = nb.Spec.Class.Speed
	}
	if nb == nil {
		l.discrepancy(e, "a node changed that the book does not know")
		return
	}
	factor := nb.Speed / nb.Spec.Class.Speed
	if e.X > 0 {
		factor = e.X
	}
	if e.Detail != nil && e.Detail.Node != nil {
		l.enroll(nb, -1)
		l.describe(nb, e.Detail.Node)
		if nb.Capacity != (units.Vector{}) || nb.State >= sched.Asleep {
			l.offer(nb, nb.Spec.Class.Capacity)
		}
		l.enroll(nb, 1)
	}
	nb.Speed = nb.Spec.Class.Speed * factor
	if e.State == nb.State && e.State != sched.Waking {
		nb.asked = 0 // it is as was asked; what wakes may still be refused
	}
	if e.State != sched.Down && e.State != nb.State {
		if (e.State == sched.Offered || e.State == sched.Asleep) && nb.Occupied > 0 {
			l.leaveOn(e.Node)
		}
		l.turn(nb, e.State, l.since(e))
	}
}

func (l *Ledger) nodeDown(e *sched.Event) {
	nb := l.node(e.Node)
	if nb == nil || nb.State == sched.Down {
		l.discrepancy(e, "a node went down that was not up")
		return
	}
	l.turn(nb, sched.Down, 0)
}
