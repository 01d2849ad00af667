package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/trace"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

func newProfileLearn() *cobra.Command {
	var to, nodes string
	var last int
	var lenient bool
	cmd := &cobra.Command{
		Use:   "learn FILE|URL...",
		Short: "Learn profiles from the job histories of a Hadoop cluster",
		Long: `Reads Hadoop's histories of jobs that have ended, and writes profiles of their classes to a file for profile import. A FILE
is a job history in JSON (.jhist), a URL the address of a JobHistory server, such as http://host:19888.

A job's class is its name. The server also has the job's tags: the tag class takes precedence over the name. A job without a
name has a class by its shape, as in traces. Nothing is learned from tasks that failed, or from jobs that ran inside their
ApplicationMaster. Of an attempt that was killed as another one had committed its task counts how long it had run.`,
		Example: `  slackline profile learn http://history:19888 --to hadoop.json && slackline profile import hadoop.json --replace
  slackline profile learn done/*.jhist --to hadoop.json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("name job histories (.jhist), or the address of a JobHistory server, such as http://host:19888")
			}
			return nil
		},
		ValidArgsFunction: cobra.FixedCompletions([]string{"jhist"}, cobra.ShellCompDirectiveFilterFileExt),
		RunE: func(cmd *cobra.Command, args []string) error {
			if last < 1 {
				return fmt.Errorf("--last is %d, it must be 1 or more", last)
			}
			var jobs []ranJob
			for _, from := range args {
				some, err := histories(cmd.Context(), cmd.ErrOrStderr(), from, last, time.Time{}, lenient)
				if err != nil {
					return err
				}
				jobs = append(jobs, some...)
			}
			var classes map[string]string
			if nodes != "" {
				var err error
				if classes, err = trace.NodeClasses(cmd.Context(), nodes); err != nil {
					return err
				}
			}
			l, n, err := learned(jobs, classes)
			if err != nil {
				return err
			}
			if n < len(jobs) {
				fmt.Fprintf(cmd.ErrOrStderr(), "%s left out: no task that committed, or all of it inside its ApplicationMaster\n", units.Count(len(jobs)-n, "job"))
			}
			if n == 0 {
				return errors.New("no job in it teaches anything")
			}
			return writeProfilesTo(cmd, to, l.Profiles())
		},
	}
	f := cmd.Flags()
	bindFile(f, &to, "to", "write to this file (default standard output)")
	f.IntVar(&last, "last", 20, "from a server, read this many of the last jobs of each name")
	f.StringVar(&nodes, "nodes", "", "address of the ResourceManager, such as http://rm:8088, which knows the sizes of nodes: learn costs by class of nodes")
	f.BoolVar(&lenient, "lenient", false, "leave out and count jobs that cannot be read")
	return cmd
}

// ranJob is a job of a history, and where it was read.
type ranJob struct {
	*trace.Job
	from string
}

// histories reads the jobs of a file, or of a server those that were submitted since then.
func histories(ctx context.Context, log io.Writer, from string, last int, since time.Time, lenient bool) (jobs []ranJob, err error) {
	var r trace.Reader
	if strings.HasPrefix(from, "http://") || strings.HasPrefix(from, "https://") {
		r = trace.JobHistory(ctx, from, last, since, lenient)
	} else {
		format, err := trace.Find("jhist")
		if err != nil {
			return nil, err
		}
		in, file, err := trace.File{Path: from, Format: format, Options: trace.Options{Lenient: lenient, Failed: true}}.Open()
		if err != nil {
			return nil, err
		}
		defer file.Close()
		r = in
	}
	for {
		j, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			for _, left := range r.Account().LeftOut {
				fmt.Fprintf(log, "left out: %s\n", left)
			}
			return jobs, nil
		case err != nil:
			return nil, err
		}
		one := *j
		jobs = append(jobs, ranJob{&one, from})
	}
}

// learned has a learner take in the jobs in the order of their submission, each once, and tells how many taught it
// something. Nodes are the classes of nodes by host.
func learned(jobs []ranJob, nodes map[string]string) (l *report.Learner, n int, err error) {
	submitted := func(j ranJob) int64 {
		if j.Ran == nil {
			return 0
		}
		return j.Ran.Submitted
	}
	slices.SortStableFunc(jobs, func(a, b ranJob) int { return cmp.Compare(submitted(a), submitted(b)) })
	l = report.NewLearner()
	rule := trace.DefaultRule(1)
	from := map[string]string{}
	for _, j := range jobs {
		if other, twice := from[j.ID]; twice {
			return nil, 0, fmt.Errorf("job %q is in %s and again in %s; it teaches once", j.ID, other, j.from)
		}
		from[j.ID] = j.from
		if j.Ran == nil || len(j.Ran.Tasks) == 0 {
			continue
		}
		var spec *workload.Job
		if spec, err = rule.Unfold(j.Job, 1); err == nil {
			err = l.Recorded(spec, j.Ran, nodes)
		}
		if err != nil {
			return nil, 0, err
		}
		n++
	}
	return l, n, nil
}
