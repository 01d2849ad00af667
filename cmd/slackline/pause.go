package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/runs"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/worlds/engine"
	failures "github.com/slackline/slackline/internal/worlds/engine/failure"
	"github.com/slackline/slackline/internal/worlds/engine/outdir"
)

// pausedBy says why a run stopped before its end in a way that another can resume: a signal
// came, or the machine has no room or its disk fails. It returns nil if it stopped otherwise.
func pausedBy(ctx context.Context, err error) error {
	var stopped *engine.MachineError
	switch {
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		return errors.New("interrupted")
	case errors.As(err, &stopped):
		return stopped
	}
	return nil
}

// goOn is the error of a run that stopped before its end: it says which command resumes it.
func (o *options) goOn(ctx context.Context, err error, local *runs.Local, resumed bool, folders []string) error {
	var aborted *lab.Aborted
	if !errors.As(err, &aborted) { // it came to its end, or never began
		return err
	}
	how := "nothing was finished, so the same command runs it again"
	var commands []string
	for _, dir := range local.Remains(folders...) {
		if abs, err := filepath.Abs(dir); err == nil && resumed { // which has gone to the directory of the first run
			dir = abs
		}
		commands = append(commands, "slackline resume "+report.ShellWord(dir))
		switch how = strings.Join(commands, " and "); {
		case outdir.Trusted(dir) != nil: // resume would refuse it
			how = "the same command continues it"
		case len(commands) == 1:
			how += " continues it"
		default:
			how += " continue it"
		}
	}
	why := pausedBy(ctx, err)
	switch {
	case why == nil: // such as that its journal cannot be written
		return fmt.Errorf("%w; what was done is kept, and %s", err, how)
	case ctx.Err() != nil:
		return interrupted{fmt.Errorf("%w; %s", why, how)}
	}
	return failure{fmt.Errorf("%w; what was done is kept: %s, and %s", why, cure(why), how)}
}

// cure says what to do about what the machine stopped a run with.
func cure(why error) string {
	switch {
	case errors.Is(why, syscall.EMFILE), errors.Is(why, syscall.ENFILE):
		return "allow more open files (ulimit -n)"
	case failures.Of(why) == failures.NoDisk:
		return "see to the disk, or the server that has it, until it answers again (dmesg may say what is wrong)"
	}
	return "make room on the disk"
}

// tellOpen tells how far the jobs are that a paused run has not finished.
func (s *liveState) tellOpen(w io.Writer) {
	for j := range s.all {
		done := "has not begun"
		if j.maps.tasks > 0 {
			done = fmt.Sprintf("is interrupted: %d of %d maps", j.maps.done, j.maps.tasks)
			if j.reduces.tasks > 0 {
				done += fmt.Sprintf(" and %d of %d reduces", j.reduces.done, j.reduces.tasks)
			}
			done += " are done"
		}
		fmt.Fprintf(w, "job %q %s\n", j.name, done)
	}
}

// shellWords is a command line.
func shellWords(words []string) string {
	return strings.Join(each.Of(words, report.ShellWord), " ")
}
