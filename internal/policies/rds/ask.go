package rds

import "github.com/slackline/slackline/sched"

// Ask says what would become of a job that came now: the round in which it comes is played on a copy. A job
// that has to wait is told when slots are next given; what the plan will give it then nobody knows. O(jobs),
// but at the beginning of an interval, when it plans as Decide does.
func (a Admission) Ask(v sched.View, job *sched.Job) sched.Answer {
	if job.State == sched.Waiting {
		return sched.Answer{Reason: sched.Because(sched.BehindOthers)}
	}
	if a.aside == nil {
		a.aside = newController(a.set)
	}
	c := a.aside
	c.copyFrom(a.controller)
	if c.Pace == 0 {
		c.Total, c.Pace = available(v)
	}
	c.observe(v)
	c.Members = append(c.Members, &member{ID: job.Spec.ID, Job: job.ID, Bound: [2]int32{-1, -1}, Fast: c.short(job)})
	c.index()
	round := with{v, map[sched.JobID]*sched.Job{job.ID: job}}
	admit := func(j sched.JobID) {
		other := *round.Job(j)
		other.State, round.jobs[j] = sched.Admitted, &other
	}
	for _, m := range c.Members {
		if m.Let && c.Due <= v.Now() && asks(v.Job(m.Job)) {
			admit(m.Job) // the book does it before anything is decided
		}
	}
	c.begin(round, false)
	var p sched.Plan
	for _, m := range c.Members {
		if m.Job != job.ID && job.Spec.Stage(sched.Master) == nil {
			continue // their ApplicationMasters are not in its way
		}
		p.Items = p.Items[:0]
		if c.verdict(round, m, false, &p); len(p.Items) > 0 && p.Items[0].Verb == sched.Admit && p.Items[0].At == 0 {
			admit(m.Job)
		}
	}
	return sched.Answer{Verb: p.Items[0].Verb, Reason: p.Items[0].Reason}
}

// with is a view in which some jobs are others.
type with struct {
	sched.View
	jobs map[sched.JobID]*sched.Job
}

// Job is one of these, or as it was.
func (w with) Job(j sched.JobID) *sched.Job {
	if job := w.jobs[j]; job != nil {
		return job
	}
	return w.View.Job(j)
}
