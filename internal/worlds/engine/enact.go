package engine

import (
	"errors"
	"fmt"

	"github.com/slackline/slackline/internal/worlds/engine/joblog"
	"github.com/slackline/slackline/internal/worlds/engine/task"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/workload"
)

// Enact does the items of a plan, in order. An item whose id was seen before changes nothing.
func (w *World) Enact(p *sched.Plan) error {
	if w.paused != nil {
		return nil
	}
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
		case sched.Admit, sched.Hold, sched.Reject, sched.Sample, sched.Withhold, sched.Release, sched.SetSlots:
			w.enactJob(p, it)
		case sched.Drain:
			if it.Node < 1 || int(it.Node) >= len(w.nodes) {
				w.refuse(it, 0, 0, sched.UnknownNode)
				continue
			}
			w.nodes[it.Node].closed = true
		case sched.WakeMe, sched.SetDeadline, sched.Rank:
			// WakeAt says the first; the others are the book's own affairs.
		default:
			w.refuse(it, 0, it.Count, sched.CannotDo)
		}
	}
	return nil
}

func (w *World) refuse(it *sched.Item, t sched.TaskID, count int32, why sched.Code) {
	w.emit(sched.Event{Kind: sched.Refused, Item: it.ID, Job: it.Job, Stage: it.Stage, Node: it.Node, Task: t, Count: count, Why: why})
}

// enactStart starts the tasks that the ledger bound; what cannot be is refused task by task.
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
		if err := w.setUp(w.jobs[it.Job]); err != nil {
			w.refuse(it, b.Task, 1, sched.Gone)
			w.troubled(it.Job, err)
			continue
		}
		w.start(it, b)
	}
}

// troubled counts that a job's directories could not be made: as often as a task may fail, unless that cannot change or another process
// writes there.
func (w *World) troubled(id sched.JobID, err error) {
	j := w.jobs[id]
	if w.noRoom(id, err) {
		return
	}
	if busy(err) || task.FailureOf(err) == task.Permanent {
		j.trouble = w.cfg.MaxFailures
	}
	if j.trouble++; j.trouble >= w.cfg.MaxFailures {
		w.endJob(id, sched.Failed, err.Error())
	}
	w.freshen()
}

// busy tells whether another process writes to the output directory.
func busy(err error) bool {
	var b *joblog.BusyError
	return errors.As(err, &b)
}

// enactSecond starts a second attempt of a task that runs once. Whoever commits first counts.
func (w *World) enactSecond(p *sched.Plan, it *sched.Item) {
	if it.Tasks.From < 0 || it.Tasks.To > int32(len(p.Bound)) || it.Tasks.Len() != 1 {
		w.refuse(it, it.Task, 1, sched.BadItem)
		return
	}
	b := p.Bound[it.Tasks.From]
	if why := w.startable(it, b.Task, true); why != sched.OK {
		w.refuse(it, b.Task, 1, why)
		return
	}
	w.start(it, b)
}

// startable says why a task may not start where the item wants it, sched.OK if it may: one that is open, or as a second attempt one
// that runs once.
func (w *World) startable(it *sched.Item, t sched.TaskID, second bool) sched.Code {
	if it.Job < 1 || int(it.Job) >= len(w.jobs) || !w.jobs[it.Job].arrived || w.jobs[it.Job].ending != sched.NoOutcome || w.jobs[it.Job].doomed {
		return sched.UnknownJob
	}
	if it.Node < 1 || int(it.Node) >= len(w.nodes) {
		return sched.UnknownNode
	}
	j, nd := w.jobs[it.Job], w.nodes[it.Node]
	s := j.stage(it.Stage)
	switch {
	case s == nil || int(it.Container) >= max(1, len(s.spec.Containers)) || t < 1 || int(t) > len(s.tasks):
		return sched.BadItem
	case !nd.up || nd.closed:
		return sched.NodeAway
	case !j.admitted && s.sample <= 0:
		return sched.NotAdmitted
	case !s.ready:
		return sched.NotReady
	case !second && s.tasks[t-1].state != taskOpen, second && (s.tasks[t-1].state != taskRuns || s.tasks[t-1].live != 1):
		return sched.Stale
	case !nd.spec.Carries(j.spec.Labels):
		return sched.WrongLabels
	}
	if c := s.spec.Container(int(it.Container)); !nd.free.Fits(&c.Needs) {
		return sched.NoRoom
	}
	return sched.OK
}

// enactKill stops the attempts that the ledger chose.
func (w *World) enactKill(p *sched.Plan, it *sched.Item) {
	outcome := sched.Killed
	if it.Outcome == sched.Preempted {
		outcome = sched.Preempted
	}
	if it.Attempts.From < 0 || it.Attempts.To > int32(len(p.Victims)) || it.Attempts.Len() <= 0 {
		w.refuse(it, 0, it.Count, sched.BadItem)
		return
	}
	for _, id := range p.Victims[it.Attempts.From:it.Attempts.To] {
		if id < 1 || int(id) >= len(w.attempts) || w.attempts[id] == nil {
			w.emit(sched.Event{Kind: sched.Refused, Item: it.ID, Job: it.Job, Stage: it.Stage, Attempt: id, Count: 1, Why: sched.UnknownAttempt})
			continue
		}
		w.stop(w.attempts[id], outcome, "the policy wanted it so")
	}
}

// enactJob takes note of what was decided on a job or stage.
func (w *World) enactJob(p *sched.Plan, it *sched.Item) {
	if it.Job < 1 || int(it.Job) >= len(w.jobs) || !w.jobs[it.Job].arrived || w.jobs[it.Job].over {
		w.refuse(it, 0, 0, sched.UnknownJob)
		return
	}
	j := w.jobs[it.Job]
	switch it.Verb {
	case sched.Admit:
		j.admitted = true
	case sched.Hold:
		j.admitted = false
	case sched.Reject:
		why := p.Why(it, func(j sched.JobID) *workload.Job {
			if j < 1 || int(j) >= len(w.jobs) || !w.jobs[j].arrived {
				return nil
			}
			return w.jobs[j].spec
		})
		w.endJob(it.Job, sched.Killed, fmt.Sprintf("rejected: %s", why))
	default:
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
	}
	w.freshen()
}
