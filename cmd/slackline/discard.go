package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/worlds/engine/outdir"
)

func newDiscard(o *options) *cobra.Command {
	dry := false
	cmd := &cobra.Command{
		Use:   "discard JOB | OUTPUT DIRECTORY | JOB.yaml",
		Short: "Delete what an interrupted run has left behind",
		Long: `Deletes what a run that was interrupted or killed, or found the disk full, has left in the output directory of a job, and says
what that was. Name the job by its output directory, by a job file (for all jobs in it), or by its number or name in the list
of slackline jobs.

It deletes nothing else: no output of a finished job (only the log that a later run would read), no files that others put
there, and nothing behind links. It refuses while a process is working on the job. It does not ask first; --dry-run shows what
it would delete. Apart from it, only slackline run --fresh throws such work away.`,
		Example: `  slackline discard out/words --dry-run
  slackline discard examples/words.yaml`,
		Args:              exactly(1, "one job or output directory"),
		ValidArgsFunction: o.completeJobs,
		RunE: func(cmd *cobra.Command, args []string) error {
			dirs, err := o.outputsOf(args)
			if err != nil {
				return err
			}
			var nothing error
			var gone []string
			found := false
			for _, dir := range outdir.WithFolders(dirs) {
				d, err := outdir.Discard(dir, dry)
				if _, none := errors.AsType[*outdir.NothingLeftError](err); none {
					nothing = errors.Join(nothing, err)
					continue
				}
				if err != nil {
					return err
				}
				if found = true; !dry && !d.Finished && !d.Ended {
					if abs, err := filepath.Abs(dir); err == nil {
						gone = append(gone, abs)
					}
				}
				fmt.Fprintln(cmd.OutOrStdout(), report.Printable(discarded(dir, d, dry)))
			}
			if !found {
				if gone, err = o.notBegun(dirs); err != nil || gone == nil {
					return errors.Join(nothing, err)
				}
				fmt.Fprintln(cmd.OutOrStdout(), "the job had not begun; it cannot be resumed any more")
				if dry {
					return nil
				}
			}
			return o.noteDiscarded(cmd.ErrOrStderr(), gone)
		},
	}
	cmd.Flags().BoolVarP(&dry, "dry-run", "n", false, "show what would be removed, and remove nothing")
	o.bindStore(cmd.Flags())
	o.bindVars(cmd.Flags())
	return cmd
}

// outputsOf are the output directories that an argument names: itself, those of a job file, or that
// of the newest job of that name.
func (o *options) outputsOf(args []string) ([]string, error) {
	if dirs, err := o.named(args[0]); dirs != nil || err != nil {
		return dirs, err
	}
	m, err := o.read(io.Discard)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	job, err := findJob(m.Store(), args[0])
	if err != nil {
		return nil, err
	}
	return []string{job.Output}, nil
}

// notBegun are those of the output directories whose jobs were interrupted before they had begun, as
// the store knows it.
func (o *options) notBegun(dirs []string) (list []string, err error) {
	m, err := o.read(io.Discard)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	for _, dir := range dirs {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		jobs, err := m.Store().Jobs(store.JobFilter{Output: abs, Limit: 1})
		if err != nil {
			return nil, failure{err}
		}
		if len(jobs) > 0 && jobs[0].Resumable() {
			list = append(list, abs)
		}
	}
	return list, nil
}

// noteDiscarded tells the list of jobs, if there is one, that what they had done in these output
// directories is gone.
func (o *options) noteDiscarded(w io.Writer, dirs []string) error {
	m, err := o.openThere(io.Discard)
	if err != nil {
		return err
	}
	defer m.Close()
	if m.Store().Absent() || len(dirs) == 0 {
		return nil
	}
	if err = m.ReadOnly(); err == nil {
		err = m.Store().Discard(time.Now(), dirs...)
	}
	if err != nil {
		fmt.Fprintf(w, "warning: slackline jobs still lists this as interrupted: %v\n", err)
	}
	return nil
}

// discarded says what was removed, or would be.
func discarded(dir string, d outdir.Discarded, dry bool) string {
	verb := "discarded"
	if dry {
		verb = "would discard"
	}
	if d.Ended {
		return dir + ": its job and its run have finished; there is nothing to discard"
	}
	if d.Finished {
		return fmt.Sprintf("%s: its job has finished, and the output stays; %s the log of its run", dir, verb)
	}
	text := fmt.Sprintf("%s: %s %d maps and %d reduces that were done, in %d files of %s",
		dir, verb, d.Maps, d.Reduces, d.Files, report.Size(float64(d.Size)))
	switch {
	case d.Whole:
		text += ", and the directory"
	case !dry:
		text += "; the directory stays"
	}
	return text
}
