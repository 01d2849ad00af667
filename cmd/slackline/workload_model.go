package main

import (
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/studies/synth"
	"github.com/slackline/slackline/internal/studies/trace"
	"github.com/slackline/slackline/units"
)

func newWorkloadFit() *cobra.Command {
	var f traceFlags
	var to string
	cmd := &cobra.Command{
		Use:   "fit TRACE",
		Short: "Make a model of a trace that can be shared instead of it",
		Long: `Makes a model of a trace: a JSON file from which slackline workload generate draws similar workloads. It has the rate of arrivals
by hour of the day and their bursts; quantiles of bytes, tasks, times and deadlines to three digits; and how often they
occur together, in sixteen parts. It has no name, path, user or host. The model of a few dozen jobs is close to these jobs
themselves; look at it before you share it.`,
		Example: `  slackline workload fit --format swim examples/traces/swim.tsv
  slackline workload fit --format swim examples/traces/swim.tsv --to model.json && slackline workload generate model.json --jobs 20`,
		Args: exactly(1, "a trace"),
		RunE: func(cmd *cobra.Command, args []string) error {
			in, err := f.open(cmd, "format", args[0], false)
			if err != nil {
				return err
			}
			defer in.close()
			m, err := synth.Fit(in)
			if err != nil {
				return err
			}
			out, err := create(cmd, "to", to, "model")
			if err != nil {
				return err
			}
			return out.finish(m.Write(out), "the model of "+units.Count(m.Jobs, "job"))
		},
	}
	f.bind(cmd, "format", "slackline")
	bindFile(cmd.Flags(), &to, "to", "file to write to (default standard output)")
	return cmd
}

func newWorkloadGenerate() *cobra.Command {
	var to, format string
	var f traceFlags
	var seed uint64
	var jobs int
	var hours float64
	cmd := &cobra.Command{
		Use:   "generate MODEL.json",
		Short: "Draw a workload from a model",
		Long: `Draws a workload from a model made by slackline workload fit: a number of jobs, or all jobs that arrive in a number of hours, or
whichever ends first. The same seed gives the same workload, and a longer one begins like a shorter one.`,
		Example: `  slackline workload generate examples/traces/model.json --jobs 10
  slackline workload generate examples/traces/model.json --hours 2 --seed 7 --to g.jsonl && slackline workload stats g.jsonl`,
		Args: exactly(1, "a model"),
		RunE: func(cmd *cobra.Command, args []string) error {
			rule, err := f.tasksBy(100)
			if err != nil {
				return err
			}
			switch {
			case jobs < 0:
				return fmt.Errorf("--jobs is %d, it must be above 0", jobs)
			case !(hours >= 0 && hours <= 250_000):
				return fmt.Errorf("--hours is %v, it must be above 0 and at most 250000", hours)
			case jobs == 0 && hours == 0:
				return errors.New("give --jobs, --hours or both")
			}
			text, err := readFile(args[0])
			if err != nil {
				return err
			}
			m, err := synth.ReadModel(args[0], text)
			if err != nil {
				return err
			}
			r := m.Generate(seed, jobs, units.Duration(math.Ceil(hours*float64(units.Hour))))
			return convert(cmd, r, format, to, func(j *trace.Job) (*trace.Job, error) {
				if format == "slackline" {
					return j, nil
				}
				return rule.Complete(j, seed)
			})
		},
	}
	cmd.Flags().IntVar(&jobs, "jobs", 0, "number of jobs (default: no limit)")
	cmd.Flags().Float64Var(&hours, "hours", 0, "hours in which jobs arrive (default: no limit)")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of everything random")
	cmd.Flags().StringVar(&format, "format", "slackline", "format to write: slackline or sls")
	bindFile(cmd.Flags(), &to, "to", "file to write to (default standard output)")
	f.bindRule(cmd)
	_ = cmd.RegisterFlagCompletionFunc("format", completeFormats(trace.Format.Writes))
	return cmd
}
