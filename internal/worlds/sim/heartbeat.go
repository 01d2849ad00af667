package sim

import (
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// beats says when nodes beat.
//
// With an interval I and N nodes, node n beats at (n-1)·I/N + k·I for every k ≥ 0 (integer
// division), whatever has happened to it: it keeps its phase. Of these beats only those are sent
// that may lead to something: the node has room for a container of a kind that some stage waits
// for. As the phases rise with the handles, the next one is found by looking for the next member,
// round about, of the set of nodes with room; nodes without room, and all nodes while nothing
// waits, cost nothing.
//
// Without an interval a node beats when there is something new for it: its room has changed, or
// more work waits for room that it has, or the policy was woken by a tick or the end of a job; and
// again at the same instant after a beat in which it got something. It never beats twice for
// nothing.
type beats struct {
	interval units.Duration
	phase    []int64    // with an interval: when a position beats, from the start of the interval on
	rate     float64    // positions in a nanosecond
	start    units.Time // of an interval
	pos      int        // in it, the first position that has not beaten yet
	due      units.Time // its beat
	next     units.Time // the first beat that is to be sent, if it is known
	first    int        // whose that is
	known    bool       // since it was looked for, rooms and kinds that are waited for have not changed
	fresh    []int32    // without an interval: nodes with something new
	isFresh  []bool     // by handle
}

func newBeats(interval units.Duration, nodes int) beats {
	b := beats{interval: interval, isFresh: make([]bool, nodes+1)}
	if interval > 0 {
		b.phase = make([]int64, nodes)
		for i := range b.phase {
			b.phase[i] = int64(i) * int64(interval) / int64(nodes)
		}
		b.rate = float64(nodes) / float64(interval)
	}
	return b
}

// freshen notes that there is something new on the node.
func (b *beats) freshen(n int32) {
	if b.interval == 0 && !b.isFresh[n] {
		b.isFresh[n] = true
		b.fresh = append(b.fresh, n)
	}
}

// reach moves on to the first beat at or behind t that was not sent yet. t does not go back.
func (b *beats) reach(t units.Time) {
	if t <= b.due {
		return
	}
	if past := t.Sub(b.start); past >= b.interval {
		b.start = b.start.Add(past - past%b.interval)
	}
	b.turn(b.behind(int64(t.Sub(b.start))))
}

// turn makes it the turn of a position, behind the last that of the first in the next interval.
func (b *beats) turn(pos int) {
	if pos == len(b.phase) {
		pos, b.start = 0, b.start.Add(b.interval)
	}
	b.pos, b.due = pos, b.start.Add(units.Duration(b.phase[pos]))
}

// behind returns the first position whose phase is at least rest: a guess, and from there step by step.
func (b *beats) behind(rest int64) int {
	i := min(int(float64(rest)*b.rate), len(b.phase))
	for i < len(b.phase) && b.phase[i] < rest {
		i++
	}
	for i > 0 && b.phase[i-1] >= rest {
		i--
	}
	return i
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
	b := &w.beat
	if b.known {
		return b.next
	}
	b.reach(w.now)
	b.known, b.next = true, units.Never
	start := b.start
	if b.first = w.member(b.pos); b.first < 0 {
		start, b.first = start.Add(w.cfg.Heartbeat), w.member(0)
	}
	if b.first >= 0 {
		b.next = start.Add(units.Duration(b.phase[b.first]))
	}
	return b.next
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
	if w.nextBeat() > w.now {
		return
	}
	b := &w.beat
	at := b.phase[b.first]
	b.known, b.start = false, w.now.Add(-units.Duration(at))
	for m := b.first; m >= 0 && b.phase[m] == at; m = w.member(b.pos) {
		w.add(sched.Heartbeat).Node = cluster.NodeID(m + 1)
		if b.turn(m + 1); b.due != w.now {
			return
		}
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
