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
			it.At, c.Held = c.Due, true
		}
		if p.Add(it) {
			g.m.Bound[g.s] = g.slots
		}
	}
	if c.Due > now && c.fresh(now) && !c.Held {
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

// adjust gives slots to jobs, in this order:
//
//   - Jobs on the fast path: all that they can use, by deadline.
//   - Algorithm 1: the job with the largest Δu gets a slot, which makes its Δu a slot less, until all slots are
//     given that somebody can use (line 11). Where there are fewer than planned, large plans give first; what the
//     plan leaves goes evenly, as each slot beyond a plan makes Δu fall below 0.
func (c *controller) adjust(v sched.View) {
	c.line(v)
	for _, g := range c.sorted {
		if g.m.Fast {
			c.give(g, g.need)
		}
	}
	for row := range rows {
		c.goRound(row)
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
		return cmp.Or(cmp.Compare(a.Due(), b.Due()), cmp.Compare(a.Seq, b.Seq))
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
			c.budget[row] -= each * int64(max(1, t.Left()))
		}
	}
}

// line writes who can use slots into c.queue, and their order into c.sorted.
func (c *controller) line(v sched.View) {
	c.queue, c.sorted = c.queue[:0], c.sorted[:0]
	c.budget = c.Total
	for _, m := range c.Members {
		job := v.Job(m.Job)
		if job.Standing() != sched.Admitted && (m.Crowded || !m.asked() && !m.Fast) {
			continue
		}
		g := grant{m: m, job: job}
		for s, stage := range planned {
			spec := job.Spec.Stage(stage)
			if spec == nil {
				continue
			}
			t := &job.Stages[stage]
			g := g
			g.s, g.left, g.need = s, m.Plan[s], t.Left()
			if spec.Grows {
				g.need = max(g.need, t.Open+t.Occupied, 1)
			}
			if s == 1 && t.Occupied == 0 && (!t.Ready || t.Withheld || job.Stages[sched.Map].Open > 0) {
				// A reduce that starts while maps wait for slots can do no more than hold its own.
				g.need = 0
			}
			if g.row, g.each = cost(v, job, stage); g.each == 0 {
				g.need = 0
			}
			c.queue = append(c.queue, g)
		}
	}
	for i := range c.queue {
		c.sorted = append(c.sorted, &c.queue[i])
	}
	slices.SortFunc(c.sorted, func(a, b *grant) int {
		switch {
		case a.job.Due() != b.job.Due(): // as in each order; what counts with time counts with the job's own
			return cmp.Compare(a.job.Due(), b.job.Due())
		case a.job.Seq != b.job.Seq:
			return cmp.Compare(a.job.Seq, b.job.Seq)
		}
		return cmp.Compare(a.s, b.s)
	})
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

// goRound is algorithm 1 for one kind of slots. Picking the largest Δu again and again takes all slots whose Δu is
// above some level, so the level is sought: O(jobs · log Δu).
// At the level itself the earlier deadline goes first.
func (c *controller) goRound(row int) {
	line := c.round[:0]
	for _, g := range c.sorted {
		if g.row == row {
			line = append(line, g)
		}
	}
	c.round = line
	for {
		line = slices.DeleteFunc(line, func(g *grant) bool {
			return g.slots >= g.need || g.each > c.budget[row]
		})
		if len(line) == 0 {
			return
		}
		high, low := line[0].left, line[0].left-1000*int64(line[0].need)
		for _, g := range line {
			high, low = max(high, g.left), min(low, g.left-1000*int64(g.need-g.slots))
		}
		// All above high fits, and all above low-1 does not, or it is the end.
		for low < high {
			at := low + (high-low)/2
			if c.asks(line, at) <= c.budget[row] {
				high = at
			} else {
				low = at + 1
			}
		}
		for _, g := range line {
			c.give(g, g.above(high))
		}
		for _, g := range line {
			if g.left == high && g.slots < g.need {
				c.give(g, 1)
			}
		}
	}
}

// above is how many slots a job is given before its Δu is at the level or below.
func (g *grant) above(level int64) int32 {
	if g.left <= level {
		return 0
	}
	return int32(min(int64(g.need-g.slots), (g.left-level+999)/1000))
}

// asks is what jobs take until no Δu is above the level.
func (c *controller) asks(line []*grant, level int64) (sum int64) {
	for _, g := range line {
		sum += int64(g.above(level)) * g.each
	}
	return sum
}

// short tells whether a job is one for the fast path: its deadline lies before the next interval.
func (c *controller) short(job *sched.Job) bool { return c.set.fast && job.Deadline < c.Next }
