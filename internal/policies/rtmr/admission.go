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

// Events by which tasks count otherwise, and those by which a job may have to be judged.
var (
	counting = sched.EventsOf(sched.Ended, sched.OutputLost, sched.Refused, sched.Demand, sched.Control, sched.Resync)
	judging  = sched.EventsOf(sched.JobArrived, sched.StageReady, sched.JobAmended, sched.Control)
)

// Decide takes in what has happened to jobs and slots, and judges the jobs that came.
func (a admission) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	s, kinds := a.scheduler, sched.Events(0)
	for i := range batch {
		kinds |= 1 << batch[i].Kind
	}
	s.look(v, kinds)
	if len(batch) > 0 && batch[0].Kind == sched.Resync {
		s.resync(v, p)
	}
	s.resize(v)
	s.recount(v, batch, kinds, p)
	s.rise(v)
	if kinds&counting != 0 {
		s.count(v, batch, p)
	}
	if kinds.Has(sched.JobEnded) { // first: what has ended counts for no verdict below
		for i := range batch {
			if e := &batch[i]; e.Kind == sched.JobEnded {
				s.ended(v, e)
			}
		}
	}
	if kinds&judging != 0 {
		s.judgeAll(v, batch, p)
	}
	s.measured(v, kinds, p)
}

// judgeAll judges the jobs that came or are others now.
func (s *scheduler) judgeAll(v sched.View, batch []sched.Event, p *sched.Plan) {
	for i := range batch {
		e := &batch[i]
		switch e.Kind {
		case sched.JobArrived, sched.StageReady:
			if job := v.Job(e.Job); job != nil && s.of(e.Job) == nil {
				s.consider(v, job, p)
			}
		case sched.JobAmended:
			s.amended(v, e.Job, p)
		case sched.Control:
			s.takeOver(v, p)
		}
	}
}

// consider decides on a job that has no record, unless it waits for others.
func (s *scheduler) consider(v sched.View, job *sched.Job, p *sched.Plan) {
	if job.Standing() == sched.Waiting || job.Standing() > sched.Admitted {
		return
	}
	r := record{Claim: claimOf(job)}
	switch as, why := s.weigh(v, job, &r); as {
	case promised:
		s.judge(v, job, &r, p)
	case lent:
		s.lend(job, why, p)
	case sampled:
		s.measure(v, job, p)
	default:
		p.Reject(job.ID, sched.Outlook{}, why)
	}
}

// Ask says what would become of a job that came now: what consider would find, without what follows from it.
func (a admission) Ask(v sched.View, job *sched.Job) sched.Answer {
	if job.State == sched.Waiting {
		return sched.Answer{Reason: sched.Because(sched.BehindOthers)}
	}
	r := record{Claim: claimOf(job)}
	switch as, why := a.weigh(v, job, &r); as {
	case promised:
		return a.answer(v.Now(), job, &r.Claim)
	case lent:
		return sched.Answer{Verb: sched.Admit, Reason: why, Outlook: sched.Outlook{Word: sched.Unpromised}}
	case sampled:
		return sched.Answer{Verb: sched.Sample, Reason: why}
	default:
		return sched.Answer{Verb: sched.Reject, Reason: why}
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
	case s.conf.BestEffort || s.sampleOf(job) <= 0 || slot:
		// Of a job whose master takes a slot no sample is measured: that slot could not be taken back.
		return lent, sched.Because(ClassUnknown)
	}
	return sampled, sched.Because(Sampling, int64(s.sampleOf(job)))
}

// amended judges again a job that has not begun, if its deadline or the number of its tasks is another one
// now. What was promised to one that has begun stays as it is, and so does what was promised to one that is
// to weigh otherwise, or to stand in another queue. One of which its ApplicationMaster alone runs is judged
// again if that asks for more than was assumed; one that has begun without a promise, since nobody could
// tell how many tasks it has, when that number is final.
func (s *scheduler) amended(v sched.View, j sched.JobID, p *sched.Plan) {
	r, job := s.of(j), v.Job(j)
	if r == nil || job == nil || r.Rank > 0 || job.Standing() > sched.Admitted {
		return
	}
	was := r.Standing
	if was == promised {
		c, maps, reduces := &r.Claim, owed(job, sched.Map), owed(job, sched.Reduce)
		more := maps > int64(c.Maps) || reduces > int64(c.Reduces)
		if job.Begun() && (!more || r.Advice || r.begun(job)) || job.Deadline == c.Deadline && maps == int64(c.Maps) && reduces == int64(c.Reduces) {
			return
		}
		s.plan.Remove(v.Now(), j)
	} else if job.Begun() {
		if r.Grows && job.Spec.Growing() == nil && !astride(job) {
			s.regain(v, job, p)
		}
		return
	}
	s.forget(j)
	s.consider(v, job, p)
	// What a promise withheld goes when there is none any more: whoever looks after jobs without one
	// would wait for it for ever.
	if n := s.of(j); was == promised && n != nil && n.Standing != promised && job.Stages[sched.Reduce].Withheld {
		p.Add(sched.Item{Verb: sched.Release, Job: j, Stage: sched.Reduce, Reason: sched.Because(sched.PlaceChanged)})
	}
}

// astride tells whether the job's reduces hold slots while maps are to run, which the schedule does
// not know of.
func astride(job *sched.Job) bool {
	return job.Stages[sched.Reduce].Occupied > 0 && !job.Over(sched.Map)
}

// takeOver takes in jobs that another policy has let run: they have no promise.
func (s *scheduler) takeOver(v sched.View, p *sched.Plan) {
	for j := sched.JobID(1); j <= v.Jobs(); j++ {
		job := v.Job(j)
		if job == nil || s.of(j) != nil {
			continue
		}
		if job.Standing() == sched.Admitted {
			s.note(job, lent)
		} else {
			s.consider(v, job, p)
		}
	}
}
