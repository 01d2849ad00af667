package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/files"
	"github.com/slackline/slackline/internal/kernel/journal"
	"github.com/slackline/slackline/internal/studies/lab"
)

func newReplay() *cobra.Command {
	return &cobra.Command{
		Use:   "replay JOURNAL",
		Short: "Replay a recorded run, and check that every plan is the same",
		Long: `Feeds a recorded journal to a fresh policy and a fresh book, and compares every plan byte by byte. It reports the number of the
first line that was altered, or that is decided differently now.

The exit code is 0 if the whole run was decided as recorded, 1 if a line differs or is damaged or the end is missing, 2 if the
file is not a journal.`,
		Example: "  slackline simulate examples/two-jobs.yaml --policy edf-p --seed 1 --journal run.journal && slackline replay run.journal",
		Args:    exactly(1, "a journal"),
		RunE: func(cmd *cobra.Command, args []string) error {
			over := reading()
			r, err := lab.Replay(cmd.Context(), args[0])
			over()
			var line *journal.LineError
			var unread *files.Error
			switch {
			case errors.As(err, &unread):
				return err
			case errors.As(err, &line):
				err = fmt.Errorf("%s:%d: %s", args[0], line.Line, line.What)
				if line.Line == 1 {
					return err // it is no journal, or not one of this build
				}
				return failure{err}
			case err != nil:
				return fmt.Errorf("%s: %w", args[0], err)
			}
			verdict := "exact"
			if r.Cut {
				verdict = "exact as far as it goes, but it stops before the end of the run"
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s: %d rounds with %d events gave the same %d plan items (%s by %s, seed %d)\n",
				args[0], verdict, r.Rounds, r.Events, r.Items, r.Header.Scenario, r.Header.Policy, r.Header.Seed)
			if err == nil && r.Cut {
				return failure{fmt.Errorf("%s: its end is missing: the run was cut off, or the journal was", args[0])}
			}
			return err
		},
	}
}
