package referee

import (
	"cmp"
	"slices"
)

// void empties the book: what is told behind it is all there is. Verdicts, samples, bounds and starts on
// their way are gone. Profiles stay, and what a simulated world owes: when maps ended, how fast nodes were.
func (j *judge) void() {
	j.order.void()
	for _, p := range j.rule {
		p.void()
	}
	j.before = j.items
	for item, list := range j.before {
		for i := range list {
			list[i] = list[i].unplaced()
		}
		j.before[item] = list
	}
	j.gone, j.nodes = j.nodes, make([]*node, len(j.nodes))
	j.jobs, j.live, j.attempts, j.items = map[int]*job{}, nil, map[int]*attempt{}, map[int][]bound{}
	j.yielded, j.dirty, j.left = false, true, true
	j.watch(false)
}

// unplaced is a start without how near its task is, which is told by those who have the whole book.
func (x bound) unplaced() bound {
	x.locality = none
	return x
}

// retold sorts the events of a resync: as they come, but the oldest jobs and attempts first, and attempts,
// and who was cancelled, behind the jobs.
func retold(events []*line) []*line {
	events = slices.Clone(events)
	late := func(l *line) int {
		if l.name == "started" || l.name == "progress" || l.name == "ended" || l.name == "job-cancelled" {
			return 1
		}
		return 0
	}
	kinds := map[string]int{}
	for i, l := range events {
		if _, seen := kinds[l.name]; !seen {
			kinds[l.name] = i
		}
	}
	slices.SortStableFunc(events, func(x, y *line) int {
		byAge := 0
		if x.name == y.name && (x.name == "job-arrived" || x.name == "started") {
			byAge = cmp.Compare(y.num64("age"), x.num64("age"))
		}
		return cmp.Or(cmp.Compare(late(x), late(y)), cmp.Compare(kinds[x.name], kinds[y.name]), byAge)
	})
	return events
}

// owes takes over from the job as it was when it began, and what only a world knows of it.
func (j *job) owes(was *job) {
	j.started = was.started
	for k, s := range j.stage {
		if old := was.stage[k]; s != nil && old != nil {
			s.ended, s.lost = old.ended, old.lost
		}
	}
}

// takesOver tells whether jobs may run of which the policy has decided nothing.
func takesOver(events []*line) bool {
	return slices.ContainsFunc(events, func(l *line) bool { return l.name == "resync" || l.name == "control" })
}

// byHandle are the jobs that are there.
func (b *book) byHandle() []*job {
	list := slices.Clone(b.live)
	slices.SortFunc(list, func(x, y *job) int { return cmp.Compare(x.id, y.id) })
	return list
}

// resume lets the jobs run on that had begun when the policy took over.
func resume(b *book, p *wants) {
	for _, j := range b.byHandle() {
		if (j.state == pending || j.state == held) && !j.waits && j.begun() {
			p.verdict("admit", j, admitted, "", "begun")
		}
	}
}

// again is the job as it is now that was known before, nil if it is gone.
func (b *book) again(was *job) *job {
	if j := b.names[was.Name]; j != nil && b.jobs[j.id] == j && j.state < rejected {
		return j
	}
	return nil
}

// What remembers nothing.
func (flat) void()        {}
func (*all) void()        {}
func (*limit) void()      {}
func (*greedy) void()     {}
func (f *feasible) void() { f.looked = false } // it looks at once

// Queues are new, and so is how long jobs have waited.
func (o *fairShare) void()     { clear(o.came) }
func (o *capacityShare) void() { clear(o.came) }
func (d *delay) void()         { clear(d.waits) }
func (m *matchmaking) void()   { clear(m.marked) }

// The wake-up is void, and nodes may be others.
func (h *seconds) void() { h.look, h.node = 0, 0 }

// Who was accepted keeps what for.
func (c *constraint) void() { clear(c.known) }

// What is known of classes stays.
func (o *allotted) void() { clear(o.came) }

func (o *lateStart) void() { o.held, o.early = nil, nil }

// Pools are known by their names.
func (f *preemption) void() { f.look = 0 }

func (s *sleeper) void() { s.tick = 0 }
