package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/slackline/slackline/internal/studies/report"
)

// bindOutput adds the flag for the form of the result.
func (o *options) bindOutput(cmd *cobra.Command, forms ...string) *cobra.Command {
	forms = append([]string{"table", "wide", "json"}, forms...)
	cmd.Annotations = map[string]string{"forms": strings.Join(forms, ", ")}
	cmd.Flags().StringVarP(&o.output, "output", "o", "table", "format of the result: "+strings.Join(forms, ", "))
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(forms, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// sheet has a command write for people as wide as its terminal is, and in colours if that is wanted. What goes
// elsewhere is as wide as it needs.
func (o *options) sheet(cmd *cobra.Command) error {
	if !slices.Contains([]string{"auto", "always", "never"}, o.colour) {
		return fmt.Errorf("--color %q: it must be auto, always or never", o.colour)
	}
	out := cmd.OutOrStdout()
	s := &report.Sheet{Writer: out, Colours: o.colour == "always"}
	if isTerminal(out) {
		s.Colours = s.Colours || o.colour == "auto" && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
		if o.output != "wide" {
			s.Columns = width(out)
		}
	}
	if s.Columns > 0 || s.Colours {
		cmd.SetOut(s)
	}
	return nil
}

func (o *options) json() bool { return o.output == "json" }

// result writes a result in the form that was asked for: as JSON, as CSV where it can be that, or as text.
func (o *options) result(w io.Writer, r any, text func(io.Writer) error) error {
	table, is := r.(interface{ WriteCSV(w io.Writer) error })
	switch {
	case o.json():
		return report.WriteJSON(w, r)
	case is && o.output == "csv":
		return table.WriteCSV(w)
	}
	return text(w)
}

func (o *options) checkOutput(cmd *cobra.Command) error {
	if forms := cmd.Annotations["forms"]; !slices.Contains(strings.Split(forms, ", "), o.output) {
		return fmt.Errorf("--output %q: it must be one of %s", o.output, forms)
	}
	return nil
}

// finish writes the report and the drawings, and returns the verdict.
func (o *options) finish(w io.Writer, r *report.Report) error {
	drawn := errors.Join(o.drawing.commit(r), o.exporting.commit(r))
	if o.untimed {
		r.Untimed()
	}
	text := r.WriteTable
	if o.output == comparisons {
		text = r.WriteComparisons
	}
	if err := errors.Join(o.result(w, r, text), drawn); err != nil {
		return failure{err}
	}
	return o.verdict(r)
}

// width returns how many columns there are to draw in: those of the terminal, or 100 where there is none.
func width(w io.Writer) int {
	if f := fileOf(w); f != nil {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
			return min(columns, 200)
		}
	}
	return 100
}

// wrapped breaks a sentence into lines as wide as the terminal, those behind the first indented; elsewhere it stays.
func wrapped(w io.Writer, sentence string) string {
	if !isTerminal(w) {
		return sentence
	}
	return (&report.Sheet{Columns: width(w)}).Wrapped(sentence)
}

func isTerminal(w io.Writer) bool {
	f := fileOf(w)
	return f != nil && term.IsTerminal(int(f.Fd()))
}

// fileOf is the file that is written to, nil if it is none.
func fileOf(w io.Writer) *os.File {
	if s, ok := w.(*report.Sheet); ok {
		w = s.Writer
	}
	if h, ok := w.(*heeded); ok {
		w = h.Writer
	}
	if a, ok := w.(aboveFrame); ok {
		w = a.frame.out
	}
	f, _ := w.(*os.File)
	return f
}
