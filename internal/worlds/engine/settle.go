package engine

import (
	"errors"
	"slices"

	"github.com/slackline/slackline/internal/fault"
	"github.com/slackline/slackline/internal/worlds/engine/outdir"
	"github.com/slackline/slackline/sched"
)

// settle deals with the output of a job that ends, once nothing runs of it.
func (w *World) settle(j *job) {
	if j.ending == sched.NoOutcome || j.settling || slices.ContainsFunc(w.attempts, func(a *attempt) bool { return a != nil && a.job == j }) {
		return
	}
	j.settling = true
	if !j.out.Locked() {
		w.settled(j, nil)
		return
	}
	do := j.out.Abort
	if j.ending == sched.Committed {
		do = j.out.Commit
	}
	w.settling.Go(func() {
		w.await(&j.running) // goroutines that were left behind must not write into what is being removed
		j.executor().Close()
		w.reports.post(report{job: j, err: do()})
	})
}

// settled tells the end of a job.
func (w *World) settled(j *job, err error) {
	if damaged, ok := errors.AsType[*outdir.DamagedError](err); ok {
		w.undo(j, damaged.Tasks)
		return
	}
	// If the run pauses, the job is as if it had not come to its end.
	if err != nil && w.halts(j, err, j.ending == sched.Committed) {
		j.ending, j.why, j.settling = sched.NoOutcome, "", false
		return
	}
	if err != nil {
		if j.ending == sched.Committed { // half a commit is no output
			err = errors.Join(err, j.out.Abort())
		}
		j.ending, j.why = sched.Failed, err.Error()
	}
	j.over = true
	if j.setUp {
		w.begun--
	}
	w.emit(sched.Event{Kind: sched.JobEnded, Job: j.id, Outcome: j.ending, Text: j.why, Detail: j.account()})
	w.depart(j)
}

// forget removes the last traces of jobs that are committed, when all that came with them have
// ended. Until then, and as long as another of them can be resumed, they tell a later run that
// these jobs need not run again; where they cannot be removed they are of no harm. Where a job has
// not finished, the same run again keeps the others: then their logs stay.
func (w *World) forget() {
	for _, b := range w.over {
		interrupted := func(j *job) bool { state, _ := j.out.State(); return state == outdir.Interrupted }
		if w.cfg.Keep || slices.ContainsFunc(b.jobs, interrupted) {
			continue
		}
		forget := (*outdir.Dir).Forget
		if w.cfg.Some || slices.ContainsFunc(b.jobs, func(j *job) bool { return j.ending != sched.Committed }) {
			forget = (*outdir.Dir).Keep
		}
		for _, j := range b.jobs {
			if j.ending == sched.Committed {
				forget(j.out)
			}
		}
	}
	w.over = nil
}

// die ends a process that a test has declared dead: it stops, workers end with it, and the disk
// stays as it is.
func (w *World) die() error {
	for _, a := range w.attempts {
		if a != nil {
			a.cancel(fault.ErrDead)
		}
	}
	w.running.Wait()
	w.settling.Wait()
	for j := range w.all() {
		j.executor().Close()
		j.out.Release()
	}
	w.giveAllBack()
	return fault.ErrDead
}
