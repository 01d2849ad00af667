package sim

import (
	"fmt"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/workload"
)

// Enact does the items of a plan, in order. What an item changes is told in the next batch, at the same instant. An item whose
// id was seen before changes nothing.
func (w *World) Enact(p *sched.Plan) error {
	for i := range p.Items {
		it := &p.Items[i]
		if it.Held || !w.seen.Add(it.ID) || it.Refused != sched.OK {
			continue
		}
		switch it.Verb {
		case sched.Start:
			w.enactStart(p, it)
		case sched.Speculate:
			w.enactSecond(p, it)
		case sched.Kill:
			w.enactKill(p, it)
		case sched.WakeMe:
			// WakeAt says it.
		case sched.Admit, sched.Hold, sched.Reject:
			w.enactVerdict(p, it)
		case sched.Sample, sched.Withhold, sched.Release, sched.SetSlots:
			w.enactBound(it)
		case sched.SetDeadline, sched.Rank:
			// They are the book's own affairs.
		case sched.Sleep:
			w.sleep(it)
		case sched.Wake:
			w.awaken(it)
		case sched.Drain:
			if it.Node < 1 || int(it.Node) >= len(w.nodes) {
				w.refuse(it, 0, 0, sched.UnknownNode)
				continue
			}
			w.nodes[it.Node].closed = true
			w.setRoom(int32(it.Node))
		default:
			w.refuse(it, 0, it.Count, sched.CannotDo)
		}
	}
	return nil
}

func (w *World) refuse(it *sched.Item, t sched.TaskID, count int32, why sched.Code) {
	w.emit(sched.Event{Kind: sched.Refused, Item: it.ID, Job: it.Job, Stage: it.Stage, Node: it.Node, Task: t, Count: count, Why: why})
}

// enactStart starts the tasks that the ledger bound, one by one: what cannot be is refused task by task.
func (w *World) enactStart(p *sched.Plan, it *sched.Item) {
	if it.Tasks.From < 0 || it.Tasks.To > int32(len(p.Bound)) || it.Tasks.Len() <= 0 {
		w.refuse(it, 0, it.Count, sched.BadItem)
		return
	}
	for _, b := range p.Bound[it.Tasks.From:it.Tasks.To] {
		if why := w.startable(it, b.Task, false); why != sched.OK {
			w.refuse(it, b.Task, 1, why)
			continue
		}
		w.start(it, b)
		w.beat.freshen(int32(it.Node)) // it got something, so it is asked again
		if !w.again(int32(it.Job), it.Stage) {
			w.idle.progress(w.now)
		}
	}
}

// enactKill ends the attempts that the ledger chose. They are gone at once and do not count as failures.
func (w *World) enactKill(p *sched.Plan, it *sched.Item) {
	outcome := sched.Killed
	if it.Outcome == sched.Preempted {
		outcome = sched.Preempted
	}
	if it.Attempts.From < 0 || it.Attempts.To > int32(len(p.Victims)) || it.Attempts.Len() <= 0 {
		w.refuse(it, 0, it.Count, sched.BadItem)
		return
	}
	for _, a := range p.Victims[it.Attempts.From:it.Attempts.To] {
		if a < 1 || int(a) >= len(w.attempts) || w.attempts[a].job == 0 {
			w.emit(sched.Event{Kind: sched.Refused, Item: it.ID, Job: it.Job, Stage: it.Stage, Attempt: a, Count: 1, Why: sched.UnknownAttempt})
			continue
		}
		w.end(int32(a), outcome, "")
		w.idle.progress(w.now)
	}
}

// inSystem returns the job that the item names, nil and a refusal if it has ended.
func (w *World) inSystem(it *sched.Item) *job {
	if it.Job < 1 || int(it.Job) >= len(w.jobs) || !w.jobs[it.Job].alive {
		w.refuse(it, 0, 0, sched.UnknownJob)
		return nil
	}
	return &w.jobs[it.Job]
}

// specOf returns what is known of a job in the system; nil if it is not.
func (w *World) specOf(j sched.JobID) *workload.Job {
	if j < 1 || int(j) >= len(w.jobs) || !w.jobs[j].alive {
		return nil
	}
	return w.jobs[j].spec
}

func (w *World) enactVerdict(p *sched.Plan, it *sched.Item) {
	j := w.inSystem(it)
	if j == nil {
		return
	}
	if it.Verb == sched.Reject {
		why := p.Why(it, w.specOf)
		w.idle.progress(w.now)
		w.endJob(int32(it.Job), sched.Killed, fmt.Sprintf("rejected: %s", why))
		return
	}
	if was := j.admitted; was == (it.Verb == sched.Admit) {
		return
	}
	j.admitted = it.Verb == sched.Admit
	for i := range j.stages {
		w.refresh(j, &j.stages[i], true)
	}
	w.idle.progress(w.now)
}

// enactBound takes note of bounds on what a stage may start, so that no node beats for work that must not start.
func (w *World) enactBound(it *sched.Item) {
	j := w.inSystem(it)
	if j == nil {
		return
	}
	s := j.stage(it.Stage)
	if s == nil {
		w.refuse(it, 0, it.Count, sched.BadItem)
		return
	}
	switch it.Verb {
	case sched.Sample:
		s.sample = it.Count
	case sched.Withhold:
		s.withheld = true
	case sched.Release:
		s.withheld = false
	case sched.SetSlots:
		s.limit = it.Count
	}
	w.refresh(j, s, true)
}
