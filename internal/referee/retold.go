package referee

import "slices"

// rtmr across a resync, and where the world refuses starts.

// void keeps who was promised what, and who ran without a promise.
func (r *rtmr) void() {
	r.was, r.ran = nil, map[string]bool{}
	for _, c := range r.plan.queue {
		if !c.over && !c.job.untold {
			r.was = append(r.was, c)
		}
	}
	for _, j := range r.others {
		if j.untold {
			continue
		}
		r.ran[j.Name] = r.measures[j] == nil
	}
	r.plan = schedule{shrunk: -1}
	r.slots, r.others = [2]int{}, nil
	clear(r.known)
	clear(r.measures)
}

// resume renews promises, and has those run on that ran without one, or have begun.
func (r *rtmr) resume(b *book, p *wants) {
	for _, c := range r.was {
		j := b.again(c.job)
		if j == nil || r.known[j] {
			continue
		}
		r.known[j] = true
		c.job, c.maps0, c.reduces0 = j, 0, 0
		if s := j.stage[mapStage]; s != nil {
			c.maps0 = s.done
		}
		if s := j.stage[reduceStage]; s != nil {
			c.reduces0 = s.done
		}
		started := c.since >= 0
		c.since = -1
		r.count(b, c, c.takes)
		if started {
			c.unstarted = c.unstarted || c.maps > 0 && !c.begun()
			r.begin(c, b.now)
		} else {
			r.plan.insert(c)
		}
		v := r.plan.upTo(r.plan.find(j), b.now)
		_, end := v.take(c, b.now)
		p.verdict("admit", j, admitted, atWorst(end), "promised"+numbers(c.deadline))
		r.restrain(j, p)
	}
	r.was = nil
	for _, j := range b.byHandle() {
		if ran, judged := r.ran[j.Name]; !r.known[j] && j.state == pending && !j.waits && (ran || !judged && j.begun()) {
			r.known[j], j.untold = true, p.watching && !ran
			r.lend(b, j, p, "begun")
		}
	}
}

// begun tells whether a task of the job runs, is on its way or is done that the schedule counts.
func (c *claim) begun() bool {
	return slices.ContainsFunc(c.job.Stages, func(s stage) bool {
		runs := s.occupied > 0
		if c.job.untold { // what it is to be given is advice
			runs = len(s.youngest) > 0
		}
		return (runs || s.done > 0) && (s.kind != master || c.slot)
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
	others := slices.ContainsFunc(events, func(e *line) bool { return e.name == "control" || e.name == "resync" })
	if b.watching || others { // a stock scheduler starts jobs, or has started them
		for _, c := range slices.Clone(r.plan.queue) {
			if c.since < 0 && !c.over && c.begun() {
				r.plan.queue = slices.DeleteFunc(r.plan.queue, func(o *claim) bool { return o == c })
				r.begin(c, b.now)
			}
		}
	}
}

// starts notes that a task of the job is about to go out, unless that is advice and the job has not begun.
func (r *rtmr) starts(j *job, now int64) {
	if i := r.plan.find(j); i >= 0 && j.untold && !r.plan.queue[i].begun() {
		return
	}
	r.plan.start(j, now)
}
