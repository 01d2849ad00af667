package rds

import (
	"cmp"
	"slices"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Preempt ends long tasks to make room for the plan (section 6.6, running task preemption). A bound ends
// nothing, so a plan that takes slots from a job waits until its tasks are done; the paper finds that this
// spoils plans where tasks take longer than three minutes.
//
// Where stages lack slots that they were given, and none are free, tasks of stages above their bounds end: of
// the one that is farthest above first, and of it the youngest, so that least work is lost. A task ends only if
// it would run for longer than the parameter preempt, by the mean time of its stage.
type Preempt struct{ *controller }

// Decide ends tasks where bounds were given in this round, and hold. O(jobs + tasks above bounds).
func (r Preempt) Decide(v sched.View, _ []sched.Event, p *sched.Plan) {
	c := r.controller
	if !c.adjusted || c.Due > v.Now() {
		return
	}
	c.adjusted = false
	missing, over := c.missing(v)
	for _, g := range over {
		t := &g.job.Stages[planned[g.s]]
		above, longest := t.Occupied-t.Limit, c.class(v, g.job).Stages[g.s].Mean/max(c.Pace, 1e-3)
		for a := v.Youngest(g.job.ID, planned[g.s], 0); a != 0; a = v.Youngest(g.job.ID, planned[g.s], a) {
			if v.Attempt(a).Dying {
				above--
				missing[g.row] -= g.each
			}
		}
		for a := v.Youngest(g.job.ID, planned[g.s], 0); a != 0 && above > 0 && missing[g.row] > 0; a = v.Youngest(g.job.ID, planned[g.s], a) {
			at := v.Attempt(a)
			rest := units.FromSeconds(units.Rounded(longest - v.Now().Sub(at.Started).Seconds()))
			if rest <= c.set.preempt {
				break // all others are older
			}
			if !at.Dying && p.Add(sched.Item{Verb: sched.Kill, Job: g.job.ID, Stage: planned[g.s], Attempt: a, Outcome: sched.Preempted,
				Reason: sched.Because(AbovePlan, int64(t.Limit), int64(t.Occupied), int64(rest))}) {
				above--
				missing[g.row] -= g.each
			}
		}
	}
}

// missing is what stages lack of the slots that they were planned or are on the fast path for, beyond those that
// are free; and the stages that are above their bounds, that with the most first. Nothing ends for slots that a
// plan leaves.
func (c *controller) missing(v sched.View) (missing [rows]int64, over []*grant) {
	c.line(v)
	free := c.Total
	for i := range c.queue {
		g := &c.queue[i]
		t := &g.job.Stages[planned[g.s]]
		if t.Limit < 0 || g.each == 0 {
			continue
		}
		free[g.row] -= int64(t.Occupied) * g.each
		if g.job.Standing() == sched.Admitted && t.Ready && !t.Withheld {
			due := t.Limit
			if g.turn == byPlan {
				due = min(due, int32((g.left+999)/1000))
			}
			missing[g.row] += int64(max(0, min(due-t.Occupied, t.Open))) * g.each
		}
		if t.Occupied > t.Limit {
			over = append(over, g)
		}
	}
	for row := range missing {
		missing[row] -= max(0, free[row])
	}
	slices.SortFunc(over, func(a, b *grant) int {
		above := func(g *grant) int32 { return g.job.Stages[planned[g.s]].Occupied - g.job.Stages[planned[g.s]].Limit }
		return cmp.Or(cmp.Compare(above(b), above(a)), -cmp.Compare(a.job.Due(), b.job.Due()), -cmp.Compare(a.job.Seq, b.job.Seq), cmp.Compare(a.s, b.s))
	})
	return missing, over
}
