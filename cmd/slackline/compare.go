package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
)

func newCompare(o *options) *cobra.Command {
	fresh := false
	cmd := &cobra.Command{
		Use:   "compare SCENARIO.yaml...",
		Short: "Play scenarios under several policies and seeds, and say which policy is better",
		Long: `Plays each scenario under each of its policies with each of its seeds, and with all values of its sweep, on all cores. The table has a
line for each policy: means over the seeds with 95 % confidence intervals. The same seed draws the same task times and failures under
every policy, so policies are compared seed by seed with the first one: the difference, how likely it is by chance (a sign-flip test,
corrected for the number of comparisons), how large the effect is, and whether the seeds suffice to tell.

What has been simulated before is not simulated again: results are kept by the sum of all that they follow from. So a comparison that
was interrupted, or killed, goes on where it was. Runs that are to be watched (--html, --chrome, --journal) run again each time; what
comes of them is kept like the rest.`,
		Example: `  slackline compare examples/two-jobs.yaml
  slackline compare examples/two-jobs.yaml --policy fifo,edf-p --seed 1..10
  slackline compare examples/sweep.yaml -o csv
  slackline compare examples/two-jobs.yaml --html two-jobs.html`,
		Args:              some("scenario files"),
		ValidArgsFunction: yamlFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !fresh {
				if err := o.openCache(); err != nil {
					fmt.Fprintf(cmd.ErrOrStderr(), "warning: results are not kept: %v\n", err)
				}
			}
			var cells []lab.Cell
			for _, file := range args {
				src, err := readFile(file)
				if err != nil {
					return err
				}
				more, err := o.scenarioCells(cmd, file, src)
				if err != nil {
					return err
				}
				cells = append(cells, more...)
			}
			runs, err := o.runCells(cmd, cells)
			if err != nil {
				return err
			}
			r := report.New(runs...)
			r.Compare()
			return o.finish(cmd.OutOrStdout(), r)
		},
	}
	cmd.Flags().BoolVar(&fresh, "fresh", false, "run everything, whatever is known from before")
	return o.bindRuns(cmd)
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
