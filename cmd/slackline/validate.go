package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/maths/stat"
	"github.com/slackline/slackline/internal/runs"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/units"
)

func newValidate(o *options) *cobra.Command {
	var teach, rounds int
	var input, size string
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
			policies, _, err := o.policiesAndSeeds(lab.DefaultPolicy)
			if err != nil {
				return err
			}
			if len(policies) > 1 {
				return fmt.Errorf("--policy: validate takes one policy, not %d", len(policies))
			}
			v.Policy = policies[0]
			if v.Seed, err = o.oneSeed(); err != nil {
				return err
			}
			if v.Machine, err = o.machine(cmd); err != nil {
				return err
			}
			if len(args) > 0 {
				v.Jobs, err = readJobs(args)
			} else {
				err = defaultBatch(&v, input, size)
			}
			if err != nil {
				return err
			}
			if v.Dir, err = os.MkdirTemp("", "slackline-validate-"); err != nil {
				return failure{err}
			}
			defer os.RemoveAll(v.Dir)
			a, err := runs.Validate(cmd.Context(), v)
			if err != nil {
				return err
			}
			if o.json() {
				return writeJSON(cmd.OutOrStdout(), a)
			}
			return writeAgreement(cmd.OutOrStdout(), a)
		},
	}
	f := cmd.Flags()
	f.IntVar(&teach, "teach", 3, "runs to learn from")
	f.IntVar(&rounds, "rounds", 10, "runs to predict")
	f.StringVar(&input, "input", "", "without job files: folder with text (default: the source of the Go toolchain)")
	f.StringVar(&size, "size", "64MB", "without job files: at most this much text")
	f.StringArrayVar(&o.policies, "policy", nil, "policy to use")
	f.StringVar(&o.seed, "seed", noSeed, "seed of the placement of blocks")
	f.IntVar(&o.nodes, "nodes", 0, "number of workers that share the cores of this machine")
	f.StringVar(&o.slots, "slots", "", "slots of a worker for maps, or for maps and reduces: 2 or 2,1")
	_ = cmd.RegisterFlagCompletionFunc("policy", completePolicies)
	o.bindBlock(cmd)
	return o.bindOutput(cmd)
}

// defaultBatch makes the batch that is run if nobody names one.
func defaultBatch(v *runs.Validation, input, size string) error {
	most, err := units.ParseBytes(size)
	if err == nil && most < 1 {
		err = fmt.Errorf("it must be above 0")
	}
	if err != nil {
		return fmt.Errorf("--size: %w", err)
	}
	if input == "" {
		if input, err = goSource(); err != nil {
			return err
		}
	}
	if input, err = filepath.Abs(input); err != nil {
		return failure{err}
	}
	files, _, err := runs.FindText(input)
	if err != nil {
		return fmt.Errorf("--input: %w", err)
	}
	if len(files) == 0 {
		return fmt.Errorf("--input %q: there is no text in it", input)
	}
	var paths []string
	for _, f := range runs.Take(files, most) {
		paths = append(paths, f.Path)
	}
	v.Say("reading %d files in %s where they are", len(paths), input)
	v.Jobs, err = runs.DefaultBatch(paths, 200*units.Millisecond)
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
	if err != nil {
		return failure{err}
	}
	return nil
}
