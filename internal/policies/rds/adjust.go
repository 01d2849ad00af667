package rds

import (
	"cmp"
	"slices"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// grant is a stage of a job that gets slots.
type grant struct {
	m     *member
	job   *sched.Job
	s     int // of planned
	row   int
	each  int64
	need  int32 // tasks that could use a slot
	slots int32
	left  int64 // Δu: what of the plan is not given yet, in thousandths of a slot
}

// Share changes the slots of jobs that run (section 4.3, algorithm 1).
type Share struct{ *controller }

// Decide asks for the bounds that have changed. While the solver is at work all stays as it is.
func (s Share) Decide(v sched.View, _ []sched.Event, p *sched.Plan) {
	c := s.controller
	if !c.changed || len(c.Members) == 0 {
		return
	}
	c.changed = false
	now := v.Now()
	c.adjust(v)
	for i := range c.queue {
		g := &c.queue[i]
		if g.m.Bound[g.s] == g.slots && (c.Due > now || g.job.Stages[planned[g.s]].Limit == g.slots) {
			continue
		}
		if c.Due > now && !g.m.Fast && g.m.Bound[g.s] >= 0 && !c.fresh(now) {
			continue // the plan that comes will say
		}
		it := sched.Item{Verb: sched.SetSlots, Job: g.m.Job, Stage: planned[g.s], Count: g.slots, Reason: c.because(g)}
		if c.Due > now && !g.m.Fast {
			it.At, c.holds = c.Due, true
		}
		if p.Add(it) {
			g.m.Bound[g.s] = g.slots
		}
	}
	if c.Due > now && c.fresh(now) && !c.holds {
		c.Due = 0 // nothing changes when the solver is done
	}
}

// fresh tells whether the plan was made at this instant.
func (c *controller) fresh(now units.Time) bool { return c.Due == now.Add(c.set.solver) }

// because says why a stage gets its slots: what its kind of slot costs, what the job owes, and what it is
// expected to do with them.
func (c *controller) because(g *grant) sched.Reason {
	switch {
	case g.m.Fast:
		return sched.Because(FastSlots, int64(g.job.Deadline), int64(c.Next))
	case g.m.Plan == [2]int64{}:
		return sched.Because(SpareSlots, c.Prices[g.row])
	}
	return sched.Because(PlannedSlots, c.Prices[g.row], g.m.Owed, g.m.Foreseen)
}

// adjust gives slots to jobs. Those on the fast path get what their deadlines need, in their order.
// Then it is algorithm 1: the job with the largest Δu gets a slot, which makes its Δu a slot less,
// until there is no slot left, or no task that could use one. So slots that the plan leaves go round
// among jobs that are nearest to their plan, and where there are fewer than planned, large plans
// give first.
func (c *controller) adjust(v sched.View) {
	c.queue = c.queue[:0]
	c.budget, _ = available(v)
	for _, m := range c.Members {
		job := v.Job(m.Job)
		if job.Standing() != sched.Admitted && !m.asked() && !m.Fast {
			continue
		}
		for s, stage := range planned {
			spec := job.Spec.Stage(stage)
			if spec == nil {
				continue
			}
			t := &job.Stages[stage]
			g := grant{m: m, job: job, s: s, left: m.Plan[s], need: max(0, t.Total-t.Done)}
			if spec.Grows {
				g.need = max(g.need, t.Open+t.Occupied, 1)
			}
			if !t.Ready && t.Occupied == 0 && s == 1 {
				g.need = 0 // until its maps have come that far
			}
			g.row, g.each = cost(v, job, stage)
			if g.each == 0 {
				g.need = 0
			}
			c.queue = append(c.queue, g)
		}
	}
	line := make([]*grant, 0, len(c.queue))
	for i := range c.queue {
		line = append(line, &c.queue[i])
	}
	slices.SortFunc(line, func(a, b *grant) int {
		return cmp.Or(-cmp.Compare(rank(a), rank(b)), cmp.Compare(a.job.Deadline, b.job.Deadline), cmp.Compare(a.job.Seq, b.job.Seq))
	})
	for _, g := range line {
		if g.m.Fast {
			c.give(g, min(g.need, c.needed(v, g)))
		}
	}
	// The whole slots of plans at once, as long as all of them fit: no order matters then.
	var sum [rows]int64
	for _, g := range line {
		sum[g.row] += int64(min(g.need, int32(g.left/1000))) * g.each
	}
	for _, g := range line {
		if !g.m.Fast && sum[g.row] <= c.budget[g.row] {
			c.give(g, min(g.need, int32(g.left/1000)))
		}
	}
	for row := range rows {
		c.goRound(line, row)
	}
}

// leave lets jobs run to which the plan gives nothing, by deadline, where slots are left that no other
// job can use: jobs without a deadline, and those that are worth nothing any more.
func (c *controller) leave(v sched.View) {
	var wait []*sched.Job
	for _, m := range c.Members {
		m.Spare = false
		if job := v.Job(m.Job); asks(job) && !m.asked() && !m.Fast {
			wait = append(wait, job)
		}
	}
	if len(wait) == 0 {
		return
	}
	c.adjust(v)
	slices.SortFunc(wait, func(a, b *sched.Job) int {
		return cmp.Or(cmp.Compare(a.Deadline, b.Deadline), cmp.Compare(a.Seq, b.Seq))
	})
	for _, job := range wait {
		stage := sched.Map
		if job.Spec.Stage(sched.Map) == nil {
			stage = sched.Reduce
		}
		m := c.find(job.ID)
		if job.Spec.Stage(stage) == nil {
			m.Spare = true // of stages that are not planned
			continue
		}
		row, each := cost(v, job, stage)
		if t := &job.Stages[stage]; each > 0 && c.budget[row] >= each {
			m.Spare = true
			c.budget[row] -= each * int64(max(1, t.Total-t.Done))
		}
	}
}

// rank puts jobs on the fast path first.
func rank(g *grant) int {
	if g.m.Fast {
		return 1
	}
	return 0
}

// give gives so many slots, or as many as there are.
func (c *controller) give(g *grant, n int32) {
	if g.each > 0 {
		n = int32(min(int64(n), c.budget[g.row]/g.each))
	}
	g.slots += n
	g.left -= 1000 * int64(n)
	c.budget[g.row] -= int64(n) * g.each
}

// goRound is algorithm 1 for one kind of slots. line is by deadline, which decides among equals.
func (c *controller) goRound(line []*grant, row int) {
	var heap []*grant
	for _, g := range line {
		if g.row == row && g.slots < g.need && g.each > 0 {
			heap = append(heap, g)
		}
	}
	for len(heap) > 0 {
		best := 0
		for i, g := range heap {
			if g.left > heap[best].left {
				best = i
			}
		}
		g := heap[best]
		if c.budget[row] < g.each {
			heap = slices.Delete(heap, best, best+1)
			continue
		}
		// As long as nobody else would be chosen, it gets the next one too.
		n := int32(1)
		if len(heap) == 1 {
			n = g.need - g.slots
		}
		c.give(g, n)
		if g.slots >= g.need || n > 1 {
			heap = slices.Delete(heap, best, best+1)
		}
	}
}

// short tells whether a job is one for the fast path: it would be over before the next interval begins.
func (c *controller) short(job *sched.Job) bool {
	return c.set.fast && job.Deadline != units.Never && job.Deadline < c.Next
}

// race puts jobs that wait on the fast path, or takes them off it if their deadline was moved.
func (c *controller) race(v sched.View) {
	for _, m := range c.Members {
		job := v.Job(m.Job)
		if fast := c.short(job) && !m.asked(); asks(job) && m.Fast != fast {
			m.Fast, c.changed = fast, true
		}
	}
}

// needed is the least number of slots of a stage with which a job on the fast path meets its deadline,
// if it had as many of the other stage: work of both stages over the time that is left. Of one that
// cannot meet it, it is all that it can use.
func (c *controller) needed(v sched.View, g *grant) int32 {
	left := g.job.Deadline.Sub(v.Now()).Seconds()
	_, speed := available(v)
	k, work := c.class(v, g.job), 0.0
	for s, stage := range planned {
		t := &g.job.Stages[stage]
		work += k.Stages[s].Mean * float64(max(0, t.Total-t.Done))
	}
	if left <= 0 {
		return g.need
	}
	n := units.Rounded(work / max(speed, 1e-3) / left)
	return int32(min(n, 1e9)) + 1
}
