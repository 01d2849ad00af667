package need

import (
	"fmt"
	"math"
	"strings"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// mostNamed is how many late jobs are named.
const mostNamed = 8

// certify says why so many nodes are rented: how few would do, when they serve, what they cost, and who would be
// late without them.
func (n *Need) certify(v sched.View, r room, c *choice, p *sched.Plan) sched.Reason {
	why := sched.Because(NodesLack, int64(c.nodes), int64(c.least(r)), int64(v.Now().Add(span(c.boot))))
	with := make([]bool, len(c.jobs)) // late even so
	r.with(int64(c.nodes), c.slots, c.boot).play(c.jobs, func(i int, done int64) bool {
		with[i] = done > c.jobs[i].due
		return true
	})
	if late := c.late - (len(n.jobs) - len(c.jobs)); late > 0 {
		why.B = 0 // who is to be saved is a choice, of which a fluid proves nothing
	}
	evidence := []sched.Evidence{{Amount: int64(math.Round(units.Rounded(float64(c.nodes) * c.price * 1000)))}}
	r.play(c.jobs, func(i int, done int64) bool {
		if over := done - c.jobs[i].due; over > 0 && !with[i] {
			if why.Job == 0 {
				why.Job = c.ids[i]
			}
			evidence = append(evidence, sched.Evidence{Job: c.ids[i], At: v.Job(c.ids[i]).Due(), Amount: int64(span(over))})
		}
		return len(evidence) <= mostNamed
	})
	return p.Because(why, evidence...)
}

// span is a time in milliseconds, at most a year.
func span(ms int64) units.Duration {
	return units.Duration(min(ms, int64(365*24*units.Hour/units.Millisecond))) * units.Millisecond
}

// tell says of jobs that nothing can save, once, that nothing is rented for them.
func (n *Need) tell(v sched.View, s *stock, list []offer, p *sched.Plan) {
	if len(list) == 0 {
		return
	}
	for i, id := range n.ids {
		soonest := s.room.alone(&n.jobs[i])
		for _, o := range list {
			soonest = min(soonest, s.room.with(int64(o.most), o.slots, o.boot).alone(&n.jobs[i]))
		}
		for int(id) >= len(n.Told) {
			n.Told = append(n.Told, false)
		}
		if soonest > n.jobs[i].due && !n.Told[id] {
			n.Told[id] = true
			p.Rank(id, sched.Because(BeyondHelp, int64(v.Job(id).Due()), int64(v.Now().Add(span(soonest)))))
		}
	}
}

// Why nodes are rented and given back.
var (
	// NodesLack rents.
	NodesLack = &sched.Cause{Name: "nodes-lack", Numbers: []string{"nodes that are rented now", "nodes without which a fluid is late, 0 = nobody knows", "when they serve"},
		Example: [3]int64{12, 12, 480e9}, Say: sayLack}
	// Warm rents for nobody in particular.
	Warm = &sched.Cause{Name: "kept-warm", Numbers: []string{"nodes that are always rented"}, Example: [3]int64{2},
		Say: func(r *sched.Said) string {
			return r.Count(r.A, "node is", "nodes are") + " to be rented at any time"
		}}
	// NotNeeded gives a node back.
	NotNeeded = &sched.Cause{Name: "not-needed", Numbers: []string{"since when nothing has run on it", "rented nodes before it is given back"}, Example: [3]int64{60e9, 3},
		Say: func(r *sched.Said) string {
			return fmt.Sprintf("nothing has run on it since %s, and no job is late without it; %s rented", r.Time(r.A), r.Count(r.B, "node is", "nodes are"))
		}}
	// BeyondHelp rents nothing for a job.
	BeyondHelp = &sched.Cause{Name: "beyond-help", Numbers: []string{"its deadline", "its finish with all nodes that can be had"}, Example: [3]int64{90e9, 95e9},
		Say: func(r *sched.Said) string {
			return fmt.Sprintf("with all nodes that can be had it would be done at %s, and its deadline is at %s: nothing is rented for it", r.Time(r.B), r.Time(r.A))
		}}
)

// sayLack is the certificate as a sentence.
func sayLack(r *sched.Said) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s by %s", r.Count(r.A, "node is needed", "nodes are needed"), r.Time(r.C))
	switch {
	case r.B == r.A:
		b.WriteString(", proven least")
	case r.B > 0:
		fmt.Fprintf(&b, ", at least %d of them for certain", r.B)
	}
	for i, e := range r.Proof {
		switch late := units.Span(units.Duration(e.Amount).Seconds()); {
		case e.Job == 0:
			fmt.Fprintf(&b, ", for %.2f an hour", float64(e.Amount)/1000)
		case i == 1:
			fmt.Fprintf(&b, "; without them %s could be late by %s", r.JobName(e.Job), late)
		default:
			fmt.Fprintf(&b, ", %s by %s", r.JobName(e.Job), late)
		}
	}
	return b.String()
}
