package main

import (
	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
)

func newCompare(o *options) *cobra.Command {
	return o.bindRuns(&cobra.Command{
		Use:   "compare SCENARIO.yaml...",
		Short: "Play scenarios under several policies and seeds, and compare the policies",
		Long: `Plays each scenario under each of its policies with each of its seeds, on all cores. The table has a line for each policy: means over
the seeds with 95 % confidence intervals. The same seed draws the same task times and failures under every policy.`,
		Example: `  slackline compare examples/two-jobs.yaml
  slackline compare examples/two-jobs.yaml --policy fifo,edf-p --seed 1..10
  slackline compare examples/two-jobs.yaml --html two-jobs.html`,
		Args:              some("scenario files"),
		ValidArgsFunction: yamlFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
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
			return o.finish(cmd.OutOrStdout(), report.New(runs...))
		},
	})
}
