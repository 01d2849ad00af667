package rtmr

import (
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// judge is algorithm 5.1 for a job whose claim is complete, and what follows from it.
func (s *scheduler) judge(v sched.View, job *sched.Job, r *record, p *sched.Plan) {
	s.settle(v, job, r, s.plan.Test(v.Now(), r.Claim), p)
}

// regain is the same for a job that has begun, which runs on if it does not pass. It tells whether it did.
func (s *scheduler) regain(v sched.View, job *sched.Job, p *sched.Plan) bool {
	r := record{Claim: claimOf(job)}
	r.Claim.Begun = true
	if as, _ := s.weigh(v, job, &r); as != promised {
		return false
	}
	verdict := s.plan.Test(v.Now(), r.Claim)
	if verdict.OK {
		s.forget(job.ID)
		s.settle(v, job, &r, verdict, p)
	}
	return verdict.OK
}

// settle promises the job its deadline (lines 22 and 23), or refuses it.
func (s *scheduler) settle(v sched.View, job *sched.Job, r *record, verdict Verdict, p *sched.Plan) {
	if !verdict.OK {
		s.refuse(v, r, &verdict, p)
		return
	}
	now, n := v.Now(), s.note(job, promised)
	n.Claim, n.Sample, n.Master, n.Room = r.Claim, r.Sample, r.Master, r.Room
	if maps := &job.Stages[sched.Map]; maps.Open <= 0 && maps.Occupied > 0 {
		// A resync has the sample taken again, until all maps run: no further one will say that the job has started.
		n.Claim.Begun = true
	}
	if n.Master != without {
		s.mastered++
	}
	s.plan.Admit(now, n.Claim)
	if n.Claim.Begun {
		s.rank(job.ID)
		s.plan.Start(now, job.ID)
	} else {
		s.enqueue(job.ID)
	}
	told, why := worst(verdict.Finish), sched.Because(estimate.Promised, int64(n.Claim.Deadline))
	if n.Sample.Longest > 0 {
		told, why.Cause = sched.Outlook{Word: sched.Expected, By: verdict.Finish, Measured: n.Sample.maps()}, Estimated
	}
	if !p.Admit(job.ID, told, why) {
		s.plan.Remove(now, job.ID)
		s.forget(job.ID)
		return
	}
	n.Advice = job.Advice != sched.NoJob
	s.restrain(job, p)
}

// worst is what a job is told that is done by then if every task takes as long as the slowest.
func worst(by units.Time) sched.Outlook {
	return sched.Outlook{Word: sched.Promised, Confidence: sched.Certain, By: by}
}

// mostAsked is how many jobs are estimated again for a question, to find the earliest deadline that
// would be accepted: a fraction of a millisecond. From there on only the place behind all that wait
// is looked at.
const mostAsked = 256

// answer says what comes of the test of a claim.
func (s *scheduler) answer(now units.Time, job *sched.Job, c *Claim) sched.Answer {
	var a sched.Answer
	verdict := s.plan.Test(now, *c)
	if verdict.OK {
		a.Verb, a.Reason, a.Outlook = sched.Admit, sched.Because(estimate.Promised, int64(c.Deadline)), worst(verdict.Finish)
	} else if job.Spec.GoesOn() {
		a.Verb, a.Reason = sched.Admit, sched.Because(sched.Begun) // without a promise
	} else {
		var p sched.Plan
		a.Verb, a.Reason = sched.Reject, s.refusal(now, c, &verdict, &p)
		a.Evidence = p.Evidence
	}
	a.Offer = sched.Offer(s.plan.Quote(now, *c, mostAsked))
	return a
}

// refuse rejects a job with one of two reasons: it alone would be late with all slots of the
// cluster, or what is promised stands in its way, which is named. A cost that knows no bound, as a
// class has that holds all kinds of jobs, is told as such. With it go the deadline that would do,
// and whether that rests on a sample.
func (s *scheduler) refuse(v sched.View, r *record, verdict *Verdict, p *sched.Plan) {
	now, c := v.Now(), &r.Claim
	if job := v.Job(c.Job); job.Spec.GoesOn() { // that time was lost is not held against it
		s.lend(job, sched.Because(sched.Begun), p)
		return
	}
	offer, exact := s.plan.OfferWithin(now, *c, mostEstimates)
	told := sched.Offer(offer, exact)
	if r.Sample.Longest > 0 {
		told.Measured = r.Sample.maps()
	}
	p.Reject(c.Job, told, s.refusal(now, c, verdict, p))
}

// refusal is why a claim does not fit.
func (s *scheduler) refusal(now units.Time, c *Claim, verdict *Verdict, p *sched.Plan) sched.Reason {
	why := sched.Because(Late, int64(verdict.LateDeadline), int64(verdict.LateFinish))
	if verdict.Late != 0 {
		why.Cause, why.Job = BreaksPromise, verdict.Late
	} else if alone := verdict.Alone; alone.Finish == units.Never {
		why = sched.Because(estimate.Unbounded)
	} else if alone.Finish > c.Deadline {
		why = sched.Because(estimate.AloneLate, int64(c.Deadline.Sub(now)), int64(alone.Finish.Sub(now)), int64(alone.MapsEnd.Sub(now)))
	} else if h := verdict.Hold; h.Slots > 0 {
		why.C = int64(h.Stage)
		why = p.Because(why, sched.Evidence{Job: h.Job, At: h.Until, Amount: int64(h.Slots)})
	}
	return why
}

// mostEstimates bounds the search for the earliest deadline that would be accepted: so many jobs
// are estimated again, in a tenth of a second or so, before places are passed over and the offer is
// one that would be accepted, and perhaps not the earliest. It takes some thousands of jobs that
// wait, with hardly any slack, for that to happen.
const mostEstimates = 100_000
