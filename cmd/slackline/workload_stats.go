package main

import (
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/synth"
	"github.com/slackline/slackline/internal/studies/trace"
	"github.com/slackline/slackline/units"
)

func newWorkloadStats(o *options) *cobra.Command {
	var f traceFlags
	var rule int
	cmd := &cobra.Command{
		Use:   "stats TRACE",
		Short: "Describe a trace: jobs, tasks, bytes, arrivals, load by hour",
		Long: `Describes a trace. If it lists no tasks, they are counted by the rule of scenarios: a map for 128MB of input, a reduce for 1GB
of shuffle, none if nothing is shuffled (with --rule 1, as before version 2 of the rule, at least one). Records that are not
jobs, or not jobs that ran, are left out and counted. Quantiles are off by at most 1 %. The dispersion is the variance of the
number of arrivals in a minute over its mean: 1 for a Poisson process, more if arrivals come in bursts. Hours count from the
start of the trace. The name "-" stands for standard input. Formats:

` + formatList(),
		Example: `  slackline workload stats examples/traces/small.jsonl
  slackline workload stats --format swim examples/traces/swim.tsv
  slackline workload stats --format jhist examples/traces/words.jhist -o json`,
		Args: exactly(1, "a trace"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if rule < 1 || rule > trace.RuleVersion {
				return fmt.Errorf("--rule is %d, it must be from 1 to %d", rule, trace.RuleVersion)
			}
			in, err := f.open(cmd, "format", args[0], false)
			if err != nil {
				return err
			}
			defer in.close()
			s, err := synth.Measure(in, rule)
			if err != nil {
				return err
			}
			return o.result(cmd.OutOrStdout(), s, func(w io.Writer) error { return statsTable(w, in.file, s) })
		},
	}
	f.bind(cmd, "format", "slackline")
	cmd.Flags().IntVar(&rule, "rule", trace.RuleVersion, "version of the rule that derives tasks from bytes: 1 gives each job at least one reduce, 2 none without shuffle, 3 classes by shape as well")
	_ = cmd.RegisterFlagCompletionFunc("rule", cobra.FixedCompletions([]string{"1", "2", "3"}, cobra.ShellCompDirectiveNoFileComp))
	return o.bindOutput(cmd)
}

// sizeOf prints a sum of bytes, of which none may be known.
func sizeOf(bytes *float64) string {
	if bytes == nil {
		return "unknown"
	}
	return report.Size(*bytes)
}

// statsTable prints three tables: the whole, the quantities, the hours.
func statsTable(w io.Writer, name string, s *synth.Stats) error {
	t := &report.Grid{Title: fmt.Sprintf("%s: %s in %v", name, units.Count(s.Jobs, "job"), units.FromSeconds(math.Round(s.Span)))}
	t.Add("what", ">value")
	tasks := fmt.Sprint(s.Tasks)
	if s.TasksByRule > 0 {
		tasks += fmt.Sprintf(" (%d of them by rule %d)", s.TasksByRule, s.Rule)
	}
	t.Add("tasks", tasks)
	t.Add("bytes read", sizeOf(s.Input))
	t.Add("bytes shuffled", sizeOf(s.Shuffle))
	t.Add("bytes written", sizeOf(s.Output))
	t.Add("jobs with a deadline", fmt.Sprint(s.Deadlines))
	t.Add("jobs with predecessors", fmt.Sprint(s.After))
	t.Add("mean time between arrivals", fmt.Sprintf("%.3g s", s.GapMean))
	t.Add("its coefficient of variation", fmt.Sprintf("%.3g", s.GapCV))
	t.Add("dispersion of arrivals in a minute", fmt.Sprintf("%.3g", s.Dispersion))
	t.Add("busiest hour over the mean", fmt.Sprintf("%.3g", s.PeakHour))
	if err := t.Write(w); err != nil {
		return err
	}
	for _, c := range s.LeftOut {
		fmt.Fprintf(w, "left out: %v\n", c)
	}
	q := &report.Grid{Title: "\nquantiles"}
	q.Add("of", ">known", ">mean", ">p10", ">p50", ">p90", ">p99", ">max")
	for i := range s.Quantities {
		x := &s.Quantities[i]
		row := []string{x.Name, fmt.Sprint(x.N)}
		for _, v := range []float64{x.Mean, x.P10, x.P50, x.P90, x.P99, x.Most} {
			switch x.Unit {
			case "bytes":
				row = append(row, report.Size(v))
			case "seconds":
				row = append(row, fmt.Sprintf("%.3g s", v))
			default:
				row = append(row, fmt.Sprint(math.Round(v)))
			}
		}
		q.Add(row...)
	}
	if err := q.Write(w); err != nil {
		return err
	}
	h := &report.Grid{Title: "\nload by hour of the day"}
	h.Add(">hour", ">jobs", ">bytes read", ">tasks", ">hours of tasks")
	for i, x := range s.Hours {
		if x.Jobs > 0 {
			time := "–" // unknown
			if x.TaskSeconds > 0 {
				time = fmt.Sprintf("%.3g", x.TaskSeconds/3600)
			}
			h.Add(fmt.Sprint(i), fmt.Sprint(x.Jobs), sizeOf(x.Input), fmt.Sprint(x.Tasks), time)
		}
	}
	return h.Write(w)
}
