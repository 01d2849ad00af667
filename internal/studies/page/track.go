package page

import (
	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// The kinds of lanes in which attempts run.
const (
	mapSlots    = iota
	reduceSlots // these two as papers speak of them
	containers  // whatever needs neither: numbered as they are used
	laneKinds
)

// lane is where one attempt runs at a time: a slot of a node. Worlds do not say which slot an
// attempt got, so it is the first that is free.
type lane struct {
	node sched.NodeID
	rack cluster.RackID
	kind uint8
	slot int32      // from 0
	left units.Time // when the last attempt left it
}

// tracker gives attempts the lanes they hold. Memory: one page for each attempt and node that is
// there at the moment.
type tracker struct {
	nodes    []nodePage // by handle
	attempts []running  // by index
	lanes    []lane
}

type nodePage struct {
	name  string
	rack  cluster.RackID
	lanes [laneKinds][]int32 // in tracker.lanes
	taken [laneKinds][]bool
}

// running is an attempt that has begun.
type running struct {
	*follow.Attempt            // nil: it has ended
	since           units.Time // from when on it is drawn: it may have begun before its lanes were free
	kind            uint8
	first           int32   // lane
	more            []int32 // further lanes of a container of several slots
	extra           bool    // a second attempt of a task that runs
}

// nodeUp makes the node's slots known, so that idle ones are drawn too.
func (t *tracker) nodeUp(h sched.NodeID, n *cluster.Node) {
	p := sched.Row(&t.nodes, h)
	p.name, p.rack = n.Name, n.Rack
	for kind, dim := range []units.Dim{mapSlots: units.MapSlots, reduceSlots: units.ReduceSlots} {
		for int64(len(p.lanes[kind])) < min(n.Class.Capacity[dim], 1<<16) {
			t.addLane(h, p, uint8(kind))
		}
	}
}

func (t *tracker) addLane(h sched.NodeID, p *nodePage, kind uint8) {
	p.lanes[kind] = append(p.lanes[kind], int32(len(t.lanes)))
	p.taken[kind] = append(p.taken[kind], false)
	t.lanes = append(t.lanes, lane{node: h, rack: p.rack, kind: kind, slot: int32(len(p.lanes[kind]) - 1)})
}

// take returns a free lane of the node.
func (t *tracker) take(h sched.NodeID, kind uint8) int32 {
	p := sched.Row(&t.nodes, h)
	for i, taken := range p.taken[kind] {
		if !taken {
			p.taken[kind][i] = true
			return p.lanes[kind][i]
		}
	}
	t.addLane(h, p, kind)
	last := len(p.lanes[kind]) - 1
	p.taken[kind][last] = true
	return p.lanes[kind][last]
}

func (t *tracker) leave(i int32, now units.Time) {
	p := &t.lanes[i]
	p.left = now
	t.nodes[p.node].taken[p.kind][p.slot] = false
}

// start gives an attempt its lanes.
func (t *tracker) start(now units.Time, a *follow.Attempt) *running {
	r := sched.Row(&t.attempts, a.Index)
	*r = running{Attempt: a, since: min(a.Began, now), kind: containers, more: r.more[:0]}
	width := int64(1)
	if a.Needs[units.MapSlots] > 0 {
		r.kind, width = mapSlots, a.Needs[units.MapSlots]
	} else if a.Needs[units.ReduceSlots] > 0 {
		r.kind, width = reduceSlots, a.Needs[units.ReduceSlots]
	}
	r.first = t.take(a.Node, r.kind)
	r.since = max(r.since, t.lanes[r.first].left)
	for range min(width, 1<<16) - 1 {
		i := t.take(a.Node, r.kind)
		r.more, r.since = append(r.more, i), max(r.since, t.lanes[i].left)
	}
	return r
}

// end gives an attempt's lanes back and returns it as it was.
func (t *tracker) end(now units.Time, a *follow.Attempt) running {
	r := &t.attempts[a.Index]
	was := *r
	r.Attempt = nil
	t.leave(r.first, now)
	for _, i := range r.more {
		t.leave(i, now)
	}
	return was
}
