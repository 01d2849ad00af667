package promise

import (
	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// admission states when jobs will be done, promises deadlines, and keeps the order.
type admission struct{ *scheduler }

// MarshalJSON saves what all parts remember.
func (a admission) MarshalJSON() ([]byte, error) { return a.save() }

// UnmarshalJSON loads it.
func (a admission) UnmarshalJSON(text []byte) error { return a.load(text) }

// CopyFrom takes over what all parts of another policy remember.
func (a admission) CopyFrom(other any) { a.copy(other.(admission).scheduler) }

// Follow takes the order in which jobs that wait for masters are let in.
func (a admission) Follow(o sched.Order) error { return a.admits.Follow(o) }

// changes are the events by which nodes serve otherwise.
var changes = sched.EventsOf(sched.NodeUp, sched.NodeChanged, sched.NodeDown, sched.Control, sched.Resync)

// Decide takes in what has happened, judges the jobs that came, and tells what is expected of all now and then.
func (a admission) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	s := a.scheduler
	var kinds sched.Events
	for i := range batch {
		kinds |= 1 << batch[i].Kind
	}
	if len(batch) > 0 && batch[0].Kind == sched.Resync {
		s.resync(v)
	}
	if !s.looked || kinds&changes != 0 {
		s.looked = true
		s.serve(v)
		s.failures.note(v, batch)
	}
	came := s.came[:0]
	for i := range batch {
		switch e := &batch[i]; e.Kind {
		case sched.Ended:
			j, stage := v.Ended(e.Attempt)
			s.ended(v.Job(j), stage, e)
		case sched.JobEnded:
			s.forget(e.Job)
		case sched.ProfileLearned:
			s.taught(v, e.Detail.Profile.Name)
		case sched.JobAmended:
			if job := v.Job(e.Job); s.of(job) != nil {
				s.amend(v, job)
			}
		case sched.JobArrived:
			if job := v.Job(e.Job); job != nil && s.of(job) == nil && job.Standing() <= sched.Admitted {
				s.note(v, job)
				came = append(came, e.Job)
			}
		case sched.Control, sched.Resync:
			for j := sched.JobID(1); j <= v.Jobs(); j++ {
				if job := v.Job(j); job != nil && s.of(job) == nil && job.Standing() <= sched.Admitted {
					s.note(v, job)
				}
			}
		}
	}
	s.came = came
	turn := v.Now() >= s.next && len(s.line) > 0 && kinds&^sched.EventsOf(sched.Heartbeat) != 0
	if turn || len(came) > 0 {
		s.look(v, turn, p)
	}
	for _, j := range came {
		s.judge(v, v.Job(j), p)
	}
	s.admits.Decide(v, batch, p)
	if turn {
		s.tell(v, p)
		s.next = v.Now().Add(max(units.Second, lookSpacing*units.Duration(len(s.line))))
	}
}

// lookSpacing is how much time there is for each job between two looks at all of them.
const lookSpacing = units.Second / 40

// look looks at the cluster, and ranks whom it finds elsewhere: at all jobs, of which any may be in time, or at those
// that could be in time at the last look.
func (s *scheduler) look(v sched.View, all bool, p *sched.Plan) {
	s.arrivals.count(v.Now())
	s.was = s.was[:0]
	for _, j := range s.line {
		r, job := &s.jobs[j], v.Job(j)
		s.was = append(s.was, r.InTime)
		if all && !r.InTime && job.Due() != units.Never && job.Due() > v.Now() {
			r.InTime = true
		}
	}
	s.fill(v, false)
	s.run(v)
	if s.triage(v) || all {
		for _, j := range s.line {
			if r := &s.jobs[j]; !r.InTime {
				r.Density = s.density(v.Job(j), r)
			}
		}
		s.fill(v, all)
		s.run(v)
	}
	for i, j := range s.line {
		if is := s.jobs[j].InTime; is != s.was[i] {
			if is {
				p.Rank(j, sched.Because(InTimeAgain, int64(v.Job(j).Due())))
			} else {
				p.Rank(j, sched.Because(OutOfTime, int64(v.Job(j).Due())))
			}
		} else if !is && all {
			p.Rank(j, sched.Because(sched.PlaceChanged))
		}
	}
}

// judge finds what a job that came is told.
func (s *scheduler) judge(v sched.View, job *sched.Job, p *sched.Plan) {
	r := s.of(job)
	w := s.at(job)
	if r == nil {
		return
	}
	if w == nil { // it goes behind: it has not been looked at
		s.put(v, job, r)
		s.run(v)
		w = &s.places[len(s.places)-1]
	}
	if job.Deadline != units.Never {
		s.arrivals.came(v.Now(), job.Deadline.Sub(v.Now()).Seconds(), w.takes)
	}
	out, why, word := s.verdict(v, w)
	if word == sched.Promised {
		r.Promised = r.Level
		r.Advice = false
	}
	r.Told = told{Outlook: out, At: v.Now(), Why: why}
	if word != sched.Promised && s.Reject && job.Deadline != units.Never && !job.Spec.GoesOn() {
		p.Reject(job.ID, s.offer(v, w), sched.Because(Unlikely, int64(job.Deadline), int64(out.By), int64(finish.Certain)-int64(out.Chance)))
	}
}

// at is the place of a job in the last look, nil if it had none.
func (s *scheduler) at(job *sched.Job) *place {
	for i := range s.places {
		if s.places[i].job == job {
			return &s.places[i]
		}
	}
	return nil
}

// verdict is what a job is told.
func (s *scheduler) verdict(v sched.View, w *place) (sched.Outlook, sched.Reason, sched.Word) {
	job, r, now := w.job, w.r, v.Now()
	out := s.outlook(now, w, sched.Unpromised, r.Level)
	switch {
	case job.Deadline == units.Never:
		return out, sched.Because(estimate.NoDeadline), sched.Unpromised
	case job.Spec.Growing() != nil:
		return out, sched.Because(estimate.CountUnknown, int64(job.Spec.Growing().Kind)), sched.Unpromised
	case r.InTime && out.By != 0 && out.By <= job.Deadline:
		out.Word = sched.Promised
		return out, sched.Because(estimate.Likely, int64(job.Deadline)), sched.Promised
	}
	return out, sched.Because(Behind, int64(job.Deadline), int64(out.By), int64(finish.Certain)-int64(out.Chance)), sched.Unpromised
}

// offer is the earliest deadline that would be promised, nearly.
func (s *scheduler) offer(v sched.View, w *place) sched.Outlook {
	return sched.Offer(s.outlook(v.Now(), w, sched.Unpromised, w.r.Level).By, false)
}

// letIn admits a job with what it is told.
func (s *scheduler) letIn(v sched.View, job *sched.Job, why sched.Reason, p *sched.Plan) bool {
	r := s.of(job)
	if r == nil || r.Told.Why.Cause == nil {
		return p.Admit(job.ID, sched.Outlook{}, why)
	}
	ok := p.Admit(job.ID, r.Told.Outlook, r.Told.Why)
	r.Advice = job.Advice != sched.NoJob
	return ok
}

// ended counts an attempt that has ended.
func (s *scheduler) ended(job *sched.Job, stage sched.Stage, e *sched.Event) {
	s.gone(e.Attempt)
	r := s.of(job)
	if r == nil || e.Outcome != sched.Committed || stage < sched.Map || stage > sched.Reduce {
		return
	}
	sum := units.Duration(0)
	for _, d := range e.Spans {
		sum += d
	}
	s.took(job, r, int(stage-sched.Map), sum.Seconds())
}

// taught takes in what is known now of the class of jobs of which nothing was.
func (s *scheduler) taught(v sched.View, class string) {
	for _, j := range s.line {
		if r, job := &s.jobs[j], v.Job(j); r.Strange && job.Spec.Class == class {
			s.learn(v, job, r)
		}
	}
}

// amend takes in another deadline, or another number of tasks.
func (s *scheduler) amend(v sched.View, job *sched.Job) {
	was := s.jobs[job.ID]
	s.forget(job.ID)
	r := s.note(v, job)
	r.Own, r.Told, r.InTime = was.Own, was.Told, was.InTime && job.Due() != units.Never
	if was.Promised > 0 {
		r.Promised = was.Promised
	}
}

// resync begins again with what the book says. Who has a promise keeps it.
func (s *scheduler) resync(v sched.View) {
	jobs := s.jobs
	s.jobs, s.line, s.runs, s.seen = nil, nil, nil, nil
	s.looked = false
	for i := range jobs {
		old := &jobs[i]
		if old.ID == "" {
			continue
		}
		job := v.Job(v.Find(old.ID))
		if job == nil || job.Standing() >= sched.Rejected || s.of(job) != nil {
			continue
		}
		r := s.note(v, job)
		r.Own, r.Told, r.InTime = old.Own, old.Told, old.InTime && job.Due() != units.Never
		if !old.Advice {
			r.Promised = old.Promised
		}
	}
}

// Ask says what would become of a job that came now.
func (a admission) Ask(v sched.View, job *sched.Job) sched.Answer {
	s := a.scheduler
	if job.State == sched.Waiting {
		return sched.Answer{Reason: sched.Because(sched.BehindOthers)}
	}
	c := &scheduler{}
	*c = *newScheduler(s.Config)
	c.admits = s.admits
	c.copy(s)
	c.serving, c.pace, c.looked = s.serving, s.pace, s.looked
	if !c.looked {
		c.serve(v)
	}
	v = &asked{v, job}
	c.note(v, job)
	var none sched.Plan
	c.look(v, false, &none)
	w := c.at(job)
	if w == nil {
		c.put(v, job, c.of(job))
		c.run(v)
		w = &c.places[len(c.places)-1]
	}
	out, why, word := c.verdict(v, w)
	answer := sched.Answer{Verb: sched.Admit, Reason: why, Outlook: out}
	if job.Deadline != units.Never {
		answer.Offer = c.offer(v, w)
	}
	if word != sched.Promised && s.Reject && job.Deadline != units.Never {
		answer.Verb, answer.Outlook = sched.Reject, sched.Outlook{}
		answer.Reason = sched.Because(Unlikely, int64(job.Deadline), int64(out.By), int64(finish.Certain)-int64(out.Chance))
	}
	return answer
}

// asked is a view that has a job more, about which somebody asks.
type asked struct {
	sched.View
	job *sched.Job
}

// Job finds it, too.
func (a *asked) Job(j sched.JobID) *sched.Job {
	if j == a.job.ID {
		return a.job
	}
	return a.View.Job(j)
}
