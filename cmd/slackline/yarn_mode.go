package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/runs"
	"github.com/slackline/slackline/sched"
)

// placing says who places work on a cluster.
var placing = [sched.Controls]string{
	sched.TakeOver: "Slackline places work",
	sched.Yield:    "the cluster's own scheduler places work",
	sched.Watch:    "the cluster's own scheduler places work, and Slackline watches",
}

// newYarnMode is a command that lets another process of the user place work, or not.
func newYarnMode(o *options, to sched.ControlVerb) *cobra.Command {
	short := map[sched.ControlVerb]string{
		sched.TakeOver: "Let Slackline place the work of a cluster from now on",
		sched.Yield:    "Give placement back to the cluster's own scheduler",
		sched.Watch:    "Let Slackline decide and record, while the cluster's own scheduler places work",
	}
	var run int64
	cmd := &cobra.Command{
		Use:   to.String(),
		Short: short[to],
		Long: fmt.Sprintf(`Asks the slackline yarn serve of the same user, in another terminal, for another mode: from then on
%s. It may be changed at any time; running containers continue, and promises
stand. The command ends when the cluster has confirmed it. A process that is started again begins as its flags say.

Exit code 3 says that there is no such process, or that its cluster has not answered.`, placing[to]),
		Example: "  slackline yarn " + to.String(),
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.askCluster(cmd, run, to); err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), placing[to])
			return nil
		},
	}
	cmd.Flags().Int64Var(&run, "run", 0, "number of the run, where several schedule clusters")
	o.bindStore(cmd.Flags())
	return cmd
}

// askCluster asks the process that schedules a cluster for another mode.
func (o *options) askCluster(cmd *cobra.Command, number int64, to sched.ControlVerb) error {
	m, list, err := o.alive(func(r store.Run) bool {
		return r.Name == runs.OfCluster && (number == 0 || r.ID == number)
	})
	if err != nil {
		return err
	}
	defer m.Close()
	switch {
	case len(list) == 0 && number != 0:
		return no{fmt.Errorf("run %d schedules no cluster, or has ended", number)}
	case len(list) == 0:
		return no{errors.New("no process schedules a cluster; start one with slackline yarn serve")}
	case len(list) > 1:
		numbers := each.Of(list, func(r store.Run) string { return fmt.Sprint(r.ID) })
		return fmt.Errorf("the runs %s schedule clusters; name one with --run", strings.Join(numbers, ", "))
	}
	_, err = askRun(cmd.Context(), m, list[0].ID, runs.Mode, to.String())
	return err
}
