package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/runs"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/engine/outdir"
)

// resumed is the hidden flag of run by which resume calls it: when the run began, if no log says so.
// That there is nothing left to do is no error then.
const resumed = "resumed"

// commandOf writes down a command line of run, but for what shall not be done again.
func commandOf(cmd *cobra.Command, args []string, vars *scenario.Vars) runs.Command {
	o := runs.Command{}
	o.Dir, _ = os.Getwd()
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Name == "fresh" || f.Name == "open" || f.Name == "as-of" || f.Name == "set" || f.Name == resumed {
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
	o.Args = slices.Concat(o.Args, vars.Args(), []string{"--"}, args)
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
the job file, or by the name of a job; without a name there must be just one in the list of slackline jobs. Of jobs that
were submitted to an open run it resumes those that were submitted together.

Time 0 is the start of the first run: submissions, deadlines and all times count from then, and the policy plans with the time
that is left. A job that had begun, or whose deadline had been promised, runs even if it can no longer meet its deadline; the
report says whether the promise was kept. Jobs that had finished before are judged by when they did: a missed deadline counts,
with --strict too.

The command is in the log of the output directory; that of a job that had not begun is in the store of slackline jobs. So resume
requires that the log, its folder and the output directory (or the store and its folder) belong to you or to root, and that nobody
else may write there, or to the folders above unless they are sticky, as /tmp is. It does not check this on Windows: read the
command that it prints.

Of a run that came to its end, but for jobs that failed, it says which command runs the rest.

Running the same slackline run again does the same. If the job or its input has changed since, that is refused. slackline run
--fresh starts again from the beginning, finished jobs included; slackline discard deletes what is left.`,
		Example: `  slackline resume out/words
  slackline resume examples/words.yaml -o json`,
		Args: between(0, 1, "one job or output directory"),
		RunE: func(cmd *cobra.Command, args []string) error {
			left, err := o.candidates(args)
			if err != nil {
				return err
			}
			from, err := left.choose(args)
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
			fmt.Fprintf(cmd.ErrOrStderr(), "in %s: slackline run %s\n", report.Printable(report.ShellWord(from.Dir)), report.Printable(shellWords(from.Args)))
			again := newRoot()
			again.SetArgs(append([]string{"run", "--" + resumed + "=" + from.Began.Format(time.RFC3339Nano)}, from.Args...))
			again.SetOut(cmd.OutOrStdout())
			again.SetErr(cmd.ErrOrStderr())
			return again.ExecuteContext(cmd.Context())
		},
	}
	o.bindStore(cmd.Flags())
	o.bindVars(cmd.Flags())
	o.bindOutput(cmd, "csv")
	cmd.Flags().Lookup("output").DefValue = "" // for the help: that of the first run
	return cmd
}

// left is what may have been left of interrupted runs: output directories, and what the store knows
// of interrupted jobs, which need not have begun.
type left struct {
	dirs []string
	jobs []*store.Job
	// commands of jobs that failed or were killed, which left nothing
	failed []json.RawMessage
	doubt  error // why others may have written to the store
}

// named are the output directories that an argument names, that of a path or those of a job file;
// none if it is the name of a job. A directory need not be there.
func (o *options) named(arg string) (dirs []string, err error) {
	info, err := os.Stat(arg)
	switch {
	case arg == "":
		return nil, errors.New("the name of the run is empty; give that of a job, a job file or an output directory, or none")
	case err == nil && !info.IsDir():
		jobs, err := o.readJobs(arg)
		for _, j := range jobs {
			dirs = append(dirs, j.Output)
		}
		return dirs, err
	case err == nil, errors.Is(err, os.ErrNotExist) && strings.ContainsAny(arg, `/\`):
		return []string{arg}, nil
	case !errors.Is(err, os.ErrNotExist) || filepath.Ext(arg) != "":
		return nil, fmt.Errorf("%s: there is no such output directory or job file", arg)
	}
	return nil, nil
}

// candidates finds what may have been left of the jobs that are meant; without a name, of all.
func (o *options) candidates(args []string) (*left, error) {
	l := &left{}
	filters := []store.JobFilter{{Limit: 1000}}
	if len(args) > 0 {
		filters[0].Name, filters[0].Limit = args[0], 1
		var err error
		if l.dirs, err = o.named(args[0]); err != nil {
			return nil, err
		}
		for i, dir := range l.dirs {
			abs, err := filepath.Abs(dir)
			if err != nil {
				return nil, err
			}
			filters = append(filters[:i], store.JobFilter{Output: abs, Limit: 1})
		}
	}
	m, err := o.read(io.Discard)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	l.doubt = m.Trusted()
	for _, f := range filters {
		jobs, err := m.Store().Jobs(f)
		if err == nil && f.Name != "" && len(jobs) > 0 && jobs[0].Command == nil { // of an earlier build
			jobs, err = m.Store().Jobs(store.JobFilter{Run: jobs[0].Run})
		}
		if err != nil {
			return nil, failure{err}
		}
		if err == nil && f.Limit == 1 && len(jobs) > 0 && jobs[0].Resumable() {
			jobs, err = together(m.Store(), jobs[0])
		}
		if err != nil {
			return nil, failure{err}
		}
		for _, j := range jobs {
			// A job that failed may have finished in a run of the same command since.
			since, err := m.Store().Jobs(store.JobFilter{Output: j.Output, Limit: 1})
			if err != nil {
				return nil, failure{err}
			}
			if len(since) > 0 && since[0].ID > j.ID && !j.Resumable() {
				j = since[0]
			}
			l.add(j)
		}
	}
	return l, nil
}

// together are a job and those that came with it, as far as they are still to be resumed.
func together(s *store.Store, job *store.Job) ([]*store.Job, error) {
	jobs, err := s.Jobs(store.JobFilter{Run: job.Run})
	return slices.DeleteFunc(jobs, func(j *store.Job) bool { return !bytes.Equal(j.Command, job.Command) }), err
}

// add adds a job of the store.
func (l *left) add(j *store.Job) {
	if j.Resumable() {
		l.jobs = append(l.jobs, j)
	}
	if j.State == store.Failed || j.State == store.Killed {
		l.failed = append(l.failed, j.Command)
	}
	if !slices.Contains(l.dirs, j.Output) {
		l.dirs = append(l.dirs, j.Output)
	}
}

// found are commands of interrupted runs, and for each a name of what it left.
type found struct {
	from  []runs.Command
	where []string
}

func (f *found) add(from runs.Command, where string) {
	if !slices.ContainsFunc(f.from, from.Same) {
		f.from, f.where = append(f.from, from), append(f.where, where)
	}
}

// over says what goes on from a run of this command that came to its end, where jobs of it did not finish.
func over(command json.RawMessage) error {
	var c runs.Command
	how, rest := "the same command runs the rest", "the rest"
	if json.Unmarshal(command, &c) == nil && c.Dir != "" {
		c.Args = slices.DeleteFunc(c.Args, func(arg string) bool {
			return strings.HasPrefix(arg, "--only=")
		})
		if slices.Contains(c.Args, "--"+overwrite+"=true") {
			rest = "them all again, or with --only the rest"
		}
		how = fmt.Sprintf("in %s this runs %s: slackline run %s", report.Printable(report.ShellWord(c.Dir)), rest, report.Printable(shellWords(c.Args)))
		for _, file := range c.Args[slices.Index(c.Args, "--")+1:] {
			path := file
			if !filepath.IsAbs(path) {
				path = filepath.Join(c.Dir, path)
			}
			if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
				how += fmt.Sprintf(", but %s is not there any more", report.Printable(file))
			}
		}
	}
	return fmt.Errorf("the run has ended, and not all of its jobs have finished; %s", how)
}

// choose finds the one run that left something; nil if all is done. What somebody else may have left
// is not run.
func (l *left) choose(args []string) (*runs.Command, error) {
	var all found
	logged := make(map[string]bool) // outputs with a log, which counts more than the store
	finished := ""
	kept := l.failed // commands of runs that have ended, not all of whose jobs have finished
	var doubt error
	for _, dir := range outdir.WithFolders(l.dirs) {
		trust := outdir.Trusted(dir) // before it is read
		left, err := outdir.Left(dir)
		if abs, wrong := filepath.Abs(dir); wrong == nil && (err != nil || left.Command != nil) {
			logged[abs] = true
		}
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
			if left.Kept != nil {
				kept = append(kept, left.Kept)
			}
			if left.Finished {
				finished = dir
			}
			continue
		}
		var from runs.Command
		if err := json.Unmarshal(left.Command, &from); err != nil || from.Dir == "" {
			return nil, fmt.Errorf("output %q: its log does not name its command; run the job again instead", dir)
		}
		if from.Began.IsZero() {
			from.Began = left.Began
		}
		all.add(from, dir)
	}
	begun := make(map[string]bool) // commands of jobs with a log
	for _, j := range l.jobs {
		if logged[j.Output] {
			begun[string(j.Command)] = true
		}
	}
	for _, j := range l.jobs {
		var from runs.Command
		switch err := json.Unmarshal(j.Command, &from); {
		case err != nil || from.Dir == "" || begun[string(j.Command)] || logged[j.Output]:
		case l.doubt != nil && len(all.from) == 0:
			doubt = fmt.Errorf("job %d, %s: resume would run its command from the store, but %w; run the job again instead", j.ID, j.Name, l.doubt)
		case l.doubt == nil:
			all.add(from, j.Name)
		}
	}
	switch {
	case len(all.from) == 1:
		return &all.from[0], nil
	case len(all.from) > 1:
		return nil, fmt.Errorf("several runs were interrupted; name one of them by its output directory or job: %s", strings.Join(all.where, ", "))
	case len(kept) > 0 && len(args) > 0:
		return nil, over(kept[0])
	case finished != "" && len(args) > 0:
		return nil, nil
	case doubt != nil:
		return nil, doubt
	case len(args) == 0:
		return nil, fmt.Errorf("no interrupted run is known; name its output directory or job file")
	}
	if _, err := os.Stat(args[0]); err != nil && strings.ContainsAny(args[0], `/\`) {
		return nil, fmt.Errorf("%s: there is no such output directory or job file", args[0])
	}
	return nil, fmt.Errorf("%s: there is nothing left of an interrupted run", args[0])
}
