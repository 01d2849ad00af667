package conform

import (
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// past is what the world had told before it told all again: old facts stay as they were.
type past struct {
	jobs     map[string]*watchedJob // by id
	attempts map[start]int
	progress map[start]float64     // of the attempts of that start, the least
	items    map[sched.ItemID]bool // that had started
	watching bool
}

// start is what does not change of an attempt, as its handle may, and to another process those of nodes.
type start struct {
	job   string
	stage sched.Stage
	node  string
	since units.Time
}

func (w *Watch) start(job string, s sched.Stage, n sched.NodeID, since units.Time) start {
	return start{job, s, w.nodes[n].name, since}
}

// Resynced tells whether the last batch was a resync.
func (w *Watch) Resynced() bool { return w.resynced == w.round }

// Taken tells whether the last batch hands the cluster over.
func (w *Watch) Taken() bool { return w.taken == w.round }

// Runs tells whether, as far as was told, a task of the job runs or is done.
func (w *Watch) Runs(j sched.JobID) bool {
	for _, a := range w.attempts {
		if a.job == j {
			return true
		}
	}
	job := w.jobs[j]
	return job != nil && job.count != [sched.Stages]int{}
}

// remember keeps what is known, for the resync that begins.
func (w *Watch) remember() {
	w.resynced = w.round
	w.before = past{make(map[string]*watchedJob), make(map[start]int), make(map[start]float64), make(map[sched.ItemID]bool), w.watching}
	for _, j := range w.jobs {
		w.before.jobs[j.id] = j
	}
	for _, a := range w.attempts {
		if j := w.jobs[a.job]; j != nil {
			w.before.items[a.item] = true
			k := w.start(j.id, a.stage, a.node, a.since)
			if w.before.attempts[k]++; w.before.attempts[k] == 1 || a.progress < w.before.progress[k] {
				w.before.progress[k] = a.progress
			}
		}
	}
}

// arrivedBefore checks a job that arrives again: when it did, and that it has lost none of the tasks that were done.
func (w *Watch) arrivedBefore(e *sched.Event, j *watchedJob) {
	old := w.before.jobs[j.id]
	if old == nil {
		if e.Age != 0 {
			w.Old++
		}
		return
	}
	w.Old++
	if j.since != old.since {
		w.broken("job %q arrived at %v and is said to have arrived at %v", j.id, old.since, j.since)
	}
	for s := range j.count {
		if j.count[s] < old.count[s] && s != int(sched.Map) { // maps may be lost
			w.broken("job %q had %d %v tasks done and is said to have %d", j.id, old.count[s], sched.Stage(s), j.count[s])
		}
	}
}

// startedBefore checks that an attempt which is said to have run for a while is one that did.
func (w *Watch) startedBefore(e *sched.Event, j *watchedJob) {
	if e.Age == 0 {
		if w.Resynced() && e.Item > 0 && w.before.items[e.Item] && w.before.attempts[w.start(j.id, e.Stage, e.Node, w.at)] == 0 {
			w.broken("an attempt of job %q, of item %d, runs since before and is said to have started now", j.id, e.Item)
		}
		return
	}
	if !w.Resynced() && w.at.Add(-e.Age) >= w.last {
		return // it has started since: a patient world tells so late
	}
	w.Old++
	k := w.start(j.id, e.Stage, e.Node, w.at.Add(-e.Age))
	if w.before.attempts[k]--; w.before.attempts[k] < 0 {
		w.broken("an attempt of job %q on node %d is said to run since %v, and none did", j.id, e.Node, k.since)
	}
}

// progressBefore checks, once all is told again, that no attempt has lost what it had done.
func (w *Watch) progressBefore() {
	for id, a := range w.attempts {
		if had := w.before.progress[w.start(w.jobs[a.job].id, a.stage, a.node, a.since)]; a.progress < had {
			w.broken("attempt %d had done %v of its work and is said to have done %v", id, had, a.progress)
		}
	}
}

// Believes checks that the book has the times that the world told, and knows of no fewer tasks of a
// stage that grows than are done, under way and asked for.
func (w *Watch) Believes(v sched.View) {
	for id, j := range w.jobs {
		if job := v.Job(id); job == nil || job.Arrived != j.since {
			w.broken("job %q arrived at %v, the book has %+v", j.id, j.since, job)
			continue
		}
		spec := v.Job(id).Spec
		for i := range spec.Stages {
			st := &spec.Stages[i]
			if c := &v.Job(id).Stages[st.Kind]; st.Grows && c.Total < c.Done+c.Occupied+max(c.Open, 0) {
				w.broken("job %q: the %v stage grows, and the book has more of it than all: %+v", j.id, st.Kind, *c)
			}
		}
	}
	for id, a := range w.attempts {
		if at := v.Attempt(id); at == nil || at.Started != a.since || at.Progress != a.progress {
			w.broken("attempt %d started at %v and has done %v, the book has %+v", id, a.since, a.progress, at)
		}
	}
}

// verdicts follows what a policy has decided. What runs when the book was void, or when the policy
// takes over, it does not hold nor reject, but that it held before. A job that it has let run and
// of which more has begun than its ApplicationMaster it never rejects.
type verdicts struct {
	held, begun map[string]bool // by id
}

// follow looks at the book after a step. resynced tells that it was void in between, taken that the
// policy takes over, and runs what ran when the step began.
func (d *verdicts) follow(v sched.View, resynced, taken bool, runs func(sched.JobID) bool, broken func(format string, args ...any)) {
	for j := sched.JobID(1); j <= v.Jobs(); j++ {
		job := v.Job(j)
		if job == nil || job.Standing() == sched.Finished {
			continue
		}
		id, is, begun := job.Spec.ID, job.Standing(), false
		for s := range job.Stages {
			t := &job.Stages[s]
			begun = begun || sched.Stage(s) != sched.Master && (t.Occupied > 0 || t.Done > 0)
		}
		switch {
		case (resynced || taken) && runs(j) && !job.Cancelled && !d.held[id] && is != sched.Admitted && is != sched.Waiting:
			broken("job %q has begun, and is %v as the policy takes over", id, is)
		case d.begun[id] && begun && is == sched.Rejected:
			broken("job %q was admitted and has begun, and is rejected", id)
		}
		if job.Advice == sched.NoJob { // advice binds nobody
			d.held[id] = is == sched.HeldBack || is == sched.Rejected
		}
		d.begun[id] = begun && (d.begun[id] || job.State == sched.Admitted)
	}
}
