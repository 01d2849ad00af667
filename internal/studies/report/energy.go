package report

import (
	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/follow"
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
	up    bool
	power sched.PowerState
	asked sched.ItemID     // the last item about its power
	was   sched.PowerState // before it
}

// advance integrates until now.
func (m *meter) advance(at units.Time) {
	if at > m.since {
		span := at.Sub(m.since).Seconds()
		m.all += m.power * span
		m.green += min(m.power, m.supply) * span
		m.since = at
	}
}

// turn notes that a node came up, or is described anew, or went down: then without a class.
func (m *meter) turn(at units.Time, e *sched.Event) {
	n := follow.At(&m.nodes, e.Node)
	if e.Kind != sched.NodeChanged {
		n.up, n.power, n.asked = e.Kind == sched.NodeUp, e.Power, 0
	}
	if e.Detail != nil && e.Detail.Node != nil {
		m.describe(n, e.Detail.Node.Class)
	}
	m.draw(at, n)
}

func (m *meter) describe(n *powered, class *cluster.Class) {
	if class.Capacity != (units.Vector{}) {
		n.class = class
		m.known = m.known || class.Idle > 0 || class.Dynamic > 0 || class.Sleep > 0
	}
}

// hold notes that a node gives a container so much, or takes it back.
func (m *meter) hold(at units.Time, h sched.NodeID, needs *units.Vector, sign int) {
	if !m.known || h < 1 {
		return
	}
	n := follow.At(&m.nodes, h)
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
	switch {
	case !n.up:
	case n.power == sched.Awake:
		draws = float64(n.class.Idle) + float64(n.class.Dynamic)*n.load()
	case n.power == sched.Asleep:
		draws = float64(n.class.Sleep)
	case n.power == sched.Waking:
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
	if !m.known || it.Held || it.Verb != sched.Sleep && it.Verb != sched.Wake {
		return
	}
	n := follow.At(&m.nodes, it.Node)
	n.asked, n.was, n.power = it.ID, n.power, sched.Asleep
	if it.Verb == sched.Wake {
		n.power = sched.Waking
	}
	m.draw(at, n)
}

// refused takes back what the world did not do.
func (m *meter) refused(at units.Time, e *sched.Event) {
	if !m.known || e.Node < 1 || e.Item == 0 {
		return
	}
	if n := follow.At(&m.nodes, e.Node); n.asked == e.Item {
		n.power, n.asked = n.was, 0
		m.draw(at, n)
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
