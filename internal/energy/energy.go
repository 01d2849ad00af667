// Package energy is the model of what nodes draw, and the meter that integrates it. Simulator,
// report and policies read one model.
//
// A node that is awake draws
//
//	Idle + Dynamic × load + what is stated of kinds of containers
//
// of its class. Its load (cluster.Class) is that of the containers of which nothing is stated. Asleep it
// draws Sleep, while it wakes Idle, and nothing while it is down.
//
// What a node draws above idle is shared out among its containers (Share), so that the joules of all
// attempts, those of idle nodes and of waking ones are together what all nodes have used.
package energy

import (
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Known tells whether there is a model of what nodes of the class draw.
func Known(c *cluster.Class) bool {
	return c.Idle > 0 || c.Dynamic > 0 || c.Sleep > 0 || slices.ContainsFunc(c.Rates, func(r cluster.Rate) bool { return r.Watts > 0 })
}

// Stated is what is said that a task of the job's stage draws in the kind of container, 0 if nothing is.
func Stated(c *cluster.Class, j *workload.Job, s workload.Stage, kind uint8) units.Watts {
	if len(c.Rates) == 0 {
		return 0
	}
	if st := j.Stage(s); st != nil && int(kind) < max(1, len(st.Containers)) {
		if r := c.Stated(j.Class, st.Container(int(kind)).Name); r != nil {
			return r.Watts
		}
	}
	return 0
}

// Draws is what a node draws while containers of which nothing is stated hold so much.
func Draws(c *cluster.Class, state sched.NodeState, held *units.Vector) units.Watts {
	switch state {
	case sched.Awake, sched.Draining:
		return c.Idle + units.Watts(float64(c.Dynamic)*c.Load(held))
	case sched.Waking:
		return c.Idle
	case sched.Asleep:
		return c.Sleep
	}
	return 0
}

// Meter integrates the power of all nodes, exactly between events. Of the sum as much is green as
// the supply gives at that time. The zero value is a meter of nodes without a model of power: it
// says nothing.
type Meter struct {
	Known    bool // some node has a model
	Supplied bool // there is green power, or was

	nodes  []node     // by handle
	power  float64    // of all nodes, in watts
	supply float64    // of green power, in watts
	since  units.Time // until when the sums reach
	all    float64    // joules
	green  float64    // joules
}

// node is what the meter knows of a node.
type node struct {
	class *cluster.Class
	held  units.Vector // by containers of which nothing is stated
	takes units.Watts  // the others
	draws float64
	state sched.NodeState
}

// Describe notes the class of a node. A node that drains offers nothing and still draws power: its
// class stays what it was.
func (m *Meter) Describe(at units.Time, h sched.NodeID, c *cluster.Class) {
	if c.Capacity != (units.Vector{}) {
		n := m.node(h)
		n.class = c
		m.Known = m.Known || Known(c)
		m.draw(at, n)
	}
}

// Turn notes where a node stands.
func (m *Meter) Turn(at units.Time, h sched.NodeID, state sched.NodeState) {
	n := m.node(h)
	n.state = state
	m.draw(at, n)
}

// Hold notes that a node gives a container of the job's stage so much, or with sign -1 that it takes it back.
func (m *Meter) Hold(at units.Time, h sched.NodeID, needs *units.Vector, j *workload.Job, s workload.Stage, kind uint8, sign int) {
	if !m.Known || h < 1 {
		return
	}
	n := m.node(h)
	stated := units.Watts(0)
	if n.class != nil {
		stated = Stated(n.class, j, s, kind)
	}
	if n.takes += units.Watts(sign) * stated; stated > 0 {
		// it is no part of the load
	} else if sign > 0 {
		n.held.Add(needs)
	} else {
		n.held.Sub(needs)
	}
	m.draw(at, n)
}

// Feed sets the supply of green power.
func (m *Meter) Feed(at units.Time, green units.Watts) {
	m.advance(at)
	m.supply, m.Supplied = float64(green), true
}

// Power is what all nodes draw now.
func (m *Meter) Power() units.Watts { return units.Watts(m.power) }

// Until returns what was used until now, and how much of it was green.
func (m *Meter) Until(at units.Time) (all, green units.Joules) {
	m.advance(at)
	return units.Joules(m.all), units.Joules(m.green)
}

func (m *Meter) node(h sched.NodeID) *node {
	for int(h) >= len(m.nodes) {
		m.nodes = append(m.nodes, node{})
	}
	return &m.nodes[h]
}

// draw asks again what a node draws.
func (m *Meter) draw(at units.Time, n *node) {
	if !m.Known || n.class == nil {
		return
	}
	draws := float64(Draws(n.class, n.state, &n.held) + n.takes)
	m.advance(at)
	m.power += draws - n.draws
	n.draws = draws
}

// advance integrates until now.
func (m *Meter) advance(at units.Time) {
	if at > m.since {
		span := at.Sub(m.since).Seconds()
		m.all += m.power * span
		m.green += min(m.power, m.supply) * span
		m.since = at
	}
}
