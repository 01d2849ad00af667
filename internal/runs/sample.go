package runs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/internal/worlds/engine/input"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/units"
)

// Sample is what was run of a job to say how long the whole of it takes.
type Sample struct {
	Maps int `json:"maps"` // that were run
	// that the job has; 0: it reads what another job writes, and the sample read what that one's sample wrote
	Of   int     `json:"of"`
	Took float64 `json:"took_s"`

	class string // of the job
}

// Sampled runs a part of each job now, first come first served, into a folder that it removes again. What it
// returns are the same jobs, each of a class of its own, and what is known of these by the sample alone: earlier
// runs of a job's class may have been another command with other parameters. Nothing is kept. Jobs that come after
// others read what their samples wrote.
func (l *Local) Sampled(ctx context.Context, seed uint64) (_ *Local, _ []*profile.Class, err error) {
	of := *l
	of.Files, of.jobs, of.samples = slices.Clone(l.Files), slices.Clone(l.jobs), make([]Sample, len(l.Files))
	for i := range of.Files {
		file, job := *l.Files[i], *l.jobs[i]
		of.samples[i].class = file.Class
		file.Class, job.Spec.Class = file.Name, file.Name
		of.Files[i], of.jobs[i] = &file, &job
	}
	dir, err := os.MkdirTemp("", "slackline-sample-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	cfg := of.config("fifo", seed, "", nil)
	to := func(i int) string { return filepath.Join(dir, fmt.Sprint(i)) }
	for i := range cfg.Jobs {
		j, is := &cfg.Jobs[i], &of.samples[i]
		j.Spec.Arrive, j.Spec.Deadline, j.Spec.Soft, j.Spec.Overdue = 0, units.Never, units.Never, 0
		j.Output, j.Replace = to(i), false
		of.chain(j, of.Files[i], func(before *scenario.Job) string { return to(slices.Index(of.Files, before)) })
		if j.Splits == nil {
			continue
		}
		is.Of = len(j.Splits)
		j.Splits = some(j.Splits, share(is.Of))
		is.Maps = len(j.Splits)
		read := slices.ContainsFunc(of.Files, func(f *scenario.Job) bool { return slices.Contains(f.After, of.Files[i].Name) })
		if j.Reduces > 0 && !read { // each gets about as much as it will; others may read a part file by its name
			j.Reduces = (j.Reduces*is.Maps + is.Of - 1) / is.Of
		}
	}
	door := engine.NewDoor()
	door.Shut()
	cfg.Source, cfg.Origin = door, time.Now
	learner := report.NewLearner()
	cell := lab.Cell{Scenario: of.Name(), Policy: "fifo", Seed: seed, Sinks: []follow.Sink{learner}, World: func(context.Context) (drive.World, error) { return newEngine(cfg) }}
	run, err := lab.Run(ctx, cell)
	if err != nil {
		return nil, nil, err
	}
	for i := range run.Jobs {
		j := &run.Jobs[i]
		if j.Finished == nil {
			return nil, nil, fmt.Errorf("the sample of job %q failed: %s", j.ID, j.Reason)
		}
		of.samples[i].Took = *j.Finished - *j.Started
	}
	return &of, learner.Profiles(), nil
}

// share is how many maps are run of so many: one in a hundred; of less than three hundred at most three, which are
// no more than one in ten, and at least one.
func share(of int) int { return max((of+99)/100, min(3, (of+9)/10)) }

// some are so many splits from all over a list.
func some(list []input.Split, n int) []input.Split {
	taken := make([]input.Split, n)
	for k := range taken {
		taken[k] = list[(2*k+1)*len(list)/(2*n)]
	}
	return taken
}
