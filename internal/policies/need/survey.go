package need

import (
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// stock is what is there of nodes.
type stock struct {
	room   room
	rented int           // of them, those of clouds, up or on their way
	base   int           // how many of these are kept
	costs  float64       // what these cost an hour
	idle   []*sched.Node // of these, those on which nothing runs, the last ones first
}

// slotsOf is how many maps and reduces a node takes at once.
func slotsOf(c *units.Vector) [kinds]int64 {
	if maps, reduces := c[units.MapSlots], c[units.ReduceSlots]; maps+reduces > 0 {
		return [kinds]int64{maps, reduces}
	}
	return [kinds]int64{c[units.VCores], c[units.VCores]}
}

// stocked counts nodes by class, and looks at single ones only where some wake, or may be idle. O(classes), O(nodes)
// then.
func stocked(v sched.View) (s stock) {
	s.room = room{{}}
	single := false
	for c := sched.ClassID(1); c <= v.Classes(); c++ {
		class := v.Class(c)
		if class == nil {
			continue
		}
		for k, slots := range slotsOf(&class.Spec.Capacity) {
			s.room[0].slots[k] += slots * int64(class.Nodes[sched.Awake])
		}
		single = single || class.Nodes[sched.Waking] > 0
		if class.Spec.Rented() {
			up := class.Nodes[sched.Awake] + class.Nodes[sched.Waking]
			s.rented += int(up)
			s.costs += float64(class.Spec.PriceAt(v.Now()) * float64(up))
			single = single || class.Nodes[sched.Awake] > 0 && class.Free.Fits(&class.Spec.Capacity)
		}
	}
	if !single {
		return s
	}
	for n := v.Nodes(); n > 0; n-- {
		nd := v.Node(n)
		switch {
		case nd == nil:
		case nd.State == sched.Waking:
			s.room = s.room.with(1, slotsOf(&v.Class(nd.Class).Spec.Capacity), estimate.Millis(nd.Until.Sub(v.Now())))
		case nd.State == sched.Awake && nd.Occupied == 0 && v.Class(nd.Class).Spec.Rented():
			s.idle = append(s.idle, nd)
		}
	}
	return s
}
