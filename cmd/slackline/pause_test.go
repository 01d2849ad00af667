package main

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/slackline/slackline/internal/runs"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/worlds/engine"
	failures "github.com/slackline/slackline/internal/worlds/engine/failure"
)

// Whatever the machine stops a run with, it is told what to do about that, with the exit code of a
// failure.
func TestCure(t *testing.T) {
	const disk = "see to the disk, or the server that has it, until it answers again (dmesg may say what is wrong)"
	for want, list := range map[string][]error{
		"make room on the disk":             {syscall.ENOSPC, syscall.EDQUOT},
		"allow more open files (ulimit -n)": {syscall.EMFILE, syscall.ENFILE},
		disk:                                {syscall.EIO, syscall.ESTALE, syscall.ETIMEDOUT, failures.As(failures.NoDisk, errors.New("from a worker"))},
	} {
		for _, reason := range list {
			why := fmt.Errorf("%w", &lab.Aborted{Err: &engine.MachineError{Job: "words", Err: fmt.Errorf("part-r-00001: %w", reason)}})
			err := new(options).goOn(context.Background(), why, new(runs.Local), false, nil)
			says := fmt.Sprintf("job \"words\": part-r-00001: %v; what was done is kept: %s, and nothing was finished, so the same command runs it again", reason, want)
			if err == nil || err.Error() != says || exitCode(context.Background(), err) != exitFailed {
				t.Errorf("%v: %v, exit code %d", reason, err, exitCode(context.Background(), err))
			}
		}
	}
	for _, reason := range []error{syscall.ENOSPC, syscall.EIO} { // met outside of a run
		if code := exitCode(context.Background(), reason); code != exitFailed {
			t.Errorf("%v: exit code %d", reason, code)
		}
	}
}
