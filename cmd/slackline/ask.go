package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/runs"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/units"
)

func newAsk(o *options) *cobra.Command {
	var sample bool
	var away hadoop
	cmd := &cobra.Command{
		Use:   "ask JOB.yaml...",
		Short: "Say when jobs would be done, without running them",
		Long: `Says when the jobs would be done if they were run together on this machine now, by what earlier runs have measured: by when
half of all such jobs are, 90 % and 99 %, how likely each meets its deadline, whether that would be promised, and else the earliest
deadline that would be. It is the answer of the policy that would run them, and run says the same. Nothing is run, but for
--sample, and nothing is written.

Policies that promise nothing say nothing of that: then the jobs are simulated again and again with times as they were measured.
What a job reads that another one of the files writes is estimated from what such jobs wrote in earlier runs.

With --sample a part of each job is run first: one map in a hundred, but three where it has thirty or more, with as many reduces
as get their usual share. The answer rests on what these took, and on nothing that other jobs of the class did. The output of samples
is removed, and nothing of them is kept.

If a run here takes jobs (slackline run --open), it is asked, and counts all that it has to do, unless a flag asks for another
policy or machine, or for a sample. Other runs on this machine share its cores. If there are any, a second answer assumes that they keep the cores busy all the
time.

With --to yarn the process is asked that schedules a Hadoop cluster (slackline yarn serve), about the jobs that slackline submit
--to yarn would bring there: each alone, with the input as it lies in the cluster's file system.

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
			tell := func(all *runs.Answers) error {
				if err := o.result(cmd.OutOrStdout(), all, func(w io.Writer) error { return writeAnswers(w, all) }); err != nil {
					return failure{err}
				}
				return verdictOf(all)
			}
			switch away.to {
			case "yarn":
				return o.askYarn(cmd, &away, jobs, tell)
			case "run":
			default:
				return away.nowhere()
			}
			if _, err := whole(cmd, jobs); err != nil {
				return err
			}
			if is, err := o.openHere(cmd); is || err != nil {
				return errors.Join(err, o.askOpenRun(cmd, args, tell))
			}
			m, err := o.machine(cmd)
			if err == nil {
				err = m.Rent(jobs)
			}
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
			if sample {
				fmt.Fprintln(cmd.ErrOrStderr(), "running a sample of each job")
				if local, known, err = local.Sampled(cmd.Context(), seed); err != nil {
					return failure{err}
				}
			}
			all, err := local.Ask(cmd.Context(), policy, seed, known)
			if err == nil {
				err = local.Alone(cmd.Context(), all, policy, seed, known)
			}
			if err != nil {
				return err
			}
			return tell(all)
		},
	}
	away.bindTo(cmd.Flags())
	cmd.Flags().BoolVar(&sample, "sample", false, "run one map in a hundred of each job first, and answer by what these take")
	o.bindStore(cmd.Flags())
	return o.bindOnePlay(cmd)
}

// ofOwnRun are the flags that ask for a run of the jobs' own, in place of one that is there.
var ofOwnRun = []string{"policy", "seed", "nodes", "slots", "block", "sample"}

// openHere tells whether a run takes jobs that were started in this directory, and nobody asks for another kind of run.
func (o *options) openHere(cmd *cobra.Command) (bool, error) {
	if given(cmd, ofOwnRun...) != "" {
		return false, nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return false, err
	}
	m, list, err := o.alive(func(r store.Run) bool { return r.Door != "" && runs.SameDir(r.Door, dir) })
	if err != nil { // then nobody can be asked
		return false, nil
	}
	return len(list) > 0, m.Close()
}

// askOpenRun asks that run.
func (o *options) askOpenRun(cmd *cobra.Command, args []string, tell func(*runs.Answers) error) error {
	dir, what, err := o.submission(args)
	if err != nil {
		return err
	}
	var verdict error
	err = o.ofOpenRun(cmd, 0, dir, runs.Expect, what, func(r runs.Reply) { verdict = tell(r.Answers) })
	return errors.Join(err, verdict)
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
		say("%s\n", wrapped(w, sentence(&all.Jobs[i], all.Asked)))
	}
	for i := range all.Requests {
		if q := &all.Requests[i]; q.Nodes > 0 {
			say("%s\n", wrapped(w, report.Printable(fmt.Sprintf("after %s of the run %s", units.Span(q.At), q.String()))))
		}
	}
	if all.Run != 0 {
		say("this is the answer of run %d, with all that it has to do, by %s\n", all.Run, all.Policy)
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

// plan says how a job of a workflow is to be submitted, and why.
func plan(c *runs.Cutting, now time.Time) string {
	text := fmt.Sprintf("%s and %s, to be done by %s", units.Count(c.Maps, "map"), units.Count(c.Reduces, "reduce"), stamp(c.Due, now))
	return strings.Join(append([]string{text}, c.Why...), "; ")
}

// sentence says what is known of a job.
func sentence(a *runs.Answer, now time.Time) string {
	name := fmt.Sprintf("job %q: ", report.Printable(a.ID))
	if a.Plan != nil {
		name += plan(a.Plan, now)
		if a.Done == nil && a.Refused == "" {
			return name
		}
		name += "; "
	}
	if a.Done == nil {
		return name + "refused: " + a.Refused
	}
	parts := []string{fmt.Sprintf("done at %s, in %s", stamp(*a.Done, now), units.Span(a.Done.Sub(a.Submitted).Seconds()))}
	if a.By90 != nil {
		parts[0] += ", 90 % by " + stamp(*a.By90, now)
	}
	if a.BySure != nil && *a.Confidence != 0.9 {
		parts[0] += ", " + surely(*a.Confidence) + " by " + stamp(*a.BySure, now)
	}
	if a.Deadline != nil {
		due := "by " + stamp(*a.Deadline, now)
		if a.Promised {
			due = "promised " + due
		}
		switch left := a.Deadline.Sub(*a.Done).Seconds(); {
		case a.Chance != nil:
			due += " with " + surely(*a.Chance)
		case left < 0:
			due = "its deadline, " + stamp(*a.Deadline, now) + ", is missed by " + units.Span(-left)
		default:
			due += " with " + units.Span(left) + " to spare"
		}
		if a.Unpromised != "" {
			due += ", which is no promise"
		}
		if a.Unpromised == "owed" {
			due += ", as jobs with promises need its slots"
		}
		if a.Earliest != nil {
			due += ": " + stamp(*a.Earliest, now) + " would be promised"
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
	if s := a.Sample; s != nil {
		what := "this rests on a sample"
		if s.Of > 0 {
			what += fmt.Sprintf(", %d of its %s", s.Maps, units.Count(s.Of, "map"))
		}
		parts = append(parts, what+", which took "+units.Span(s.Took))
	}
	if a.New {
		parts = append(parts, "nothing is known of its class yet, so this is a guess")
	}
	if a.Cold {
		parts = append(parts, "only cold runs of its class are known, so it may take less")
	}
	return name + strings.Join(parts, "; ")
}
