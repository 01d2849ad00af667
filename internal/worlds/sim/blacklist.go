package sim

import (
	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Blacklist keeps work away from nodes on which too much fails, as Hadoop's does across jobs: at so
// many failed attempts a node offers nothing more. What runs there runs on, and its map outputs are
// still read. An administrator takes it off the list after a while; so does its own restart. Its
// count then starts again.
type Blacklist struct {
	Failures int            // 0 = there is none
	Restore  units.Duration // 0 = nobody does
}

// countFailure notes that an attempt failed on the node.
func (w *World) countFailure(n int32) {
	b, nd := w.cfg.Failures.Blacklist, &w.nodes[n]
	if nd.failures++; b.Failures == 0 || nd.failures < b.Failures || nd.listed || nd.state == nodeDown {
		return
	}
	nd.listed = true
	if nd.state == nodeOpen {
		w.emit(sched.Event{Kind: sched.NodeChanged, Node: cluster.NodeID(n), X: nd.factor, Detail: nd.bare})
		w.setRoom(n)
	}
	if b.Restore > 0 {
		w.queue.push(w.now.Add(b.Restore), restored, n, nd.lives)
		w.coming++
	}
}

// restore takes a node off the list, unless it was down meanwhile and so is off it already.
func (w *World) restore(n int32, lives uint32) {
	w.coming--
	nd := &w.nodes[n]
	if !nd.listed || nd.lives != lives {
		return
	}
	nd.listed, nd.failures = false, 0
	if nd.state == nodeOpen {
		w.emit(sched.Event{Kind: sched.NodeChanged, Node: cluster.NodeID(n), X: nd.factor, Detail: nd.up})
		w.setRoom(n)
		w.beat.freshen(n)
	}
}
