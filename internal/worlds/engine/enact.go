package engine

import (
	"errors"

	"github.com/slackline/slackline/internal/worlds/engine/failure"
	"github.com/slackline/slackline/internal/worlds/engine/outdir"
	"github.com/slackline/slackline/internal/worlds/truth"
	"github.com/slackline/slackline/sched"
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

func (h hands) Find(it *sched.Item, task sched.TaskID) (j *truth.Job, s *truth.Stage, t *truth.Task, n *truth.Node) {
	j, s, n = &truth.Job{}, &truth.Stage{}, &truth.Node{}
	if jb := h.job(it.Job); jb != nil {
		j = jb.now()
		if st := jb.stage(it.Stage); st != nil {
			if s = &st.Stage; task > 0 && int(task) <= len(st.tasks) {
				t = &st.tasks[task-1].Task
			}
		}
	}
	if it.Node > 0 && int(it.Node) < len(h.nodes) {
		nd := h.nodes[it.Node]
		n, nd.Away = &nd.Node, !nd.up || nd.lease == draining
	}
	return j, s, t, n
}

func (h hands) Start(it *sched.Item, b sched.Bound) sched.Code {
	j, s, t, n := h.Find(it, b.Task)
	if why := truth.Startable(it, j, s, t, n); why != sched.OK {
		return why
	}
	if err := h.setUp(h.jobs[it.Job]); err != nil {
		h.troubled(h.jobs[it.Job], err)
		return sched.Gone
	}
	h.start(it, b)
	return sched.OK
}

func (h hands) Kill(a sched.AttemptID, outcome sched.Outcome) bool {
	if a < 1 || int(a) >= len(h.attempts) || h.attempts[a] == nil {
		return false
	}
	h.stop(h.attempts[a], outcome, "by decision of the policy")
	return true
}

func (h hands) Reject(j sched.JobID, why string) {
	h.endJob(h.jobs[j], sched.Killed, why)
	h.freshen()
}

func (h hands) Changed(it *sched.Item) {
	if it.Verb == sched.Sleep || it.Verb == sched.Wake {
		h.rent(it)
		return
	}
	if it.Verb == sched.SetTasks {
		h.mold(it)
		return
	}
	if j := h.job(it.Job); j != nil {
		h.recount(j)
	}
	h.freshen()
}

// job returns the job with that handle, nil if there is none.
func (w *World) job(id sched.JobID) *job {
	if id < 1 || int(id) >= len(w.jobs) {
		return nil
	}
	return w.jobs[id]
}

// troubled counts that a job's directories could not be made: as often as a task may fail, unless
// that cannot change or another process writes there.
func (w *World) troubled(j *job, err error) {
	if busy(err) || failure.Of(err) == failure.Permanent {
		j.trouble = w.cfg.MaxFailures
	}
	j.trouble++
	last := j.trouble >= w.cfg.MaxFailures
	if w.halts(j, err, last) {
		return
	}
	if last {
		w.endJob(j, sched.Failed, err.Error())
	}
	w.freshen()
}

// busy tells whether another process writes to the output directory.
func busy(err error) bool {
	var b *outdir.BusyError
	return errors.As(err, &b)
}
