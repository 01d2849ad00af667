package referee

import "slices"

// Without preempt rtmr takes no slot back that it lends to a task without a promise. So a lent slot
// is a job of one task in the schedule, which starts when it is lent: behind all that have started,
// which do not need the slot, and before all that start later, which have to do without. It takes
// the worst time of its class, for ever if that is unknown, and when it has ended its real end
// counts. What is lent in a round is what the vectors behind the last promise leave free then.

type lease struct {
	*claim
	what  bound
	away  bool // its node is out of service: it does not stand in the schedule
	void  bool // its start was refused
	again bool // it was lent while the task ran already: behind jobs that may have started since
}

// spare counts the slots of either kind that no promise needs from now on.
func (r *rtmr) spare(b *book) (n [2]int) {
	v := r.plan.upTo(len(r.plan.queue), b.now)
	for k, list := range [][]int64{v.m, v.r} {
		for _, at := range list {
			if at <= b.now {
				n[k]++
			}
		}
	}
	return n
}

// slot is the kind of slot that a task of the stage takes, -1 if it takes none.
func (s *stage) slot() int {
	switch {
	case s.needs[0] > 0:
		return 0
	case s.needs[1] > 0:
		return 1
	}
	return -1
}

// lendTo puts a slot that a task takes into the schedule.
func (r *rtmr) lendTo(b *book, l *lease) {
	j := b.jobs[l.what.job]
	each, t := int64(never), b.timesOf(j, r.skew, worst)
	switch {
	case t.known && l.what.stage == mapStage:
		each = plus(t.oneMap, b.world.World.Heartbeat)
	case t.known && l.what.stage == reduceStage:
		each = plus(t.oneReduce, b.world.World.Heartbeat)
	}
	l.claim = &claim{job: &job{}, deadline: never, since: b.now, maps: 1, mapT: each}
	if j.stage[l.what.stage].slot() == 1 {
		l.maps, l.mapT, l.reduces, l.reduceT = 0, 0, 1, each
	}
	l.away = false
	r.plan.queue = slices.Insert(r.plan.queue, r.plan.started(), l.claim)
}

// serves tells whether the slot of a lease is in service.
func (l *lease) serves(b *book) bool {
	n := b.nodes[l.what.node]
	return n.serves() && n.Class.Capacity[b.jobs[l.what.job].stage[l.what.stage].slot()] > 0
}

// follow takes leases out of the schedule whose nodes have gone out of service, and puts those in
// again whose nodes are back.
func (r *rtmr) follow(b *book) {
	for _, l := range r.leases {
		switch serves := l.serves(b); {
		case serves && l.away:
			r.lendTo(b, l)
			l.again = true
		case !serves && !l.away:
			r.plan.remove(l.claim.job, b.now)
			l.away = true
		}
	}
}

// coming tells whether a task was given to a node and has not started there.
func (b *book) coming(x bound) bool {
	for _, list := range b.items {
		if slices.ContainsFunc(list, func(y bound) bool {
			return x.job == y.job && x.stage == y.stage && x.task == y.task && x.node == y.node
		}) {
			return true
		}
	}
	return false
}

// regard lends slots to tasks that hold them without having been asked for, as a start that a resync made void does:
// when anything ends or is refused, and when the scheduler takes over or is told all again.
func (r *rtmr) regard(b *book, events []*line) {
	looks := false
	for _, e := range events {
		switch e.name {
		case "ended", "output-lost", "refused", "control", "resync":
			looks = true
		}
		if e.name != "refused" {
			continue
		}
		for _, l := range slices.Backward(r.leases) {
			x := l.what
			if !l.again && !l.void && x.job == e.int("job") && x.node == e.int("node") && x.task == e.int("task") && stageNames[x.stage] == e.get("stage") {
				l.void = true
				break
			}
		}
	}
	if !looks {
		return
	}
	for _, j := range r.others {
		for i := range j.Stages {
			r.lendRunning(b, j, &j.Stages[i])
		}
	}
}

// lendRunning lends slots that tasks of a stage hold already.
func (r *rtmr) lendRunning(b *book, j *job, s *stage) {
	if s.slot() < 0 {
		return
	}
	for _, a := range slices.Backward(s.youngest) {
		what := bound{job: j.id, stage: s.kind, task: a.task, node: a.node}
		if slices.ContainsFunc(r.leases, func(l *lease) bool { return l.what == what && !l.void }) {
			continue
		}
		l := &lease{what: what, away: true, again: true}
		if r.leases = append(r.leases, l); l.serves(b) {
			r.lendTo(b, l)
		}
	}
}

// giveBack ends the leases of tasks that run no more, nor are about to, or of all of a job.
func (r *rtmr) giveBack(b *book, of *job) {
	r.leases = slices.DeleteFunc(r.leases, func(l *lease) bool {
		x := l.what
		lives := !l.void && b.coming(x)
		for _, a := range b.attempts {
			lives = lives || !l.void && a.job == x.job && a.stage == x.stage && a.task == x.task && a.node == x.node
		}
		if of == nil && lives || of != nil && x.job != of.id {
			return false
		}
		switch {
		case l.away:
		case l.again:
			r.plan.remove(l.claim.job, b.now)
		default:
			if l.maps > 0 {
				l.mapEnds = []int64{b.now}
			} else {
				l.reEnds = []int64{b.now}
			}
			r.plan.finish(l.claim.job, b.now, 0, true)
		}
		return true
	})
}
