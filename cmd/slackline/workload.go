package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/studies/trace"
)

// traceFlags are the flags of commands that read a trace.
type traceFlags struct {
	format  string
	lenient bool
}

func newWorkload(o *options) *cobra.Command {
	return group(&cobra.Command{
		Use:   "workload",
		Short: "Describe and convert workloads",
		Long: `Describes recorded workloads, and converts them to Slackline's own form. Trace formats:

` + formatList(),
		Example: "  slackline workload stats --format swim examples/traces/swim.tsv",
	}, newWorkloadStats(o), newWorkloadImport(), newWorkloadWorkflows())
}

// bind adds the flags. The format of that name is read unless told otherwise; with none, one must be named.
func (f *traceFlags) bind(cmd *cobra.Command, flag, format string) {
	cmd.Flags().StringVar(&f.format, flag, format, "format of the trace; slackline workload --help lists them")
	cmd.Flags().BoolVar(&f.lenient, "lenient", false, "leave out records that cannot be read, and count them")
	_ = cmd.RegisterFlagCompletionFunc(flag, completeFormats())
}

// completeFormats completes names of forms of traces.
func completeFormats() cobra.CompletionFunc {
	var names []string
	for _, f := range trace.Formats() {
		names = append(names, f.Name+"\t"+f.Doc)
	}
	return cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp)
}

// formatList lists the forms for help texts.
func formatList() (text string) {
	for _, f := range trace.Formats() {
		text += fmt.Sprintf("  %-10s %s\n", f.Name, f.Doc)
	}
	return text
}

// traceIn is a trace that a command reads.
type traceIn struct {
	trace.Reader
	file string
	tell io.Writer
	in   io.Closer
}

// open begins to read a file, or standard input where it is called "-".
func (f *traceFlags) open(cmd *cobra.Command, flag, file string, sorted bool) (*traceIn, error) {
	if f.format == "" {
		names := each.Of(trace.Formats(), func(f trace.Format) string { return f.Name })
		return nil, fmt.Errorf("--%s is needed: the format of %s, one of %s", flag, file, strings.Join(names, ", "))
	}
	format, err := trace.Find(f.format)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	in, name, err := openText(cmd, file)
	if err != nil {
		return nil, err
	}
	options := trace.Options{File: name, Lenient: f.lenient, Sort: sorted, Interrupted: cmd.Context().Err}
	return &traceIn{Reader: format.Open(in, options), file: name, tell: cmd.ErrOrStderr(), in: in}, nil
}

// close ends reading and tells what was left out and filled in.
func (i *traceIn) close() {
	i.in.Close()
	tellAccount(i.tell, i.Account())
}
