package promise

import (
	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// failures are how often nodes failed that were in service: not those that drained or slept before.
// Promises with a probability count them at that rate; before the first one there is none. A resync
// voids them, as what went before it may have been another cluster, or a time of watching.
type failures struct {
	Failed int64      `json:"failed"`
	Nodes  int        `json:"nodes"` // in service, since then
	Since  units.Time `json:"since"`
	Served int64      `json:"served"` // milliseconds of all nodes until then

	// the class of all nodes in service, "" if there are several: then a task is as long as on any of them
	Class string `json:"class,omitempty"`
}

// note counts the nodes that failed in a batch, and how many serve from now on. O(batch + nodes), when
// nodes change.
func (f *failures) note(v sched.View, batch []sched.Event) {
	if len(batch) > 0 && batch[0].Kind == sched.Resync {
		*f = failures{}
	}
	for i := range batch {
		if batch[i].Kind != sched.NodeDown {
			continue
		}
		if n := v.Node(batch[i].Node); n != nil && n.Was == sched.Awake && offers(n) {
			f.Failed++
		}
	}
	f.Served, f.Since, f.Nodes, f.Class = f.served(v.Now()), v.Now(), 0, ""
	several := false
	for n := sched.NodeID(1); n <= v.Nodes(); n++ {
		if node := v.Node(n); node != nil && node.Serves() && offers(node) {
			f.Nodes++
			is := node.Spec.Class.Name
			several = several || f.Nodes > 1 && is != f.Class
			f.Class = is
		}
	}
	if several {
		f.Class = ""
	}
}

// offers tells whether the node has anything for tasks.
func offers(n *sched.Node) bool { return n.Spec.Class.Capacity != units.Vector{} }

func (f *failures) served(now units.Time) int64 {
	return f.Served + int64(f.Nodes)*int64(now.Sub(f.Since)/units.Millisecond)
}

// firstServed is for how many seconds nodes count as if they had served before without a failure: one in the first
// minute is no rate.
const firstServed = 3600.0

// of are the failures that a job meets which begins at that time.
func (f *failures) of(now, begin units.Time) finish.Failures {
	served := firstServed + float64(f.served(now))/1e3
	if f.Failed == 0 || f.Nodes == 0 || f.served(now) <= 0 {
		return finish.Failures{}
	}
	return finish.Failures{Nodes: f.Nodes, Rate: float64(f.Failed) / served, Wait: begin.Sub(now).Seconds()}
}
