package main

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/studies/capacity"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
)

func newCapacity(o *options) *cobra.Command {
	sweep, since, policy := "", "", ""
	learned, ran, verify, seed := false, false, false, uint64(1)
	cmd := &cobra.Command{
		Use:   "capacity FILE.yaml | --from-history",
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

Without a file, --from-history takes the classes from the jobs that ran on this machine, their deadlines and how many
ran side by side too; costs are then counted in machines like this one. -o yaml prints such a plan as a file, to which
prices and penalties can be added.

Each plan comes with a lower bound that no plan gets below, and with prices: what one more reserved machine
saves, and of each class what a later deadline, another job, or slower tasks are worth.

Bounds are not what happens. --verify plays the plan in the simulator, with users who submit the admitted jobs again and
again, and counts what is late: on slots of their own, or with --policy on machines that all classes share.

With machines, types of machines instead of one price, the plan has several types with prices by the hour, spot capacity,
energy and a budget; examples/fleet.yaml shows how. -o yaml prints such a plan as the cluster of a scenario, whose offers are
what it rents, so that it can be played with any workload and policy.

With -o csv there is a line for each class and one for the total, with status and reason; with --sweep a line for each
deadline instead.

If a class cannot meet its deadline with any number of machines there is no plan: the exit code is 3.`,
		Example: `  slackline capacity examples/allocation.yaml
  slackline capacity examples/allocation.yaml -o json
  slackline capacity examples/allocation.yaml --sweep deadline=-60%..0
  slackline capacity examples/allocation.yaml --verify --policy fair
  slackline capacity examples/fleet.yaml
  slackline capacity examples/fleet.yaml --verify
  slackline capacity --from-history --since 30d -o yaml`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case cmd.Flags().Changed("policy") && !verify:
				return fmt.Errorf("--policy needs --verify")
			case cmd.Flags().Changed("seed") && !verify:
				return fmt.Errorf("--seed needs --verify")
			case learned && ran:
				return fmt.Errorf("--from-profiles and --from-history contradict each other: what ran has its times; leave one out")
			case ran && len(args) > 0:
				return fmt.Errorf("--from-history and a file contradict each other; leave one out")
			case ran:
				return nil
			case since != "":
				return fmt.Errorf("--since needs --from-history")
			}
			return exactly(1, "one file")(cmd, args)
		},
		ValidArgsFunction: yamlFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			var changes []float64
			if cmd.Flags().Changed("sweep") {
				var err error
				if changes, err = capacity.ParseSweep(sweep); err != nil {
					return fmt.Errorf("--sweep: %w", err)
				}
			}
			var src []byte
			var err error
			file := "history.yaml"
			if ran {
				src, err = o.capacityFromHistory(cmd, since)
			} else {
				file = args[0]
				src, err = readFile(file)
			}
			if err != nil {
				return err
			}
			if o.output == "yaml" && ran {
				_, err := cmd.OutOrStdout().Write(src)
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
				if r.Fleet == nil {
					return fmt.Errorf("%s: --output yaml needs --from-history, it prints the file that follows from it, or a plan with machines, which it prints as a cluster", file)
				}
				return r.WriteCluster(c, cmd.OutOrStdout())
			}
			r.Change(c, changes)
			if verify && r.Reason == "" {
				if err := r.Verify(cmd.Context(), c, policy, seed); err != nil {
					return fmt.Errorf("--verify: %w", err)
				}
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
	cmd.Flags().BoolVar(&ran, "from-history", false, "plan for the jobs that ran on this machine, without a file")
	cmd.Flags().StringVar(&since, "since", "", "with --from-history: only jobs submitted since: a span back from now (30d), a day or a time")
	cmd.Flags().BoolVar(&verify, "verify", false, "play the plan in the simulator, and count jobs that are late")
	cmd.Flags().StringVar(&policy, "policy", policy, "with --verify: all classes share the machines by this policy, as queues that weigh what they need;\nif left out each class has slots of its own")
	cmd.Flags().Uint64Var(&seed, "seed", seed, "with --verify: seed of everything random")
	o.bindStore(cmd.Flags())
	cmd.Flags().StringVar(&sweep, "sweep", "",
		"plan with other deadlines as well, such as deadline=-60%..0 (in steps of 5 %) or deadline=-50%..50%/10%")
	return o.bindOutput(cmd, "csv", "yaml")
}

// capacityFromHistory is the file that follows from what ran.
func (o *options) capacityFromHistory(cmd *cobra.Command, since string) ([]byte, error) {
	m, err := o.read(cmd.ErrOrStderr())
	if err != nil {
		return nil, err
	}
	defer m.Close()
	f := store.JobFilter{States: []string{store.Finished}}
	if f.Since, err = parseSince(since, time.Now()); err != nil {
		return nil, err
	}
	jobs, err := m.Store().Jobs(f)
	if err != nil {
		return nil, failure{err}
	}
	src, err := capacity.FromHistory(jobs, runtime.NumCPU(), func(job int64) ([]*store.Attempt, error) {
		list, err := m.Store().Attempts(job, store.AttemptFilter{Outcomes: []string{sched.Committed.String()}})
		if err != nil {
			return nil, failure{err}
		}
		return list, nil
	})
	switch {
	case errors.Is(err, capacity.ErrNothingRan) && since == "":
		err = fmt.Errorf("%w yet; run some", err)
	case errors.Is(err, capacity.ErrNothingRan):
		err = fmt.Errorf("%w in that time; run some, or give an earlier --since", err)
	}
	if err != nil {
		return nil, fmt.Errorf("--from-history: %w", err)
	}
	return src, nil
}
