package report

import (
	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// meter integrates the power of all nodes, exactly between events. A node that is up draws
//
//	Idle + Dynamic × load
//
// of its class, where load is the part of its vcores that containers hold, or that of its slots, whichever is larger; asleep it draws
// Sleep, on its way up Idle, and nothing while it is down. Of the sum as much is green as the supply gives at that time, the rest is
// brown. The zero value is a meter of nodes without a model of power: it says nothing.
type meter struct {
	known    bool // some node has a model
	supplied bool // there is green power, or was
	nodes    []powered
	power    float64 // of all nodes, in watts
	supply   float64 // of green power, in watts
	since    units.Time
	all      float64 // joules until since
	green    float64
}

// powered is what the meter knows of a node.
type powered struct {
	class *cluster.Class // as it came up: one that drains offers nothing and still draws power
	held  units.Vector
	draws float64
	state powerState
}

type powerState uint8

const (
	off powerState = iota
	on
	asleep
	waking
)

// advance integrates until now.
func (m *meter) advance(at units.Time) {
	if at > m.since {
		span := at.Sub(m.since).Seconds()
		m.all += m.power * span
		m.green += min(m.power, m.supply) * span
		m.since = at
	}
}

// turn changes the state of a node.
func (m *meter) turn(at units.Time, h sched.NodeID, class *cluster.Class, to powerState) {
	n := slot(&m.nodes, h)
	if class != nil && class.Capacity != (units.Vector{}) {
		n.class = class
		m.known = m.known || class.Idle > 0 || class.Dynamic > 0 || class.Sleep > 0
	}
	n.state = to
	m.draw(at, n)
}

// hold notes that a node gives a container so much, or takes it back.
func (m *meter) hold(at units.Time, h sched.NodeID, needs *units.Vector, sign int) {
	if !m.known || h < 1 {
		return
	}
	n := slot(&m.nodes, h)
	if sign > 0 {
		n.held.Add(needs)
	} else {
		n.held.Sub(needs)
	}
	m.draw(at, n)
}

// draw asks again what a node draws.
func (m *meter) draw(at units.Time, n *powered) {
	if !m.known || n.class == nil {
		return
	}
	draws := 0.0
	switch n.state {
	case on:
		draws = float64(n.class.Idle) + float64(n.class.Dynamic)*n.load()
	case asleep:
		draws = float64(n.class.Sleep)
	case waking:
		draws = float64(n.class.Idle)
	}
	if draws != n.draws {
		m.advance(at)
		m.power += draws - n.draws
		n.draws = draws
	}
}

// load is the part of the node that works, at most 1.
func (n *powered) load() float64 {
	has, held := &n.class.Capacity, &n.held
	part := func(held, has int64) float64 {
		if has == 0 {
			return 0
		}
		return float64(held) / float64(has)
	}
	return min(1, max(part(held[units.VCores], has[units.VCores]),
		part(held[units.MapSlots]+held[units.ReduceSlots], has[units.MapSlots]+has[units.ReduceSlots])))
}

// feed sets the supply of green power.
func (m *meter) feed(at units.Time, green float64) {
	m.advance(at)
	m.supply, m.supplied = green, true
}

// plan takes in who goes to sleep and who wakes.
func (m *meter) plan(at units.Time, it *sched.Item) {
	switch {
	case !m.known || it.Refused != sched.OK || it.Held:
	case it.Verb == sched.Sleep:
		m.turn(at, it.Node, nil, asleep)
	case it.Verb == sched.Wake:
		m.turn(at, it.Node, nil, waking)
	}
}

// energy is what was used until a time.
type energy struct{ all, green units.Joules }

// report fills the summary.
func (m *meter) report(s *Summary, e energy) {
	if !m.known {
		return
	}
	kwh := func(j units.Joules) *float64 {
		x := j.KWh()
		return &x
	}
	s.Energy = kwh(e.all)
	if m.supplied {
		s.Green, s.Brown = kwh(e.green), kwh(e.all-e.green)
	}
}
