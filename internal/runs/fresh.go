package runs

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slackline/slackline/internal/fault"
	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/internal/worlds/engine/outdir"
	"github.com/slackline/slackline/internal/worlds/engine/task"
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

// CheckFresh finds the jobs that had finished in these folders in a run that was interrupted. DiscardFinished
// throws them away, so that they run again. CheckFresh changes nothing. An error names a job that cannot be
// thrown away.
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
			// an error is told by whoever writes there
			if state, err := outdir.NewCommitter(dir).State(); err == nil && state == outdir.Finished {
				finished = append(finished, finishedJob{i, dir})
			}
		}
	}
	if len(finished) == all { // which is the result of a run
		return nil
	}
	for _, j := range finished {
		var from Origin
		left, err := engine.Left(j.dir)
		if err == nil && json.Unmarshal(left.Origin, &from) == nil && ended(from.Outputs) {
			continue
		}
		if err == nil {
			err = errors.Join(underWay(m, from.Outputs), untouched(j.dir))
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

// DiscardFinished makes the jobs that CheckFresh found unfinished, so that they run again, and calls each for
// every one of them. What they wrote is removed when they begin.
func (l *Local) DiscardFinished(each func(job string)) error {
	for _, j := range l.discard {
		lock, err := outdir.Take(outdir.NewCommitter(j.dir).LockPath())
		if err == nil {
			err = errors.Join(fault.Delete(filepath.Join(j.dir, outdir.SuccessFile)), lock.Release())
		}
		if err != nil {
			return l.Files[j.file].Errorf("output", "output %q cannot be thrown away: %v", j.dir, err)
		}
		each(l.Files[j.file].Name)
	}
	return nil
}

// free says which of the jobs cannot write to its output in the folder under, and why; -1 if all can.
func (l *Local) free(under string) (int, error) {
	dirs := l.outputs(under)
	if !l.Fresh {
		return engine.CheckOutputs(dirs)
	}
	for i, dir := range dirs {
		if slices.Contains(l.discard, finishedJob{i, dir}) {
			continue
		}
		if _, err := engine.CheckOutputs([]string{dir}); err != nil {
			return i, err
		}
	}
	return -1, nil
}

// ended tells whether all jobs of a run have finished, though it died before it could forget that.
func ended(outputs []string) bool {
	for _, dir := range outputs {
		if _, err := os.Stat(filepath.Join(dir, outdir.SuccessFile)); err != nil {
			return false
		}
	}
	return len(outputs) > 0
}

// underWay refuses outputs of a run whose process lives: some of its jobs hold a lock, or wait for their turn.
func underWay(m *Memory, outputs []string) error {
	for _, dir := range outputs {
		if err := outdir.Busy(outdir.NewCommitter(dir).LockPath()); err != nil {
			return fmt.Errorf("output %q: %w", dir, err)
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

// untouched refuses an output directory that is finished, but whose parts are not those that its
// log names, byte for byte.
func untouched(dir string) error {
	c := outdir.NewCommitter(dir)
	records, err := outdir.Read(c.LogPath())
	if err != nil {
		return fmt.Errorf("output %q: %w", dir, err)
	}
	type taskKey struct {
		Reduce bool
		Task   int // from 1
	}
	type commit struct {
		taskKey
		Dir   string
		Parts []task.Part
	}
	last := map[taskKey]commit{} // of a task that was committed twice the later counts
	for _, r := range records {
		var e struct{ Done *commit }
		if json.Unmarshal(r, &e) == nil && e.Done != nil {
			last[e.Done.taskKey] = *e.Done
		}
	}
	ours := map[string]bool{}
	for key, done := range last {
		if len(done.Parts) == 0 { // a map whose output reduces have read
			continue
		}
		if err := c.Adopt(key.Reduce, key.Task-1, done.Dir, done.Parts); err != nil {
			return fmt.Errorf("output %q: a job had finished it, and it is not as it was written: %w; remove it, or name another directory", dir, err)
		}
		for _, p := range done.Parts {
			ours[p.Name] = true
		}
	}
	names, err := os.ReadDir(dir)
	for _, n := range names {
		if strings.HasPrefix(n.Name(), "part-") && !ours[n.Name()] {
			return fmt.Errorf("output %q: a job had finished it, and %s is not by that job; move it away, or name another directory", dir, n.Name())
		}
	}
	return err
}
