package runs

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/internal/worlds/engine/input"
	"github.com/slackline/slackline/internal/worlds/engine/outdir"
	"github.com/slackline/slackline/sched"
)

// What an earlier run of the jobs has left, which may have died at any instant. Where several
// policies run the same jobs, one of them may have finished when the process dies in the middle of
// the next: then it is not run again, as its output is there, and its report is in the store.

// Began is when the run began that has left something of these jobs, in one of these folders within
// their outputs: the first clock of all its jobs. It is zero if there is none.
func Began(files []*scenario.Job, under ...string) (first time.Time) {
	for _, dir := range outputs(files, under) {
		var from Command
		left, err := outdir.Left(dir)
		if err != nil || json.Unmarshal(left.Command, &from) != nil {
			continue
		}
		at := left.Began
		if at.IsZero() { // builds before this wrote it there
			at = from.Began
		}
		if !at.IsZero() && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	return first
}

// Remains are output directories in these folders that slackline resume can continue: of jobs that
// were submitted together one, that of a job that has not finished, if there is one.
func (l *Local) Remains(under ...string) (dirs []string) {
	at := make(map[string]int) // by command line
	for _, d := range l.outputs(under...) {
		left, err := outdir.Left(d)
		if err != nil || left.Command == nil {
			continue
		}
		i, seen := at[string(left.Command)]
		switch {
		case !seen:
			at[string(left.Command)] = len(dirs)
			dirs = append(dirs, d)
		case !left.Finished:
			dirs[i] = d
		}
	}
	return dirs
}

// Finished tells whether all jobs have finished already in all of these folders, and removes what
// their runs have left beside their output: nobody needs to go on from it.
func Finished(files []*scenario.Job, under ...string) bool {
	dirs := outputs(files, under)
	if !outdir.AllSucceeded(dirs) {
		return false
	}
	outdir.Forget(dirs)
	return true
}

// Complete tells whether the jobs have finished in the folder under, in a run that has not come to
// its end. An error says in what they differ from what they are now.
func (l *Local) Complete(seed uint64, under string) (bool, error) {
	if !l.Several || l.Fresh {
		return false, nil
	}
	return engine.Complete(l.config("", seed, under, nil))
}

// Forget removes what the jobs that have finished in these folders have left for a later run, or, where not
// all have, or others may go on from them, lets the logs say that the run has come to its end.
func (l *Local) Forget(under ...string) {
	if dirs := l.outputs(under...); l.Some || !outdir.AllSucceeded(dirs) {
		outdir.Keep(dirs)
	} else {
		outdir.Forget(dirs)
	}
}

// CheckFresh finds the jobs that had finished in these folders in a run that was interrupted, for
// DiscardFinished. They are thrown away only if all parts are what the log says was written, as a
// user may have put something there; the engine throws away what had not finished. CheckFresh
// changes nothing. An error names a job that cannot be thrown away.
func (l *Local) CheckFresh(under ...string) error {
	l.discard = nil
	dirs := l.outputs(under...)
	open := func(dir string) bool { return !outdir.HasFinished(dir) }
	if !l.Fresh || !slices.ContainsFunc(dirs, open) { // the result of a run stays
		return nil
	}
	for i, dir := range dirs {
		if open(dir) {
			continue
		}
		left, err := outdir.Left(dir)
		var together []string
		if err == nil {
			together, err = l.together(dir, left.Command, under)
		}
		if err == nil && outdir.AllSucceeded(together) {
			continue
		}
		if err == nil {
			err = errors.Join(l.underWay(together), outdir.Intact(dir))
		}
		if err != nil {
			return l.Files[i%len(l.Files)].Errorf("output", "%v; nothing was thrown away", err)
		}
		l.discard = append(l.discard, dir)
	}
	return nil
}

// CheckOverwrite finds the outputs in these folders that another job of Slackline's has finished: they are
// replaced when the new ones are committed. What the same command has finished, and was interrupted then, is
// its own. An error names a job whose output may not be replaced; nothing is changed.
func (l *Local) CheckOverwrite(under ...string) error {
	for i, dir := range l.outputs(under...) {
		var from Command
		if left, err := outdir.Left(dir); err == nil && json.Unmarshal(left.Command, &from) == nil && from.Same(l.Command) {
			continue
		}
		is, err := outdir.Replaceable(dir)
		if err != nil {
			return l.Files[i%len(l.Files)].Errorf("output", "%v", err)
		}
		if is {
			l.replace = append(l.replace, dir)
		}
	}
	return nil
}

// Kept are the jobs in the folder under that had finished in a run which has come to its end, though
// not all of its jobs had: they do not run again.
func (l *Local) Kept(under string) (names []string) {
	for i, dir := range l.outputs(under) {
		if !slices.Contains(l.replace, dir) && outdir.HasFinished(dir) {
			names = append(names, l.Files[i].Name)
		}
	}
	return names
}

// DiscardFinished makes the jobs that CheckFresh found unfinished, so that they run again, and
// calls each for every one of them. What they wrote is removed when they begin.
func (l *Local) DiscardFinished(each func(job string)) error {
	for _, dir := range l.discard {
		f := l.Files[slices.IndexFunc(l.Files, func(f *scenario.Job) bool { return input.Within(dir, f.Output) })]
		if err := outdir.Reopen(dir); err != nil {
			return f.Errorf("output", "output %q cannot be thrown away: %v", dir, err)
		}
		each(f.Name)
	}
	return nil
}

// free says which of the jobs cannot write to its output in the folder under, and why; -1 if all
// can.
func (l *Local) free(under string) (int, error) {
	dirs := l.outputs(under)
	if !l.Fresh {
		return outdir.Check(dirs, l.replace...)
	}
	for i, dir := range dirs {
		if slices.Contains(l.discard, dir) || slices.Contains(l.replace, dir) {
			continue
		}
		if _, err := outdir.Check([]string{dir}); err != nil {
			return i, err
		}
	}
	return -1, nil
}

// together are the outputs of the jobs of the run that wrote an output directory: of these jobs, if
// its command line was that of now, and of those that the store knows.
func (l *Local) together(dir string, command []byte, under []string) ([]string, error) {
	all := []string{absolute(dir)}
	var from Command
	if json.Unmarshal(command, &from) == nil && from.Same(l.Command) {
		all = append(all, each.Of(l.outputs(under...), absolute)...)
	}
	rows, err := l.Memory.wrote(all[0], store.JobFilter{})
	if err != nil || len(rows) == 0 {
		return all, err
	}
	others, err := l.Memory.store.Jobs(store.JobFilter{Run: rows[0].Run})
	return append(all, each.Of(others, func(j *store.Job) string { return j.Output })...), err
}

// underWay refuses outputs of a run whose process lives: some of its jobs hold a lock, or wait for
// their turn.
func (l *Local) underWay(outputs []string) error {
	for _, dir := range outputs {
		if err := outdir.Busy(dir); err != nil {
			return err
		}
		rows, err := l.Memory.wrote(dir, store.JobFilter{States: []string{store.Waiting, store.Running}})
		if err == nil && len(rows) > 0 {
			err = fmt.Errorf("output %q: its run is still active", dir)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Reported returns the cell and the report of the run that wrote the folder under. There is no report
// if the process died before it was kept, or if it could not be.
func (l *Local) Reported(policy string, seed uint64, under string) (lab.Cell, *report.Run, error) {
	c := lab.Cell{Scenario: l.Name(), Policy: policy, Seed: seed}
	rows, err := l.Memory.wrote(l.output(0, under), store.JobFilter{Name: l.Files[0].Name, Policy: policy})
	if err != nil || len(rows) == 0 {
		return c, nil, err
	}
	run, err := l.Memory.store.Run(rows[0].Run)
	if err != nil || run.Report == nil {
		return c, nil, err
	}
	r, err := report.ReadRun(run.Report)
	if err != nil {
		return c, nil, fmt.Errorf("the report of run %d cannot be read: %w", rows[0].Run, err)
	}
	return c, r, nil
}

// Earlier is a job with a deadline that had finished before the run was interrupted that this one
// continues.
type Earlier struct {
	Job  string
	Late time.Duration // behind its deadline; not above 0: in time
	Told bool          // the store knows when it finished
}

// Judge counts in the report of a run that continues another whether the jobs that had finished
// in that one had met their deadlines, as the store knows it, and returns them. Of a job whose end
// the process could not keep any more, or where there is no store, nobody knows.
func (l *Local) Judge(run *report.Run, under string, goesOn time.Time) (list []Earlier, err error) {
	for i := range run.Jobs {
		j := &run.Jobs[i]
		if !j.Before || j.Deadline == nil {
			continue
		}
		e := Earlier{Job: j.ID}
		row, err := l.finish(l.file(j.ID), under, goesOn)
		if err != nil {
			return list, err
		}
		if row != nil && row.Deadline != nil {
			e.Late, e.Told = row.Ended.Sub(*row.Deadline), true
			j.Outcome = report.Facts{Promised: row.Promised, End: sched.Committed, InTime: new(e.Late <= 0), Real: true}.Outcome()
		}
		list = append(list, e)
	}
	run.Tally()
	return list, nil
}

// rows returns what the store knows of a job in these states, the newest first.
func (l *Local) rows(file int, under string, states ...string) ([]*store.Job, error) {
	return l.Memory.wrote(l.output(file, under), store.JobFilter{Name: l.Files[file].Name, States: states})
}

// promised tells whether the run that began then promised the deadline of a job, as the store knows
// it.
func (l *Local) promised(file int, under string, began time.Time) (bool, error) {
	rows, err := l.rows(file, under, store.Interrupted, store.Resumed)
	return slices.ContainsFunc(rows, func(j *store.Job) bool { return j.Promised && !j.Submitted.Before(began) }), err
}

// finish returns the row of a job that finished in the run that was interrupted, nil if there is
// none.
func (l *Local) finish(file int, under string, goesOn time.Time) (*store.Job, error) {
	rows, err := l.rows(file, under, store.Finished)
	for _, j := range rows {
		// A run that found it finished, as this one, kept not how long it took.
		if j.Took != nil && j.Ended != nil && !j.Ended.Before(goesOn) {
			return j, nil
		}
	}
	return nil, err
}
