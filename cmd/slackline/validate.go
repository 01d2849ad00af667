package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

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
	var there onCluster
	cmd := &cobra.Command{
		Use:   "validate [JOB.yaml...]",
		Short: "Check the simulator: predict real jobs, run them, compare",
		Long: `Runs a batch of jobs on this machine repeatedly. Before each run the batch is simulated with what the earlier runs have measured
(cold runs only while there is no other: see slackline profile), and the finish of each job is compared with the prediction.

The bias says on which side predictions were: below 0 jobs are done later than predicted. It comes with its 95 % interval, in
how many rounds predictions were too early, and how likely so one-sided a count is by chance (sign test). After five rounds
predictions are multiplied by how far those of the job's class were off, as those of ask, run and simulate are; the bias
without that stands below. Before each round the earlier ones say in which interval the outcome is in 95 of 100 cases; the last
column says how often it was.

With --cluster yarn (which needs --history and --rm) the jobs run on a Hadoop cluster, as slackline submit --to yarn runs them:
each alone, then all together. They are predicted as that cluster would run them by --policy (default: capacity), from the
histories of the rounds before: the times of tasks, and what the cluster adds to them. What is told is the middle of plays
with drawn times, and the interval that has 90 of 100 of them. Without job files these are a word count, a sort, and tasks
of 5 and of 30 s.

Without job files the batch is a sort, a word count and a grep over the source of the Go toolchain. Output goes to a temporary
directory.`,
		Example: `  slackline validate --size 4MB --rounds 2
  slackline validate examples/find.yaml --rounds 2 -o json`,
		ValidArgsFunction: yamlFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if teach < 1 || rounds < 1 || teach+rounds > 10000 {
				return fmt.Errorf("--teach %d, --rounds %d: each must be 1 or more, and their sum at most 10000", teach, rounds)
			}
			if there.to != "" {
				there.teach, there.rounds = teach, rounds
				return there.run(cmd, o, args, text)
			}
			if flag := given(cmd, "history", "rm", "hadoop", "streaming", "put"); flag != "" {
				return fmt.Errorf("--%s needs --cluster yarn", flag)
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
	there.bind(f)
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

// writeAgreement prints of each job and of the makespan how far predictions were off, and on which side.
func writeAgreement(w io.Writer, a *runs.Agreement) error {
	g := &report.Grid{Title: fmt.Sprintf("predictions of %d runs under %s, each from the runs before it", a.Rounds, a.Policy)}
	g.Add("job", ">measured", ">predicted", ">bias", ">95 % interval", ">too early", ">p", ">mean error", ">largest", fmt.Sprintf(">inside %.0f %%", 100*a.Level))
	var one []string
	told, inside := 0, 0
	var places []float64
	for i := range append(a.Jobs, a.Makespan) {
		p := &a.Makespan
		if i < len(a.Jobs) {
			p = &a.Jobs[i]
			told, inside, places = told+p.Told, inside+p.Inside, append(places, p.Places...)
		} else if len(p.Measured) == 0 {
			break
		}
		var measured, errs stat.Sum
		largest := 0.0
		for k, e := range p.Errors() {
			measured.Add(p.Measured[k])
			errs.Add(max(e, -e))
			largest = max(largest, e, -e)
		}
		interval, within := "–", "–"
		if p.BiasLow != nil {
			interval = fmt.Sprintf("%+.1f to %+.1f %%", 100**p.BiasLow, 100**p.BiasHigh)
		}
		if p.Told > 0 {
			within = fmt.Sprintf("%d of %d", p.Inside, p.Told)
		}
		g.Add(p.ID, fmt.Sprintf("%.3f ± %.3f s", measured.Mean(), measured.Deviation()), fmt.Sprintf("%.3f s", stat.Mean(p.Predicted)),
			fmt.Sprintf("%+.1f %%", 100*p.Bias), interval, fmt.Sprintf("%d of %d", p.Early, a.Rounds), fmt.Sprintf("%.3f", p.Sign),
			fmt.Sprintf("%.1f %%", 100*errs.Mean()), fmt.Sprintf("%.1f %%", 100*largest), within)
		if side := "early"; p.Sign < 0.05 {
			if p.Early*2 < a.Rounds {
				side = "late"
			}
			one = append(one, fmt.Sprintf("Predictions of %s are too %s, by %.1f %% on average, and not by chance.\n", p.ID, side, 100*max(p.Bias, -p.Bias)))
		}
	}
	if err := g.Write(w); err != nil {
		return failure{err}
	}
	text := fmt.Sprintf("\nresponse times of jobs: mean error %.1f %%, 95th percentile %.1f %%, largest %.1f %%\n", 100*a.Mean, 100*a.P95, 100*a.Largest)
	if text += fmt.Sprintf("bias %+.1f %%", 100*a.Bias); len(places) == 0 {
		text += fmt.Sprintf("; %+.1f %% without the factors that the runs before taught", 100*a.Bare)
	}
	text += "\n"
	if told > 0 {
		text += fmt.Sprintf("%d of %d outcomes (%.0f %%) were inside the %.0f %% interval given before them\n", inside, told, 100*float64(inside)/float64(told), 100*a.Level)
	}
	if len(places) > 0 {
		below := func(level float64) int {
			return len(slices.DeleteFunc(slices.Clone(places), func(x float64) bool { return x > level }))
		}
		text += fmt.Sprintf("of %d outcomes %d were before what 10 %% of the plays took, %d before half of them, %d before 90 %%\n", len(places), below(0.1), below(0.5), below(0.9))
	}
	_, err := io.WriteString(w, text+strings.Join(one, ""))
	return asFailure(err)
}
