package engine

import (
	"errors"

	"github.com/slackline/slackline/internal/worlds/engine/joblog"
	"github.com/slackline/slackline/internal/worlds/engine/task"
	"github.com/slackline/slackline/internal/worlds/truth"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/workload"
)

// Enact does the items of a plan, in order.
func (w *World) Enact(p *sched.Plan) error {
	if w.paused == nil {
		truth.Enact(hands{w}, &w.seen, p)
	}
	return nil
}

// hands are the world as truth.Enact needs it.
type hands struct{ *World }

func (h hands) Emit(e sched.Event) { h.emit(e) }

func (h hands) Find(it *sched.Item) (j *truth.Job, s *truth.Stage, tasks int, n *truth.Node) {
	if it.Job > 0 && int(it.Job) < len(h.jobs) {
		jb := h.jobs[it.Job]
		j = jb.now()
		if st := jb.stage(it.Stage); st != nil {
			s, tasks = &st.Stage, len(st.tasks)
		}
	}
	if it.Node > 0 && int(it.Node) < len(h.nodes) {
		nd := h.nodes[it.Node]
		n, nd.Away = &nd.Node, !nd.up
	}
	return j, s, tasks, n
}

func (h hands) Task(it *sched.Item, t sched.TaskID) *truth.Task {
	return &h.jobs[it.Job].stage(it.Stage).tasks[t-1].Task
}

func (h hands) Spec(j sched.JobID) *workload.Job {
	if j < 1 || int(j) >= len(h.jobs) || !h.jobs[j].arrived {
		return nil
	}
	return h.jobs[j].Spec
}

func (h hands) Start(it *sched.Item, b sched.Bound) sched.Code {
	if err := h.setUp(h.jobs[it.Job]); err != nil {
		h.troubled(it.Job, err)
		return sched.Gone
	}
	h.start(it, b)
	return sched.OK
}

func (h hands) Kill(a sched.AttemptID, outcome sched.Outcome) bool {
	if a < 1 || int(a) >= len(h.attempts) || h.attempts[a] == nil {
		return false
	}
	h.stop(h.attempts[a], outcome, "the policy wanted it so")
	return true
}

func (h hands) Reject(j sched.JobID, why string) {
	h.endJob(j, sched.Killed, why)
	h.freshen()
}

func (h hands) Judged(sched.JobID)               { h.freshen() }
func (h hands) Bounded(sched.JobID, sched.Stage) { h.freshen() }
func (h hands) Drained(sched.NodeID)             {}
func (h hands) Power(*sched.Item)                {}

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
