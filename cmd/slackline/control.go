package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/runs"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/units"
)

// What one terminal asks of a run in another.

func newSubmit(o *options) *cobra.Command {
	var run int64
	var away hadoop
	cmd := &cobra.Command{
		Use:   "submit JOB.yaml...",
		Short: "Bring jobs to a run in another terminal, or to a Hadoop cluster",
		Long: `Brings the jobs of these files to a run that was started with slackline run --open, by the same
user in another terminal. With after, they can wait for one another or for jobs already in the run. The run takes all
of them or none. A deadline that is a span counts from the planned arrival of its job, as in run;
arrive counts from now. The policy of the run decides on them, and its report, journal and page
include them.

Paths in a job file are relative to the current directory, so the run must have been started in it.
If the run is interrupted or killed, slackline resume JOB continues the jobs that were submitted
together, whether they had begun or not. A name is free again once its job has ended.

The command ends when the run has taken the jobs, and says what the policy says of each; slackline wait JOB
waits for their end. Exit code 3 says that no run is accepting jobs, or that a job was refused.

With --to yarn the jobs go to a Hadoop cluster, by Hadoop Streaming: commands as they are, built-in applications by
slackline stream, so the nodes must have this machine's system and processor. A deadline becomes a tag, which slackline yarn
serve reads there. Input is read from the cluster's file system, and the output is left there: --put copies the input there
first, and --fetch waits and brings the output back. Keys that mean nothing there, such as limits, are refused.
Jobs that wait for others go there when these have ended, and those of a workflow are cut as slackline yarn serve plans it; the
command then lasts as long. Started again after a kill it goes on: what has ended or runs there is not submitted again.
Exit code 3 says that a job was refused.`,
		Example: `  slackline run --open --policy edf-p
  slackline submit --to yarn --put --fetch examples/words.yaml
  slackline submit examples/words.yaml && slackline wait words`,
		Args:              some("job files"),
		ValidArgsFunction: yamlFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch away.to {
			case "yarn":
				return o.submitToYarn(cmd, &away, args)
			case "run":
			default:
				return away.nowhere()
			}
			dir, what, err := o.submission(args)
			if err != nil {
				return err
			}
			refused := 0
			if err := o.ofOpenRun(cmd, run, dir, runs.Submit, what, func(r runs.Reply) {
				for _, note := range r.Notes {
					fmt.Fprintln(cmd.ErrOrStderr(), report.Printable(note))
				}
				for _, j := range r.Jobs {
					fmt.Fprintf(cmd.OutOrStdout(), "job %d, %s, is submitted\n", j.ID, report.Printable(j.Name))
				}
				if r.Answers != nil { // what takes no jobs of files says nothing of them
					for i := range r.Answers.Jobs {
						if fmt.Fprintln(cmd.OutOrStdout(), sentence(&r.Answers.Jobs[i], time.Now())); r.Answers.Jobs[i].Refused != "" {
							refused++
						}
					}
				}
			}); err != nil || refused == 0 {
				return err
			}
			return no{fmt.Errorf("%s refused", units.Count(refused, "job"))}
		},
	}
	away.bind(cmd.Flags())
	o.bindVars(cmd.Flags())
	return o.bindControl(cmd, &run)
}

// submission is what a run is told of job files, and the directory that their paths are relative to.
func (o *options) submission(args []string) (dir, what string, err error) {
	vars, err := o.vars(time.Now())
	if err != nil {
		return "", "", err
	}
	for _, file := range args {
		if info, err := os.Stat(file); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
			return "", "", fmt.Errorf("%s is not a regular file: the run reads it again, in its own process; save the job to a file", file)
		}
	}
	over := reading()
	if _, err = vars.ReadAll(args, readFile); err == nil {
		err = vars.Unused()
	}
	over()
	if err != nil {
		return "", "", err
	}
	if vars.Set == nil {
		vars.Set = make(map[string]string)
	}
	maps.Copy(vars.Set, vars.Used)
	if dir, err = os.Getwd(); err != nil {
		return "", "", err
	}
	text, err := json.Marshal(runs.Submission{Dir: dir, Files: args, AsOf: vars.AsOf, Set: vars.Set})
	return dir, string(text), err
}

func newClose(o *options) *cobra.Command {
	var run int64
	cmd := &cobra.Command{
		Use:   "close",
		Short: "Let an open run end",
		Long: `Tells a run that was started with slackline run --open to take no more jobs. It ends when the jobs
that it has are done. Exit code 3 says that no run is accepting jobs.`,
		Example: `  slackline close
  slackline close --run 12`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.ofOpenRun(cmd, run, "", runs.Shut, "", func(runs.Reply) {
				fmt.Fprintln(cmd.OutOrStdout(), "the run will end when its current jobs have ended")
			})
		},
	}
	return o.bindControl(cmd, &run)
}

func newCancel(o *options) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cancel JOB...",
		Short: "Cancel jobs of a run in another terminal",
		Long: `Cancels jobs that run or wait in another terminal of the same user. JOB is a number, or a name: then
the newest job of that name is meant. No more tasks of the job start, those that run are stopped, and
its output is removed. Jobs that wait for it end too; all others continue. The command ends when the
run has accepted the request; slackline wait JOB waits for the end of the job.

Exit code 3 says that the job, or its run, had ended already. slackline discard OUT removes what an
interrupted run left.`,
		Example: `  slackline cancel words
  slackline cancel 17 && slackline wait 17`,
		Args:              some("numbers or names of jobs"),
		ValidArgsFunction: o.completeOpenJobs,
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := o.asksRuns()
			if err != nil {
				return err
			}
			defer m.Close()
			list, err := storedJobs(m, args) // before any is cancelled
			if err != nil {
				return err
			}
			for _, j := range list {
				name := fmt.Sprintf("job %d, %s,", j.ID, report.Printable(j.Name))
				if !unended(j) {
					return no{fmt.Errorf("%s cannot be cancelled: %s", name, ended[j.State])}
				}
				r, err := m.Ask(cmd.Context(), j.Run, runs.Cancel, fmt.Sprint(j.ID, " ", j.Name))
				switch {
				case errors.Is(err, store.ErrGone), err == nil && r.Error != "":
					why := r.Error
					if err != nil {
						why = "its run has ended"
					}
					return no{fmt.Errorf("%s cannot be cancelled: %s", name, why)}
				case err != nil:
					return failure{err}
				}
				fmt.Fprintln(cmd.OutOrStdout(), name, "is cancelled")
			}
			return nil
		},
	}
	o.bindStore(cmd.Flags())
	return cmd
}

func newWait(o *options) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "wait JOB...",
		Short: "Wait for the end of jobs that run in another terminal",
		Long: `Waits until jobs of the same user have ended, whatever process runs them, and says how each ended.
JOB is a number, or a name: then the newest job of that name is meant. If a job was interrupted and
another run resumed it, the command waits for that run.

The exit code is 0 if all have finished, 1 if one failed, was cancelled, or its run ended before it
did, and 3 if one was refused.`,
		Example:           "  slackline wait words",
		Args:              some("numbers or names of jobs"),
		ValidArgsFunction: o.completeOpenJobs,
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := o.read(io.Discard)
			if err != nil {
				return err
			}
			defer m.Close()
			list, err := storedJobs(m, args)
			if err != nil {
				return err
			}
			var failed, refused []string
			for _, j := range list {
				if j, err = o.await(cmd.Context(), m, j); err != nil {
					return err
				}
				text := fmt.Sprintf("job %d, %s: %s", j.ID, report.Printable(j.Name), j.State)
				if j.Reason != "" && j.Reason != j.State {
					text += ": " + oneLine(j.Reason, 1000)
				}
				switch fmt.Fprintln(cmd.OutOrStdout(), text); j.State {
				case store.Finished:
				case store.Refused:
					refused = append(refused, j.Name)
				default:
					failed = append(failed, j.Name)
				}
			}
			switch {
			case failed != nil:
				return failure{fmt.Errorf("not finished: %s", report.Printable(strings.Join(failed, ", ")))}
			case refused != nil:
				return no{fmt.Errorf("refused: %s", report.Printable(strings.Join(refused, ", ")))}
			}
			return nil
		},
	}
	o.bindStore(cmd.Flags())
	return cmd
}

// unended tells whether a job waits or runs.
func unended(j *store.Job) bool { return j.State == store.Waiting || j.State == store.Running }

// lookEvery is how often wait looks.
const lookEvery = 100 * time.Millisecond

// ended says how a job has ended.
var ended = map[string]string{
	store.Finished: "it has finished", store.Failed: "it has failed", store.Killed: "it was killed", store.Refused: "it was refused",
	store.Interrupted: "its run was interrupted", store.Resumed: "its run was interrupted, and another has resumed it",
	store.Discarded: "its run was interrupted, and its work was thrown away",
}

// await waits until a job has ended, and returns what is kept of it then.
func (o *options) await(ctx context.Context, m *runs.Memory, j *store.Job) (*store.Job, error) {
	onlyWaits.Store(true)
	t := time.NewTicker(lookEvery)
	defer t.Stop()
	for {
		f := store.JobFilter{ID: j.ID}
		if j.State == store.Resumed { // by the newest that continues it
			f = store.JobFilter{First: cmp.Or(j.First, j.ID), Limit: 1}
		}
		jobs, err := m.Store().Jobs(f)
		switch {
		case err != nil:
			return nil, failure{err}
		case len(jobs) == 0:
			return nil, failure{fmt.Errorf("job %d is no longer in the history", j.ID)}
		}
		if j = jobs[0]; !unended(j) && j.State != store.Resumed {
			return j, nil
		}
		select {
		case <-t.C:
		case <-ctx.Done():
			return nil, errors.New("interrupted; the jobs continue")
		}
	}
}

// bindControl adds the flags of commands that reach a run which takes jobs.
func (o *options) bindControl(cmd *cobra.Command, run *int64) *cobra.Command {
	cmd.Flags().Int64Var(run, "run", 0, "number of the run, where several take jobs")
	o.bindStore(cmd.Flags())
	return cmd
}

// asksRuns opens the store for requests.
func (o *options) asksRuns() (*runs.Memory, error) {
	m, err := o.openThere(io.Discard)
	if err == nil && !m.Store().Absent() && m.ReadOnly() != nil {
		err = fmt.Errorf("runs are asked through the store, and nothing can be written to it: %w", m.ReadOnly())
		return nil, failure{errors.Join(err, m.Close())}
	}
	return m, err
}

// alive opens the store for requests, and lists the runs whose process lives and that are wanted.
func (o *options) alive(wanted func(store.Run) bool) (*runs.Memory, []store.Run, error) {
	m, err := o.asksRuns()
	if err != nil {
		return nil, nil, err
	}
	list, err := m.Store().Alive()
	if err != nil {
		return nil, nil, failure{errors.Join(err, m.Close())}
	}
	return m, slices.DeleteFunc(list, func(r store.Run) bool { return !wanted(r) }), nil
}

// storedJobs finds jobs by their numbers or names.
func storedJobs(m *runs.Memory, keys []string) (list []*store.Job, err error) {
	for _, key := range keys {
		j, err := findJob(m.Store(), key)
		if err != nil {
			return nil, err
		}
		list = append(list, j)
	}
	return list, nil
}

// ofOpenRun asks the one run that takes jobs, or that of this number. Of several it is the one that
// was started here.
func (o *options) ofOpenRun(cmd *cobra.Command, number int64, here, verb, what string, tell func(runs.Reply)) error {
	m, list, err := o.alive(func(r store.Run) bool { return r.Door != "" })
	if err != nil {
		return err
	}
	defer m.Close()
	all := len(list)
	if number != 0 {
		list = slices.DeleteFunc(list, func(r store.Run) bool { return r.ID != number })
	} else if slices.ContainsFunc(list, func(r store.Run) bool { return runs.SameDir(r.Door, here) }) {
		list = slices.DeleteFunc(list, func(r store.Run) bool { return !runs.SameDir(r.Door, here) })
	}
	switch {
	case all == 0:
		return no{errors.New("no run is accepting jobs; start one with slackline run --open")}
	case len(list) == 0:
		return no{fmt.Errorf("run %d takes no jobs, or has ended", number)}
	case len(list) > 1:
		names := each.Of(list, func(r store.Run) string { return fmt.Sprintf("%d (in %s)", r.ID, r.Door) })
		return fmt.Errorf("several runs take jobs: %s; name one with --run", strings.Join(names, ", "))
	case here != "" && !runs.SameDir(list[0].Door, here):
		return fmt.Errorf("run %d takes job files from %s, as their paths are relative to that; submit them there",
			list[0].ID, list[0].Door)
	}
	r, err := askRun(cmd.Context(), m, list[0].ID, verb, what)
	if err == nil {
		tell(r)
	}
	return err
}

// askRun asks something of a run, and makes an error of it if the run does not do it.
func askRun(ctx context.Context, m *runs.Memory, run int64, verb, what string) (runs.Reply, error) {
	r, err := m.Ask(ctx, run, verb, what)
	switch {
	case errors.Is(err, store.ErrGone):
		return r, no{fmt.Errorf("run %d has ended", run)}
	case err != nil:
		return r, failure{err}
	case r.Bad:
		return r, errors.New(r.Error)
	case r.Error != "":
		return r, no{fmt.Errorf("run %d: %s", run, r.Error)}
	}
	return r, nil
}

// completeOpenJobs completes the names of jobs that wait or run.
func (o *options) completeOpenJobs(
	_ *cobra.Command, args []string, _ string,
) (names []string, _ cobra.ShellCompDirective) {
	m, err := o.read(io.Discard)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer m.Close()
	jobs, _ := m.Store().Jobs(store.JobFilter{States: []string{store.Waiting, store.Running}})
	for _, j := range jobs {
		if !slices.Contains(args, j.Name) && !slices.Contains(names, j.Name) {
			names = append(names, j.Name)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
