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

func (h hands) Find(it *sched.Item, task sched.TaskID) (j *truth.Job, s *truth.Stage, t *truth.Task, n *truth.Node) {
	if it.Job > 0 && int(it.Job) < len(h.jobs) && h.jobs[it.Job].Here {
		jb := &h.jobs[it.Job]
		j = &jb.Job
		if st := jb.stage(it.Stage); st != nil {
			if s = &st.Stage; task > 0 && int(task) <= len(st.tasks) {
				t = &st.tasks[task-1]
			}
		}
	}
	if it.Node > 0 && int(it.Node) < len(h.nodes) {
		nd := &h.nodes[it.Node]
		n, nd.Away = &nd.Node, nd.state != nodeOpen || nd.listed
	}
	return j, s, t, n
}

// Start starts an attempt. Its node got something, so it is asked again.
func (h hands) Start(it *sched.Item, b sched.Bound) sched.Code {
	h.start(it, b)
	h.beat.freshen(int32(it.Node))
	if it.Verb == sched.Speculate || !h.again(int32(it.Job), it.Stage) {
		h.idle.progress(h.now)
	}
	return sched.OK
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
	case sched.Drain:
		h.setRoom(int32(it.Node))
	case sched.Sleep:
		h.sleep(it)
	case sched.Wake:
		h.awaken(it)
	default:
		j := &h.jobs[it.Job]
		h.refresh(j, j.stage(it.Stage), true)
	}
}

func (w *World) refuse(it *sched.Item, why sched.Code) {
	w.emit(sched.Event{Kind: sched.Refused, Item: it.ID, Job: it.Job, Stage: it.Stage, Node: it.Node, Why: why})
}
