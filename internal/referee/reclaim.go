package referee

import "fmt"

// reclaim kills tasks without a promise whose slots fall due.
func (r *rtmr) reclaim(b *book, p *wants) {
	r.unlock(b, p)
	due, kept := r.mapsDue(b)
	samples := 0
	for j := range r.measures {
		if s := j.stage[mapStage]; b.runs(j, s) {
			samples += min(s.sample, s.open)
		}
	}
	r.kill(b, mapStage, due, kept, samples, p)
	// algorithm 5.4 over and over
	due, kept = 0, 0
	free, reserved := r.free(b, reduceStage), 0
	for _, c := range r.plan.queue {
		s := c.job.stage[reduceStage]
		if c.gone() || s == nil || s.open == 0 {
			continue
		}
		if reserved >= free {
			break
		}
		if b.runs(c.job, s) {
			n := min(s.open, free-reserved)
			due += n
			free -= n
			if b.world.World.Heartbeat > 0 {
				// should their reduces become ready before the next beat, they take the slots that
				// are free
				kept = reserved
			}
		} else if !reached(c.job) {
			reserved += s.open
		}
	}
	r.kill(b, reduceStage, due, kept, 0, p)
}

// unlock kills the last of the masters that hold all map slots and wait for each other's, for the first
// job that wants one.
func (r *rtmr) unlock(b *book, p *wants) {
	var first, last *claim
	blocked := 0
	for _, c := range r.plan.queue {
		if c.gone() || !c.slot {
			continue
		}
		if now, _ := r.wanted(c); len(now) > 0 && first == nil {
			first = c
		}
		held, m := c.job.stage[master].youngest, c.job.stage[mapStage]
		if len(held) == 0 || m == nil || m.open == 0 {
			continue
		}
		if a := held[len(held)-1]; !a.dying && b.node(a.node) != nil && b.node(a.node).serves() {
			last, blocked = c, blocked+1
		}
	}
	if blocked > 0 && blocked == r.slots[0] && first != nil && first != last {
		at := last.job.stage[master].youngest
		p.kill(last.job, master, []int{at[len(at)-1].id}, "preempted", "deadlock"+numbers(int64(blocked))+fmt.Sprintf(" job %d", first.job.id))
	}
}

// kill frees slots for tasks that are due, and those to be kept for others; and for samples, but
// these by no task that is measured.
func (r *rtmr) kill(b *book, s, due, kept, samples int, p *wants) {
	idle, dying, lent := 0, 0, 0
	for _, n := range b.nodes {
		if n != nil && n.up && !n.asleep && !n.draining {
			idle += int(n.free[slotOf(s)])
		}
	}
	for _, j := range r.others {
		for _, st := range j.inSlots(s) {
			lent += st.occupied
			for _, a := range st.youngest {
				if a.dying {
					dying++
				}
			}
		}
	}
	missing := due + kept + samples - idle - dying
	if due+samples == 0 {
		return
	}
	for i := len(r.others) - 1; i >= 0; i-- {
		j := r.others[i]
		for _, st := range j.inSlots(s) {
			left := missing
			if r.measures[j] != nil {
				left -= samples
			}
			if left <= 0 {
				continue
			}
			var ids []int
			for k := len(st.youngest) - 1; k >= 0 && len(ids) < left; k-- {
				if !st.youngest[k].dying {
					ids = append(ids, st.youngest[k].id)
				}
			}
			missing -= len(ids)
			p.kill(j, st.kind, ids, "preempted", "slot-due"+numbers(int64(due+samples), int64(lent)))
		}
	}
}
