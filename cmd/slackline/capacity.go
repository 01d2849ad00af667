package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/studies/capacity"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/profile"
)

func newCapacity(o *options) *cobra.Command {
	learned := false
	cmd := &cobra.Command{
		Use:   "capacity FILE.yaml",
		Short: "Plan how many machines to reserve and rent, and how many jobs of each class to admit",
		Long: `Answers before any job runs: how many machines to reserve, how many to rent on demand, how many slots each
class of jobs gets, and how many of its jobs to admit side by side, so that all that are admitted meet their
deadlines at the least cost. The file has the classes with what their tasks take, deadlines and penalties,
and the prices of machines; slackline schema capacity prints every key.

Completion is bounded by the number, the mean and the longest time of tasks. With bound: mean a deadline
holds for the mean of the lower and the upper bound; with bound: upper it holds for the upper bound. Jobs
that do not pay for the machines they need are rejected, down to at_least. The cost is what machines cost,
and the penalties of what is rejected, an hour.

Times of tasks that the file leaves out are taken from what runs taught of the class, with --from-profiles
(slackline profile shows it): the mean and the longest time that were measured.

Each plan comes with a lower bound that no plan gets below, and with prices: what one more reserved machine
saves, and of each class what a later deadline, another job, or slower tasks are worth.

Bounds are not what happens. -o yaml prints the plan as a scenario, with users who submit the admitted jobs again and again,
so that slackline simulate can play it under any policy.

With -o csv there is a line for each class and one for the total, with status and reason.

If a class cannot meet its deadline with any number of machines there is no plan: the exit code is 3.`,
		Example: `  slackline capacity examples/allocation.yaml
  slackline capacity examples/allocation.yaml -o json
  slackline capacity examples/allocation.yaml -o yaml`,
		Args:              exactly(1, "one file"),
		ValidArgsFunction: yamlFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			file := args[0]
			src, err := readFile(file)
			if err != nil {
				return err
			}
			var known []*profile.Class
			if learned {
				if known, err = o.profiles(cmd.ErrOrStderr()); err != nil {
					return err
				}
			}
			c, err := scenario.ReadCapacity(file, src, known...)
			if err != nil {
				return err
			}
			r := capacity.Plan(c)
			if o.output == "yaml" && r.Reason == "" {
				return r.WriteScenario(c, cmd.OutOrStdout())
			}
			if err := o.result(cmd.OutOrStdout(), r, r.WriteTable); err != nil {
				return failure{err}
			}
			if r.Reason != "" {
				return no{errors.New(r.Reason)}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&learned, "from-profiles", false,
		"take times that the file leaves out from what runs taught of the class")
	o.bindStore(cmd.Flags())
	return o.bindOutput(cmd, "csv", "yaml")
}
