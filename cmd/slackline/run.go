package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
)

func newRun(o *options) *cobra.Command {
	var limits *limits
	cmd := &cobra.Command{
		Use:   "run JOB.yaml...",
		Short: "Run MapReduce jobs on this machine",
		Long: `Runs all the jobs together on this machine, scheduled by the policy. Each writes its output directory, which must not exist: with
_SUCCESS in it when the job has finished, and nothing at all when it failed. Paths in a job file are relative to the current
directory. With several policies the jobs run once by each, into a folder of the output directory that bears the policy's name.

What a run teaches about its classes of jobs is kept for simulate.`,
		Example: `  slackline run examples/find.yaml
  rm -rf out && slackline run examples/words.yaml examples/find.yaml --policy edf-p --journal words.journal
  rm -rf out && slackline run examples/words.yaml --nodes 1 --slots 2 -o json
  rm -rf out && slackline run examples/words.yaml --html words.html`,
		Args:              some("job files"),
		ValidArgsFunction: yamlFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			jobs, err := readJobs(args)
			if err != nil {
				return err
			}
			m, err := o.machine(cmd)
			if err != nil {
				return err
			}
			if err := limits.apply(&m); err != nil {
				return err
			}
			policies, _, err := o.policiesAndSeeds(lab.DefaultPolicy)
			if err != nil {
				return err
			}
			seed, err := o.oneSeed()
			if err != nil {
				return err
			}
			local, err := lab.NewLocal(jobs, m, time.Now())
			if err != nil {
				return err
			}
			return o.runLocal(cmd, local, policies, seed)
		},
	}
	o.bindBlock(cmd)
	limits = bindLimits(cmd)
	return o.bindRuns(cmd)
}

func readJobs(files []string) ([]*scenario.Job, error) {
	var jobs []*scenario.Job
	for _, file := range files {
		src, err := readFile(file)
		if err != nil {
			return nil, err
		}
		more, err := scenario.ReadJobs(file, src)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, more...)
	}
	return jobs, nil
}

// runLocal runs the jobs by each policy in turn, reports, and keeps what they taught.
func (o *options) runLocal(cmd *cobra.Command, local *lab.Local, policies []string, seed uint64) error {
	memory, known := o.openOrNot(cmd.ErrOrStderr())
	if memory != nil {
		defer memory.Close()
	}
	cells := make([]lab.Cell, len(policies))
	for i, p := range policies {
		under := ""
		if len(policies) > 1 {
			under = fileName(p)
		}
		var err error
		if cells[i], err = local.Real(p, seed, under, known); err != nil {
			return err
		}
	}
	if err := o.record(cells); err != nil {
		return err
	}
	if err := o.draw(cells); err != nil {
		return err
	}
	defer o.drawing.discard()
	fmt.Fprintf(cmd.ErrOrStderr(), "%s: %v\n", local.Name(), local.Machine)
	if how := local.Isolation(); how != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "isolation: %s\n", how)
	}
	var runs []*report.Run
	for _, c := range cells {
		learner := report.NewLearner()
		c.Sinks = append(c.Sinks, learner, newLog(cmd.ErrOrStderr()))
		r, err := lab.Run(cmd.Context(), c)
		if err != nil {
			return err
		}
		if memory != nil {
			if err := memory.Keep(r, learner.Profiles(), lastName(local.Name(), c.Policy)); err != nil {
				fmt.Fprintf(cmd.ErrOrStderr(), "warning: what this run taught cannot be kept: %v\n", err)
			}
		}
		runs = append(runs, r)
	}
	return o.finish(cmd.OutOrStdout(), report.New(runs...))
}
