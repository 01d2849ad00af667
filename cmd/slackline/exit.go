package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/studies/lab"
	failures "github.com/slackline/slackline/internal/worlds/engine/failure"
	"github.com/slackline/slackline/internal/worlds/sim"
)

// The exit codes of all commands.
const (
	exitOK        = 0
	exitFailed    = 1
	exitBadInput  = 2
	exitNo        = 3
	exitInterrupt = 130
)

// exitCodes says what each means: slackline help exit-codes.
var exitCodes = []struct {
	code   int
	means  string
	detail []string
}{
	{exitOK, "done", []string{"The command did what it was asked for."}},
	{exitFailed, "something failed", []string{
		"A real job failed, a job that wait waits for did not finish, a simulation got stuck, a replay differs, or a result could not be written.",
		"A run was paused because its disk is full or fails, or no more files can be opened: see to that, then slackline resume continues it."}},
	{exitBadInput, "bad input", []string{"A flag, an argument or a file is wrong. Nothing was started."}},
	{exitNo, "the answer is no", []string{
		"run and resume: a job was refused, or its deadline had passed when the run began; one that its user cancelled changes nothing. wait: the job was refused. ask: a job would be late, or refused.",
		"cancel: the job had ended already. submit: no run is accepting jobs.",
		"capacity: no number of machines meets the deadlines.",
		"With --strict also: a job missed its deadline. simulate, compare and demo report refused, failed and late jobs, and exit with 3 for them only with --strict.",
		"reproduce --strict: a claim does not hold, or there are too few seeds to decide."}},
	{exitInterrupt, "interrupted", []string{
		"Ctrl-C, SIGTERM or the loss of the terminal. What was done is kept; the last line on standard error says which command continues it."}},
}

// newExitCodes is a topic of help, no command.
func newExitCodes() *cobra.Command {
	var b strings.Builder
	b.WriteString("All commands share these exit codes:\n")
	for _, c := range exitCodes {
		fmt.Fprintf(&b, "\n%5d  %s\n", c.code, c.means)
		for _, line := range c.detail {
			fmt.Fprintf(&b, "       %s\n", line)
		}
	}
	b.WriteString("\nIf several apply, the first of 130, 2, 1 and 3 counts. What failed or was refused is reported on standard error, also with --quiet.")
	return &cobra.Command{Use: "exit-codes", Short: "What the exit codes mean", Long: b.String(), Example: "  slackline help exit-codes"}
}

// failure is an error of something that began well.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

// asFailure makes a failure of an error, nil of nil.
func asFailure(err error) error {
	if err == nil {
		return nil
	}
	return failure{err}
}

// no is an answer that was not hoped for: a job was refused, a deadline was missed.
type no struct{ error }

func (n no) Unwrap() error { return n.error }

// interrupted says, after a signal, which command resumes it.
type interrupted struct{ error }

func (i interrupted) Unwrap() error { return i.error }

// exitCode is the code for what a command returned. An error of no kind is one of the input.
func exitCode(ctx context.Context, err error) int {
	var failed failure
	var aborted *lab.Aborted
	var answer no
	switch {
	case err == nil:
		return exitOK
	case ctx.Err() != nil:
		return exitInterrupt
	case errors.As(err, &failed), errors.As(err, &aborted), errors.Is(err, sim.ErrStuck), failures.Of(err) == failures.NoRoom, failures.Of(err) == failures.NoDisk:
		return exitFailed
	case errors.As(err, &answer):
		return exitNo
	}
	return exitBadInput
}
