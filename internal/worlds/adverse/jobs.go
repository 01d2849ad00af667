package adverse

import (
	"slices"

	"github.com/slackline/slackline/sched"
)

// moveJobs lets jobs arrive, get on and end.
func (w *World) moveJobs() {
	for i := 1; i < len(w.jobs); i++ {
		jb, id := w.jobs[i], sched.JobID(i)
		switch {
		case jb.over:
		case !jb.arrived && jb.spec.Arrive <= w.now():
			jb.arrived, jb.came, jb.eager = true, w.beat, w.naughty(2)
			for k, s := range jb.stages { // what grows, grows as its ApplicationMaster asks
				if s.shown = len(s.tasks); k > 0 && jb.stages[0].spec.Kind == sched.Master && w.naughty(3) {
					s.grows, s.shown = true, w.dice.IntN(len(s.tasks))
				}
				s.told = s.shown
			}
			w.tell(sched.Event{Kind: sched.JobArrived, Job: id, Detail: &sched.Detail{Job: jb.now()}})
			w.getReady(jb, id)
		case jb.arrived && w.doomed(jb): // one beat after it arrived
			w.endJob(id, sched.Killed, "its predecessor did not finish")
		case jb.arrived:
			w.getReady(jb, id)
			if jb.done(0) && !w.runs(id) {
				w.endJob(id, sched.Committed, "")
			} else {
				w.growUp(jb, id)
			}
		}
	}
}

// doomed tells whether the job waits for one that did not finish.
func (w *World) doomed(jb *job) bool {
	return slices.ContainsFunc(w.jobs[1:], func(p *job) bool { return p.failed && slices.Contains(jb.spec.After, p.spec.ID) })
}

func (w *World) runs(j sched.JobID) bool {
	return slices.ContainsFunc(w.attempts[1:], func(a *attempt) bool { return a != nil && a.job == j })
}

// getReady lets stages start: the first when the predecessors have ended, others when the one before is done.
func (w *World) getReady(jb *job, id sched.JobID) {
	for k, s := range jb.stages {
		if s.ready || w.doomed(jb) {
			continue
		}
		if k == 0 {
			if slices.ContainsFunc(w.jobs[1:], func(p *job) bool { return !p.over && slices.Contains(jb.spec.After, p.spec.ID) }) {
				return
			}
			if len(jb.spec.After) > 0 {
				w.tell(sched.Event{Kind: sched.StageReady, Job: id, Stage: s.spec.Kind})
			}
		} else {
			before := jb.stages[k-1]
			may := before.finished() || jb.eager && before.done > 0
			if before.spec.Kind == sched.Master {
				may = !s.mute
			}
			if !may {
				return
			}
			w.tell(sched.Event{Kind: sched.StageReady, Job: id, Stage: s.spec.Kind})
		}
		s.ready, s.asked = true, true
	}
}

func (w *World) endJob(j sched.JobID, o sched.Outcome, why string) {
	jb := w.jobs[j]
	jb.over, jb.failed = true, o != sched.Committed
	for _, a := range w.attempts[1:] {
		if a != nil && a.job == j {
			w.end(a, sched.Killed)
		}
	}
	w.silent = slices.DeleteFunc(w.silent, func(s silence) bool {
		now := s.job == j && (!s.gone || s.back == w.beat)
		if now {
			s.life.Unseen = false
			w.over(s.id, s.life)
		}
		return now
	})
	w.orders = slices.DeleteFunc(w.orders, func(o order) bool { return o.item.Job == j })
	w.out = slices.DeleteFunc(w.out, func(e sched.Event) bool { // what comes behind the end
		return e.Job == j && (e.Kind == sched.JobAmended || e.Kind == sched.JobCancelled)
	})
	e := sched.Event{Kind: sched.JobEnded, Job: j, Outcome: o, Text: why}
	if o == sched.Committed && jb.ended > 0 {
		e.Age = w.age(jb.ended)
	}
	w.tell(e)
	for k := 1; k < len(w.jobs) && o != sched.Committed; k++ {
		if next := w.jobs[k]; next.arrived && !next.over && w.doomed(next) {
			w.endJob(sched.JobID(k), sched.Killed, "its predecessor did not finish")
		}
	}
}
