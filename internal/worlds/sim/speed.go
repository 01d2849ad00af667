package sim

import (
	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
)

// slowness is how long a nanosecond of the stage's work takes on the node. Speed acts on the CPU
// share c of the work, the rest waits for disk and network and takes its time (scale-up, paper 000,
// section 6):
//
//	slowness = c / (speed · factor) + 1 - c
//
// The speed is that of the class, or what it states of the kind of container that the attempt runs in.
// Both parts are taken to be mixed evenly over the task, so that the part of a task that is done is the same for both.
func (w *World) slowness(at *attempt, j *job, s *stage) float64 {
	nd := &w.nodes[at.node]
	c, speed := s.Spec.Share(), nd.Spec.Class.Speed
	if len(nd.Spec.Class.Rates) > 0 {
		k := s.Spec.Container(int(at.container))
		speed = nd.Spec.Class.Rate(j.Spec.Class, &k).Speed
	}
	return c/(speed*nd.factor) + (1 - c)
}

// setSpeed sets the factor on the speed of the node's class and times again what runs there: work
// done so far stays done, the rest goes on at the new speed.
func (w *World) setSpeed(n int32, factor float64) {
	nd := &w.nodes[n]
	if nd.factor == factor {
		return
	}
	nd.factor = factor
	if nd.state == nodeDown {
		return // told when it is back
	}
	w.emit(sched.Event{Kind: sched.NodeChanged, Node: cluster.NodeID(n), X: factor})
	var at *attempt
	for a := nd.runs.last; a != 0; a = at.in[ofNode].prev {
		at = &w.attempts[a]
		if !at.timed {
			continue // a reduce without its input, or a master that is up
		}
		p := &w.paces[a]
		if at.ready < w.now {
			p.left = max(0, p.left-float64(w.now.Sub(p.since))/p.slow)
			p.since = w.now
		}
		j := &w.jobs[at.job]
		p.slow = w.slowness(at, j, j.stage(at.stage))
		w.park(at)
		w.enqueue(a, at, j)
	}
}
