package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/units"
)

func newForecastCapacity(o *options) *cobra.Command {
	var step string
	cmd := &cobra.Command{
		Use:   "capacity SCENARIO.yaml|JOB.yaml...",
		Short: "Forecast how many nodes deadlines need, against how many there are",
		Long: `Plays a scenario, or job files as earlier runs measured them, by a policy that rents nodes (need), and says step by step how many
nodes are needed against how many there are, which jobs make the difference, and which are late even so. What could be had
stands in the file: cluster.offers of a scenario, run.offers of job files. Nothing is rented.`,
		Example: `  slackline forecast capacity examples/cloud.yaml --step 5m
  slackline forecast capacity examples/cloud.yaml --policy edf+need -o json`,
		Args:              some("scenario files or job files"),
		ValidArgsFunction: yamlFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			every, err := units.ParseDuration(step)
			if err != nil || every < units.Second {
				return fmt.Errorf("--step is %q, it must be a span of a second or more, such as 1h", step)
			}
			if !cmd.Flags().Changed("policy") {
				o.policies = []string{"promise+need"}
			}
			cells, _, _, err := o.cells(cmd, args)
			if err != nil {
				return err
			}
			if len(cells) != 1 {
				return fmt.Errorf("these are %d runs, and the forecast is of one; choose one file without a sweep, one --policy and one --seed", len(cells))
			}
			cfg, err := cells[0].Config(cmd.Context())
			if err != nil {
				return err
			}
			own := len(cfg.Cluster.Own())
			if own == len(cfg.Cluster.Nodes) {
				return fmt.Errorf("%s: it offers no nodes; say by offers, below cluster in a scenario and below run in a job file, what could be had", args[0])
			}
			run, err := lab.Run(cmd.Context(), cells[0])
			if err != nil {
				return err
			}
			l := report.NewLack(run, own, every)
			return o.result(cmd.OutOrStdout(), l, l.WriteTable)
		},
	}
	cmd.Flags().StringVar(&step, "step", "1h", "length of a step")
	o.bindStore(cmd.Flags())
	o.bindOnePlay(cmd)
	cmd.Flags().Lookup("policy").Usage = "policy to use, one that rents nodes (default promise+need)"
	return cmd
}
