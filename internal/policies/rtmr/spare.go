package rtmr

import (
	"github.com/slackline/slackline/internal/maths/avail"
	"github.com/slackline/slackline/units"
)

// Spare returns how many slots no admitted job needs from now on, the entries behind the last
// member that are not later than now, and when the next entry comes, Never if none does.
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
