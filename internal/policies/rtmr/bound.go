package rtmr

import "github.com/slackline/slackline/units"

// Most claims delay those behind them by little, and most of those have slack. Then a bound says
// that nobody will be late, without an estimate of each. It rests on two properties of the chain;
// vectors are compared entry by entry, each sorted:
//
//   - a vector whose entries are no smaller, and tasks that may start no sooner, lead to ends and
//     entries that are no smaller;
//   - if all entries, and the instants from which tasks may start, are later by d, so are all ends and entries.
//
// Of the smallest entry t, max(t, from)+each has both, and so has the sorted vector with that in its
// place, or without it. So if no entry of the vectors is later by more than d, and no instant from
// which a job may start is, then no job behind finishes later by more than d. With d the time that has
// passed since an estimate, that bounds the estimate of now; with d from the vectors with the claim and
// without it (Steps.Lag), the delay by the claim.

// A bound says that a member, asked at that time, would have finished no later than at finish.
type bound struct{ asked, finish units.Time }

// at is the bound if the question is asked now.
func (b *bound) at(now units.Time) units.Time { return b.finish.Add(now.Sub(b.asked)) }

// note keeps what has been estimated for the member at place i, if there are bounds for all before it.
func (s *Schedule) note(now units.Time, i int, finish units.Time) {
	if i <= s.bounded {
		s.members[i].bound = bound{now, finish}
		s.bounded = max(s.bounded, i+1)
	}
}

// tested is a claim that fits, and by how much it delays those behind it beyond their bounds, at most.
type tested struct {
	ok     bool
	now    units.Time
	claim  Claim
	finish units.Time
	delay  units.Duration
}

// joined says that a member was put in at place p. If it has just been tested, the bounds stay, with the delay.
func (s *Schedule) joined(now units.Time, p int) {
	t, n, m := s.tested, s.bounded, &s.members[p]
	s.stale(p)
	if !t.ok || t.now != now || t.claim != m.Claim {
		return
	}
	m.bound, s.bounded = bound{now, t.finish}, n+1
	for i := p + 1; i < len(s.members); i++ {
		b := &s.members[i].bound
		b.finish = b.finish.Add(t.delay)
	}
}

// delay bounds by how much the claim at place p delays those behind it, by s.at, the chain there;
// false if one of them might then be late. It leaves s.at as it was.
func (s *Schedule) delay(now units.Time, c *Claim, p int) (units.Duration, bool) {
	if s.bounded < len(s.members) {
		return 0, false
	}
	// from which reduces behind may start: their maps end no sooner
	slack, from := units.Duration(units.Never), max(now, s.at.maps.First())
	for i := p; i < len(s.members); i++ {
		m := &s.members[i]
		by := m.bound.at(now)
		if by > m.Deadline {
			return 0, false
		}
		slack = min(slack, m.Deadline.Sub(by))
		if m.Maps <= 0 {
			from = now
		}
	}
	s.trial.copy(&s.at)
	s.claim.Claim = *c
	mapsEnd, finish := s.trial.give(&s.claim, now)
	if c.Slot {
		mapsEnd = finish // when the master gives its slot back
	}
	d := max(s.trial.maps.Lag(&s.at.maps, now, mapsEnd), s.trial.reduces.Lag(&s.at.reduces, from, finish))
	return d, d <= slack
}
