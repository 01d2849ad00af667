// Command slackline runs MapReduce jobs on this machine so that they finish by their deadlines, and plays the same policies on a
// simulated cluster. Each subcommand has a file of its own; what it does stands in internal/studies.
//
// Standard output carries the result alone, standard error progress and what went wrong. The exit code is 0 when all went well, 1
// when a job failed or a run got stuck (with --strict also when a job missed its deadline), 2 for bad input, 130 after Ctrl-C.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
)

// The exit codes.
const (
	exitOK        = 0
	exitFailed    = 1
	exitBadInput  = 2
	exitInterrupt = 130
)

func main() {
	ctx, stop := interruptible(os.Stderr)
	code := Main(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// failure is an error of a run that began well: exit code 1. Any other error is bad input.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

// Main runs the command and returns its exit code.
func Main(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	var failed failure
	var aborted *lab.Aborted
	switch {
	case ctx.Err() != nil:
		return exitInterrupt
	case err == nil:
		return exitOK
	}
	fmt.Fprintf(stderr, "slackline: %s\n", report.PrintableLines(strings.TrimSpace(err.Error()))) // a program's words may be in it
	if errors.As(err, &failed) || errors.As(err, &aborted) {
		return exitFailed
	}
	return exitBadInput
}
