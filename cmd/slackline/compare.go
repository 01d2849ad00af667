package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/maths/spelling"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
)

// comparisons is the form that has a line for each comparison, as CSV.
const comparisons = "comparisons"

func newCompare(o *options) *cobra.Command {
	fresh, metric := false, ""
	cmd := &cobra.Command{
		Use:   "compare SCENARIO.yaml...",
		Short: "Play scenarios under several policies and seeds, and say which policy is better",
		Long: `Simulates each scenario under each of its policies, with each of its seeds and all values of its sweep, on all cores. The table
has a line for each policy: means over the seeds with 95 % confidence intervals.

The same seed draws the same task times and failures under every policy. So policies are compared seed by seed with the first
one: the difference, its 95 % interval, and which policy is better, or by how many seeds that might be decided. Verdicts and p
hold however often you add seeds and look again (an anytime-valid t test, which allows for skewed differences); no verdict comes
from fewer than 13 seeds. The interval is of the one difference, for one look, and there from two seeds on. Jobs in time are counted among all jobs submitted, so no policy gains by refusing. Response, tardiness and
penalty are compared on the jobs that finished under both policies; the table says how many. Figures of a whole run, such as
its makespan or energy, are compared only if the policies finished the same jobs: less work is done sooner.

With many tests some succeed by chance. So one metric is the primary one, --metric. Its tests, of all policies and all
points of a sweep, are corrected for each other (Holm); those of all other metrics are corrected separately. If there are too
few seeds to decide anything, a warning says so before the runs.

For other programs, -o csv has a line for each run, -o comparisons has one for each comparison, also as CSV, and -o json has
both. There once_low and once_high are the interval of the table, low and high one that holds for all tests and looks, as p
does: it leaves out 0 exactly if p is below 0.05.

Metrics:

` + metricHelp() + `

What was simulated before is not simulated again: results are kept under a hash of everything that they depend on. So a
comparison that was interrupted or killed continues where it stopped. Runs that are drawn or recorded (--html,
--journal) run again each time, and their results are kept too.`,
		Example: `  slackline compare examples/two-jobs.yaml
  slackline compare examples/two-jobs.yaml --policy fifo,edf-p --seed 1..10
  slackline compare examples/best-effort.yaml --seed 1..2 --metric mean-response
  slackline compare examples/sweep.yaml -o csv
  slackline compare examples/sweep.yaml -o comparisons
  slackline compare examples/two-jobs.yaml --html two-jobs.html`,
		Args:              some("scenario files"),
		ValidArgsFunction: yamlFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			primary, err := parseMetric(metric)
			if err != nil {
				return err
			}
			if !fresh {
				if err := o.openCache(); err != nil {
					fmt.Fprintf(cmd.ErrOrStderr(), "warning: results are not kept: %v\n", err)
				}
			}
			over := reading()
			cells, err := config.FromFiles(args, readFile, func(file string, src []byte) ([]lab.Cell, error) { return o.scenarioCells(cmd, file, src) })
			if err != nil {
				return err
			}
			over()
			if o.warnings, err = foretell(cells, primary); err != nil {
				return err
			}
			runs, err := o.runCells(cmd, cells)
			if err != nil {
				return err
			}
			if o.export == "" { // the same with results that were kept, whatever is drawn
				runs = each.Of(runs, (*report.Run).Unexplained)
			}
			r := report.New(runs...)
			r.Compare(primary)
			return o.finish(cmd.OutOrStdout(), r)
		},
	}
	cmd.Flags().BoolVar(&fresh, "fresh", false, "run everything again, and use no kept results")
	o.bindExport(cmd.Flags())
	cmd.Flags().StringVar(&metric, "metric", "", "the primary metric, which judges the policies (default in-time, or mean-response if no job has a deadline)")
	metrics := each.Of(report.Metrics(), func(m [2]string) string { return flagOf(m[0]) + "\t" + m[1] })
	_ = cmd.RegisterFlagCompletionFunc("metric", cobra.FixedCompletions(metrics, cobra.ShellCompDirectiveNoFileComp))
	return o.bindRuns(cmd, comparisons)
}

// flagOf is the name of a metric as one word.
func flagOf(metric string) string { return strings.ReplaceAll(metric, " ", "-") }

// parseMetric returns the metric of the flag, "" if there is none.
func parseMetric(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	at, hint := spelling.Find(flagOf(text), report.Metrics(), func(m [2]string) string { return flagOf(m[0]) })
	if at < 0 {
		return "", fmt.Errorf("--metric %q: there is no such metric%s", text, hint)
	}
	return report.Metrics()[at][0], nil
}

// metricHelp lists the metrics, a line each.
func metricHelp() string {
	line := func(m [2]string) string { return fmt.Sprintf("  %-21s %s", flagOf(m[0]), m[1]) }
	return strings.Join(each.Of(report.Metrics(), line), "\n")
}

// foretell refuses a primary metric that no run of a scenario can have, and says what so few seeds cannot tell.
func foretell(cells []lab.Cell, primary string) (warnings []string, err error) {
	var names []string
	scenarios := map[string][]lab.Cell{}
	for _, c := range cells {
		if scenarios[c.Scenario] == nil {
			names = append(names, c.Scenario)
		}
		scenarios[c.Scenario] = append(scenarios[c.Scenario], c)
	}
	for _, name := range names {
		design := report.Design{Primary: primary}
		seeds, policies := map[string]map[uint64]bool{}, map[string]map[string]bool{} // of each point of a sweep
		for _, c := range scenarios[name] {
			point := c.Name()
			if seeds[point] == nil {
				seeds[point], policies[point] = map[uint64]bool{}, map[string]bool{}
			}
			seeds[point][c.Seed], policies[point][c.Policy] = true, true
			for _, m := range c.Metrics {
				if !slices.Contains(design.Metrics, m) {
					design.Metrics = append(design.Metrics, m)
				}
			}
		}
		for point := range seeds {
			design.Tests += len(policies[point]) - 1
			design.Seeds = max(design.Seeds, len(seeds[point]))
		}
		if primary != "" && !slices.Contains(design.Metrics, primary) {
			there := each.Of(design.Metrics, flagOf)
			return nil, fmt.Errorf("--metric %s: no run of %s can have it; there are: %s", flagOf(primary), scenarios[name][0].File, strings.Join(there, ", "))
		}
		if text := design.TooFew(); text != "" {
			warnings = append(warnings, name+": "+text)
		}
	}
	return warnings, nil
}

// openCache opens the results of earlier simulations, beside what runs teach.
func (o *options) openCache() error {
	dir, err := o.dataDir()
	if err != nil {
		return err
	}
	o.cache, err = lab.OpenCache(filepath.Join(dir, "results"))
	return err
}
