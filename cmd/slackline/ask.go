package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/runs"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/units"
)

func newAsk(o *options) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ask JOB.yaml...",
		Short: "Say when jobs would be done, without running them",
		Long: `Says when the jobs would be done if they were run together on this machine now, by what earlier runs have measured: the
simulator plays them under the policy, as run would. Nothing is run or written.

The answer also says by when the job is done in nine of ten cases, and how likely it is to meet its deadline. At first this
follows from simulations with the cost models of its class. Each run compares what was predicted with what came; once ten
predictions of the class have been compared, the answer follows from how far off they were.

Other runs on this machine share its cores. If there are any, a second answer assumes that they keep the cores busy all the
time.

The exit code is 3 if a job is expected to be late, or would be refused.`,
		Example: `  rm -rf out && slackline run examples/words.yaml && slackline ask examples/words.yaml
  rm -rf out && slackline run examples/words.yaml && slackline ask examples/words.yaml --policy rtmr -o json`,
		Args:              some("job files"),
		ValidArgsFunction: yamlFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			jobs, err := o.readJobs(args...)
			if err != nil {
				return err
			}
			if _, err := whole(cmd, jobs); err != nil {
				return err
			}
			m, err := o.machine(cmd)
			if err != nil {
				return err
			}
			policy, seed, err := o.onePlay(cmd)
			if err != nil {
				return err
			}
			now := time.Now()
			over := reading()
			local, err := runs.NewLocal(jobs, m, now)
			over()
			if err != nil {
				return err
			}
			if local.Memory, err = o.read(cmd.ErrOrStderr()); err != nil {
				return err
			}
			defer local.Memory.Close()
			known, err := local.Memory.Profiles()
			if err != nil {
				return failure{err}
			}
			for _, note := range append(local.Clocks(), local.Warnings...) {
				fmt.Fprintln(cmd.ErrOrStderr(), note)
			}
			all, err := local.Ask(cmd.Context(), policy, seed, known)
			if err != nil {
				return err
			}
			if err := o.result(cmd.OutOrStdout(), all, func(w io.Writer) error { return writeAnswers(w, all) }); err != nil {
				return failure{err}
			}
			return verdictOf(all)
		},
	}
	o.bindStore(cmd.Flags())
	return o.bindOnePlay(cmd)
}

// verdictOf is no if the answer is no.
func verdictOf(all *runs.Answers) error {
	var late []string
	for i := range all.Jobs {
		if a := &all.Jobs[i]; !a.InTime() {
			late = append(late, fmt.Sprintf("%q", a.ID))
		}
	}
	switch len(late) {
	case 0:
		return nil
	case 1:
		return no{fmt.Errorf("job %s would not be in time", late[0])}
	}
	return no{fmt.Errorf("jobs %s would not be in time", strings.Join(late, ", "))}
}

// writeAnswers writes a sentence about each job.
func writeAnswers(w io.Writer, all *runs.Answers) error {
	var errs []error
	say := func(format string, args ...any) {
		_, err := fmt.Fprintf(w, format, args...)
		errs = append(errs, err)
	}
	for i := range all.Jobs {
		say("%s\n", sentence(&all.Jobs[i], all.Asked))
	}
	for _, o := range all.Beside {
		names := o.Jobs
		if len(names) > mostNamed {
			names = append(names[:mostNamed:mostNamed], fmt.Sprintf("%d more", len(o.Jobs)-mostNamed))
		}
		say("run %d (%s) is under way here and shares the cores\n", o.Run, report.Printable(strings.Join(names, ", ")))
		if left := toGo(o.Maps, o.Reduces); o.Open && left != "" {
			say("run %d takes jobs, and its own have %s to go: a job that is submitted to it may wait for these, which the times above do not count\n", o.Run, left)
		}
	}
	return errors.Join(errs...)
}

// surely writes a chance in percent, rounded down: what is not certain is never 100 %.
func surely(chance float64) string {
	return strconv.FormatFloat(math.Floor(1000*chance+1e-9)/10, 'f', -1, 64) + " %"
}

// sentence says what is known of a job.
func sentence(a *runs.Answer, now time.Time) string {
	name := fmt.Sprintf("job %q: ", report.Printable(a.ID))
	if a.Done == nil {
		return name + "refused: " + a.Refused
	}
	parts := []string{fmt.Sprintf("done at %s, in %s", stamp(*a.Done, now), units.Span(a.Done.Sub(a.Submitted).Seconds()))}
	switch {
	case a.By90 != nil:
		parts[0] += ", 90 % by " + stamp(*a.By90, now)
	case a.Spread != nil && *a.Spread >= 0.001:
		parts[0] += " ± " + units.Span(*a.Spread)
	}
	if a.Deadline != nil {
		due := "by " + stamp(*a.Deadline, now)
		switch left := a.Deadline.Sub(*a.Done).Seconds(); {
		case a.Chance != nil:
			due += " with " + surely(*a.Chance)
		case left < 0:
			due = "its deadline, " + stamp(*a.Deadline, now) + ", is missed by " + units.Span(-left)
		default:
			due += " with " + units.Span(left) + " to spare"
		}
		parts = append(parts, due)
	}
	if a.Alone != nil {
		parts = append(parts, "alone it takes "+units.Span(*a.Alone))
	}
	if a.WaitsTill != nil {
		parts[len(parts)-1] += fmt.Sprintf(", it waits for %s until %s", report.Printable(strings.Join(a.WaitsFor, ", ")), stamp(*a.WaitsTill, now))
	}
	if a.Shared != nil {
		parts = append(parts, "beside what runs here now it may last until "+stamp(*a.Shared, now))
	}
	if a.Cold {
		parts = append(parts, "only cold runs of its class are known, so it may take less")
	}
	return name + strings.Join(parts, "; ")
}
