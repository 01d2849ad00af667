package rtmr

import (
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// mostAsked is how many jobs are estimated again for a question, to find the earliest deadline that
// would be accepted: a fraction of a millisecond. From there on only the place behind all that wait
// is looked at.
const mostAsked = 256

// Ask says what would become of a job that came now: what judge would find, without what follows from it.
func (a admission) Ask(v sched.View, job *sched.Job) sched.Answer {
	if job.State == sched.Waiting {
		return sched.Answer{Reason: sched.Because(sched.BehindOthers)}
	}
	r := record{Claim: claimOf(job)}
	switch as, why := a.weigh(v, job, &r); as {
	case promised:
		if a.c.Most > 0 {
			return a.answerLikely(v, job, &r)
		}
		return a.answer(v.Now(), job, &r.Claim)
	case lent:
		return sched.Answer{Verb: sched.Admit, Reason: why, Outlook: sched.Outlook{Word: sched.Unpromised}}
	case sampled:
		return sched.Answer{Verb: sched.Sample, Reason: why}
	default:
		return sched.Answer{Verb: sched.Reject, Reason: why}
	}
}

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
