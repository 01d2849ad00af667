package sim

import (
	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/worlds/truth"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// draws notes that an attempt begins to draw power, at the time of its start.
func (w *World) draws(a int32, at *attempt, j *job) {
	if nd := &w.nodes[at.node]; w.marks != nil {
		w.marks[a] = nd.share.Begin(w.now, nd.Spec.Class, j.Spec, at.stage, at.container, &w.kinds[j.stage(at.stage).kinds[at.container]].needs.Vector)
	}
}

// drew returns the joules above idle that it has drawn, now that it ends.
func (w *World) drew(a int32, at *attempt, s *stage) float64 {
	if !w.powered {
		return 0
	}
	nd, needs := &w.nodes[at.node], &w.kinds[s.kinds[at.container]].needs.Vector
	if w.marks != nil {
		return units.Rounded(float64(nd.share.End(w.now, nd.Spec.Class, w.marks[a], needs)))
	}
	held := float64(needs[units.MapSlots] + needs[units.ReduceSlots] + needs[units.VCores])
	return units.Rounded(float64(units.Watts(nd.Spec.Class.Each() * held).Over(w.now.Sub(max(at.began, w.begun)))))
}

// sleep drains a node, and then puts it to sleep, or gives it back to its cloud. It serves nothing
// until it is awake again, and neither does the data on it: one that holds the last copy of a block or a
// map output that a job still needs does not sleep. Blocks of jobs that come later may lie on sleeping
// nodes alone; their maps are local nowhere.
func (w *World) sleep(it *sched.Item) {
	n := int32(it.Node)
	switch nd := &w.nodes[n]; {
	case nd.state != nodeOpen:
		w.refuse(it, sched.NodeAway)
	case w.countOutputs(n) > 0 || w.lastCopy(n):
		w.refuse(it, sched.Needed)
	default:
		nd.sleeps = true
		w.drain(n)
	}
}

// fallAsleep ends the drain of a node that is empty.
func (w *World) fallAsleep(n int32) {
	nd := &w.nodes[n]
	to := sched.Asleep
	if nd.state, nd.sleeps = nd.atRest(), false; nd.state == nodeOffered {
		to = sched.Offered
	}
	w.draining--
	w.setRoom(n)
	w.turned(n, to)
}

// turned tells where a node stands.
func (w *World) turned(n int32, to sched.NodeState) {
	w.emit(sched.Event{Kind: sched.NodeChanged, Node: cluster.NodeID(n), State: to})
}

// lastCopy tells whether a block that a job still has to read has no copy on another node that serves.
// O(tasks of jobs in the system).
func (w *World) lastCopy(n int32) bool {
	for h := range w.jobs {
		j := &w.jobs[h]
		for i := range j.stages {
			s := &j.stages[i]
			for t := range s.tasks {
				if j.Here && s.tasks[t].State != truth.Done && w.aloneOn(s.Spec.Hosts.Of(t), n) {
					return true
				}
			}
		}
	}
	return false
}

// aloneOn tells whether the node is among the hosts, and none of the others serves.
func (w *World) aloneOn(hosts []cluster.NodeID, n int32) (is bool) {
	for _, h := range hosts {
		if int32(h) != n && int(h) < len(w.nodes) && w.nodes[h].state == nodeOpen {
			return false
		}
		is = is || int32(h) == n
	}
	return is
}

// awaken wakes a node, or rents it; it serves, and says so by NodeUp, when the wake time of its class is over.
func (w *World) awaken(it *sched.Item) {
	nd := &w.nodes[it.Node]
	switch {
	case nd.state != nodeAsleep && nd.state != nodeOffered || nd.waking:
		w.refuse(it, sched.NodeAway)
	default:
		nd.waking = true
		w.coming++
		w.turned(int32(it.Node), sched.Waking)
		w.queue.push(w.now.Add(nd.Spec.Class.WakeTime), awake, int32(it.Node), nd.lives)
	}
}

// awoken brings a node back into service, unless it went down in its sleep, or is to leave. In a batch nodes come up
// before they change: what was told of it at this instant is over.
func (w *World) awoken(n int32, lives uint32) {
	w.coming--
	switch nd := &w.nodes[n]; {
	case nd.lives != lives:
	case nd.away > 0 && nd.state == nodeOffered: // it never boots
		nd.waking = false
		w.turned(n, sched.Offered)
	case nd.state == nodeAsleep || nd.state == nodeOffered:
		for i := range w.out {
			if e := &w.out[i]; e.Kind == sched.NodeChanged && e.Node == cluster.NodeID(n) {
				e.State = sched.Down // it says nothing of it
			}
		}
		w.nodeUp(n)
	default:
		nd.waking = false
	}
}
