package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/slackline/slackline/internal/studies/report"
)

// bindOutput adds the flag for the form of the result.
func (o *options) bindOutput(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().StringVarP(&o.output, "output", "o", "table", "form of the result: table or json")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"table", "json"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (o *options) json() bool { return o.output == "json" }

func (o *options) checkOutput() error {
	if !slices.Contains([]string{"table", "json"}, o.output) {
		return fmt.Errorf("--output %q: it must be table or json", o.output)
	}
	return nil
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// finish writes the report and the drawings, and returns an error if a job failed, or with --strict missed its deadline.
func (o *options) finish(w io.Writer, r *report.Report) error {
	drawn := o.drawing.commit(r)
	write := r.WriteTable
	if o.json() {
		write = r.WriteJSON
	}
	if err := errors.Join(write(w), drawn); err != nil {
		return failure{err}
	}
	switch failed, late := r.Count(); {
	case failed > 0:
		return failure{fmt.Errorf("%d of the jobs failed", failed)}
	case late > 0 && o.strict:
		return failure{fmt.Errorf("%d of the deadlines missed", late)}
	}
	return nil
}

// width returns how many columns there are to draw in: those of the terminal, or 100 where there is none.
func width(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
			return min(columns, 200)
		}
	}
	return 100
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
