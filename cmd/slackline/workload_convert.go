package main

import (
	"cmp"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/studies/trace"
	"github.com/slackline/slackline/units"
)

func newWorkloadImport() *cobra.Command {
	var f traceFlags
	var sorted bool
	var to string
	cmd := &cobra.Command{
		Use:   "import --format FORMAT TRACE",
		Short: "Convert a trace to Slackline's own format",
		Long: `Converts a trace to Slackline's own format: JSON lines, which scenarios use as "trace: {format: slackline, file: …}". The name
"-" stands for standard input. Formats:

` + formatList() + `
Jobs must come in order of submission; --sort sorts them in memory. --lenient leaves out records that cannot be read, and
counts them; without it, the first of them is an error.`,
		Example: `  slackline workload import --format jhist examples/traces/words.jhist
  slackline workload import --format alibaba --sort examples/traces/alibaba.csv --to a.jsonl && slackline workload stats a.jsonl`,
		Args: exactly(1, "a trace"),
		RunE: func(cmd *cobra.Command, args []string) error {
			in, err := f.open(cmd, "format", args[0], sorted)
			if err != nil {
				return err
			}
			defer in.close()
			return convert(cmd, in, to)
		},
	}
	f.bind(cmd, "format", "")
	cmd.Flags().BoolVar(&sorted, "sort", false, "sort jobs by submission time; this holds all of them in memory")
	bindFile(cmd.Flags(), &to, "to", "file to write to (default standard output)")
	return cmd
}

// convert writes the jobs of a trace in Slackline's own form, to a file or to standard output.
func convert(cmd *cobra.Command, r trace.Reader, to string) error {
	out, err := create(cmd, "to", to, "trace")
	if err != nil {
		return err
	}
	w, n := trace.NewWriter(out), 0
	for err == nil {
		var j *trace.Job
		if j, err = r.Next(); err == nil {
			n++
			err = cmp.Or(w.Write(j), cmd.Context().Err())
		}
	}
	if errors.Is(err, io.EOF) {
		err = w.Close()
	}
	holds := units.Count(n, "job")
	if left := r.Account().Left(); left > 0 {
		holds += ", and " + units.Count(left, "record") + " left out"
	}
	return out.finish(err, holds)
}
