package engine

import (
	"fmt"
	"iter"

	"github.com/slackline/slackline/internal/worlds/engine/failure"
	"github.com/slackline/slackline/sched"
)

// A run that is stopped before its end is paused: what its jobs have committed stays where it is,
// as after the death of the process, and another run continues it. It is stopped by its context
// (a signal), or by the machine, when that has no more room on its disk or no more files to open, or
// its disk still fails after as many attempts as a task may have. In these cases all jobs pause, not
// only the one that met it, as the others would meet it next.

// MachineError says why the machine stopped a run: its disk is full or fails, or no more files can
// be opened.
type MachineError struct {
	Job string // that met it first
	Err error
}

// Error is the error as one sentence.
func (e *MachineError) Error() string { return fmt.Sprintf("job %q: %v", e.Job, e.Err) }

// Unwrap returns the error of the system.
func (e *MachineError) Unwrap() error { return e.Err }

// halts tells whether an error is the machine's, and lets the run pause if it is. That of a disk is
// one only of the last attempt: before, another may do better.
func (w *World) halts(j *job, err error, last bool) bool {
	if kind := failure.Of(err); kind != failure.NoRoom && (kind != failure.NoDisk || !last) {
		return false
	}
	if w.halted == nil {
		w.halted = &MachineError{j.cfg.Spec.ID, err}
	}
	return true
}

// pause ends all attempts and waits for commits of jobs that have begun. It is told as any other
// end of attempts and jobs.
func (w *World) pause(why error) {
	w.paused = why
	w.part()
	for _, a := range w.attempts {
		if a != nil {
			w.stop(a, sched.Killed, "the run was interrupted")
		}
	}
	for {
		w.await(&w.running)
		w.settling.Wait()
		reports := w.reports.take()
		if len(reports) == 0 {
			break
		}
		for _, r := range reports {
			w.hear(r)
		}
	}
	for _, a := range w.attempts {
		if a != nil { // its code does not stop, and is left behind
			w.end(a, a.stopping, a.text, nil)
		}
	}
}

// all goes through the jobs that have arrived and not ended: at the end of a run, as it costs more
// the more there are.
func (w *World) all() iter.Seq[*job] {
	return func(yield func(*job) bool) {
		for _, j := range w.jobs {
			if w.looks++; j != nil && !yield(j) {
				return
			}
		}
	}
}

// leave gives up the jobs of a paused run, and removes what attempts wrote that nobody will use.
// Jobs that have finished keep their logs: whoever resumes must know that.
func (w *World) leave() {
	for j := range w.all() {
		if j.setUp {
			j.executor().Close()
		}
		j.out.Leave()
	}
}
