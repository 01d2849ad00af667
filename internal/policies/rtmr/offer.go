package rtmr

import "github.com/slackline/slackline/units"

// Offer returns the earliest deadline that Test would accept for the job, whatever deadline the claim has: Never if there is none.
//
// Deadlines between those of two neighbours that wait lead to the same place, and so to the same finish. So the places are tried from the
// head on: the first at which a deadline not before the finish leads there, and nobody behind would be late, has the answer. The order of
// what is accepted is not monotone: a later place may delay a job that an earlier one does not, so that no search by halves would do.
func (s *Schedule) Offer(now units.Time, c Claim) units.Time {
	if s.fifo {
		p := s.place(&c)
		s.seek(now, p)
		_, finish := s.at.ask(&c, now)
		if late, _ := s.late(now, &c, p); late != nil {
			return units.Never
		}
		return finish
	}
	for p := s.started; p <= len(s.members); p++ {
		s.seek(now, p)
		_, finish := s.at.ask(&c, now)
		if finish == units.Never {
			break
		}
		c.Deadline = s.least(&c, p, finish)
		if s.place(&c) != p {
			continue
		}
		if late, _ := s.late(now, &c, p); late == nil {
			return c.Deadline
		}
	}
	return units.Never
}

// least returns the earliest deadline from finish on that leads to place p or to one behind it.
func (s *Schedule) least(c *Claim, p int, finish units.Time) units.Time {
	if p == s.started {
		return finish
	}
	ahead := &s.members[p-1]
	if ahead.Seq < c.Seq {
		return max(finish, ahead.Deadline)
	}
	return max(finish, ahead.Deadline.Add(1))
}
