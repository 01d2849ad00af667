package promise

import (
	"math"

	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/internal/policies/reserve"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// What is expected of a promise with a probability moves while its job waits and runs. The scheduler
// looks at all promises now and then, each time as a verdict does, and tells which moved: by more
// than a tenth of the time that was left when it was last told, and by more than a second
// (sched.Foretell).
//
// Of a job that runs, the variance that is left is to the whole as what is ahead of it to all its run: each task
// for itself varies so.

// outlook is when a job is expected to be done, as it was last told.
type outlook struct {
	sched.Outlook
	Told   units.Time    `json:"told"`
	Slots  reserve.Slots `json:"slots"`            // of the cluster then
	Before sched.JobID   `json:"before,omitempty"` // that was let in before it since then, the last one
}

// Least moves that are told, and how often all promises are looked at: so much for each of them.
const (
	leastMove   = units.Second
	leftMove    = 10
	lookSpacing = units.Second / 4
)

// outlook is when a job is done that is expected to be done then, of whose deviation that part is left.
func (o *odds) outlook(now, expected units.Time, variance, part float64) (l outlook) {
	at := func(risk finish.Risk) units.Time {
		if expected == units.Never || units.Rounded(part) < 1e-3 {
			return expected
		}
		const amid = units.Time(1 << 60) // half of all such jobs may be done before what is expected
		off := o.by(amid, variance/(part*part), risk).Sub(amid).Scale(units.Rounded(part))
		return max(now, expected.Add(off))
	}
	l.Outlook = sched.Outlook{Word: sched.Promised, Confidence: sure(o.Most), By: at(o.Most), Half: at(finish.Certain / 2), Ninety: at(finish.Certain / 10)}
	return l
}

// least is by how much an outlook moves before it is told again.
func (l *outlook) least() units.Duration { return max(leastMove, l.By.Sub(l.Told)/leftMove) }

// stays tells whether an outlook need not be told again, to the millisecond. It is asked for all promises
// now and then, so it looks at the risks at the ends of where the outlook may lie, and does not find it.
func (o *odds) stays(was *outlook, now, expected units.Time, variance, part float64) bool {
	if expected == units.Never || units.Rounded(part) < 1e-3 {
		return false
	}
	least, off := was.least(), math.Sqrt(variance)/part
	later := func(t units.Time, risk finish.Risk) bool { // it is, but for that risk
		return t < now || finish.RiskOf(o.Deviation.Above(t.Sub(expected).Seconds()/part, off)) > risk
	}
	within := func(t units.Time, risk finish.Risk) bool {
		return later(t.Add(-least), risk) && !later(t.Add(least), risk)
	}
	return within(was.Half, finish.Certain/2) && within(was.By, o.Most)
}

// moved is how much later half of all such jobs are done than was told, and whether the outlook as a whole
// is so far from it that it is told again. If only its width is, half is 0.
func (l *outlook) moved(was *outlook) (half units.Duration, far bool) {
	least := was.least()
	if half = l.Half.Sub(was.Half); max(half, -half) > least {
		return half, true
	}
	wide := l.By.Sub(was.By)
	return 0, max(wide, -wide) > least
}

// overtake notes that a job was let in: those behind it have it before them now.
func (s *scheduler) overtake(j sched.JobID) {
	for i := len(s.Queue) - 1; i >= 0 && s.Queue[i] != j; i-- {
		s.terms[s.Queue[i]].Outlook.Before = j
	}
}

// tell looks at all promises, if it is time, and tells which outlooks have moved and why.
func (s *scheduler) tell(v sched.View, p *sched.Plan) {
	if len(s.Queue) == 0 || v.Now() < s.next {
		return
	}
	s.next = v.Now().Add(max(leastMove, lookSpacing*units.Duration(len(s.Queue))))
	s.lineUp(v)
	for i, j := range s.Queue {
		at := s.stop(i)
		before, end := at.before, at.end
		r, job := &s.terms[j], v.Job(j)
		// What ends now is over but for its commit.
		if job == nil || r.Odds == nil || v.Now() < r.Outlook.Told.Add(leastMove) || end <= v.Now() {
			continue
		}
		part := 1.0
		if job.Begun() && end > job.Started {
			part = math.Sqrt(end.Sub(v.Now()).Seconds() / end.Sub(job.Started).Seconds())
		}
		was := r.Outlook
		if r.Odds.stays(&was, v.Now(), end, before, part) {
			continue
		}
		is := r.Odds.outlook(v.Now(), end, before, part)
		later, far := is.moved(&was)
		if !far {
			continue
		}
		why := sched.Because(AheadMoved, int64(later))
		switch ahead := v.Job(was.Before); {
		case later == 0:
			why.Cause, why.A = WidthMoved, int64(is.By.Sub(was.By))
		case later > 0 && was.Before != 0 && ahead != nil:
			why.Cause, why.Job = Overtaken, was.Before
		case was.Slots != s.Slots:
			why.Cause, why.B = SlotsMoved, int64(s.Slots.Maps+s.Slots.Reduces-was.Slots.Maps-was.Slots.Reduces)
		case job.Begun():
			why.Cause = TasksMoved
		}
		is.Told, is.Slots = v.Now(), s.Slots
		r.Outlook = is
		p.Foretell(j, is.Outlook, why)
	}
}
