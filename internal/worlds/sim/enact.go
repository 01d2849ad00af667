package sim

import (
	"github.com/slackline/slackline/internal/worlds/truth"
	"github.com/slackline/slackline/sched"
)

// Enact does the items of a plan, in order. What an item changes is told in the next batch, at the same instant.
func (w *World) Enact(p *sched.Plan) error {
	if w.late {
		w.enactLate(p)
	} else {
		truth.Enact(hands{w}, &w.seen, p)
	}
	return nil
}

// hands are the world as truth.Enact needs it.
type hands struct{ *World }

func (h hands) Emit(e sched.Event) { h.emit(e) }

func (h hands) Find(it *sched.Item, task sched.TaskID) (*truth.Job, *truth.Stage, *truth.Task, *truth.Node) {
	j, s, t, n := h.find(it, task)
	n.Away = n.state != nodeOpen || n.listed
	return &j.Job, &s.Stage, t, &n.Node
}

var noStage stage

func (w *World) find(it *sched.Item, task sched.TaskID) (j *job, s *stage, t *truth.Task, n *node) {
	j, s, n = &w.jobs[0], &noStage, &w.nodes[0]
	if it.Job > 0 && int(it.Job) < len(w.jobs) && w.jobs[it.Job].Here {
		j = &w.jobs[it.Job]
		if st := j.stage(it.Stage); st != nil {
			if s = st; task > 0 && int(task) <= len(s.tasks) {
				t = &s.tasks[task-1]
			}
		}
	}
	if it.Node > 0 && int(it.Node) < len(w.nodes) {
		n = &w.nodes[it.Node]
	}
	return j, s, t, n
}

// Kill ends an attempt. It is gone at once.
func (h hands) Kill(a sched.AttemptID, outcome sched.Outcome) bool {
	if a < 1 || int(a) >= len(h.attempts) || h.attempts[a].job == 0 {
		return false
	}
	h.end(int32(a), outcome, "")
	h.idle.progress(h.now)
	return true
}

func (h hands) Reject(j sched.JobID, why string) {
	h.idle.progress(h.now)
	h.endJob(int32(j), sched.Killed, why)
}

// Changed sees to it, above all, that no node beats for work that must not start.
func (h hands) Changed(it *sched.Item) {
	switch it.Verb {
	case sched.Admit, sched.Hold:
		j := &h.jobs[it.Job]
		for i := range j.stages {
			h.refresh(j, &j.stages[i], true)
		}
		h.idle.progress(h.now)
	case sched.Sleep:
		h.sleep(it)
	case sched.Wake:
		h.awaken(it)
	case sched.SetTasks:
		h.mold(it)
	default:
		j := &h.jobs[it.Job]
		h.refresh(j, j.stage(it.Stage), true)
	}
}

func (w *World) refuse(it *sched.Item, why sched.Code) {
	w.emit(sched.Event{Kind: sched.Refused, Item: it.ID, Job: it.Job, Stage: it.Stage, Node: it.Node, Why: why})
}
