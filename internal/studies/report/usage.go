package report

import (
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// usage integrates how much nodes offer of two resources, and how much of it attempts hold. A node that drains offers what it still
// runs.
type usage struct {
	nodes   []node   // by handle
	offered [2]int64 // of all nodes now
	area    [2]area  // offered until since
	atEnd   [2]area  // the same until the makespan
	busy    [2]area  // held, by attempts that have ended
	since   units.Time
}

// node is what a node offers and holds.
type node struct{ offers, holds [2]int64 }

// counts is what the node adds to capacity: a draining node counts with what it still runs.
func (n *node) counts(k int) int64 { return max(n.offers[k], n.holds[k]) }

// advance integrates capacity until now.
func (u *usage) advance(at units.Time) {
	if at > u.since {
		for k := range u.area {
			u.area[k].add(u.offered[k], at.Sub(u.since))
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
func (u *usage) offer(at units.Time, h sched.NodeID, capacity [2]int64) {
	n := follow.At(&u.nodes, h)
	for k, to := range capacity {
		before := n.counts(k)
		n.offers[k] = to
		u.recount(at, k, before, n)
	}
}

// hold gives a container so much of a node, or with sign -1 takes it back.
func (u *usage) hold(at units.Time, h sched.NodeID, needs [2]int64, sign int64) {
	if h < 1 {
		return
	}
	n := follow.At(&u.nodes, h)
	for k, by := range needs {
		before := n.counts(k)
		n.holds[k] += sign * by
		u.recount(at, k, before, n)
	}
}

// recount keeps the capacity of all nodes, of which one has changed.
func (u *usage) recount(at units.Time, k int, before int64, n *node) {
	if after := n.counts(k); after != before {
		u.advance(at)
		u.offered[k] += after - before
	}
}

// used counts what an attempt held for a span.
func (u *usage) used(needs [2]int64, span units.Duration) {
	for k := range u.busy {
		u.busy[k].add(needs[k], span)
	}
}

// part returns how much of a resource was in use, as part of what was there; false if nothing was.
func (u *usage) part(k int) (float64, bool) {
	return u.busy[k].of(u.atEnd[k])
}

// sharing is the usage of vcores and memory. Where no node has any it counts nothing, so that clusters of slots pay nothing for it.
type sharing struct {
	usage
	known bool
}

func coresOf(v *units.Vector) [2]int64 { return [2]int64{v[units.VCores], v[units.Memory]} }

func (u *sharing) offer(at units.Time, h sched.NodeID, capacity *units.Vector) {
	cores := coresOf(capacity)
	if u.known = u.known || cores != [2]int64{}; u.known {
		u.usage.offer(at, h, cores)
	}
}

func (u *sharing) start(at units.Time, a *follow.Attempt) {
	if u.known {
		u.hold(at, a.Node, coresOf(a.Needs), +1)
	}
}

func (u *sharing) end(at units.Time, a *follow.Attempt) {
	if u.known {
		cores := coresOf(a.Needs)
		u.used(cores, at.Sub(a.Began))
		u.hold(at, a.Node, cores, -1)
	}
}
