package rtmr

import (
	"slices"

	"github.com/slackline/slackline/internal/maths/avail"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// A Verdict is the answer to a claim. It is that of the chain of estimates, so it holds as long as worst cases do.
type Verdict struct {
	OK      bool
	MapsEnd units.Time // e^m: when its last map would end
	Finish  units.Time // e: when it would finish; Never = never, as there is no slot

	// Of a refusal: the first job in the order that would miss its deadline.
	Late                     sched.JobID // 0 = the job itself
	LateFinish, LateDeadline units.Time
	Alone                    Alone // if it is the job itself: what it takes without anybody else
	Hold                     Hold  // and if that is in time: who is in its way
}

// A Schedule is the priority queue of algorithm 5.1 with its slot-available vectors: the admitted
// jobs in a chain, each of which takes slots as all before it have left them.
//
//	base → started jobs, in the order in which they started → waiting jobs, by deadline and then submission
//
// A started job is never overtaken, so its place is fixed. Finished jobs stay in the chain, as
// promised or as they really were, until all before them have finished; then they become part of
// the base. A new job before all that wait has the last started job as its predecessor, as lines
// 604 to 606 of the paper say.
//
// "Current time" of algorithm 5.2 (line 4) is, for a waiting job, the time of the question: the
// chain answers as if all that waits were estimated again. For a started job it is the instant of
// its start, as none of its maps started sooner, and as with the time of the question the part of
// it that has run would count twice.
//
// Methods take the time in which they are called; it must not fall. No method may be called while another runs.
type Schedule struct {
	base    chain      // before all members
	members []member   // started (and finished) ones, then those that wait
	started int        // so many of members do not wait
	marks   []mark     // the chain at some places, in their order (checkpoint.go)
	stride  int        // so far apart
	shrunk  units.Time // when slots were last taken away; -1 = never
	bounded int        // so many of members have a bound (bound.go)
	tested  tested     // the last claim that was found to fit

	at, trial chain // scratch: the chain at some place
	claim     member
}

// NewSchedule returns the schedule of a cluster with that many slots, all free.
func NewSchedule(maps, reduces int) *Schedule {
	s := &Schedule{stride: stride, shrunk: -1}
	s.base.maps.Resize(maps, 0)
	s.base.reduces.Resize(reduces, 0)
	return s
}

// A chain is the state between two jobs: T^m and T^r.
type chain struct{ maps, reduces avail.Steps }

func (c *chain) copy(from *chain) {
	c.maps.Copy(&from.maps)
	c.reduces.Copy(&from.reduces)
}

// A member is an admitted job.
type member struct {
	Claim
	phase phase
	since units.Time // of its start, or of its removal; none = it has started, and no task of it has
	ends  *ends      // of a corrected one
	bound bound      // of its finish
}

// ends are when tasks really ended, sorted.
type ends struct{ maps, reduces []units.Time }

// A phase says how a job takes its slots.
type phase uint8

const (
	waiting   phase = iota // tasks start from now on
	started                // tasks started from since on
	finished               // the same; the feedback controller left the promise as it is
	corrected              // finished, with the ends of its tasks
	gone                   // removed after its start: the slots that it may have had are free from since on
)

const none units.Time = -1 // no instant

// open tells whether the member's tasks start from the time of the question on.
func (m *member) open() bool { return m.phase == waiting || m.since == none }

// from is when the first of the member's tasks may start, or may have.
func (m *member) from(now units.Time) units.Time {
	if m.open() {
		return now
	}
	return m.since
}

// give runs the member's tasks: algorithms 5.2 and 5.3, or what has become of them.
func (c *chain) give(m *member, now units.Time) (mapsEnd, finish units.Time) {
	from := m.from(now)
	switch m.phase {
	case corrected:
		c.maps.Replace(m.ends.maps)
		c.reduces.Replace(m.ends.reduces)
		return m.since, m.since
	case gone:
		c.maps.Run(m.OnMaps(), from, 0)
		c.reduces.Run(m.Reduces, from, 0)
		return from, from
	}
	had, up := c.begin(&m.Claim, from)
	mapsEnd = c.maps.Run(m.Maps, up, m.Map)
	finish = c.reduces.Run(m.Reduces, mapsEnd, m.Reduce)
	c.putBack(had, finish)
	return mapsEnd, finish
}

// begin returns from when on the tasks of a job may start that may itself from an instant on. A master
// that takes a slot takes it away; had is since when that was free, none if no slot was taken.
func (c *chain) begin(m *Claim, from units.Time) (had, up units.Time) {
	up = max(from, m.Ready)
	switch {
	case !m.Slot:
		return none, up
	case c.maps.Slots() == 0:
		return none, units.Never
	}
	had = c.maps.Take()
	return had, max(up, had).Add(m.Startup)
}

// putBack gives the slot back that begin has taken, free from an instant on.
func (c *chain) putBack(had, at units.Time) {
	if had != none {
		c.maps.Put(at)
	}
}

// ask returns what give would for a waiting job, and changes nothing.
func (c *chain) ask(m *Claim, now units.Time) (mapsEnd, finish units.Time) {
	had, up := c.begin(m, now)
	mapsEnd = c.maps.Last(m.Maps, up, m.Map)
	finish = c.reduces.Last(m.Reduces, mapsEnd, m.Reduce)
	c.putBack(had, had)
	return mapsEnd, finish
}

// before tells whether a job waits before another.
func (s *Schedule) before(a, b *Claim) bool {
	if a.Deadline != b.Deadline {
		return a.Deadline < b.Deadline
	}
	return a.Seq < b.Seq
}

// position returns where a claim would stand: behind all started jobs, and all waiting ones before
// it; of a job that has begun, before all that wait.
func (s *Schedule) position(c *Claim) int {
	if c.Begun {
		return s.started
	}
	lo, hi := s.started, len(s.members)
	for lo < hi {
		if h := int(uint(lo+hi) >> 1); s.before(c, &s.members[h].Claim) {
			hi = h
		} else {
			lo = h + 1
		}
	}
	return lo
}

// find returns the place of a job, -1 if it is not in the chain.
func (s *Schedule) find(j sched.JobID) int {
	return slices.IndexFunc(s.members, func(m member) bool { return m.Job == j && m.phase <= started })
}

// Test is algorithm 5.1, lines 1 to 21: whether the job would meet its deadline, and every waiting
// job behind it still its own. It changes nothing.
//
// It estimates up to stride jobs before the place, or all of them where checkpoints do not hold,
// and those behind it until one is late, unless bounds show that none will be. A job costs O(steps
// touched): some ten among jobs that differ, fewer if their tasks are alike.
func (s *Schedule) Test(now units.Time, c Claim) Verdict {
	p := s.position(&c)
	s.seek(now, p)
	v := Verdict{OK: true}
	v.MapsEnd, v.Finish = s.at.ask(&c, now)
	if v.Finish > c.Deadline { // line 7
		v.OK, v.LateFinish, v.LateDeadline = false, v.Finish, c.Deadline
		v.Alone = s.alone(now, &c)
		if v.Alone.Finish <= c.Deadline {
			if v.Hold = s.hold(now, &c, p, v.MapsEnd, v.Finish); v.Hold.Slots == 0 {
				v.Hold = s.most(now, &c, p, &v)
			}
		}
		return v
	}
	s.tested = tested{}
	d, fits := s.delay(now, &c, p)
	if !fits {
		d = 0 // late notes the finishes with the claim
		if i, finish := s.late(&s.at, now, &c, p, true); i >= 0 {
			v.OK, v.Late, v.LateFinish, v.LateDeadline = false, s.members[i].Job, finish, s.members[i].Deadline
			return v
		}
	}
	s.tested = tested{true, now, c, v.Finish, d}
	return v
}

// late is lines 10 to 21: the place of the first member from place p on that would miss its
// deadline if the claim stood before it, -1 if there is none, and when it would finish. It starts
// from the chain at that place, and spoils it. What it finds may be noted as bounds.
func (s *Schedule) late(at *chain, now units.Time, c *Claim, p int, note bool) (int, units.Time) {
	s.claim.Claim = *c
	at.give(&s.claim, now)
	for i := p; i < len(s.members); i++ {
		_, finish := at.give(&s.members[i], now)
		if note {
			s.note(now, i, finish) // without the claim it would be no later
		}
		if finish > s.members[i].Deadline { // line 15
			return i, finish
		}
	}
	return -1, 0
}

// Admit puts the job at its place in the order (lines 22 and 23). It does not ask whether Test said yes.
func (s *Schedule) Admit(now units.Time, c Claim) {
	p := s.position(&c)
	s.members = slices.Insert(s.members, p, member{Claim: c})
	s.joined(now, p)
}

// Estimate returns when the maps of an admitted job end and when it finishes, by the chain; false
// if it is not in the schedule.
func (s *Schedule) Estimate(now units.Time, j sched.JobID) (mapsEnd, finish units.Time, ok bool) {
	i := s.find(j)
	if i < 0 {
		return 0, 0, false
	}
	s.seek(now, i)
	mapsEnd, finish = s.at.give(&s.members[i], now)
	return mapsEnd, finish, true
}

// Start says that the job's first task goes out: from now on nobody overtakes it. A job that is not
// in the schedule, or has started already, is passed over.
func (s *Schedule) Start(now units.Time, j sched.JobID) {
	i := s.find(j)
	if i < s.started {
		return
	}
	if i > s.started {
		s.stale(s.started)
	}
	m := s.members[i]
	m.phase, m.since = started, now
	copy(s.members[s.started+1:i+1], s.members[s.started:i])
	s.members[s.started] = m
	s.started++
}

// Restart says that no task of a job that has started has run so far: until Begin they start from the time of each
// question on.
func (s *Schedule) Restart(j sched.JobID) { s.begins(j, none) }

// Begin says that a task of such a job has started now.
func (s *Schedule) Begin(now units.Time, j sched.JobID) { s.begins(j, now) }

func (s *Schedule) begins(j sched.JobID, at units.Time) {
	if i := s.find(j); i >= 0 && i < s.started && s.members[i].since != at {
		s.members[i].since = at
		s.stale(i)
	}
}

// Finish says that the job is done, with the ends of its tasks. It is algorithm 5.5: where the
// job's real finish differs from the estimate by at least the threshold, or comes after the
// deadline, the chain goes on from the real ends (algorithm 5.6), and rebuilt is true. Without
// feedback the promise stays in the chain, as in the paper's variant.
func (s *Schedule) Finish(now units.Time, j sched.JobID, maps, reduces []units.Time, threshold units.Duration, feedback bool) (rebuilt bool) {
	s.Start(now, j)
	i := s.find(j)
	if i < 0 {
		return false
	}
	m := &s.members[i]
	m.since = m.from(now)
	if feedback {
		s.seek(now, i)
		_, e := s.at.give(m, now) // line 6
		real := now
		if len(maps)+len(reduces) > 0 {
			real = max(slices.Max(append(slices.Clone(maps), reduces...)), 0)
		}
		rebuilt = e == units.Never || max(e.Sub(real), real.Sub(e)) >= threshold || real > m.Deadline // line 7
	}
	m.phase = finished
	switch {
	case rebuilt && m.since <= s.shrunk:
		s.leave(i, now)
	case rebuilt:
		m.phase = corrected
		m.ends = &ends{slices.Sorted(slices.Values(maps)), slices.Sorted(slices.Values(reduces))} // lines 8 and 9
		s.stale(i)
	}
	s.fold(now)
	return rebuilt
}

// fold makes the members that have finished, and all before them, part of the base.
func (s *Schedule) fold(now units.Time) {
	n := 0
	for n < s.started && s.members[n].phase != started {
		s.base.give(&s.members[n], now)
		n++
	}
	s.members = slices.Delete(s.members, 0, n)
	s.started -= n
	s.fallen(n)
}

// Up says that the job's master is up, sooner than it was counted with or not.
func (s *Schedule) Up(now units.Time, j sched.JobID) {
	if i := s.find(j); i >= 0 {
		m := &s.members[i]
		if m.Slot {
			m.Startup = min(m.Startup, max(0, now.Sub(max(m.since, m.Ready))))
		} else {
			m.Ready = min(m.Ready, now)
		}
		s.stale(i)
	}
}

// Again says that the job's master starts again, before it was up.
func (s *Schedule) Again(now units.Time, j sched.JobID) {
	if i := s.find(j); i >= 0 {
		m := &s.members[i]
		if m.Ready = now; !m.Slot {
			m.Ready = now.Add(m.Startup)
		}
		s.stale(i)
	}
}

// Remove takes out a job that will not finish. If it had started, the slots that it may have had
// are free from now on: as many of the smallest entries as it has tasks become at least now, which
// is never earlier than what is true.
func (s *Schedule) Remove(now units.Time, j sched.JobID) {
	i := s.find(j)
	switch {
	case i < 0:
	case i >= s.started:
		s.members = slices.Delete(s.members, i, i+1)
		s.stale(i)
	default:
		s.leave(i, now)
		s.fold(now)
	}
}

// leave makes the started member at place i one that holds nothing from now on.
func (s *Schedule) leave(i int, now units.Time) {
	m := &s.members[i]
	m.phase, m.since, m.ends = gone, now, nil
	s.stale(i)
}

// Resize sets how many slots the cluster has: new ones are free from now on; where there are fewer,
// those that are free last are taken away.
//
// Where a task ended on a slot that was taken away, its end says nothing of those that remain: it
// must not stand for the end of a task there. So what has started before slots are taken away
// leaves no ends behind.
func (s *Schedule) Resize(now units.Time, maps, reduces int) {
	if maps < s.base.maps.Slots() || reduces < s.base.reduces.Slots() {
		s.shrunk = now
		for i := range s.started {
			if s.members[i].phase == corrected {
				s.leave(i, now)
			}
		}
	}
	s.base.maps.Resize(maps, now)
	s.base.reduces.Resize(reduces, now)
	s.stale(-1)
}
