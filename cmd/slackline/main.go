// Command slackline runs MapReduce jobs on this machine so that they finish by their deadlines, and
// plays the same policies on a simulated cluster. Each subcommand has a file of its own; what it
// does stands in internal/studies.
//
// Standard output carries the result alone, standard error progress and what went wrong. The exit
// codes stand in exit.go.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/slackline/slackline/internal/studies/report"
)

func main() {
	ctx, stop := interruptible(os.Stderr)
	code := Main(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// Main runs the command and returns its exit code.
func Main(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	out := &heeded{Writer: stdout}
	root.SetOut(out)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil && out.err != nil {
		err = failure{fmt.Errorf("the result cannot be written: %w", out.err)}
	}
	if err == nil {
		return exitOK // also if a signal came when all was done
	}
	code := exitCode(ctx, err)
	if how := (interrupted{}); code == exitInterrupt && errors.Is(err, context.Canceled) && !errors.As(err, &how) {
		err = errors.New("interrupted; the same command starts again")
	}
	for _, e := range apart(err) {
		// a program's words may be in it
		fmt.Fprintf(stderr, "slackline: %s\n", report.PrintableLines(strings.TrimSpace(e.Error())))
	}
	return code
}

// heeded keeps the first error of writing: not all who print heed it, such as the library's help.
type heeded struct {
	io.Writer
	err error
}

func (h *heeded) Write(p []byte) (int, error) {
	n, err := h.Writer.Write(p)
	if h.err == nil {
		h.err = err
	}
	return n, err
}

// apart are the errors that errors.Join put together.
func apart(err error) []error {
	if all, ok := err.(interface{ Unwrap() []error }); ok && errors.Join(all.Unwrap()...).Error() == err.Error() {
		return all.Unwrap()
	}
	return []error{err}
}
