package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/maths/stat"
	"github.com/slackline/slackline/internal/runs"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/worlds/engine/input"
	"github.com/slackline/slackline/units"
)

func newValidate(o *options) *cobra.Command {
	var teach, rounds int
	var text textFlags
	cmd := &cobra.Command{
		Use:   "validate [JOB.yaml...]",
		Short: "Check the simulator: predict real jobs, run them, compare",
		Long: `Runs a batch of jobs on this machine repeatedly. Before each run the batch is simulated with what the earlier runs have measured
(cold runs only while there is no other: see slackline profile), and the finish of each job is compared with the prediction.
Without job files the batch is a sort, a word count and a grep over the source of the Go toolchain. Output goes to a temporary
directory.`,
		Example: `  slackline validate --size 4MB --rounds 2
  slackline validate examples/find.yaml --rounds 2 -o json`,
		ValidArgsFunction: yamlFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if teach < 1 || rounds < 1 || teach+rounds > 10000 {
				return fmt.Errorf("--teach %d, --rounds %d: each must be 1 or more, and their sum at most 10000", teach, rounds)
			}
			log := cmd.ErrOrStderr()
			v := runs.Validation{Teach: teach, Rounds: rounds, Say: func(format string, a ...any) { fmt.Fprintf(log, format+"\n", a...) }}
			var err error
			if v.Policy, v.Seed, err = o.onePlay(cmd); err != nil {
				return err
			}
			if v.Machine, err = o.machine(cmd); err != nil {
				return err
			}
			if len(args) > 0 {
				v.Jobs, err = o.readJobs(args...)
			} else {
				err = defaultBatch(&v, text)
			}
			if err != nil {
				return err
			}
			if v.Dir, err = os.MkdirTemp("", "slackline-validate-"); err != nil {
				return failure{err}
			}
			defer os.RemoveAll(v.Dir)
			outside.Store(true)
			a, err := runs.Validate(cmd.Context(), v)
			if err != nil {
				return err
			}
			return o.result(cmd.OutOrStdout(), a, func(w io.Writer) error { return writeAgreement(w, a) })
		},
	}
	f := cmd.Flags()
	f.IntVar(&teach, "teach", 3, "runs to learn from")
	f.IntVar(&rounds, "rounds", 10, "runs to predict")
	text.bind(cmd, "64MB", "without job files: ")
	return o.bindOnePlay(cmd)
}

// defaultBatch makes the batch that is run if nobody names one.
func defaultBatch(v *runs.Validation, text textFlags) error {
	files, err := text.files(v.Say)
	if err == nil {
		v.Jobs, err = runs.DefaultBatch(each.Of(files, func(f input.File) string { return f.Path }), 200*units.Millisecond)
	}
	return err
}

// writeAgreement prints the errors of each job and of the makespan.
func writeAgreement(w io.Writer, a *runs.Agreement) error {
	g := &report.Grid{Title: fmt.Sprintf("predictions of %d runs under %s, each from the runs before it", a.Rounds, a.Policy)}
	g.Add("job", ">measured", ">predicted", ">mean error", ">largest")
	for i := range append(a.Jobs, a.Makespan) {
		p := &a.Makespan
		if i < len(a.Jobs) {
			p = &a.Jobs[i]
		}
		var measured, predicted, errs stat.Sum
		largest := 0.0
		for k, e := range p.Errors() {
			measured.Add(p.Measured[k])
			predicted.Add(p.Predicted[k])
			errs.Add(max(e, -e))
			largest = max(largest, e, -e)
		}
		g.Add(p.ID, fmt.Sprintf("%.3f ± %.3f s", measured.Mean(), measured.Deviation()), fmt.Sprintf("%.3f ± %.3f s", predicted.Mean(), predicted.Deviation()),
			fmt.Sprintf("%.1f %%", 100*errs.Mean()), fmt.Sprintf("%.1f %%", 100*largest))
	}
	if err := g.Write(w); err != nil {
		return failure{err}
	}
	_, err := fmt.Fprintf(w, "\nresponse times of jobs: mean error %.1f %%, 95th percentile %.1f %%, largest %.1f %%\n", 100*a.Mean, 100*a.P95, 100*a.Largest)
	return asFailure(err)
}
