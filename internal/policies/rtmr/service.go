package rtmr

import (
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// A node that drains, sleeps or is down is out of service. What runs there goes on, but when it
// ends its slot falls to nobody. So only slots in service are free, lent, or taken back; a task
// elsewhere holds none of them. The schedule counts the tasks of jobs with a promise wherever they
// run, which is never too early.

// changes are the events by which a node may go out of service, or come back.
var changes = sched.EventsOf(sched.NodeUp, sched.NodeChanged, sched.NodeDown, sched.Control, sched.Resync)

// look finds the nodes that are out of service and still count in the book's sums. O(nodes), when
// nodes change.
func (s *scheduler) look(v sched.View, kinds sched.Events) {
	if s.looked && kinds&changes == 0 {
		return
	}
	s.looked, s.out = true, s.out[:0]
	for n := sched.NodeID(1); n <= v.Nodes(); n++ {
		if node := v.Node(n); node != nil && (node.State.There() && !node.Serves() || node.Free[units.MapSlots] < 0 || node.Free[units.ReduceSlots] < 0) {
			s.out = append(s.out, n)
		}
	}
}

// inService tells whether the slots of the kind that the node has are in service.
func inService(n *sched.Node, slot sched.Stage) bool {
	return n != nil && n.Serves() && n.Spec.Class.Capacity[dim(slot)] > 0
}

// dim is the resource that a slot is.
func dim(slot sched.Stage) units.Dim {
	if slot == sched.Reduce {
		return units.ReduceSlots
	}
	return units.MapSlots
}

// serving is how many slots of the kind are in service.
func (s *scheduler) serving(v sched.View, slot sched.Stage) int64 {
	n := v.Capacity()[dim(slot)]
	for _, id := range s.out {
		if node := v.Node(id); node.State.There() && !node.Serves() {
			n -= node.Spec.Class.Capacity[dim(slot)]
		}
	}
	return n
}

// idle is how many slots of the kind are in service and nothing holds.
func (s *scheduler) idle(v sched.View, slot sched.Stage) int64 {
	n := v.Capacity()[dim(slot)] - v.Queue(sched.Root).Used[dim(slot)]
	for _, id := range s.out {
		node := v.Node(id)
		n -= node.Free[dim(slot)]
		if node.Serves() {
			n += max(0, node.Free[dim(slot)])
		}
	}
	return n
}

// elsewhere is how many of the slots that tasks without a promise hold are out of service. O(such
// tasks) in a round, while there may be any.
func (s *scheduler) elsewhere(v sched.View, slot sched.Stage) (n int64) {
	if len(s.out) == 0 {
		return 0
	}
	if s.strays.round != v.Round() {
		s.strays.round, s.strays.slots = v.Round(), slots{}
		for _, j := range s.holders(v) {
			s.eachOf(v, j, func(a *sched.Attempt, slot sched.Stage) {
				switch node := v.Node(a.Node); {
				case inService(node, slot):
				case slot == sched.Map:
					s.strays.Maps++
				case slot == sched.Reduce:
					s.strays.Reduces++
				}
			})
		}
	}
	if slot == sched.Reduce {
		return int64(s.strays.Reduces)
	}
	return int64(s.strays.Maps)
}

// strays are slots out of service that tasks without a promise hold, as found in a round.
type strays struct {
	round int64
	slots
}
