package runs

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/runs/equip"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/internal/worlds/engine/outdir"
)

// Where several policies run the same jobs, one of them may have finished when the process dies in
// the middle of the next. Then it is not run again: its output is there, and its report is in the
// store.

// Complete tells whether the jobs have finished in the folder under, in a run that has not come to
// its end. An error says in what they differ from what they are now.
func (l *Local) Complete(seed uint64, under string) (bool, error) {
	if !l.Several || l.Fresh {
		return false, nil
	}
	return engine.Complete(l.config(seed, under, nil))
}

// Forget removes what the jobs that have finished in the folder under have left for a later run.
func (l *Local) Forget(under string) { outdir.Forget(l.outputs(under)) }

// Kept returns the cell and the report of the run that wrote the folder under. There is no report
// if the process died before it was kept, or if it could not be.
func (l *Local) Kept(m *Memory, policy string, seed uint64, under string) (lab.Cell, *report.Run, error) {
	c := lab.Cell{Scenario: l.Name(), Policy: policy, Seed: seed}
	if m == nil || m.store == nil {
		return c, nil, nil
	}
	jobs, err := m.store.Jobs(store.JobFilter{Name: l.Files[0].Name, Policy: policy})
	if err != nil {
		return c, nil, err
	}
	for _, j := range jobs { // the newest first
		if j.Output != absolute(l.outputs(under)[0]) {
			continue
		}
		run, err := m.store.Run(j.Run)
		if err != nil || run.Report == nil {
			return c, nil, err
		}
		r, err := report.ReadRun(run.Report)
		if err != nil {
			return c, nil, fmt.Errorf("the report of run %d cannot be read: %w", j.Run, err)
		}
		return c, r, nil
	}
	return c, nil, nil
}

// chain lets a job read what the jobs before it write: that lies in the folder under of their
// output, as its own does.
func (l *Local) chain(j *engine.Job, f *scenario.Job, under string) {
	moved := func(paths []string) []string {
		paths = slices.Clone(paths)
		for i, path := range paths {
			if before := equip.Writer(l.Files, f, path); before != nil {
				if rest, err := filepath.Rel(absolute(before.Output), absolute(path)); err == nil {
					paths[i] = filepath.Join(before.Output, under, rest)
				}
			}
		}
		return paths
	}
	j.Input, j.Sources = moved(j.Input), slices.Clone(j.Sources)
	for i := range j.Sources {
		j.Sources[i].Paths = moved(j.Sources[i].Paths)
	}
}
