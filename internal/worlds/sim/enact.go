package sim

import (
	"github.com/slackline/slackline/internal/worlds/truth"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/workload"
)

// Enact does the items of a plan, in order. What an item changes is told in the next batch, at the same instant.
func (w *World) Enact(p *sched.Plan) error {
	truth.Enact(hands{w}, &w.seen, p)
	return nil
}

// hands are the world as truth.Enact needs it.
type hands struct{ *World }

func (h hands) Emit(e sched.Event) { h.emit(e) }

func (h hands) Find(it *sched.Item) (j *truth.Job, s *truth.Stage, tasks int, n *truth.Node) {
	if it.Job > 0 && int(it.Job) < len(h.jobs) {
		jb := &h.jobs[it.Job]
		j = &jb.Job
		if st := jb.stage(it.Stage); st != nil && j.Here {
			s, tasks = &st.Stage, len(st.tasks)
		}
	}
	if it.Node > 0 && int(it.Node) < len(h.nodes) {
		nd := &h.nodes[it.Node]
		n, nd.Away = &nd.Node, nd.state != nodeOpen || nd.listed
	}
	return j, s, tasks, n
}

func (h hands) Task(it *sched.Item, t sched.TaskID) *truth.Task {
	return &h.jobs[it.Job].stage(it.Stage).tasks[t-1]
}

func (h hands) Spec(j sched.JobID) *workload.Job {
	if j < 1 || int(j) >= len(h.jobs) || !h.jobs[j].Here {
		return nil
	}
	return h.jobs[j].Spec
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

func (h hands) Judged(id sched.JobID) {
	j := &h.jobs[id]
	for i := range j.stages {
		h.refresh(j, &j.stages[i], true)
	}
	h.idle.progress(h.now)
}

// Bounded sees to it that no node beats for work that must not start.
func (h hands) Bounded(id sched.JobID, s sched.Stage) {
	j := &h.jobs[id]
	h.refresh(j, j.stage(s), true)
}

func (h hands) Drained(n sched.NodeID) { h.setRoom(int32(n)) }

func (h hands) Power(it *sched.Item) {
	if it.Verb == sched.Sleep {
		h.sleep(it)
	} else {
		h.awaken(it)
	}
}

func (w *World) refuse(it *sched.Item, why sched.Code) {
	w.emit(sched.Event{Kind: sched.Refused, Item: it.ID, Job: it.Job, Stage: it.Stage, Node: it.Node, Why: why})
}
