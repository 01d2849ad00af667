package reserve

import (
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Counting are the events by which tasks count otherwise, Judging those by which a job may have to be judged.
var (
	Counting = sched.EventsOf(sched.Ended, sched.OutputLost, sched.Refused, sched.Demand, sched.Control, sched.Resync)
	Judging  = sched.EventsOf(sched.JobArrived, sched.StageReady, sched.JobAmended, sched.Control)
)

// KindsOf are the kinds of events of a batch.
func KindsOf(batch []sched.Event) (kinds sched.Events) {
	for i := range batch {
		kinds |= 1 << batch[i].Kind
	}
	return kinds
}

// JudgeAll judges the jobs that came or are others now.
func (s *Scheduler) JudgeAll(v sched.View, batch []sched.Event, p *sched.Plan) {
	for i := range batch {
		e := &batch[i]
		switch e.Kind {
		case sched.JobArrived, sched.StageReady:
			if job := v.Job(e.Job); job != nil && s.Of(e.Job) == nil {
				s.Consider(v, job, p)
			}
		case sched.JobAmended:
			s.amended(v, e.Job, p)
		case sched.Control:
			s.takeOver(v, p)
		}
	}
}

// Consider decides on a job that has no record, unless it waits for others.
func (s *Scheduler) Consider(v sched.View, job *sched.Job, p *sched.Plan) {
	if job.Standing() == sched.Waiting || job.Standing() > sched.Admitted {
		return
	}
	r := Record{Claim: ClaimOf(job)}
	switch as, why := s.Weigh(v, job, &r); as {
	case Promised:
		s.Own.Judge(v, job, &r, p)
	case Lent:
		s.Lend(v, job, why, p)
	case sampled:
		s.measure(v, job, p)
	default:
		p.Reject(job.ID, sched.Outlook{}, why)
	}
}

// Weigh says what a job may become: promised, if it passes the test of the claim that is filled in;
// lent or sampled; or unknown, if it is refused without a test.
func (s *Scheduler) Weigh(v sched.View, job *sched.Job, r *Record) (standing, sched.Reason) {
	if job.Deadline == units.Never {
		return Lent, sched.Because(estimate.NoDeadline)
	}
	if st := job.Spec.Growing(); st != nil { // only its ApplicationMaster, while it runs, can say how many there are
		return Lent, sched.Because(estimate.CountUnknown, int64(st.Kind))
	}
	why, known, ok := s.Claim(v, job, r)
	switch _, slot, _ := estimate.Master(job.Spec); {
	case !ok:
		return unknown, why
	case known:
		return Promised, why
	case s.Conf.BestEffort || s.sampleOf(v, job) <= 0 || slot:
		// Of a job whose master takes a slot no sample is measured: that slot could not be taken back.
		return Lent, sched.Because(ClassUnknown)
	}
	return sampled, sched.Because(Sampling, int64(s.sampleOf(v, job)))
}

// ClaimOf is what a job asks for, without its costs.
func ClaimOf(job *sched.Job) Claim {
	return Claim{Job: job.ID, Seq: job.Seq, Arrived: job.Arrived, Deadline: job.Deadline}
}

// Answer says what would become of a job that came now: what judge would find, without what follows from it.
// answer says so of a claim that is complete.
func (s *Scheduler) Answer(v sched.View, job *sched.Job, answer func(*Record) sched.Answer) sched.Answer {
	if job.State == sched.Waiting {
		return sched.Answer{Reason: sched.Because(sched.BehindOthers)}
	}
	r := Record{Claim: ClaimOf(job)}
	switch as, why := s.Weigh(v, job, &r); as {
	case Promised:
		return answer(&r)
	case Lent:
		return sched.Answer{Verb: sched.Admit, Reason: why, Outlook: sched.Outlook{Word: sched.Unpromised}}
	case sampled:
		return sched.Answer{Verb: sched.Sample, Reason: why}
	default:
		return sched.Answer{Verb: sched.Reject, Reason: why}
	}
}

// Grant promises the job its deadline. It returns nil if the book refuses that.
func (s *Scheduler) Grant(v sched.View, job *sched.Job, r *Record, told sched.Outlook, why sched.Reason, p *sched.Plan) *Record {
	now, c := v.Now(), r.Claim
	if maps := &job.Stages[sched.Map]; maps.Open <= 0 && maps.Occupied > 0 {
		// A resync has the sample taken again, until all maps run: no further one will say that the job has started.
		c.Begun = true
	}
	measured := r.Sample
	n := s.Note(job, Promised)
	n.Claim, n.Sample, n.Master, n.Room = c, measured, r.Master, r.Room
	if n.Master != Without {
		s.Mastered++
	}
	if c.Begun {
		s.Started++
		n.Rank = s.Started
		s.Active = append(s.Active, job.ID)
	}
	s.Enqueue(job.ID)
	s.Own.Granted(now, n)
	if !p.Admit(job.ID, told, why) {
		s.Own.Dropped(now, job.ID)
		s.Forget(job.ID)
		return nil
	}
	n.Advice = job.Advice != sched.NoJob
	s.Restrain(job, p)
	return n
}

// astride tells whether the job's reduces hold slots while maps are to run, which the schedule does
// not know of.
func astride(job *sched.Job) bool {
	return job.Stages[sched.Reduce].Occupied > 0 && !job.Over(sched.Map)
}

// regain promises a job that has begun its deadline, if that passes, and tells whether it did.
func (s *Scheduler) regain(v sched.View, job *sched.Job, p *sched.Plan) bool {
	r := Record{Claim: ClaimOf(job)}
	r.Claim.Begun = true
	as, _ := s.Weigh(v, job, &r)
	return as == Promised && s.Own.Regain(v, job, &r, p)
}

// amended judges again a job that has not begun, if its deadline or the number of its tasks is another one
// now. What was promised to one that has begun stays as it is, and so does what was promised to one that is
// to weigh otherwise, or to stand in another queue. One of which its ApplicationMaster alone runs is judged
// again if that asks for more than was assumed.
func (s *Scheduler) amended(v sched.View, j sched.JobID, p *sched.Plan) {
	r, job := s.Of(j), v.Job(j)
	if r == nil || job == nil || r.Rank > 0 || job.Standing() > sched.Admitted {
		return
	}
	if r.Standing == Promised {
		c, maps, reduces := &r.Claim, Owed(job, sched.Map), Owed(job, sched.Reduce)
		more := maps > int64(c.Maps) || reduces > int64(c.Reduces)
		if job.Begun() && (!more || r.Advice || r.Begun(job)) || job.Deadline == c.Deadline && maps == int64(c.Maps) && reduces == int64(c.Reduces) {
			return
		}
		s.Own.Dropped(v.Now(), j)
	} else if job.Begun() {
		s.counted(v, job, p)
		return
	}
	was := r.Standing
	s.Forget(j)
	s.Consider(v, job, p)
	// What a promise withheld goes when there is none any more: whoever looks after jobs without one
	// would wait for it for ever.
	if n := s.Of(j); was == Promised && n != nil && n.Standing != Promised && job.Stages[sched.Reduce].Withheld {
		p.Add(sched.Item{Verb: sched.Release, Job: j, Stage: sched.Reduce, Reason: sched.Because(sched.PlaceChanged)})
	}
}

// counted judges a job that has begun without a promise, since nobody could tell how many tasks it
// has, when that number is final. One that does not pass runs on as it does.
func (s *Scheduler) counted(v sched.View, job *sched.Job, p *sched.Plan) {
	was := s.Of(job.ID)
	if !was.Grows || job.Spec.Growing() != nil || astride(job) {
		return
	}
	s.regain(v, job, p)
}

// takeOver takes in jobs that another policy has let run: they have no promise.
func (s *Scheduler) takeOver(v sched.View, p *sched.Plan) {
	for j := sched.JobID(1); j <= v.Jobs(); j++ {
		job := v.Job(j)
		if job == nil || s.Of(j) != nil {
			continue
		}
		if job.Standing() == sched.Admitted {
			s.Note(job, Lent)
			s.Own.Lent(job)
		} else {
			s.Consider(v, job, p)
		}
	}
}
