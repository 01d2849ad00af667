package truth

import (
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/workload"
)

// World is what a world adds to Enact: its books and its hands.
type World interface {
	Can() sched.Capabilities
	Emit(e sched.Event)
	// Find returns the job, stage, task and node that an item and a number of a task name; instead of one that is not
	// there an empty one, and no task.
	Find(it *sched.Item, task sched.TaskID) (j *Job, s *Stage, t *Task, n *Node)
	// Start starts an attempt if it is Startable, or says why it cannot be.
	Start(it *sched.Item, b sched.Bound) sched.Code
	// Kill ends an attempt, and tells whether there is one.
	Kill(a sched.AttemptID, outcome sched.Outcome) bool
	// Reject ends a job, and says why.
	Reject(j sched.JobID, why string)
	// Changed follows up what an item changed: who is admitted or held, what a stage may start,
	// which node sleeps or wakes.
	Changed(it *sched.Item)
}

// Enact does the items of a plan, in order. An item whose id was seen before changes nothing; one
// so old that nobody can tell is refused as stale, as what cannot be is.
func Enact(w World, seen *drive.Seen, p *sched.Plan) {
	if len(p.Items) == 0 {
		return
	}
	for i := range p.Items {
		it := &p.Items[i]
		if it.Held {
			continue
		}
		sight := seen.Add(it.ID)
		if sight == drive.Again || it.Refused != sched.OK {
			continue
		}
		if sight == drive.Forgotten {
			refuse(w, it, 0, it.Count, sched.Stale)
			continue
		}
		if it.Verb != sched.Start {
			if can := w.Can(); !can.Can(it.Verb) {
				refuse(w, it, 0, it.Count, sched.CannotDo)
				continue
			}
		}
		switch it.Verb {
		case sched.WakeMe, sched.SetDeadline, sched.Foretell, sched.Rank:
			// WakeAt says the first; the others are the book's own affairs.
		case sched.Start:
			start(w, p, it)
		case sched.Speculate:
			second(w, p, it)
		case sched.Kill:
			kill(w, p, it)
		case sched.Admit, sched.Hold, sched.Reject, sched.Sample, sched.Withhold, sched.Release, sched.SetSlots:
			judge(w, p, it)
		case sched.Sleep, sched.Wake:
			_, _, _, n := w.Find(it, 0)
			if n.Spec == nil {
				refuse(w, it, 0, 0, sched.UnknownNode)
				continue
			}
			w.Changed(it)
		case sched.SetTasks:
			if why := moldable(w, it); why != sched.OK {
				refuse(w, it, 0, it.Count, why)
				continue
			}
			w.Changed(it)
		default:
			refuse(w, it, 0, it.Count, sched.CannotDo)
		}
	}
}

func refuse(w World, it *sched.Item, t sched.TaskID, count int32, why sched.Code) {
	w.Emit(sched.Event{Kind: sched.Refused, Item: it.ID, Job: it.Job, Stage: it.Stage, Node: it.Node, Task: t, Count: count, Why: why})
}

// start starts the tasks that the ledger bound, one by one: what cannot be is refused task by task.
func start(w World, p *sched.Plan, it *sched.Item) {
	if it.Tasks.From < 0 || it.Tasks.To > int32(len(p.Bound)) || it.Tasks.Len() <= 0 {
		refuse(w, it, 0, it.Count, sched.BadItem)
		return
	}
	for i := it.Tasks.From; i < it.Tasks.To; i++ {
		startOne(w, it, p.Bound[i])
	}
}

// second starts a second attempt of a task that runs once. Whoever commits first counts.
func second(w World, p *sched.Plan, it *sched.Item) {
	if it.Tasks.From < 0 || it.Tasks.To > int32(len(p.Bound)) || it.Tasks.Len() != 1 {
		refuse(w, it, it.Task, 1, sched.BadItem)
		return
	}
	startOne(w, it, p.Bound[it.Tasks.From])
}

func startOne(w World, it *sched.Item, b sched.Bound) {
	if why := w.Start(it, b); why != sched.OK {
		refuse(w, it, b.Task, 1, why)
	}
}

// Startable says why a task may not start where the item wants it, sched.OK if it may: one that is
// open, or as a second attempt one that runs once. The others are what Find has found.
func Startable(it *sched.Item, j *Job, s *Stage, t *Task, n *Node) sched.Code {
	switch {
	case !j.Here || j.Ends:
		return sched.UnknownJob
	case n.Spec == nil:
		return sched.UnknownNode
	case s.Spec == nil || int(it.Container) >= max(1, len(s.Spec.Containers)) || t == nil:
		return sched.BadItem
	case n.Away:
		return sched.NodeAway
	case !j.Admitted && s.Sample <= 0:
		return sched.NotAdmitted
	case !s.Ready:
		return sched.NotReady
	case s.Withheld:
		return sched.Withheld
	case s.Limit >= 0 && s.Busy >= s.Limit:
		return sched.AtLimit
	case it.Verb == sched.Start && t.State != Open, it.Verb == sched.Speculate && (t.State != Runs || t.Live != 1):
		return sched.Stale
	case !n.Spec.Carries(j.Spec.Labels):
		return sched.WrongLabels
	}
	if !n.Free.Fits(s.needs(int(it.Container))) {
		return sched.NoRoom
	}
	return sched.OK
}

// moldable says why a stage cannot be cut into so many tasks, sched.OK if it can.
func moldable(w World, it *sched.Item) sched.Code {
	j, s, _, _ := w.Find(it, 0)
	switch {
	case !j.Here || j.Ends:
		return sched.UnknownJob
	case s.Spec == nil || s.Spec.MaxTasks == 0 || int(it.Count) < s.Spec.MinTasks || int(it.Count) > s.Spec.MaxTasks:
		return sched.BadItem
	case s.Busy > 0 || s.Done > 0:
		return sched.TooLate
	}
	return sched.OK
}

// kill ends the attempts that the ledger chose. They do not count as failures.
func kill(w World, p *sched.Plan, it *sched.Item) {
	outcome := sched.Killed
	if it.Outcome == sched.Preempted {
		outcome = sched.Preempted
	}
	if it.Attempts.From < 0 || it.Attempts.To > int32(len(p.Victims)) || it.Attempts.Len() <= 0 {
		refuse(w, it, 0, it.Count, sched.BadItem)
		return
	}
	for _, a := range p.Victims[it.Attempts.From:it.Attempts.To] {
		if !w.Kill(a, outcome) {
			w.Emit(sched.Event{Kind: sched.Refused, Item: it.ID, Job: it.Job, Stage: it.Stage, Attempt: a, Count: 1, Why: sched.UnknownAttempt})
		}
	}
}

// unsample ends the samples of a job that has its verdict, and tells whether there were any.
func unsample(w World, j *Job, it *sched.Item) (any bool) {
	of := *it
	for i := range j.Spec.Stages {
		of.Stage = j.Spec.Stages[i].Kind
		if _, s, _, _ := w.Find(&of, 0); s.Sample > 0 {
			s.Sample, any = 0, true
		}
	}
	return any
}

// judge takes note of what was decided on a job, or bounds what a stage of it may start.
func judge(w World, p *sched.Plan, it *sched.Item) {
	j, s, _, _ := w.Find(it, 0)
	switch ofStage := it.Verb != sched.Admit && it.Verb != sched.Hold && it.Verb != sched.Reject; {
	case !j.Here:
		refuse(w, it, 0, 0, sched.UnknownJob)
		return
	case ofStage && s.Spec == nil:
		refuse(w, it, 0, it.Count, sched.BadItem)
		return
	case it.Verb == sched.Reject || ofStage:
	case !unsample(w, j, it) && j.Admitted == (it.Verb == sched.Admit):
		return
	}
	switch it.Verb {
	case sched.Reject:
		w.Reject(it.Job, "rejected: "+p.Why(it, func(id sched.JobID) *workload.Job {
			if other, _, _, _ := w.Find(&sched.Item{Job: id}, 0); other.Here {
				return other.Spec
			}
			return nil
		}))
		return
	case sched.Admit, sched.Hold:
		j.Admitted = it.Verb == sched.Admit
	case sched.Sample:
		s.Sample = it.Count
	case sched.Withhold, sched.Release:
		s.Withheld = it.Verb == sched.Withhold
	case sched.SetSlots:
		s.Limit = it.Count
	}
	w.Changed(it)
}
