package follow

import (
	"cmp"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
)

// Node is a node as it was told of last.
type Node struct {
	Spec  *cluster.Node // nil: nobody has described it
	State sched.NodeState
}

// node returns the page of a node, nil if nobody has told of it.
func (f *Follower) node(h sched.NodeID) *Node {
	if h < 1 || int(h) >= len(f.nodes) {
		return nil
	}
	return f.nodes[h]
}

// turn takes in that a node came up, went down, or is described again.
func (f *Follower) turn(e *sched.Event) *Node {
	n := f.node(e.Node)
	if n == nil && e.Node > 0 && e.Kind != sched.NodeDown {
		n = &Node{}
		*sched.Row(&f.nodes, e.Node) = n
	}
	if n == nil {
		return nil
	}
	switch {
	case e.Kind == sched.NodeUp:
		n.State = cmp.Or(e.State, sched.Awake)
	case e.Kind == sched.NodeDown || e.State != sched.Down:
		n.State = e.State
	}
	if e.Detail != nil && e.Detail.Node != nil {
		n.Spec = e.Detail.Node
	}
	return n
}
