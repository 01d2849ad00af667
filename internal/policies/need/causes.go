package need

import (
	"math"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// mostNamed is how many late jobs are named.
const mostNamed = 8

// certify says why so many nodes are rented: how few would do, when they serve, what they cost, and who would be
// late without them.
func (n *Need) certify(v sched.View, r room, c *choice, p *sched.Plan) sched.Reason {
	why := sched.Because(NodesLack, int64(c.nodes), int64(c.least(r)), int64(span(c.boot)))
	if late := c.late - c.lost; late > 0 {
		why.B = 0 // who is to be saved is a choice, of which a fluid proves nothing
	}
	evidence := []sched.Evidence{{Amount: int64(math.Round(units.Rounded(float64(c.nodes) * c.price * 1000)))}}
	without, _ := r.play(&c.load, math.MaxInt)
	with, _ := r.with(int64(c.nodes), c.slots, c.boot).play(&c.load, math.MaxInt)
	for i, done := range without {
		due, id := c.jobs[i].due, c.ids[i]
		if done <= due || with[i] > due || len(evidence) > mostNamed {
			continue
		}
		if why.Job == 0 {
			why.Job = id
		}
		evidence = append(evidence, sched.Evidence{Job: id, At: v.Job(id).Due(), Amount: int64(span(done - due))})
	}
	return p.Because(why, evidence...)
}

// span is a time in milliseconds, at most a year.
func span(ms int64) units.Duration {
	return units.Duration(min(ms, int64(365*24*units.Hour/units.Millisecond))) * units.Millisecond
}

// tell says of jobs that nothing can save, once, that nothing is rented for them.
func (n *Need) tell(v sched.View, s *stock, list []offer, p *sched.Plan) {
	if len(list) == 0 || n.c.Late > 0 {
		return
	}
	for i, id := range n.line.ids {
		soonest := s.room.alone(&n.line.jobs[i])
		for _, o := range list {
			soonest = min(soonest, s.room.with(int64(o.most), o.slots, o.boot).alone(&n.line.jobs[i]))
		}
		if told := sched.Row(&n.Told, id); soonest > n.line.jobs[i].due+n.line.jobs[i].sure && !*told {
			*told = true
			p.Rank(id, sched.Because(BeyondHelp, int64(v.Now().Add(span(soonest)).Sub(v.Job(id).Due()))))
		}
	}
}

// Why nodes are rented and given back.
var (
	// NodesLack rents.
	NodesLack = &sched.Cause{Name: "nodes-lack", Text: "{nodes} {nodes?node is|nodes are} needed in {serve}[least?[nodes-least?, at least {least} of them for certain|, proven least]]",
		Numbers: []sched.Number{sched.Count.Named("nodes", "nodes that are rented now", 12), sched.Count.Named("least", "nodes without which a fluid is late, 0 = nobody knows", 12), sched.Clock.Named("serve", "how long they boot", 480e9)}, Each: []sched.Piece{{Text: ", for {amount} an hour", Unit: sched.Money}, {Text: "; without them {job} could be late by {amount}", Unit: sched.Clock}, {Text: ", {job} by {amount}", Unit: sched.Clock}}}
	// Warm rents for nobody in particular.
	Warm = &sched.Cause{Name: "kept-warm", Text: "{nodes} {nodes?node is|nodes are} to be rented at any time",
		Numbers: []sched.Number{sched.Count.Named("nodes", "nodes that are always rented", 2)}}
	// NotNeeded gives a node back.
	NotNeeded = &sched.Cause{Name: "not-needed", Text: "nothing has run on it for {idle}, and no job is late without it; {rented} {rented?node is|nodes are} rented",
		Numbers: []sched.Number{sched.Clock.Named("idle", "for how long nothing has run on it", 60e9), sched.Count.Named("rented", "rented nodes before it is given back", 3)}}
	// BeyondHelp rents nothing for a job.
	BeyondHelp = &sched.Cause{Name: "beyond-help", Told: true, Text: "with all nodes that can be had it would be late by {late}: nothing is rented for it",
		Numbers: []sched.Number{sched.Shift.Named("late", "by how much it is late with all nodes that can be had", 5e9)}}
)
