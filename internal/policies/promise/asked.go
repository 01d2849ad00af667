package promise

import (
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Who asks is told what would be said, by a copy that has the job; who is rejected is offered a deadline in that way.

// Ask says what would become of a job that came now.
func (a admission) Ask(v sched.View, job *sched.Job) sched.Answer {
	s := a.scheduler
	room := s.admits.Ask(v, job)
	if room.Verb == sched.NoVerb {
		return room
	}
	c, with, w, st := s.asked(v, job)
	out := c.verdict(v.Now(), w, &st)
	answer := sched.Answer{Verb: sched.Admit, Reason: because(job, w.r, &out), Outlook: out}
	if job.Deadline != units.Never {
		at := st.offer(v.Now(), w)
		if answer.Offer = sched.Offer(at, false); out.Word != sched.Promised {
			answer.Offer = s.offer(v, job, at)
		}
	}
	switch {
	case orphan(with, job):
		answer = sched.Answer{Verb: sched.Reject, Reason: sched.Because(Orphan)}
	case c.rejects(with, job, out.Word):
		answer.Verb, answer.Reason, answer.Outlook = sched.Reject, unlikely(answer.Reason), sched.Outlook{}
	case room.Verb == sched.Hold:
		answer.Verb, answer.Reason, answer.Offer = room.Verb, room.Reason, sched.Outlook{}
	}
	return answer
}

// asked finds what would become of a job that came now: a copy that has it, with its view, its place, and its
// statement.
func (s *scheduler) asked(v sched.View, job *sched.Job) (c *scheduler, with *asked, w *place, st statement) {
	c = newScheduler(s.Config)
	c.admits = s.admits
	c.copy(s)
	c.serve(v)
	with = &asked{v, []*sched.Job{job}}
	c.note(with, job)
	c.deadlines(with, func(job *sched.Job, at units.Time) {
		is := *job
		is.Virtual = at
		with.jobs = append(with.jobs, &is)
	})
	var none sched.Plan
	c.look(with, v.Now() >= s.next, []sched.JobID{job.ID}, &none)
	w = c.at(with, job, c.of(job))
	return c, with, w, c.statement(v.Now(), w)
}

// asked is a view that has a job more, about which somebody asks, and others as they would be with it.
type asked struct {
	sched.View
	jobs []*sched.Job
}

// Job finds them, too.
func (a *asked) Job(j sched.JobID) *sched.Job {
	for _, job := range a.jobs {
		if j == job.ID {
			return job
		}
	}
	return a.View.Job(j)
}

// offer is the earliest deadline that would be promised, nearly, if the job stood where it does; 0 for one that went
// behind for others, however late.
func (st *statement) offer(now units.Time, w *place) units.Time {
	at := instant(now, st.promises(max(w.r.Asked, w.r.Least)))
	if w.r.Owed > w.r.Level { // behind these
		at = max(at, w.r.OwedBy.Add(ofSeconds(w.least(now))))
	}
	if w.end == units.Never || !w.r.InTime && at <= w.job.Deadline {
		return 0
	}
	return at
}

// offer is that deadline as the job would be promised it, which stands elsewhere then: later ones are tried as well,
// each by such a part of its time, and none is offered behind the last.
func (s *scheduler) offer(v sched.View, job *sched.Job, at units.Time) sched.Outlook {
	is := *job
	is.Virtual = 0
	for range mostTries {
		if at == 0 {
			break
		}
		is.Deadline = at
		c, _, w, st := s.asked(v, &is)
		if out := c.verdict(v.Now(), w, &st); out.Word == sched.Promised {
			return sched.Offer(at, false)
		}
		at = max(st.offer(v.Now(), w), at.Add(at.Sub(v.Now())/offerStep))
	}
	return sched.Offer(0, false)
}

const (
	mostTries = 12
	offerStep = 16
)
