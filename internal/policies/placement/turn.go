package placement

import (
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// turn is what one node gets on one beat.
type turn struct {
	order    sched.Order
	v        sched.View
	p        *sched.Plan
	node     *sched.Node
	farthest sched.Locality // a task not farther than this is local
	maps     quota
	reduces  quota
	other    quota
	behind   bool // maps wait for all they ask for: nothing may hold part of that and wait for them
}

// line says whose task of a stage the node gets next.
type line interface {
	next(t *turn) sched.JobID     // 0: it gets no more of them on this beat
	start(t *turn, j sched.JobID) // that job's; what cannot be started is not named again
}

// Follow takes the policy's order, to compare a job's maps with another's reduces.
func (t *turn) Follow(o sched.Order) error {
	t.order = o
	return nil
}

// of begins the turn of a node, if the book knows it.
func (t *turn) of(v sched.View, p *sched.Plan, n sched.NodeID) bool {
	t.v, t.p, t.node, t.farthest = v, p, v.Node(n), sched.NodeLocal
	return t.node != nil
}

// serve fills the node: masters before tasks; maps as their line says, and so many reduces (0 = no
// bound); behind these the other stages by the rule of greedy, with so many non-local tasks of
// each. Where maps and reduces draw on the same resources, the node is offered to the first job of
// all each time.
func (t *turn) serve(maps line, reduces, nonLocal int) {
	open := &t.v.Queue(sched.Root).Stages
	if open[sched.Master].Open > 0 {
		t.other = quota{stage: sched.Master}
		t.fill(&t.other)
	}
	t.reduces = quota{stage: sched.Reduce, count: reduces, behind: t.behind}
	if t.order != nil && open[sched.Map].Open > 0 && open[sched.Reduce].Open > 0 && shared(t.node) {
		t.share(maps, &t.reduces)
	}
	if open[sched.Map].Open > 0 {
		t.fill(maps)
	}
	if open[sched.Reduce].Open > 0 {
		t.fill(&t.reduces)
	}
	for s := sched.Reduce + 1; s < sched.Stages; s++ {
		if open[s].Open > 0 {
			t.other = quota{stage: s, nonLocal: nonLocal, behind: t.behind}
			t.fill(&t.other)
		}
	}
}

// fill starts tasks until the line ends.
func (t *turn) fill(l line) {
	for j := l.next(t); j != 0; j = l.next(t) {
		l.start(t, j)
	}
}

// start starts one task of the job, not farther from its input than far, in the best kind of
// container that fits.
func (t *turn) start(j sched.JobID, s sched.Stage, far sched.Locality) bool {
	job := t.v.Job(j)
	if job == nil {
		return false
	}
	kind, fits := uint8(0), true // a master's, whose stage the job does not list
	if spec := job.Spec.Stage(s); spec != nil {
		kind, fits = spec.Fitting(&t.node.Free)
	}
	return fits && t.p.Add(sched.Item{Verb: sched.Start, Job: j, Stage: s, Container: kind,
		Node: t.node.ID, Count: 1, Locality: far, Reason: sched.Because(sched.FirstInOrder)})
}

// shared tells whether maps and reduces draw on the same resources of the node.
func shared(n *sched.Node) bool {
	if n.Spec == nil || n.Spec.Class == nil {
		return false
	}
	capacity := &n.Spec.Class.Capacity
	for d := units.VCores; d < units.Dims; d++ {
		if capacity[d] > 0 {
			return true
		}
	}
	return false
}
