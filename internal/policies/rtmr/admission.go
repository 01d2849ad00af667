package rtmr

import (
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/internal/policies/reserve"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// admission is the second element, the admission controller (paper 003, algorithms 5.1 to 5.3; the
// test itself is Schedule.Test). A job with a deadline is admitted if it would meet it, and every
// job behind it in the order still its own, were each task to take its worst time; else it is
// rejected, with the earliest deadline that would have been accepted. A job that waits for
// predecessors is judged when they are done: nobody knows when that will be.
type admission struct{ *scheduler }

// MarshalJSON saves what all parts remember.
func (a admission) MarshalJSON() ([]byte, error) { return a.save() }

// UnmarshalJSON loads it.
func (a admission) UnmarshalJSON(text []byte) error { return a.load(text) }

// CopyFrom takes over what all parts of another policy remember.
func (a admission) CopyFrom(other any) { a.copy(other.(admission).scheduler) }

// Decide takes in what has happened to jobs and slots, and judges the jobs that came.
func (a admission) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	s, kinds := a.scheduler, reserve.KindsOf(batch)
	s.Look(v, kinds)
	if len(batch) > 0 && batch[0].Kind == sched.Resync {
		s.Resync(v, p)
	}
	s.Resize(v)
	s.recount(v, batch, kinds, p)
	s.Rise(v)
	if kinds&reserve.Counting != 0 {
		s.count(v, batch, p)
	}
	if kinds.Has(sched.JobEnded) { // first: what has ended counts for no verdict below
		for i := range batch {
			if e := &batch[i]; e.Kind == sched.JobEnded {
				s.ended(v, e)
			}
		}
	}
	if kinds&reserve.Judging != 0 {
		s.JudgeAll(v, batch, p)
	}
	s.Measured(v, kinds, p)
}

// Ask says what would become of a job that came now.
func (a admission) Ask(v sched.View, job *sched.Job) sched.Answer {
	return a.Answer(v, job, func(r *reserve.Record) sched.Answer { return a.answer(v.Now(), job, &r.Claim) })
}

// Judge is algorithm 5.1 for a job whose claim is complete, and what follows from it.
func (s *scheduler) Judge(v sched.View, job *sched.Job, r *reserve.Record, p *sched.Plan) {
	s.settle(v, job, r, s.plan.Test(v.Now(), r.Claim), p)
}

// Regain is the same for a job that has begun, which runs on if it does not pass.
func (s *scheduler) Regain(v sched.View, job *sched.Job, r *reserve.Record, p *sched.Plan) bool {
	verdict := s.plan.Test(v.Now(), r.Claim)
	if verdict.OK {
		s.Forget(job.ID)
		s.settle(v, job, r, verdict, p)
	}
	return verdict.OK
}

// settle promises the job its deadline, or refuses it.
func (s *scheduler) settle(v sched.View, job *sched.Job, r *reserve.Record, verdict Verdict, p *sched.Plan) {
	if !verdict.OK {
		s.refuse(v, r, &verdict, p)
		return
	}
	told, why := worst(verdict.Finish), sched.Because(estimate.Promised, int64(r.Claim.Deadline))
	if measured := r.Sample; measured.Longest > 0 {
		told, why.Cause = sched.Outlook{Word: sched.Expected, By: verdict.Finish, Measured: measured.Maps()}, Estimated
	}
	s.Grant(v, job, r, told, why, p)
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
func (s *scheduler) answer(now units.Time, job *sched.Job, c *reserve.Claim) sched.Answer {
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
func (s *scheduler) refuse(v sched.View, r *reserve.Record, verdict *Verdict, p *sched.Plan) {
	now, c := v.Now(), &r.Claim
	if job := v.Job(c.Job); job.Spec.GoesOn() { // that time was lost is not held against it
		s.Lend(v, job, sched.Because(sched.Begun), p)
		return
	}
	offer, exact := s.plan.OfferWithin(now, *c, mostEstimates)
	told := sched.Offer(offer, exact)
	if r.Sample.Longest > 0 {
		told.Measured = r.Sample.Maps()
	}
	p.Reject(c.Job, told, s.refusal(now, c, verdict, p))
}

// refusal is why a claim does not fit.
func (s *scheduler) refusal(now units.Time, c *reserve.Claim, verdict *Verdict, p *sched.Plan) sched.Reason {
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
