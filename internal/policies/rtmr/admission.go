package rtmr

import (
	"github.com/slackline/slackline/internal/policies/estimate"
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
	s := a.scheduler
	s.sheets.line.kept = false
	kinds := s.reread(batch)
	s.look(v, batch, kinds)
	if len(batch) > 0 && batch[0].Kind == sched.Resync {
		s.resync(v, p)
	}
	s.resize(v)
	s.recount(v, batch, kinds, p)
	s.rise(v)
	if kinds&counts != 0 {
		s.count(v, batch, p)
	}
	if kinds.Has(sched.JobEnded) { // first: what has ended counts for no verdict below
		for i := range batch {
			if e := &batch[i]; e.Kind == sched.JobEnded {
				s.ended(v, e)
			}
		}
	}
	if kinds&judges != 0 {
		s.judgeAll(v, batch, p)
	}
	s.measured(v, kinds, p)
	s.despair(v, p)
	s.tell(v, p)
}

// counts are the events by which tasks count otherwise, judges those by which a job may have to be judged.
var (
	counts = sched.EventsOf(sched.Ended, sched.OutputLost, sched.Refused, sched.Demand, sched.Control, sched.Resync)
	judges = sched.EventsOf(sched.JobArrived, sched.StageReady, sched.JobAmended, sched.Control)
)

// judgeAll judges the jobs that came or are others now.
func (s *scheduler) judgeAll(v sched.View, batch []sched.Event, p *sched.Plan) {
	for i := range batch {
		e := &batch[i]
		switch e.Kind {
		case sched.JobArrived, sched.StageReady:
			if job := v.Job(e.Job); job != nil && s.of(e.Job) == nil {
				s.judge(v, job, p)
			}
		case sched.JobAmended:
			s.amended(v, e.Job, p)
		case sched.Control:
			s.takeOver(v, p)
		}
	}
}

// judge decides on a job that has no record, unless it waits for others.
func (s *scheduler) judge(v sched.View, job *sched.Job, p *sched.Plan) {
	if job.Standing() == sched.Waiting || job.Standing() > sched.Admitted {
		return
	}
	r := record{Claim: claimOf(job)}
	switch as, why := s.weigh(v, job, &r); as {
	case promised:
		s.test(v, job, &r, p)
	case lent:
		s.lend(v, job, why, p)
	case sampled:
		s.measure(v, job, p)
	default:
		p.Reject(job.ID, sched.Outlook{}, why)
	}
}

// weigh says what a job may become: promised, if it passes the test of the claim that is filled in;
// lent or sampled; or unknown, if it is refused without a test.
func (s *scheduler) weigh(v sched.View, job *sched.Job, r *record) (standing, sched.Reason) {
	if job.Deadline == units.Never {
		return lent, sched.Because(estimate.NoDeadline)
	}
	if st := job.Spec.Growing(); st != nil { // only its ApplicationMaster, while it runs, can say how many there are
		return lent, sched.Because(estimate.CountUnknown, int64(st.Kind))
	}
	why, known, ok := s.claim(v, job, r)
	switch _, slot, _ := estimate.Master(job.Spec); {
	case !ok:
		return unknown, why
	case known:
		return promised, why
	case s.c.BestEffort || s.sampleOf(v, job) <= 0 || slot:
		// Of a job whose master takes a slot no sample is measured: that slot could not be taken back.
		return lent, sched.Because(ClassUnknown)
	}
	return sampled, sched.Because(Sampling, int64(s.sampleOf(v, job)))
}

// claimOf is what a job asks for, without its costs.
func claimOf(job *sched.Job) Claim {
	return Claim{Job: job.ID, Seq: job.Seq, Arrived: job.Arrived, Deadline: job.Deadline}
}

// test is algorithm 5.1 for a job whose claim is complete, and what follows from it.
func (s *scheduler) test(v sched.View, job *sched.Job, r *record, p *sched.Plan) {
	if s.c.Most > 0 {
		s.settleLikely(v, job, r, p)
		return
	}
	s.settle(v, job, r, s.plan.Test(v.Now(), r.Claim), p)
}

// settle promises the job its deadline, or refuses it.
func (s *scheduler) settle(v sched.View, job *sched.Job, r *record, verdict Verdict, p *sched.Plan) {
	if !verdict.OK {
		s.refuse(v, r, &verdict, p)
		return
	}
	told, why := worst(verdict.Finish), sched.Because(estimate.Promised, int64(r.Claim.Deadline))
	if measured := r.Sample; measured.Longest > 0 {
		told, why.Cause = sched.Outlook{Word: sched.Expected, By: verdict.Finish, Measured: measured.maps()}, Estimated
	}
	s.grant(v, job, r, told, why, p)
}

// worst is what a job is told that is done by then if every task takes as long as the slowest.
func worst(by units.Time) sched.Outlook {
	return sched.Outlook{Word: sched.Promised, Confidence: sched.Certain, By: by}
}

// grant promises the job its deadline. It returns nil if the book refuses that.
func (s *scheduler) grant(v sched.View, job *sched.Job, r *record, told sched.Outlook, why sched.Reason, p *sched.Plan) *record {
	now, c := v.Now(), r.Claim
	if maps := &job.Stages[sched.Map]; maps.Open <= 0 && maps.Occupied > 0 {
		// A resync has the sample taken again, until all maps run: no further one will say that the job has started.
		c.Begun = true
	}
	measured := r.Sample
	n := s.note(job, promised)
	n.Claim, n.Sample, n.Master, n.Room = c, measured, r.Master, r.Room
	if n.Master != without {
		s.mastered++
	}
	if c.Begun {
		s.starts++
		n.Rank = s.starts
		s.active = append(s.active, job.ID)
	}
	s.enqueue(job.ID)
	if s.c.Most == 0 {
		s.plan.Admit(now, c) // lines 22 and 23
	}
	if c.Begun {
		s.plan.Start(now, job.ID)
	}
	if !p.Admit(job.ID, told, why) {
		s.plan.Remove(now, job.ID)
		s.forget(job.ID)
		return nil
	}
	n.Advice = job.Advice != sched.NoJob
	s.restrain(job, p)
	return n
}

// refuse rejects a job with one of two reasons: it alone would be late with all slots of the
// cluster, or what is promised stands in its way, which is named. A cost that knows no bound, as a
// class has that holds all kinds of jobs, is told as such. With it go the deadline that would do,
// and whether that rests on a sample.
func (s *scheduler) refuse(v sched.View, r *record, verdict *Verdict, p *sched.Plan) {
	now, c := v.Now(), &r.Claim
	if job := v.Job(c.Job); job.Spec.GoesOn() { // that time was lost is not held against it
		s.lend(v, job, sched.Because(sched.Begun), p)
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

// astride tells whether the job's reduces hold slots while maps are to run, which the schedule does
// not know of.
func astride(job *sched.Job) bool {
	return job.Stages[sched.Reduce].Occupied > 0 && !job.Over(sched.Map)
}

// regain promises a job that has begun its deadline, if that passes, and tells whether it did.
func (s *scheduler) regain(v sched.View, job *sched.Job, p *sched.Plan) bool {
	r := record{Claim: claimOf(job)}
	r.Claim.Begun = true
	if as, _ := s.weigh(v, job, &r); as != promised {
		return false
	}
	if s.c.Most > 0 {
		t := s.try(v, job, &r)
		if t == nil || !t.weigh().OK {
			return false
		}
		s.forget(job.ID)
		s.settleLikely(v, job, &r, p)
		return true
	}
	verdict := s.plan.Test(v.Now(), r.Claim)
	if verdict.OK {
		s.forget(job.ID)
		s.settle(v, job, &r, verdict, p)
	}
	return verdict.OK
}

// amended judges again a job that has not begun, if its deadline or the number of its tasks is another one
// now. What was promised to one that has begun stays as it is, and so does what was promised to one that is
// to weigh otherwise, or to stand in another queue. One of which its ApplicationMaster alone runs is judged
// again if that asks for more than was assumed.
func (s *scheduler) amended(v sched.View, j sched.JobID, p *sched.Plan) {
	r, job := s.of(j), v.Job(j)
	if r == nil || job == nil || r.Rank > 0 || job.Standing() > sched.Admitted {
		return
	}
	if r.Standing == promised {
		c, maps, reduces := &r.Claim, owed(job, sched.Map), owed(job, sched.Reduce)
		more := maps > int64(c.Maps) || reduces > int64(c.Reduces)
		if job.Begun() && (!more || r.Advice || r.begun(job)) || job.Deadline == c.Deadline && maps == int64(c.Maps) && reduces == int64(c.Reduces) {
			return
		}
		s.plan.Remove(v.Now(), j)
	} else if job.Begun() {
		s.counted(v, job, p)
		return
	}
	was := r.Standing
	s.forget(j)
	s.judge(v, job, p)
	// What a promise withheld goes when there is none any more: whoever looks after jobs without one
	// would wait for it for ever.
	if n := s.of(j); was == promised && n != nil && n.Standing != promised && job.Stages[sched.Reduce].Withheld {
		p.Add(sched.Item{Verb: sched.Release, Job: j, Stage: sched.Reduce, Reason: sched.Because(sched.PlaceChanged)})
	}
}

// counted judges a job that has begun without a promise, since nobody could tell how many tasks it
// has, when that number is final. One that does not pass runs on as it does.
func (s *scheduler) counted(v sched.View, job *sched.Job, p *sched.Plan) {
	was := s.of(job.ID)
	if !was.Grows || job.Spec.Growing() != nil || astride(job) {
		return
	}
	s.regain(v, job, p)
}

// takeOver takes in jobs that another policy has let run: they have no promise.
func (s *scheduler) takeOver(v sched.View, p *sched.Plan) {
	s.runs, s.seen = nil, nil
	for j := sched.JobID(1); j <= v.Jobs(); j++ {
		job := v.Job(j)
		if job == nil || s.of(j) != nil {
			continue
		}
		if job.Standing() == sched.Admitted {
			if r := s.note(job, lent); s.c.Most > 0 {
				s.hopesFor(job, r, means{})
			}
		} else {
			s.judge(v, job, p)
		}
	}
}
