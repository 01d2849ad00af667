package follow

import (
	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
)

// Node is a node as it was told of last, and as the plans since then have left it.
type Node struct {
	Spec  *cluster.Node // nil: nobody has described it
	Up    bool
	Power sched.PowerState

	asked sched.ItemID     // the last item about its power
	was   sched.PowerState // before it
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
		*At(&f.nodes, e.Node) = n
	}
	if n == nil {
		return nil
	}
	if e.Kind != sched.NodeChanged {
		n.Up, n.Power, n.asked = e.Kind == sched.NodeUp, e.Power, 0
	}
	if e.Detail != nil && e.Detail.Node != nil {
		n.Spec = e.Detail.Node
	}
	return n
}

// asleep takes in who goes to sleep and who wakes.
func (f *Follower) asleep(it *sched.Item) *Node {
	if it.Held || it.Verb != sched.Sleep && it.Verb != sched.Wake {
		return nil
	}
	n := f.node(it.Node)
	if n != nil {
		n.asked, n.was, n.Power = it.ID, n.Power, sched.Asleep
		if it.Verb == sched.Wake {
			n.Power = sched.Waking
		}
	}
	return n
}
