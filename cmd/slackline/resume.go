package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/runs"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/engine/outdir"
)

// resumed is the hidden flag of run by which resume calls it: that there is nothing left to do is no error then.
const resumed = "resumed"

// commandOf writes down a command line of run, but for what shall not be done again.
func commandOf(cmd *cobra.Command, args []string) runs.Command {
	o := runs.Command{}
	o.Dir, _ = os.Getwd()
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Name == "fresh" || f.Name == "open" || f.Name == resumed {
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			o.Args = append(o.Args, "--"+f.Name+"="+v)
		}
	})
	o.Args = append(append(o.Args, "--"), args...)
	return o
}

func newResume(o *options) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "resume [JOB | OUTPUT DIRECTORY]",
		Short: "Resume a run that was interrupted or killed",
		Long: `Resumes a run that stopped before its jobs had finished: by Ctrl-C, by a signal, by the loss of its terminal, by a full disk,
or by the death of its process. What tasks have committed counts if it is still there unchanged; the rest runs again. The
result is what an undisturbed run would have written, byte for byte. It runs in the directory and with the flags of the first
run, and prints that command first; --output asks for the result in another format. Name the run by an output directory, by
the job file, or by the name of a job; without a name there must be just one in the list of slackline jobs.

Time 0 is the start of the first run: submissions, deadlines and all times count from then, and the policy plans with the time
that is left. A job that had begun, or whose deadline had been promised, runs even if it can no longer meet its deadline; the
report says whether the promise was kept. Jobs that had finished before are judged by when they did: a missed deadline counts,
with --strict too.

The command is in the log of the output directory. So resume requires that the log, its folder and the output directory belong
to you (or to root), and that nobody else may write there, or to the folders above unless they are sticky, as /tmp is. It does
not check this on Windows: read the command that it prints.

Running the same slackline run again does the same. If the job or its input has changed since, that is refused. slackline run
--fresh starts again from the beginning, finished jobs included; slackline discard deletes what is left.`,
		Example: `  slackline resume out/words
  slackline resume examples/words.yaml -o json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("%s takes one job or output directory, not %d arguments; see %s --help", cmd.CommandPath(), len(args), cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			dirs, err := o.candidates(args)
			if err != nil {
				return err
			}
			from, err := choose(args, withFolders(dirs))
			if err != nil {
				return err
			}
			if from == nil {
				fmt.Fprintln(cmd.OutOrStdout(), "the run has ended; there is nothing to resume")
				return nil
			}
			if err := os.Chdir(from.Dir); err != nil {
				return fmt.Errorf("the run started in a directory that cannot be entered: %w", err)
			}
			if i := slices.Index(from.Args, "--"); cmd.Flags().Changed("output") && i >= 0 {
				from.Args = slices.Insert(from.Args, i, "--output="+o.output)
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "in %s: slackline run %s\n", report.Printable(shellWord(from.Dir)), report.Printable(shellWords(from.Args)))
			again := newRoot()
			again.SetArgs(append([]string{"run", "--" + resumed}, from.Args...))
			again.SetOut(cmd.OutOrStdout())
			again.SetErr(cmd.ErrOrStderr())
			return again.ExecuteContext(cmd.Context())
		},
	}
	o.bindStore(cmd.Flags())
	o.bindOutput(cmd, "csv")
	cmd.Flags().Lookup("output").DefValue = "" // for the help: that of the first run
	return cmd
}

// candidates are the output directories that may have been left.
func (o *options) candidates(args []string) ([]string, error) {
	if len(args) == 0 {
		return o.kept(store.JobFilter{Limit: 1000})
	}
	info, err := os.Stat(args[0])
	switch {
	case err == nil && info.IsDir():
		return []string{args[0]}, nil
	case err == nil:
		src, err := readFile(args[0])
		if err != nil {
			return nil, err
		}
		jobs, err := scenario.ReadJobs(args[0], src)
		if err != nil {
			return nil, err
		}
		var dirs []string
		for _, j := range jobs {
			dirs = append(dirs, j.Output)
		}
		return dirs, nil
	case !errors.Is(err, os.ErrNotExist) || strings.ContainsAny(args[0], `/\`) || filepath.Ext(args[0]) != "":
		return nil, fmt.Errorf("%s: there is no such output directory or job file", args[0])
	}
	return o.kept(store.JobFilter{Name: args[0], Limit: 1})
}

// withFolders adds the folders of policies that stand within output directories.
func withFolders(dirs []string) []string {
	var all []string
	for _, dir := range dirs {
		all = append(all, dir)
		names, _ := os.ReadDir(dir) // if it cannot be read, there is nothing to go on with
		for _, n := range names {
			below := filepath.Join(dir, n.Name())
			if _, err := os.Stat(filepath.Join(below, "_temporary")); err == nil {
				all = append(all, below)
			}
		}
	}
	return all
}

// kept are the output directories of jobs in the store. Of a job that is named it is those of all
// jobs of its last run, as it may have died before that one began.
func (o *options) kept(f store.JobFilter) ([]string, error) {
	m, err := o.read(io.Discard)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	if m.Store() == nil {
		return nil, nil
	}
	jobs, err := m.Store().Jobs(f)
	if err != nil {
		return nil, failure{err}
	}
	if f.Name != "" && len(jobs) > 0 {
		if jobs, err = m.Store().Jobs(store.JobFilter{Run: jobs[0].Run}); err != nil {
			return nil, failure{err}
		}
	}
	var dirs []string
	for _, j := range jobs {
		if !slices.Contains(dirs, j.Output) {
			dirs = append(dirs, j.Output)
		}
	}
	return dirs, nil
}

// choose finds the one run that left something in one of the directories; nil if all is done. What
// somebody else may have left is not run.
func choose(args, dirs []string) (*runs.Command, error) {
	var found []runs.Command
	var where []string
	finished := ""
	var doubt error
	for _, dir := range dirs {
		trust := outdir.Trusted(dir) // before it is read
		left, err := outdir.Left(dir)
		if err == nil && left.Command != nil && trust != nil {
			doubt = fmt.Errorf("output %q: resume would run the command in its log, but %w; run the job again instead, which resumes it too", dir, trust)
			if err = doubt; len(args) > 0 {
				return nil, err
			}
		}
		switch {
		case err != nil && len(args) > 0:
			return nil, err
		case err != nil:
			continue
		case left.Command == nil:
			if left.Finished {
				finished = dir
			}
			continue
		}
		var from runs.Command
		if err := json.Unmarshal(left.Command, &from); err != nil || from.Dir == "" {
			return nil, fmt.Errorf("output %q: its log does not name its command; run the job again instead", dir)
		}
		if !slices.ContainsFunc(found, func(o runs.Command) bool { return o.Dir == from.Dir && slices.Equal(o.Args, from.Args) }) {
			found = append(found, from)
			where = append(where, dir)
		}
	}
	switch {
	case len(found) == 1:
		return &found[0], nil
	case len(found) > 1:
		return nil, fmt.Errorf("several runs were interrupted; name one of them by its output directory: %s", strings.Join(where, ", "))
	case finished != "" && len(args) > 0:
		return nil, nil
	case doubt != nil:
		return nil, doubt
	case len(args) == 0:
		return nil, fmt.Errorf("no interrupted run is known; name its output directory or job file")
	}
	return nil, fmt.Errorf("%s: there is nothing left of an interrupted run; a job that had not begun must be submitted again", args[0])
}
