package referee

import "math"

// ApplicationMasters under rtmr. One outside of the slots begins at the verdict and costs its job a
// start-up before the first task; room for it is kept on a node. One in a map slot holds that from its
// start to the job's end.

// Where a job's master lives.
const (
	nobody = iota // it has none that could be promised
	outside
	inSlot
)

func (j *job) lives() int {
	s := j.stage[master]
	switch {
	case s == nil || len(s.Tasks) != 1:
		return nobody
	case s.needs == vector{0: 1}:
		return inSlot
	case s.needs[0] == 0 && s.needs[1] == 0:
		return outside
	}
	return nobody
}

// The life of a master of a job with a promise.
const (
	without = iota
	waiting // for its start
	begun
	running // its job's tasks may start
)

// masterUp tells whether the stage behind the master may start.
func (j *job) masterUp() bool {
	for i := range j.Stages {
		if j.Stages[i].kind != master {
			return j.Stages[i].ready
		}
	}
	return false
}

// count adds what its master costs to a claim. It is false if no node has room.
func (r *rtmr) count(b *book, c *claim, startup int64) bool {
	where := c.job.lives()
	c.slot, c.ready, c.startup, c.takes, c.room = false, 0, 0, 0, nil
	switch {
	case where == nobody:
		return true
	case c.job.masterUp():
		c.master, c.slot = running, where == inSlot
		return true
	}
	c.startup, c.takes = startup, startup
	if c.master = begun; c.job.stage[master].open > 0 {
		c.master = waiting
	}
	if where == inSlot {
		c.slot = true
		return true
	}
	c.ready = plus(b.now, startup)
	if c.master == waiting {
		c.room = r.roomFor(b, c)
		return c.room != nil
	}
	return true
}

// roomFor is the first node that has room for the claim's master.
func (r *rtmr) roomFor(b *book, c *claim) *node {
	for _, n := range b.nodes {
		if n != nil && r.hasRoom(n, c) {
			return n
		}
	}
	return nil
}

// hasRoom tells whether a master fits on the node beside those for which room is kept there.
func (r *rtmr) hasRoom(n *node, c *claim) bool {
	if n == nil || !n.serves() || !n.carries(c.job) {
		return false
	}
	free := n.free
	for _, o := range r.plan.queue {
		if o != c && o.room == n && !o.over {
			free.add(&o.job.stage[master].needs, -1)
		}
	}
	return c.job.stage[master].needs.fits(&free)
}

// rise takes in which masters are up, and which died before.
func (r *rtmr) rise(b *book) {
	for _, c := range r.plan.queue {
		if c.over || c.master == without || c.master == running {
			continue
		}
		if c.job.masterUp() {
			c.master, c.room = running, nil
			if c.slot {
				c.startup = min(c.startup, max(0, b.now-max(c.since, c.ready, 0)))
			} else {
				c.ready = min(c.ready, b.now)
			}
			continue
		}
		if c.master == begun && c.job.stage[master].open > 0 || c.master == waiting && !c.slot && !r.hasRoom(c.room, c) {
			c.master, c.room, c.ready = waiting, nil, b.now
			if !c.slot {
				c.room, c.ready = r.roomFor(b, c), plus(b.now, c.startup)
			}
		}
	}
}

// rising tells whether any master is not up.
func (r *rtmr) rising() bool {
	for _, c := range r.plan.queue {
		if !c.gone() && c.master != without && (c.master != running || c.job.stage[master].open > 0) {
			return true
		}
	}
	return false
}

// placeMasters starts masters outside of the slots.
func (r *rtmr) placeMasters(b *book, n *node, p *wants) {
	for _, c := range r.plan.queue {
		if !c.over && c.job.lives() == outside && b.serves(n, c.job, master) && r.hasRoom(n, c) && p.start(c.job, master, n, "first-in-order") {
			c.begins()
		}
	}
}

func (c *claim) begins() {
	if c.room = nil; c.master == waiting {
		c.master = begun
	}
}

// gone tells whether nothing of the claim's job starts any more.
func (c *claim) gone() bool { return c.over || c.job.cancelled }

// wanted lists what of a claim wants a map slot now, and how many maps will when its master is up.
func (r *rtmr) wanted(c *claim) (now []*stage, later int) {
	if s := c.job.stage[master]; c.slot && s.open > 0 {
		now = append(now, s)
	}
	if s := c.job.stage[mapStage]; s != nil && s.open > 0 {
		if c.job.masterUp() {
			return append(now, s), 0
		}
		return now, s.open
	}
	return now, 0
}

// free are slots of the stage's kind that nothing with a promise holds.
func (r *rtmr) free(b *book, s int) (free int) {
	free = r.slots[slotOf(s)]
	for _, c := range r.plan.queue {
		for _, st := range c.job.inSlots(s) {
			free -= st.occupied
		}
	}
	return free
}

// inSlots are the job's stages that take slots of the kind of that one, tasks before the master.
func (j *job) inSlots(s int) (list []*stage) {
	if j.stage[s] != nil {
		list = append(list, j.stage[s])
	}
	if s == mapStage && j.lives() == inSlot {
		list = append(list, j.stage[master])
	}
	return list
}

// keeping is algorithm 5.4 for map slots while masters start up: slots stay free for the maps of jobs before.
func (r *rtmr) keeping(b *book, n *node, p *wants) bool {
	free, reserved := r.free(b, mapStage), 0
	if n.free[0] <= 0 {
		return false
	}
	for _, c := range r.plan.queue {
		if c.gone() {
			continue
		}
		if reserved >= free {
			return false
		}
		now, later := r.wanted(c)
		for _, s := range now {
			if b.serves(n, c.job, s.kind) {
				r.plan.start(c.job, b.now)
				if s.kind == master {
					c.begins()
				}
				return p.start(c.job, s.kind, n, "first-in-order")
			}
			reserved += s.open
		}
		reserved += later
	}
	return false
}

// mapsDue is how many tasks with a promise could start in map slots, and how many slots to keep for
// jobs before them.
func (r *rtmr) mapsDue(b *book) (due, kept int) {
	rising, free, reserved := r.rising(), r.free(b, mapStage), 0
	for _, c := range r.plan.queue {
		if c.gone() {
			continue
		}
		if rising && reserved >= free {
			break
		}
		now, later := r.wanted(c)
		for _, s := range now {
			n := s.open
			if rising {
				n = max(0, min(n, free-reserved))
			}
			due += n
			if rising && n > 0 {
				free -= n
				if b.world.World.Heartbeat > 0 {
					kept = reserved
				}
			}
			reserved += s.open - n
		}
		reserved += later
	}
	return due, kept
}

// bringUp lets the master of a job start that is measured.
func (r *rtmr) bringUp(j *job, p *wants) {
	if s := j.stage[master]; s != nil && s.open > 0 && s.sample <= 0 {
		p.sample(j, master, 1, "sampling"+numbers(int64(r.measures[j].wanted)))
	}
}

// crowded tells whether masters without a promise take their share: one may always run.
func (r *rtmr) crowded(b *book, j *job) bool {
	used := vector{}
	for _, o := range r.others {
		if s := o.stage[master]; s != nil {
			used.add(&s.needs, int64(s.occupied))
		}
	}
	if used == (vector{}) {
		return false
	}
	for d, need := range j.stage[master].needs {
		if need > 0 && used[d]+need > int64(math.Floor(rounded(r.masters*float64(b.capacity[d])))) {
			return true
		}
	}
	return false
}
