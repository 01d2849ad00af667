package report

import (
	"math/bits"

	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// usage integrates how much nodes offer of each resource, and how much of it attempts hold. A node
// that drains offers what it still runs.
type usage struct {
	nodes   [units.Dims][]node // of each resource, by handle
	offered units.Vector       // of all nodes now
	area    [units.Dims]area   // offered until since
	atEnd   [units.Dims]area   // the same until the makespan
	busy    [units.Dims]area   // held, by attempts that have ended
	since   units.Time
}

// node is what a node offers and holds of a resource.
type node struct{ offers, holds int64 }

// counts is what the node adds to capacity: a draining node counts with what it still runs.
func (n *node) counts() int64 { return max(n.offers, n.holds) }

// advance integrates capacity until now.
func (u *usage) advance(at units.Time) {
	if at > u.since {
		for d, n := range u.offered {
			if n > 0 {
				u.area[d].add(n, at.Sub(u.since))
			}
		}
		u.since = at
	}
}

// close notes that the run lasts until now at least.
func (u *usage) close(at units.Time) {
	u.advance(at)
	u.atEnd = u.area
}

// offer sets what a node offers.
func (u *usage) offer(at units.Time, h sched.NodeID, capacity *units.Vector) {
	for d, to := range capacity {
		n := sched.Row(&u.nodes[d], h)
		before := n.counts()
		n.offers = to
		u.recount(at, units.Dim(d), before, n)
	}
}

// hold notes that an attempt holds what it needs of its node, or that it has ended: then it counts as held
// since it began.
func (u *usage) hold(at units.Time, a *follow.Attempt, ended bool) {
	for rest := a.Takes; rest != 0; rest &= rest - 1 {
		d := units.Dim(bits.TrailingZeros8(rest))
		more := a.Needs[d]
		if ended {
			u.busy[d].add(more, at.Sub(a.Began))
			more = -more
		}
		if a.Node < 1 {
			continue
		}
		n := sched.Row(&u.nodes[d], a.Node)
		before := n.holds
		if n.holds += more; max(before, n.holds) > n.offers {
			u.recount(at, d, max(before, n.offers), n)
		}
	}
}

// recount keeps the capacity of all nodes, of which one has changed.
func (u *usage) recount(at units.Time, d units.Dim, before int64, n *node) {
	if after := n.counts(); after != before {
		u.advance(at)
		u.offered[d] += after - before
	}
}

// part returns how much of a resource was in use, as part of what was there; false if nothing was.
func (u *usage) part(d units.Dim) (float64, bool) {
	return u.busy[d].of(u.atEnd[d])
}
