package adverse

import (
	"slices"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// control yields to a stock scheduler now and then, in the midst of what was asked for, and takes over again.
func (w *World) control() {
	switch {
	case !w.yielded && !w.watching && w.naughty(30):
		w.yielded = true
		w.tell(sched.Event{Kind: sched.Control, Control: sched.Yield})
		for _, o := range w.orders {
			w.refuse(&o.item, o.item.Count, sched.Yielded)
			w.jobs[o.item.Job].stages[w.stageOf(&o.item)].asked = true
		}
		w.orders = w.orders[:0]
	case w.yielded && (w.beat >= w.cfg.Calm || w.naughty(8)):
		w.yielded = false
		w.tell(sched.Event{Kind: sched.Control, Control: sched.TakeOver})
	}
}

// resync voids the book and tells everything again, each fact with its age, jobs and attempts in any order.
// A job that ended in this beat is not told again, and nobody says that it ended. It may be the turn from
// or to watching.
func (w *World) resync(turn bool) {
	w.told = true
	w.orders = w.orders[:0]
	w.out = w.out[:0]
	for i := range w.silent {
		if s := &w.silent[i]; !s.gone {
			s.gone = true
			w.ending = append(w.ending, s.life)
		}
	}
	for _, l := range w.ending {
		l.Unseen, l.Outcome = true, sched.NoOutcome
	}
	w.tell(sched.Event{Kind: sched.Resync})
	switch {
	case w.yielded:
		w.tell(sched.Event{Kind: sched.Control, Control: sched.Yield})
	case w.watching:
		w.tell(sched.Event{Kind: sched.Control, Control: sched.Watch})
	case turn:
		w.tell(sched.Event{Kind: sched.Control, Control: sched.TakeOver})
	}
	for n := 1; n < len(w.nodes); n++ {
		if nd := w.nodes[n]; nd.state != sched.Down {
			nd.twice, nd.item = false, 0
			w.stands(sched.NodeID(n))
		}
	}
	var running []*attempt
	for _, a := range w.attempts[1:] {
		if a != nil {
			running = append(running, a)
		}
	}
	for _, i := range w.dice.Perm(len(w.jobs) - 1) {
		jb, id := w.jobs[i+1], sched.JobID(i+1)
		if !jb.arrived || jb.over {
			continue
		}
		w.tellDone(jb.spec)
		w.tell(sched.Event{Kind: sched.JobArrived, Job: id, Age: w.age(jb.came), Detail: &sched.Detail{Job: jb.now()}})
		if jb.cancelled > 0 {
			w.tell(sched.Event{Kind: sched.JobCancelled, Job: id})
		}
		for _, s := range jb.stages {
			for _, h := range s.hidden {
				s.lose(h.task)
			}
			s.hidden, s.claim = nil, 0
			if s.asked = s.ready; s.ready {
				w.tell(sched.Event{Kind: sched.StageReady, Job: id, Stage: s.spec.Kind})
			}
		}
	}
	w.attempts = make([]*attempt, 1)
	for _, i := range w.dice.Perm(len(running)) {
		a := running[i]
		for w.taken(sched.AttemptID(len(w.attempts))) {
			w.attempts = append(w.attempts, nil)
		}
		a.id = sched.AttemptID(len(w.attempts))
		w.attempts = append(w.attempts, a)
		w.tellStart(a)
	}
}

// tellDone says in the job's description which jobs of its workflow are done: they are not told again.
func (w *World) tellDone(j *workload.Job) {
	if j.Workflow == nil {
		return
	}
	f := *j.Workflow
	j.Workflow, f.Done = &f, make([]bool, len(f.Jobs))
	for _, other := range w.jobs[1:] {
		if i := slices.Index(f.Jobs, other.spec.ID); i >= 0 {
			f.Done[i] = other.over && !other.failed
		}
	}
}

// age is how long ago a beat was.
func (w *World) age(beat int) units.Duration { return units.Duration(w.beat-beat) * Beat }

// now describes the job as far as anybody knows it: with the tasks that are known, and those that are done.
func (j *job) now() *workload.Job {
	spec := *j.spec
	spec.Stages = slices.Clone(spec.Stages)
	for k, s := range j.stages {
		if !s.grows { // while it grows, a user who amends the job does not know how far it has
			s.told = max(s.told, s.shown)
		}
		spec.Stages[k].Tasks, spec.Stages[k].Grows = s.spec.Tasks[:s.told], s.grows
		for i, state := range s.tasks {
			if state == taskDone {
				spec.Stages[k].Done = append(spec.Stages[k].Done, int32(i+1))
			}
		}
	}
	return &spec
}
