package ledger

import (
	gomaps "maps"
	"slices"

	"github.com/slackline/slackline/sched"
)

// Clone returns a copy of the book between two plans, to be played on beside the original: for the
// order of a policy that was copied with it, nil for the order of arrival. What never changes is
// shared: descriptions of jobs and nodes, profiles, and which tasks lie where. All that changes is
// copied, in a few large pieces. The index behind FirstLocal is not: a copy makes its own when it
// is asked. It is a plain copy: copy-on-write would cost every decision something.
func (l *Ledger) Clone(order sched.Order) *Ledger {
	if order == nil {
		order = arrival{}
	}
	c := *l
	c.order, c.tallies = order, order.Follows()
	c.nodes, c.attempts, c.kinds = slices.Clone(l.nodes), slices.Clone(l.attempts), slices.Clone(l.kinds)
	c.classes = slices.Clone(l.classes)
	c.ids, c.profiles = gomaps.Clone(l.ids), l.profiles.Clone()
	c.vacant, c.freeQueues = slices.Clone(l.vacant), slices.Clone(l.freeQueues)
	c.grants.ring = slices.Clone(l.grants.ring)
	c.held, c.beating, c.closing, c.refusals = slices.Clone(l.held), slices.Clone(l.beating), slices.Clone(l.closing), slices.Clone(l.refusals)
	c.derived, c.events, c.left = nil, nil, nil
	c.dirty, c.racks = slices.Clone(l.dirty), slices.Clone(l.racks)
	c.indexing, c.lastNews, c.newest = false, 0, [sched.Stages]sched.JobID{}
	c.localJobs, c.everywhere = nil, [sched.Stages]localIndex{}
	c.cloneQueues()
	c.cloneJobs()
	return &c
}

// cloneQueues copies the rankings.
func (l *Ledger) cloneQueues() {
	l.queues = slices.Clone(l.queues)
	n := 0
	for q := range l.queues {
		for s := range l.queues[q].ranks {
			n += len(l.queues[q].ranks[s].chunks)
		}
	}
	room := make([]entry, n*chunkCap)
	for q := range l.queues {
		l.queues[q].children = gomaps.Clone(l.queues[q].children)
		for s := range l.queues[q].ranks {
			r := &l.queues[q].ranks[s]
			r.chunks, r.spare = slices.Clone(r.chunks), nil
			for i, chunk := range r.chunks {
				r.chunks[i], room = room[:copy(room, chunk):chunkCap], room[chunkCap:]
			}
		}
	}
}

// cloneJobs copies the records of jobs, and the arrays of their stages into one piece for each type.
func (l *Ledger) cloneJobs() {
	l.jobs = slices.Clone(l.jobs)
	var stages, words, sets, lists, places int
	l.eachStage(func(t *tasks) *tasks {
		stages++
		words, sets = words+len(t.List), sets+len(t.open)
		lists += len(t.nodes.cursors) + len(t.racks.words) + len(t.racks.lists.cursors)
		places += len(t.Demand) + len(t.ByRack)
		return t
	})
	pages, list := make([]tasks, 0, stages), make([]task, 0, words)
	open, cursors, demand := make([]uint64, 0, sets), make([]int32, 0, lists), make([]demandAt, 0, places)
	l.eachStage(func(t *tasks) *tasks {
		pages = append(pages, *t)
		t = &pages[len(pages)-1]
		t.List, t.open = piece(&list, t.List), piece(&open, t.open)
		t.nodes.cursors, t.racks.words = piece(&cursors, t.nodes.cursors), piece(&cursors, t.racks.words)
		t.racks.lists.cursors = piece(&cursors, t.racks.lists.cursors)
		t.Demand, t.ByRack = piece(&demand, t.Demand), piece(&demand, t.ByRack)
		t.news = newsLink{}
		return t
	})
}

// eachStage puts what f makes of it in place of the book on each stage of each job.
func (l *Ledger) eachStage(f func(*tasks) *tasks) {
	for j := range l.jobs {
		b := &l.jobs[j]
		for s, t := range b.tasks {
			if t != nil {
				b.tasks[s] = f(t)
			}
		}
	}
}

// piece appends a list to the room for all lists, which is large enough, and returns it there,
// without room to grow into the next one.
func piece[T any](room *[]T, list []T) []T {
	if list == nil {
		return nil
	}
	from := len(*room)
	*room = append(*room, list...)
	return (*room)[from:len(*room):len(*room)]
}
