// Package energy is the model of what nodes draw, and the meter that integrates it. Simulator,
// report and policies read one model.
//
// A node that is awake draws
//
//	Idle + Dynamic × load (or by Curve) + what is stated of kinds of containers
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

// Draws is what a node draws at a load by containers of which nothing is stated.
func Draws(c *cluster.Class, state sched.NodeState, load float64) units.Watts {
	switch state {
	case sched.Awake, sched.Draining:
		return c.Idle + c.Above(load)
	case sched.Waking:
		return c.Idle
	case sched.Asleep:
		return c.Sleep
	}
	return 0
}

// Since is what was used since so much had been.
func (u Used) Since(was Used) Used {
	return Used{All: u.All - was.All, Green: u.Green - was.Green, Cost: u.Cost - was.Cost, Grams: u.Grams - was.Grams}
}

// Bill is what some energy costs and emits that is used evenly with the rest: its part of this.
func (u Used) Bill(part units.Joules) (cost, grams float64) {
	if u.All <= 0 {
		return 0, 0
	}
	share := float64(part / u.All)
	return u.Cost * share, u.Grams * share
}

// Meter integrates the power of all nodes, exactly between events. Of the sum as much is green as
// the supply gives at that time; the rest has a price, and emits carbon dioxide. The zero value is a
// meter of nodes without a model of power: it says nothing.
type Meter struct {
	Known bool                 // some node has a model
	Fed   [sched.Supplies]bool // of what there is a supply, or was

	nodes   []node                  // by handle
	classes []*cluster.Class        // of these, each once
	power   float64                 // of all nodes, in watts
	supply  [sched.Supplies]float64 // of each kind
	fed     bool                    // there is some supply
	since   units.Time              // until when the sums reach
	used    Used
	states  [3]float64 // of it what nodes draw in service without work, while they wake, and asleep
	settled units.Time // until when that is summed up
}

// Used is what nodes have used.
type Used struct {
	All, Green units.Joules
	States     [3]units.Joules // of all: in service without their work, while they wake, and asleep
	Wakes      int             // how often nodes were woken, or rented
	Cost       float64         // of what is not green, in the currency of the price
	Grams      float64         // of carbon dioxide, of the same
}

// node is what the meter knows of a node.
type node struct {
	class *cluster.Class
	slots int64       // that containers hold of which nothing is stated
	cores int64       // and vcores
	takes units.Watts // the others
	draws float64     // without what each is for
	each  float64     // watts of each slot or vcore that is held, if these just add and the node serves; else 0
	state sched.NodeState
}

// Node notes where a node stands, and its class. One that drains offers nothing and still draws power: its class stays
// what it was.
func (m *Meter) Node(at units.Time, h sched.NodeID, c *cluster.Class, state sched.NodeState) {
	n := sched.Row(&m.nodes, h)
	m.settle(at)
	m.stand(n, -1)
	defer func() { m.stand(n, 1) }()
	if (n.state == sched.Asleep || n.state == sched.Offered) && (state == sched.Waking || state == sched.Awake) {
		m.used.Wakes++
	}
	if n.state = state; c.Capacity != (units.Vector{}) {
		n.class = c
		if !slices.ContainsFunc(m.classes, func(o *cluster.Class) bool { return o.Name == c.Name }) {
			m.classes = append(m.classes, c)
		}
		m.Known = m.Known || Known(c)
	}
	m.draw(at, n)
}

// Hold notes that a node gives a container of the job's stage so much, or with sign -1 that it takes it back.
func (m *Meter) Hold(at units.Time, h sched.NodeID, needs *units.Vector, j *workload.Job, s workload.Stage, kind uint8, sign int) {
	if h < 1 || int(h) >= len(m.nodes) || m.nodes[h].each == 0 {
		m.hold(at, h, needs, j, s, kind, sign)
		return
	}
	if at > m.since {
		m.advance(at)
	}
	n, slots, cores := &m.nodes[h], int64(sign)*(needs[units.MapSlots]+needs[units.ReduceSlots]), int64(sign)*needs[units.VCores]
	n.slots, n.cores = n.slots+slots, n.cores+cores
	m.power += float64(n.each * float64(slots+cores))
}

// hold is Hold where what containers draw does not just add up.
func (m *Meter) hold(at units.Time, h sched.NodeID, needs *units.Vector, j *workload.Job, s workload.Stage, kind uint8, sign int) {
	if !m.Known || h < 1 {
		return
	}
	n := sched.Row(&m.nodes, h)
	stated := units.Watts(0)
	if n.class != nil {
		stated = Stated(n.class, j, s, kind)
	}
	if n.takes += units.Watts(sign) * stated; stated == 0 { // else it is no part of the load
		n.slots += int64(sign) * (needs[units.MapSlots] + needs[units.ReduceSlots])
		n.cores += int64(sign) * needs[units.VCores]
	}
	m.draw(at, n)
}

// Alike tells whether all nodes are of one class.
func (m *Meter) Alike() bool { return len(m.classes) < 2 }

// Least is the part of what a task of the job's stage draws in a kind of container on a node that it would draw where
// its work takes least, by rates: in any kind that the stage lists, on any class of nodes.
func (m *Meter) Least(h sched.NodeID, j *workload.Job, s workload.Stage, kind uint8) float64 {
	st := j.Stage(s)
	if st == nil || h < 1 || int(h) >= len(m.nodes) || m.nodes[h].class == nil {
		return 1
	}
	takes := func(c *cluster.Class, box *cluster.Container) float64 {
		r := c.Rate(j.Class, box)
		return float64(r.Watts) / r.Speed
	}
	here := takes(m.nodes[h].class, &st.Kinds()[kind])
	least := here
	for _, c := range m.classes {
		for _, box := range st.Kinds() {
			if c.Capacity.Fits(&box.Needs) {
				least = min(least, takes(c, &box))
			}
		}
	}
	if here <= 0 {
		return 1
	}
	return least / here
}

// Feed sets a supply.
func (m *Meter) Feed(at units.Time, of sched.SupplyKind, amount float64) {
	m.advance(at)
	m.supply[of], m.Fed[of], m.fed = amount, true, true
}

// Power is what all nodes draw now.
func (m *Meter) Power() units.Watts { return units.Watts(m.power) }

// Until returns what was used until now.
func (m *Meter) Until(at units.Time) Used {
	m.advance(at)
	m.settle(at)
	return m.used
}

// stand adds what a node draws without work where it stands, or takes it away.
func (m *Meter) stand(n *node, sign float64) {
	if n.class == nil {
		return
	}
	of := 0
	switch n.state {
	case sched.Waking:
		of = 1
	case sched.Asleep:
		of = 2
	}
	m.states[of] += sign * float64(Draws(n.class, n.state, 0))
}

// settle sums up what was used without work until now.
func (m *Meter) settle(at units.Time) {
	if at > m.settled {
		for i, watts := range m.states {
			m.used.States[i] += units.Joules(watts * at.Sub(m.settled).Seconds())
		}
		m.settled = at
	}
}

// draw asks again what a node draws.
func (m *Meter) draw(at units.Time, n *node) {
	if !m.Known || n.class == nil {
		return
	}
	m.advance(at)
	held, before, load := float64(n.slots+n.cores), n.draws, 0.0
	before += float64(n.each * held)
	if n.each = 0; n.class.Adds() && (n.state == sched.Awake || n.state == sched.Draining) {
		n.each = n.class.Each()
	} else {
		load = n.class.Loaded(n.slots, n.cores)
	}
	n.draws = float64(Draws(n.class, n.state, load) + n.takes)
	m.power += n.draws + float64(n.each*held) - before
}

// advance integrates until now.
func (m *Meter) advance(at units.Time) {
	if at > m.since {
		span := at.Sub(m.since).Seconds()
		all := units.Joules(m.power * span)
		if m.used.All += all; m.fed {
			green := units.Joules(min(m.power, m.supply[sched.GreenPower]) * span)
			brown := (all - green).KWh()
			m.used.Green += green
			m.used.Cost += brown * m.supply[sched.Price]
			m.used.Grams += brown * m.supply[sched.Carbon]
		}
		m.since = at
	}
}
