package referee

import "slices"

// rtmr where the world refuses starts.

// begun tells whether a task of the job runs, is on its way or is done that the schedule counts.
func (c *claim) begun() bool {
	return slices.ContainsFunc(c.job.Stages, func(s stage) bool {
		return (s.occupied > 0 || s.done > 0) && (s.kind != master || c.slot)
	})
}

// recount has tasks of jobs start from now on whose first start was refused.
func (r *rtmr) recount(b *book, events []*line) {
	for _, e := range events {
		if e.name != "refused" {
			continue
		}
		if i := r.plan.find(b.jobs[e.int("job")]); i >= 0 {
			if c := r.plan.queue[i]; c.since >= 0 && !c.begun() {
				c.unstarted = true
			}
		}
	}
	for _, c := range r.plan.queue {
		if c.unstarted && !c.over {
			c.since = b.now
			c.unstarted = !c.begun()
		}
	}
}
