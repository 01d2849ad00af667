package rtmr

import (
	"slices"

	"github.com/slackline/slackline/internal/maths/avail"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Alone is when a job would end that has all slots of the cluster to itself.
type Alone struct{ MapsEnd, Finish units.Time }

// A Hold is who is in a job's way. A job's last reduce, if it waits for a slot beyond the job's
// last map, and otherwise its last map, mostly starts at the instant when a task of a job before it
// ends: Hold names that job, of several the last in the order. If it does not, as it starts behind
// one of the job's own, the job's first tasks began late: Hold names who holds most of the slots
// that they waited for.
type Hold struct {
	Job   sched.JobID // 0: one that has finished, and whose promise stays
	Stage sched.Stage // its maps or its reduces
	// so many slots of that stage are not given back by it before that instant, or when the job
	// wants them
	Slots int
	Until units.Time // when its last task of that stage ends
}

// alone returns what the job would take in an empty cluster.
func (s *Schedule) alone(now units.Time, c *Claim) Alone {
	var empty chain
	empty.maps.Resize(s.base.maps.Slots(), now)
	empty.reduces.Resize(s.base.reduces.Slots(), now)
	mapsEnd, finish := empty.ask(c, now)
	return Alone{mapsEnd, finish}
}

// most finds who before place p holds most of the slots for which the job's first tasks would wait:
// of its maps, or if these would end as early as alone, of its reduces. Most is the sum over slots
// of the time for which they are held from then on.
func (s *Schedule) most(now units.Time, c *Claim, p int, v *Verdict) Hold {
	if v.Finish == units.Never {
		return Hold{}
	}
	stage, from := sched.Map, now
	if v.MapsEnd <= v.Alone.MapsEnd {
		stage, from = sched.Reduce, v.MapsEnd
	}
	largest, held := Hold{}, 0.0
	look := func(j sched.JobID, ends func(func(units.Time, int) bool)) {
		h, sum := Hold{Job: j, Stage: stage}, 0.0
		for at, slots := range ends {
			if at > from {
				h.Slots, h.Until = h.Slots+slots, max(h.Until, at)
				sum += float64(slots) * float64(at.Sub(from))
			}
		}
		if units.Rounded(sum) >= units.Rounded(held) && h.Slots > 0 {
			largest, held = h, sum
		}
	}
	s.at.copy(&s.base)
	base := &s.at.maps
	if stage == sched.Reduce {
		base = &s.at.reduces
	}
	look(0, base.Each)
	for i := range p {
		m := &s.members[i]
		j := m.Job
		if m.phase == finished {
			j = 0
		}
		look(j, func(yield func(units.Time, int) bool) {
			for _, e := range s.at.ends(m, now, stage) {
				if !yield(e.At, e.Slots) {
					return
				}
			}
		})
		s.at.give(m, now)
	}
	return largest
}

// hold finds what the job's last task would wait for at place p, given its estimates there.
func (s *Schedule) hold(now units.Time, c *Claim, p int, mapsEnd, finish units.Time) Hold {
	if mapsEnd == units.Never || finish == units.Never {
		return Hold{}
	}
	h, begin := Hold{Stage: sched.Reduce}, finish-units.Time(c.Reduce)
	if c.Reduces == 0 || begin <= mapsEnd {
		had, up := s.at.begin(c, now)
		s.at.putBack(had, had)
		h.Stage, begin = sched.Map, mapsEnd-units.Time(c.Map)
		if c.Slot && (c.Maps == 0 || begin <= up) { // what waits is its master
			begin = up - units.Time(c.Startup)
		}
		if c.OnMaps() == 0 || begin <= max(now, c.Ready) {
			return Hold{}
		}
	}
	for to := p; to > 0 && h.Slots == 0; { // from mark to mark, the last one first
		at, _ := s.rest(now, to-1)
		for i := at; i < to; i++ {
			s.holds(now, &s.members[i], begin, &h)
			s.at.give(&s.members[i], now)
		}
		to = at
	}
	if h.Slots == 0 {
		return Hold{}
	}
	return h
}

// holds notes the member if the instant is the end of one of its tasks.
func (s *Schedule) holds(now units.Time, m *member, begin units.Time, h *Hold) {
	ends := s.at.ends(m, now, h.Stage)
	slots, hit := 0, false
	for _, e := range ends {
		hit = hit || e.At == begin
		if e.At >= begin {
			slots += e.Slots
		}
	}
	if hit {
		h.Job, h.Slots, h.Until = m.Job, slots, ends[len(ends)-1].At
		if m.phase == finished {
			h.Job = 0 // its handle may be another job's by now
		}
	}
}

// ends returns when the slots that a member takes in a stage would be free of it, nil if it has finished.
func (c *chain) ends(m *member, now units.Time, stage sched.Stage) []avail.Step {
	if m.phase == corrected || m.phase == gone {
		return nil
	}
	had, up := c.begin(&m.Claim, m.from(now))
	mapsEnd := c.maps.Last(m.Maps, up, m.Map)
	var ends []avail.Step
	if stage == sched.Reduce {
		ends = c.reduces.Ends(m.Reduces, mapsEnd, m.Reduce)
	} else {
		ends = c.maps.Ends(m.Maps, up, m.Map)
	}
	if had == none {
		return ends
	}
	if stage == sched.Map {
		ends = append(slices.Clone(ends), avail.Step{At: c.reduces.Last(m.Reduces, mapsEnd, m.Reduce), Slots: 1})
	}
	c.putBack(had, had)
	return ends
}
