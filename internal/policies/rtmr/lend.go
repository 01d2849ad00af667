package rtmr

import (
	"slices"

	"github.com/slackline/slackline/internal/maths/avail"
	"github.com/slackline/slackline/units"
)

// Lend says until when slots are held by tasks that are not in the schedule: from now on each such end stands in the place of the smallest
// entry, before all members. What was lent before is forgotten.
func (s *Schedule) Lend(maps, reduces []units.Time) {
	if slices.Equal(maps, s.lentMaps) && slices.Equal(reduces, s.lentReduces) {
		return
	}
	s.lentMaps, s.lentReduces = maps, reduces
	s.stale(-1)
}

// Return says that so many lent slots have been given back now. Jobs that have started before had to do without them, so their ends stand in
// the place of the smallest entries, too. That is never earlier than what is true; where tasks end again and again while a job runs, it
// makes that job seem later than it is.
func (s *Schedule) Return(now units.Time, maps, reduces int) {
	if len(s.members) == 0 {
		return // nobody missed them
	}
	s.base.maps.Replace(slices.Repeat([]units.Time{now}, maps))
	s.base.reduces.Replace(slices.Repeat([]units.Time{now}, reduces))
	s.stale(-1)
}

// Spare returns how many slots no admitted job needs from now on, the entries behind the last member that are not later than now, and
// when the next entry comes, Never if none does.
func (s *Schedule) Spare(now units.Time) (maps, reduces int, next units.Time) {
	s.seek(now, len(s.members))
	maps, next = free(&s.at.maps, now)
	reduces, later := free(&s.at.reduces, now)
	return maps, reduces, min(next, later)
}

// free is how many slots of a vector are not later than now, and the next entry behind them.
func free(v *avail.Steps, now units.Time) (n int, next units.Time) {
	for at, slots := range v.Each {
		if at > now {
			return n, at
		}
		n += slots
	}
	return n, units.Never
}
