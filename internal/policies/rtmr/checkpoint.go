package rtmr

import (
	"slices"

	"github.com/slackline/slackline/internal/maths/avail"
	"github.com/slackline/slackline/units"
)

// The paper records T^m and T^r with every job. With 10,000 jobs and 100,000 slots that is too
// much, so the vectors are recorded after every stride-th job only, and those in between are
// calculated again. A test runs through at most stride jobs before the place of the claim, and
// through those behind it, whose vectors it changes. With 128 instead of 512 a fifth to a third of
// the time in which a busy cluster's jobs are estimated again went into records.
const stride = 512

// A mark is the chain before the member at a place.
type mark struct {
	place int
	now   units.Time // as the question was asked then
	// the question may be asked as late as this without a change, if it was asked no later itself
	until         units.Time
	maps, reduces []avail.Step
}

// holds tells whether the mark is what a question at the given time would find: that time makes no
// difference as long as no job before the mark whose tasks start from then on takes a slot that has been free for some
// time.
func (m *mark) holds(now units.Time) bool { return now == m.now || now <= m.until }

// stale forgets the marks behind a place, and the bounds from there on: the member there has changed.
func (s *Schedule) stale(place int) {
	s.bounded, s.tested = min(s.bounded, max(place, 0)), tested{}
	for len(s.marks) > 0 && s.marks[len(s.marks)-1].place > place {
		s.marks = s.marks[:len(s.marks)-1]
	}
}

// fallen forgets the first n places, which have become part of the base.
func (s *Schedule) fallen(n int) {
	s.bounded = max(s.bounded-n, 0)
	k := 0
	for k < len(s.marks) && s.marks[k].place < n {
		k++
	}
	s.marks = slices.Delete(s.marks, 0, k)
	for i := range s.marks {
		s.marks[i].place -= n
	}
}

// rest makes s.at the chain at the last mark that is not behind place p, and returns where that is
// and until when it holds.
func (s *Schedule) rest(now units.Time, p int) (int, units.Time) {
	for i := range s.marks {
		if !s.marks[i].holds(now) { // nor do those behind it, which came from it
			s.marks = s.marks[:i]
			break
		}
	}
	for i := len(s.marks) - 1; i >= 0; i-- {
		if m := &s.marks[i]; m.place <= p {
			s.at.maps.Load(m.maps)
			s.at.reduces.Load(m.reduces)
			return m.place, m.until
		}
	}
	s.at.copy(&s.base)
	return 0, units.Never
}

// seek makes s.at the chain just before the member at place p, and returns until when it holds.
func (s *Schedule) seek(now units.Time, p int) units.Time {
	i, until := s.rest(now, p)
	for ; i < p; i++ {
		until, _ = s.pass(now, i, until)
	}
	return until
}

// pass takes s.at over the member at place i, and leaves a mark if it is time for one. It takes and
// returns until when what it finds holds, and returns when the member finishes.
func (s *Schedule) pass(now units.Time, i int, until units.Time) (holds, finish units.Time) {
	last := 0
	if n := len(s.marks); n > 0 {
		last = s.marks[n-1].place
	}
	if i-last >= s.stride {
		s.mark(now, i, until)
	}
	m := &s.members[i]
	if m.open() {
		switch {
		case m.OnMaps() > 0:
			until = min(until, max(m.Ready, s.at.maps.First()))
		case m.Reduces > 0:
			until = min(until, max(m.Ready, s.at.reduces.First()))
		}
	}
	_, finish = s.at.give(m, now)
	s.note(now, i, finish)
	return until, finish
}

func (s *Schedule) mark(now units.Time, place int, until units.Time) {
	n := len(s.marks)
	s.marks = slices.Grow(s.marks, 1)[:n+1]
	m := &s.marks[n] // may have room from before
	*m = mark{place, now, until, s.at.maps.Save(m.maps[:0]), s.at.reduces.Save(m.reduces[:0])}
}
