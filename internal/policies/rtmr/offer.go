package rtmr

import (
	"math"

	"github.com/slackline/slackline/units"
)

// Offer returns the earliest deadline that Test would accept for the job, whatever deadline the
// claim has: Never if there is none.
//
// Deadlines between those of two neighbours that wait lead to the same place, and so to the same
// finish. So the places are tried from the head on: the first at which a deadline not before the
// finish leads there, and nobody behind would be late, has the answer. What is accepted is not
// monotone in the place: a later one may delay a job that an earlier one does not, so that no
// search by halves would do.
//
// The finish at each place takes one way through the chain. A place where it comes too late for
// every deadline that leads there costs no more; behind any other one the jobs are estimated again
// until one is late. So the cost is O(jobs) where the job fits at the first such place, or is soon
// known not to fit, and O(jobs²) at worst: if only one of the last jobs is in the way of all places
// before it. See OfferWithin.
func (s *Schedule) Offer(now units.Time, c Claim) units.Time {
	at, _ := s.OfferWithin(now, c, math.MaxInt)
	return at
}

// OfferWithin is Offer that gives up being exact once it has estimated that many jobs again. From
// there on it passes over one place, then two, four and so on, up to the end of the order: what it
// returns is accepted by Test, but exact is false, as an earlier deadline might be accepted too.
func (s *Schedule) OfferWithin(now units.Time, c Claim, most int) (deadline units.Time, exact bool) {
	first := s.hopeless(now)
	until := s.seek(now, first)
	skip := 0 // so many places are passed over before the next try
	for p, gap := first, 1; ; p++ {
		_, finish := s.at.ask(&c, now)
		if finish == units.Never {
			return units.Never, true // as at all places behind
		}
		c.Deadline = s.least(&c, p, finish)
		if p == len(s.members) {
			return c.Deadline, gap == 1
		}
		if skip > 0 {
			skip--
		} else if s.before(&c, &s.members[p].Claim) {
			s.trial.copy(&s.at)
			i, _ := s.late(&s.trial, now, &c, p, false)
			if i < 0 {
				return c.Deadline, gap == 1
			}
			if most -= i - p + 1; most <= 0 {
				gap *= 2
				skip = gap / 2
			}
		}
		until, _ = s.pass(now, p, until)
	}
}

// Quote is OfferWithin in a hurry: where bounds show that a place will do, nobody is estimated; and
// once so many jobs have been estimated again, the place behind all that wait is the only one that
// it still looks at.
func (s *Schedule) Quote(now units.Time, c Claim, most int) (deadline units.Time, exact bool) {
	if s.bounded < len(s.members) {
		s.seek(now, len(s.members)) // notes the bounds of all
	}
	first := s.started
	for i := first; i < len(s.members); i++ {
		if m := &s.members[i]; m.bound.at(now) > m.Deadline {
			first, exact = i+1, m.bound.asked == now
		}
	}
	exact = exact || first == s.started
	until := s.seek(now, first)
	for p := first; p < len(s.members) && most > 0; p++ {
		_, finish := s.at.ask(&c, now)
		if finish == units.Never {
			return units.Never, exact
		}
		c.Deadline = s.least(&c, p, finish)
		if s.before(&c, &s.members[p].Claim) {
			if _, fits := s.delay(now, &c, p); fits {
				return c.Deadline, exact
			}
			s.trial.copy(&s.at)
			i, _ := s.late(&s.trial, now, &c, p, false)
			if i < 0 {
				return c.Deadline, exact
			}
			most -= i - p
		}
		most--
		until, _ = s.pass(now, p, until)
	}
	s.seek(now, len(s.members))
	_, finish := s.at.ask(&c, now)
	if finish == units.Never {
		return finish, exact
	}
	return s.least(&c, len(s.members), finish), exact && most > 0
}

// hopeless returns the first place behind all jobs that will be late anyway: the paper refuses
// whatever would stand before them.
func (s *Schedule) hopeless(now units.Time) int {
	first := s.started
	until := s.seek(now, first)
	for p := first; p < len(s.members); p++ {
		var finish units.Time
		if until, finish = s.pass(now, p, until); finish > s.members[p].Deadline {
			first = p + 1
		}
	}
	return first
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
