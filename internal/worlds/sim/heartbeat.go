package sim

import (
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// beats says when nodes beat.
//
// With an interval I and N nodes, node n beats at (n-1)·I/N + k·I for every k ≥ 0 (integer division), whatever has happened to
// it: it keeps its phase. Of these beats only those are sent that may lead to something: the node has room for a container of a
// kind that some stage waits for. As the phases rise with the handles, the next one is found by looking for the next member,
// round about, of the set of nodes with room; nodes without room, and all nodes while nothing waits, cost nothing.
//
// Without an interval a node beats when there is something new for it: its room has changed, or more work waits for room that
// it has, or the policy was woken by a tick or the end of a job; and again at the same instant after a beat in which it got
// something. It never beats twice for nothing.
type beats struct {
	interval units.Duration
	nodes    int
	lastAt   units.Time // of the last beat
	last     int        // and its node, by position
	fresh    []int32    // without an interval: nodes with something new
	isFresh  []bool     // by handle
}

func newBeats(interval units.Duration, nodes int) beats {
	return beats{interval: interval, nodes: nodes, lastAt: -1, isFresh: make([]bool, nodes+1)}
}

// freshen notes that there is something new on the node.
func (b *beats) freshen(n int32) {
	if b.interval == 0 && !b.isFresh[n] {
		b.isFresh[n] = true
		b.fresh = append(b.fresh, n)
	}
}

// offset is the phase of the node at a position.
func (b *beats) offset(i int) units.Time {
	return units.Time(int64(i) * int64(b.interval) / int64(b.nodes))
}

// from returns the first beat at or behind t that was not sent yet: the start of its interval and the position.
func (b *beats) from(t units.Time) (units.Time, int) {
	rest := int64(t) % int64(b.interval)
	start := t - units.Time(rest)
	if b.lastAt == t {
		return start, b.last + 1
	}
	// The least i with i·I/N ≥ rest.
	return start, int((rest*int64(b.nodes) + int64(b.interval) - 1) / int64(b.interval))
}

// freshen notes that the policy may decide otherwise now, so that every node with room is to be served.
func (w *World) freshen() {
	if w.cfg.Heartbeat == 0 {
		for _, k := range w.waiting {
			w.kinds[k].fresh = true
		}
	}
}

// member returns the first node at or behind position i with room for a kind that waits, -1 if there is none.
func (w *World) member(i int) int {
	found := -1
	for _, k := range w.waiting {
		if m := w.kinds[k].room.next(i); m >= 0 && (found < 0 || m < found) {
			found = m
		}
	}
	return found
}

// nextBeat returns when the next beat that is to be sent comes, units.Never if none does.
func (w *World) nextBeat() units.Time {
	if len(w.waiting) == 0 {
		return units.Never
	}
	if w.cfg.Heartbeat == 0 {
		if w.anyFresh() {
			return w.now
		}
		return units.Never
	}
	start, i := w.beat.from(w.now)
	if m := w.member(i); m >= 0 {
		return start.Add(units.Duration(w.beat.offset(m)))
	}
	if m := w.member(0); m >= 0 {
		return start.Add(w.cfg.Heartbeat).Add(units.Duration(w.beat.offset(m)))
	}
	return units.Never
}

func (w *World) anyFresh() bool {
	if len(w.beat.fresh) > 0 {
		return true
	}
	for _, k := range w.waiting {
		if w.kinds[k].fresh {
			return true
		}
	}
	return false
}

// sendBeats sends the beats of this instant.
func (w *World) sendBeats() {
	if w.cfg.Heartbeat == 0 {
		w.sendFresh()
		return
	}
	for w.nextBeat() == w.now {
		_, i := w.beat.from(w.now)
		m := w.member(i)
		w.beat.lastAt, w.beat.last = w.now, m
		w.emit(sched.Event{Kind: sched.Heartbeat, Node: cluster.NodeID(m + 1)})
	}
}

// sendFresh sends the beats of nodes with something new, in the order of their handles.
func (w *World) sendFresh() {
	for k := range w.kinds {
		if w.kinds[k].fresh {
			w.kinds[k].fresh = false
			room := &w.kinds[k].room
			for m := room.next(0); m >= 0; m = room.next(m + 1) {
				w.beat.freshen(int32(m + 1))
			}
		}
	}
	slices.Sort(w.beat.fresh)
	for _, n := range w.beat.fresh {
		w.beat.isFresh[n] = false
		if slices.ContainsFunc(w.waiting, func(k int32) bool { return w.kinds[k].room.has(int(n - 1)) }) {
			w.emit(sched.Event{Kind: sched.Heartbeat, Node: cluster.NodeID(n)})
		}
	}
	w.beat.fresh = w.beat.fresh[:0]
}
