package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/files"
	"github.com/slackline/slackline/internal/kernel/journal"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/shadow"
)

func newYarnCompare(o *options) *cobra.Command {
	policy, most := "", 10
	cmd := &cobra.Command{
		Use:   "compare JOURNAL",
		Short: "Compare what a policy advised while it watched with what the cluster's own scheduler did",
		Long: `Reads the journal of a process that only watched (slackline yarn serve --watch --journal FILE), and says

- how many of the containers that the cluster's own scheduler started the policy would have started too, for that node and that
  stage of that job. The policy is asked at the node's next report, as if the container had not been started yet. The first
  starts that were not advised are listed, with what was advised for the node instead, and why;
- what the policy said about each job (promised, admitted, held, refused), and how many of these jobs were in time;
- how the jobs fared under the cluster's own scheduler, beside a simulation of the same jobs under the policy. There each
  task takes what it took on the cluster; the policy starts with the profiles it had when the recording began, and learns as
  it did then.

With --policy another policy is asked about the same recording: what the cluster did does not depend on who watched.`,
		Example: `  slackline yarn compare cluster.journal
  slackline yarn compare cluster.journal --policy edf-p+matchmaking -o json`,
		Args: exactly(1, "a journal"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if most < 0 {
				return fmt.Errorf("--differences is %d, it must be 0 or more", most)
			}
			if policy != "" {
				if _, err := lab.PolicyName(policy, queues.Config{}); err != nil {
					return fmt.Errorf("--policy: %w", err)
				}
			}
			c, err := shadow.Compare(cmd.Context(), args[0], policy, most)
			var line *journal.LineError
			var unread *files.Error
			switch {
			case errors.As(err, &unread):
				return err
			case errors.As(err, &line):
				return fmt.Errorf("%s:%d: %s", args[0], line.Line, line.What)
			case err != nil:
				return fmt.Errorf("%s: %w", args[0], err)
			}
			return o.result(cmd.OutOrStdout(), c, c.Write)
		},
	}
	f := cmd.Flags()
	f.StringVar(&policy, "policy", "", "policy to ask instead of the one that was recorded")
	f.IntVar(&most, "differences", most, "how many starts that were not advised to list")
	_ = cmd.RegisterFlagCompletionFunc("policy", completePolicies)
	return o.bindOutput(cmd)
}
