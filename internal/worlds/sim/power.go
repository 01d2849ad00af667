package sim

import "github.com/slackline/slackline/sched"

// sleep puts a node to sleep on which nothing runs. It offers nothing until it is awake again.
// Neither the blocks of input nor the map outputs on it are lost: who reads them is served as
// before, as if from another copy, even where there is none, and the node does not wake for it. A
// real cluster would have to keep a copy of everything awake, or wake nodes to read, so the energy
// saved here is more than could be saved there.
func (w *World) sleep(it *sched.Item) {
	nd := &w.nodes[it.Node]
	switch {
	case nd.state != nodeOpen || nd.runs.last != 0:
		w.refuse(it, sched.NodeAway)
	default:
		nd.state = nodeAsleep
		w.setRoom(int32(it.Node))
	}
}

// awaken wakes a node; it serves, and says so by NodeUp, when the wake time of its class is over.
func (w *World) awaken(it *sched.Item) {
	nd := &w.nodes[it.Node]
	switch {
	case nd.state != nodeAsleep:
		w.refuse(it, sched.NodeAway)
	case !nd.waking:
		nd.waking = true
		w.coming++
		w.queue.push(w.now.Add(nd.Spec.Class.WakeTime), awake, int32(it.Node), nd.lives)
	}
}

// awoken brings a node back into service, unless it went down in its sleep, or is to leave.
func (w *World) awoken(n int32, lives uint32) {
	w.coming--
	switch nd := &w.nodes[n]; {
	case nd.lives != lives:
	case nd.state == nodeAsleep:
		w.nodeUp(n)
	default:
		nd.waking = false
	}
}
