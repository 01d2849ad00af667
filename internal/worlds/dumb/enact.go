package dumb

import (
	"fmt"
	"slices"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Enact does the items of a plan.
func (w *World) Enact(p *sched.Plan) error {
	for i := range p.Items {
		it := &p.Items[i]
		if it.Refused != sched.OK || it.Held || it.ID > 0 && w.seen[it.ID] {
			continue
		}
		w.seen[it.ID] = true
		w.enact(p, it)
	}
	return nil
}

func (w *World) refuse(it *sched.Item, t sched.TaskID, count int32, why sched.Code) {
	w.emit(sched.Event{Kind: sched.Refused, Item: it.ID, Job: it.Job, Stage: it.Stage, Node: it.Node, Task: t, Count: count, Why: why})
}

func (w *World) enact(p *sched.Plan, it *sched.Item) {
	second := it.Verb == sched.Speculate
	switch it.Verb {
	case sched.WakeMe, sched.SetDeadline, sched.Foretell, sched.Rank: // the book's own affairs
	case sched.Start, sched.Speculate:
		for _, b := range p.Bound[it.Tasks.From:it.Tasks.To] {
			if why := w.startable(it, b.Task, second); why != sched.OK {
				w.refuse(it, b.Task, 1, why)
			} else {
				w.start(it, b)
			}
		}
	case sched.Kill:
		outcome := sched.Killed
		if it.Outcome == sched.Preempted {
			outcome = sched.Preempted
		}
		for _, a := range p.Victims[it.Attempts.From:it.Attempts.To] {
			w.kill(it, a, outcome)
		}
	case sched.Sleep, sched.Wake:
		w.power(it)
	case sched.Admit, sched.Hold, sched.Reject, sched.Sample, sched.Withhold, sched.Release, sched.SetSlots:
		if it.Job < 1 || int(it.Job) >= len(w.jobs) || w.jobs[it.Job] == nil {
			w.refuse(it, 0, 0, sched.UnknownJob)
			return
		}
		w.judge(p, it, w.jobs[it.Job])
	case sched.SetTasks:
		w.mold(it)
	default:
		w.refuse(it, 0, it.Count, sched.CannotDo)
	}
}

// mold makes other tasks of a stage that has not begun, as many as are asked for.
func (w *World) mold(it *sched.Item) {
	if it.Job < 1 || int(it.Job) >= len(w.jobs) || w.jobs[it.Job] == nil || w.jobs[it.Job].doomed {
		w.refuse(it, 0, it.Count, sched.UnknownJob)
		return
	}
	j := w.jobs[it.Job]
	s, k := j.stage(it.Stage), int(it.Count)
	switch {
	case s == nil || k < s.spec.MinTasks || k-s.spec.MinTasks >= len(s.spec.Works):
		w.refuse(it, 0, it.Count, sched.BadItem)
		return
	case s.count(open) < len(s.tasks):
		w.refuse(it, 0, it.Count, sched.TooLate)
		return
	}
	spec := *j.spec
	spec.Stages = slices.Clone(j.spec.Stages)
	to, was := &spec.Stages[s.index], s.spec
	to.Tasks, to.Hosts, s.tasks = nil, workload.Hosts{}, make([]task, k)
	var bytes, shuffle int64
	for _, t := range was.Tasks {
		bytes, shuffle = bytes+int64(t.Input), shuffle+int64(t.Shuffle)
	}
	for i := range k {
		share := bytes / int64(k)
		if i == 0 {
			share += bytes % int64(k)
		}
		to.Tasks = append(to.Tasks, workload.Task{Input: units.Bytes(share), Work: was.Works[k-was.MinTasks], Shuffle: units.Duration(shuffle / int64(k))})
		if hosts := was.Hosts.Of(i * len(was.Tasks) / k); len(hosts) > 0 {
			to.Hosts.Set(i, hosts...)
		}
	}
	j.spec = &spec
	for i, x := range j.stages {
		x.spec = &spec.Stages[i]
	}
	w.emit(sched.Event{Kind: sched.JobAmended, Job: it.Job, Item: it.ID, Detail: &sched.Detail{Job: &spec}})
	w.look(s, true)
}

func (w *World) kill(it *sched.Item, a sched.AttemptID, outcome sched.Outcome) {
	for _, r := range w.runs {
		if r.handle == int(a) {
			w.stop(r, outcome, "")
			return
		}
	}
	w.emit(sched.Event{Kind: sched.Refused, Item: it.ID, Job: it.Job, Stage: it.Stage, Attempt: a, Count: 1, Why: sched.UnknownAttempt})
}

func (w *World) power(it *sched.Item) {
	switch nd := w.nodes[it.Node]; {
	case it.Verb == sched.Sleep && nd.state == up && w.needed(int(it.Node)):
		w.refuse(it, 0, 0, sched.Needed)
	case it.Verb == sched.Sleep && nd.state == up:
		if nd.state, nd.slept = draining, true; w.empty(int(it.Node)) {
			w.fallAsleep(int(it.Node))
		}
	case it.Verb == sched.Wake && (nd.state == asleep || nd.state == offered) && nd.awake == never:
		w.turned(int(it.Node), sched.Waking)
		nd.awake = w.in(nd.spec.Class.WakeTime)
	default:
		w.refuse(it, 0, 0, sched.NodeAway)
	}
}

func (w *World) judge(p *sched.Plan, it *sched.Item, j *job) {
	switch s := j.stage(it.Stage); it.Verb {
	case sched.Admit, sched.Hold:
		changes := j.admitted != (it.Verb == sched.Admit)
		for _, s := range j.stages { // the verdict ends the sample
			changes = changes || s.sample > 0
			s.sample = 0
		}
		if !changes {
			return
		}
		j.admitted = it.Verb == sched.Admit
	case sched.Reject:
		why := p.Why(it, func(j sched.JobID) *workload.Job {
			if j < 1 || int(j) >= len(w.jobs) || w.jobs[j] == nil {
				return nil
			}
			return w.jobs[j].spec
		})
		w.endJob(j, sched.Killed, fmt.Sprintf("rejected: %s", why))
	case sched.Sample:
		s.sample = int(it.Count)
	case sched.Withhold, sched.Release:
		s.withheld = it.Verb == sched.Withhold
	case sched.SetSlots:
		s.limit = int(it.Count)
	}
	for _, s := range j.stages {
		if it.Verb == sched.Admit || it.Verb == sched.Hold || it.Stage == s.spec.Kind {
			w.look(s, true)
		}
	}
}

// startable says why a task may not start, or start a second time.
func (w *World) startable(it *sched.Item, t sched.TaskID, second bool) sched.Code {
	if it.Job < 1 || int(it.Job) >= len(w.jobs) || w.jobs[it.Job] == nil || w.jobs[it.Job].doomed {
		return sched.UnknownJob
	}
	s, nd := w.jobs[it.Job].stage(it.Stage), w.nodes[it.Node]
	wants, state := s.wants()[it.Container], s.tasks[t-1].state
	switch {
	case !nd.serves():
		return sched.NodeAway
	case !s.job.admitted && s.sample == 0:
		return sched.NotAdmitted
	case !s.ready:
		return sched.NotReady
	case s.withheld:
		return sched.Withheld
	case s.limit >= 0 && len(w.of(s, 0)) >= s.limit:
		return sched.AtLimit
	case second && (state != running || len(w.of(s, int(t))) != 1), !second && state != open:
		return sched.Stale
	case !nd.spec.Carries(wants.labels):
		return sched.WrongLabels
	case !nd.free.Fits(&wants.needs):
		return sched.NoRoom
	}
	return sched.OK
}
