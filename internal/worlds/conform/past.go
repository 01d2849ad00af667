package conform

import (
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// past is what the world had told before it told all anew: old facts stay as they were.
type past struct {
	jobs     map[string]*watchedJob // by id
	attempts map[start]int
	items    map[sched.ItemID]bool // that had started
	watching bool
}

// start is what does not change of an attempt, as its handle may.
type start struct {
	job   string
	stage sched.Stage
	node  sched.NodeID
	since units.Time
}

// Resynced tells whether the last batch was a resync.
func (w *Watch) Resynced() bool { return w.resynced == w.round }

// remember keeps what is known, for the resync that begins.
func (w *Watch) remember() {
	w.resynced = w.round
	w.before = past{make(map[string]*watchedJob), make(map[start]int), make(map[sched.ItemID]bool), w.watching}
	for _, j := range w.jobs {
		w.before.jobs[j.id] = j
	}
	for _, a := range w.attempts {
		if j := w.jobs[a.job]; j != nil {
			w.before.items[a.item] = true
			w.before.attempts[start{j.id, a.stage, a.node, a.since}]++
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
		w.broken("job %q arrived at %v and is told to have arrived at %v", j.id, old.since, j.since)
	}
	for s := range j.count {
		if j.count[s] < old.count[s] && s != int(sched.Map) { // maps may be lost
			w.broken("job %q had %d %v tasks done and is told to have %d", j.id, old.count[s], sched.Stage(s), j.count[s])
		}
	}
}

// startedBefore checks that an attempt which is said to have run for a while is one that did.
func (w *Watch) startedBefore(e *sched.Event, j *watchedJob) {
	if e.Age == 0 {
		if w.Resynced() && e.Item > 0 && w.before.items[e.Item] && w.before.attempts[start{j.id, e.Stage, e.Node, w.at}] == 0 {
			w.broken("an attempt of job %q, of item %d, runs since before and is told to have started now", j.id, e.Item)
		}
		return
	}
	w.Old++
	k := start{j.id, e.Stage, e.Node, w.at.Add(-e.Age)}
	if w.before.attempts[k]--; w.before.attempts[k] < 0 {
		w.broken("an attempt of job %q on node %d is told to run since %v, and none did", j.id, e.Node, k.since)
	}
}

// Believes checks that the book has the times that the world told.
func (w *Watch) Believes(v sched.View) {
	for id, j := range w.jobs {
		if job := v.Job(id); job == nil || job.Arrived != j.since {
			w.broken("job %q arrived at %v, the book has %+v", j.id, j.since, job)
		}
	}
	for id, a := range w.attempts {
		if at := v.Attempt(id); at == nil || at.Started != a.since {
			w.broken("attempt %d started at %v, the book has %+v", id, a.since, at)
		}
	}
}

// verdicts follows what a policy has decided. A job that it has let run and that has begun it lets run again when the book was void, at
// once; and it never rejects it.
type verdicts struct {
	admitted, begun map[string]bool // by id
}

// follow looks at the book after a step; resynced tells that it was void in between.
func (d *verdicts) follow(v sched.View, resynced bool, broken func(format string, args ...any)) {
	for j := sched.JobID(1); j <= v.Jobs(); j++ {
		job := v.Job(j)
		if job == nil || job.Standing() == sched.Finished {
			continue
		}
		id := job.Spec.ID
		switch was := d.admitted[id]; {
		case was && resynced && job.Standing() != sched.Admitted && job.Standing() != sched.Waiting && job.Begun():
			broken("job %q was admitted before the book was void, and is %v", id, job.Standing())
		case d.begun[id] && job.Begun() && job.Standing() == sched.Rejected:
			broken("job %q was admitted and has begun, and is rejected", id)
		}
		in := job.State == sched.Admitted // advice binds nobody
		d.admitted[id] = d.admitted[id] || in
		d.begun[id] = job.Begun() && (d.begun[id] || in)
	}
}
