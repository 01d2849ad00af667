package promise

import (
	"math"
	"sort"

	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/internal/policies/reserve"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// chances are the answer to a claim with a probability.
type chances struct {
	OK     bool
	Risk   finish.Risk // to miss its deadline
	Half   units.Time  // half a chance to be done
	Ninety units.Time  // 90 %
	Finish units.Time  // what its confidence asks for

	// who waits behind it and would take more risk: all whose promises bear it, or the first that does not
	Rises []rise
}

// rise is how the risk of a promise would rise by a claim.
type rise struct {
	job      sched.JobID
	from, to finish.Risk
}

// A trial is a claim at a place of the queue.
type trial struct {
	*scheduler
	v     sched.View
	job   *sched.Job
	claim reserve.Claim
	odds  *odds
	law   *estimate.Laws
	at    *forecast // before the place
	place int

	// what was found at the place, which does not depend on the claim's deadline
	looked, walked   bool
	expected, finish units.Time
	rising           []rise
	borne            bool
}

// try puts the claim of a job at its place. It is nil if nothing is known of the job's class.
func (s *scheduler) try(v sched.View, job *sched.Job, r *reserve.Record) *trial {
	o, l, known := s.likely(v, job, r)
	if !known {
		return nil
	}
	t := &trial{scheduler: s, v: v, job: job, claim: r.Claim, odds: o, law: l}
	s.lineUp(v)
	t.at = &s.sheets.at
	t.at.copy(&s.sheets.line.first)
	t.move(sort.Search(len(s.Queue), t.goesBefore))
	return t
}

// goesBefore tells whether the claim stands before the i-th job of the queue.
func (t *trial) goesBefore(i int) bool {
	r := t.Of(t.Queue[i])
	if r.Claim.Deadline == t.claim.Deadline {
		return t.claim.Seq < r.Claim.Seq
	}
	return t.claim.Deadline < r.Claim.Deadline
}

// move moves the claim on to a place: before the i-th job of the queue.
func (t *trial) move(i int) {
	if i == t.place {
		return
	}
	t.goTo(t.at, t.place, i)
	t.place, t.looked, t.walked = i, false, false
}

// look finds when the claim is expected to end at its place, and when it does with its confidence.
func (t *trial) look() {
	if !t.looked {
		_, t.expected = t.at.deviates(t.odds, t.law, &t.claim, &t.failures, t.v.World().Heartbeat)
		t.finish = t.odds.by(t.expected, t.at.variance, t.odds.Most)
		t.looked = true
	}
}

// weigh finds the chances of the claim at its place.
func (t *trial) weigh() (c chances) {
	t.look()
	expected, before := t.expected, t.at.variance
	c.Risk = t.odds.risk(t.claim.Deadline, expected, before)
	c.Half, c.Ninety = t.odds.by(expected, before, finish.Certain/2), t.odds.by(expected, before, finish.Certain/10)
	c.Finish = t.finish
	if c.Risk > t.odds.Most {
		return c
	}
	c.Rises, c.OK = t.rises()
	return c
}

// rises are those of the jobs behind, or the one that its promise cannot bear.
func (t *trial) rises() ([]rise, bool) {
	if !t.walked {
		t.rising, t.borne = t.walk()
		t.walked = true
	}
	return t.rising, t.borne
}

// walk walks along the queue with the claim. What would be without it is asked for only where there is a risk.
func (t *trial) walk() (all []rise, ok bool) {
	with := &t.sheets.with
	with.copy(t.at)
	mapsEnd, end := with.take(&t.claim, &t.odds.expects, [2]busy{})
	until := t.harmless(t.place, t.at, with, &t.claim, mapsEnd, end)
	for i := t.place; i < until; i++ {
		before := with.variance
		later, w := t.takes(with, i), &t.sheets.rows[i]
		if w.is == rowGone || safe(w.deadline, later, w.sure, before) {
			continue
		}
		r := &t.terms[w.job]
		to := r.Odds.risk(w.deadline, later, before)
		if to == 0 {
			continue
		}
		was := t.stop(i)
		from := r.Odds.risk(t.Of(w.job).Claim.Deadline, was.end, was.before)
		switch {
		case to <= from:
		case !r.Budget.Affords(from, to):
			return []rise{{t.Queue[i], from, to}}, false
		default:
			all = append(all, rise{t.Queue[i], from, to})
		}
	}
	return all, true
}

// by is when the job ends but for that risk, in whole milliseconds, or Never. The risk falls with time, and its
// normal score does so nearly along a line. So the next instant asked for is where the line through the last two
// says, and half way between the nearest ones now and then.
func (o *odds) by(expected units.Time, variance float64, risk finish.Risk) units.Time {
	if expected == units.Never {
		return units.Never
	}
	off, base := math.Sqrt(variance), int64(expected)/1e6
	last := int64(units.Never)/1e6 - base
	low, high := -1-base, min(int64(min(units.Rounded(1e3*(o.Sure+8*off)), 1e13))+2, last)
	wanted := finish.Score(risk.Share())
	next := 1e3 * (o.Deviation.Quantile(1-risk.Share()) - wanted*off/2)
	at, score := 0.0, 0.0
	for try := 1; low+1 < high; try++ {
		mid := low + (high-low)/2
		if try%6 > 0 {
			mid = min(max(int64(units.Rounded(min(max(next, -1e15), 1e15))), low+1), high-1)
		}
		chance := o.Deviation.Above(units.Duration(mid*1e6+base*1e6-int64(expected)).Seconds(), off)
		if finish.RiskOf(chance) <= risk {
			high = mid
		} else {
			low = mid
		}
		was, before := at, score
		at, score = float64(mid), finish.Score(chance)
		next = at + (at-was)/(before-score)*(score-wanted)
	}
	if high == last {
		return units.Never
	}
	return units.Time((base + high) * 1e6)
}

// mostPlaces is at how many places of the queue an offer is looked for, before the last one is taken.
const mostPlaces = 8

// offer is the earliest deadline that would be promised with the claim's confidence; exact is false
// if an earlier one might be. It spoils the trial.
func (t *trial) offer() (deadline units.Time, exact bool) {
	exact = true
	for tried := 0; ; tried++ {
		if tried == mostPlaces {
			exact = t.place >= len(t.Queue)
			t.move(len(t.Queue))
		}
		t.look()
		if t.claim.Deadline = t.finish; t.claim.Deadline == units.Never {
			return units.Never, exact
		}
		if t.place > 0 {
			t.claim.Deadline = max(t.claim.Deadline, t.Of(t.Queue[t.place-1]).Claim.Deadline.Add(1)) // behind that one
		}
		if t.place == len(t.Queue) {
			return t.claim.Deadline, exact
		}
		if t.goesBefore(t.place) {
			if _, ok := t.rises(); ok {
				return t.claim.Deadline, exact
			}
		}
		t.move(t.place + 1)
	}
}

// Judge promises the job its deadline with a probability, or refuses it.
func (s *scheduler) Judge(v sched.View, job *sched.Job, r *reserve.Record, p *sched.Plan) {
	t := s.try(v, job, r)
	if t == nil {
		s.Lend(v, job, sched.Because(reserve.ClassUnknown), p)
		return
	}
	c := t.weigh()
	if !c.OK {
		s.refuseLikely(t, r, &c, p)
		return
	}
	told := c.outlook(t.odds.Most)
	why := p.Because(sched.Because(estimate.Likely, int64(r.Claim.Deadline)), c.spent()...)
	if s.Grant(v, job, r, told, why, p) != nil {
		is := &s.terms[job.ID]
		is.Odds, is.Risk = t.odds, c.Risk
		is.Budget, _ = finish.Begin(t.odds.Most, c.Risk)
		is.Outlook = outlook{Outlook: told, Told: v.Now(), Slots: s.Slots}
		s.overtake(job.ID)
		for _, k := range c.Rises {
			of := &s.terms[k.job]
			of.Budget.Spend(k.from, k.to)
			of.Risk = k.to
		}
	}
}

// outlook is what a job with such chances is told that is promised its deadline at that risk.
func (c *chances) outlook(most finish.Risk) sched.Outlook {
	return sched.Outlook{Word: sched.Promised, Confidence: sure(most), By: c.Finish, Half: c.Half, Ninety: c.Ninety}
}

// sure is the confidence that a risk leaves.
func sure(most finish.Risk) int32 { return sched.Certain - int32(most) }

// spent is what the promise costs: its risk, and who bears how much more of it.
func (c *chances) spent() []sched.Evidence {
	list := []sched.Evidence{{Amount: int64(c.Risk)}}
	for _, k := range c.Rises {
		list = append(list, sched.Evidence{Job: k.job, At: units.Time(k.from), Amount: int64(k.to)})
	}
	return list
}

// refuseLikely refuses a job, or lets it run behind all promises.
func (s *scheduler) refuseLikely(t *trial, r *reserve.Record, c *chances, p *sched.Plan) {
	if t.job.Spec.GoesOn() {
		s.Lend(t.v, t.job, sched.Because(sched.Begun), p)
		return
	}
	why := t.refusal(c)
	offer, exact := t.offer()
	if s.behind {
		why.Cause = Behind
		m := t.odds.means()
		s.Note(t.job, reserve.Lent)
		s.hopesFor(t.job, m)
		s.LetIn(t.job, p.Because(why, sched.Evidence{At: offer, Amount: int64(t.odds.Most)},
			sched.Evidence{At: units.Time(m.Map), Amount: int64(m.Reduce)}), p)
		return
	}
	told := sched.Offer(offer, exact)
	told.Confidence = sure(t.odds.Most)
	p.Reject(r.Claim.Job, told, why)
}

// refusal is why the claim is refused.
func (t *trial) refusal(c *chances) sched.Reason {
	if c.Risk > t.odds.Most {
		return sched.Because(Unlikely, int64(t.claim.Deadline), int64(c.Finish), int64(c.Risk))
	}
	k := c.Rises[0]
	why := sched.Because(Overdrawn, int64(k.to-k.from), int64(max(0, t.terms[k.job].Budget.Left)), int64(c.Risk))
	why.Job = k.job
	return why
}

// answerLikely says what would become of the claim, for Ask.
func (s *scheduler) answerLikely(v sched.View, job *sched.Job, r *reserve.Record) (a sched.Answer) {
	t := s.try(v, job, r)
	if t == nil {
		return sched.Answer{Verb: sched.Admit, Reason: sched.Because(reserve.ClassUnknown), Outlook: sched.Outlook{Word: sched.Unpromised}}
	}
	s.sheets.line.kept = true // for the next question
	c := t.weigh()
	if c.OK {
		a.Verb, a.Reason, a.Outlook = sched.Admit, sched.Because(estimate.Likely, int64(r.Claim.Deadline)), c.outlook(t.odds.Most)
		a.Evidence = c.spent()
	} else if job.Spec.GoesOn() {
		a.Verb, a.Reason = sched.Admit, sched.Because(sched.Begun)
	} else {
		a.Verb, a.Reason = sched.Reject, t.refusal(&c)
		if s.behind {
			a.Verb, a.Reason.Cause, a.Outlook.Word = sched.Admit, Behind, sched.Unpromised
		}
	}
	a.Reason.Evidence.To = int32(len(a.Evidence))
	a.Offer = sched.Offer(t.offer())
	return a
}
