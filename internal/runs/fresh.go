package runs

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/worlds/engine/outdir"
)

// What --fresh throws away: the engine what jobs left that had not finished, this what others had
// finished in the same run. It is thrown away only if the run did not come to its end, and if all
// parts are what its log says was written: a user may have put something there.

// Outputs are the output directories of all jobs in these folders, as they are from anywhere.
func (l *Local) Outputs(under ...string) []string {
	var all []string
	for _, u := range under {
		for _, dir := range l.outputs(u) {
			all = append(all, absolute(dir))
		}
	}
	return all
}

// CheckFresh finds the jobs that had finished in these folders in a run that was interrupted. They
// are thrown away by DiscardFinished, and run again. It changes nothing. An error names a job that
// cannot be thrown away.
func (l *Local) CheckFresh(m *Memory, under ...string) error {
	l.discard = nil
	if !l.Fresh {
		return nil
	}
	var finished []finishedJob
	all := 0
	for _, u := range under {
		for i, dir := range l.outputs(u) {
			all++
			if outdir.HasFinished(dir) {
				finished = append(finished, finishedJob{i, dir})
			}
		}
	}
	if len(finished) == all { // which is the result of a run
		return nil
	}
	for _, j := range finished {
		var from Origin
		left, err := outdir.Left(j.dir)
		if err == nil && json.Unmarshal(left.Origin, &from) == nil && outdir.AllSucceeded(from.Outputs) {
			continue
		}
		if err == nil {
			err = errors.Join(underWay(m, from.Outputs), outdir.Intact(j.dir))
		}
		if err != nil {
			return l.Files[j.file].Errorf("output", "%v; nothing was thrown away", err)
		}
		l.discard = append(l.discard, j)
	}
	return nil
}

// finishedJob is the output of a job that had finished.
type finishedJob struct {
	file int
	dir  string
}

// DiscardFinished makes the jobs that CheckFresh found unfinished, so that they run again, and
// calls each for them. What they wrote goes when they begin.
func (l *Local) DiscardFinished(each func(job string)) error {
	for _, j := range l.discard {
		if err := outdir.Reopen(j.dir); err != nil {
			return l.Files[j.file].Errorf("output", "output %q cannot be thrown away: %v", j.dir, err)
		}
		each(l.Files[j.file].Name)
	}
	return nil
}

// free says which of the jobs cannot write to its output in the folder under, and why; -1 if all
// can.
func (l *Local) free(under string) (int, error) {
	dirs := l.outputs(under)
	if !l.Fresh {
		return outdir.Check(dirs...)
	}
	for i, dir := range dirs {
		if slices.Contains(l.discard, finishedJob{i, dir}) {
			continue
		}
		if _, err := outdir.Check(dir); err != nil {
			return i, err
		}
	}
	return -1, nil
}

// underWay refuses outputs of a run whose process lives: some of its jobs hold a lock, or wait for
// their turn.
func underWay(m *Memory, outputs []string) error {
	for _, dir := range outputs {
		if err := outdir.Busy(dir); err != nil {
			return err
		}
	}
	if m == nil || m.store == nil {
		return nil
	}
	jobs, err := m.store.Jobs(store.JobFilter{States: []string{store.Waiting, store.Running}})
	for _, j := range jobs {
		if slices.Contains(outputs, j.Output) {
			return fmt.Errorf("output %q: its run is under way", j.Output)
		}
	}
	return err
}
