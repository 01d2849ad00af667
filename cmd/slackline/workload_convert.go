package main

import (
	"cmp"
	"errors"
	"fmt"
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
		Example: `  slackline workload import --format rumen examples/traces/rumen.json
  slackline workload import --format alibaba --sort examples/traces/alibaba.csv --to a.jsonl && slackline workload stats a.jsonl`,
		Args: exactly(1, "a trace"),
		RunE: func(cmd *cobra.Command, args []string) error {
			in, err := f.open(cmd, "format", args[0], sorted)
			if err != nil {
				return err
			}
			defer in.close()
			return convert(cmd, in, "slackline", to, func(j *trace.Job) (*trace.Job, error) { return j, nil })
		},
	}
	f.bind(cmd, "format", "")
	cmd.Flags().BoolVar(&sorted, "sort", false, "sort jobs by submission time; this holds all of them in memory")
	bindFile(cmd.Flags(), &to, "to", "file to write to (default standard output)")
	return cmd
}

func newWorkloadExport() *cobra.Command {
	var f traceFlags
	var to, format string
	var seed uint64
	var reduces int
	cmd := &cobra.Command{
		Use:   "export --format FORMAT TRACE",
		Short: "Convert a trace to another format",
		Long: `Converts a trace, by default one in Slackline's own format, to another format: sls, the input of Hadoop's Scheduler Load
Simulator. If the format needs something that the trace does not say, such as tasks and their times, it is derived by the
default rule of scenarios, with random numbers from the seed. What the format cannot express is lost: sls has no bytes,
deadlines or dependencies.`,
		Example: `  slackline workload export --format sls examples/traces/small.jsonl
  slackline workload export --format sls --from swim examples/traces/swim.tsv --to sls.json`,
		Args: exactly(1, "a trace"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if reduces < 1 || reduces > trace.MaxTasks {
				return fmt.Errorf("--reduces is %d, it must be from 1 to %d", reduces, trace.MaxTasks)
			}
			rule, err := f.tasksBy(reduces)
			if err != nil {
				return err
			}
			in, err := f.open(cmd, "from", args[0], false)
			if err != nil {
				return err
			}
			defer in.close()
			return convert(cmd, in, format, to, func(j *trace.Job) (*trace.Job, error) { return rule.Complete(j, seed) })
		},
	}
	f.bind(cmd, "from", "slackline")
	f.bindRule(cmd)
	cmd.Flags().StringVar(&format, "format", "", "format to write: sls or slackline")
	bindFile(cmd.Flags(), &to, "to", "file to write to (default standard output)")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of the random times")
	cmd.Flags().IntVar(&reduces, "reduces", 100, "at most this many reduces for a job whose reduces the trace does not list")
	_ = cmd.RegisterFlagCompletionFunc("format", completeFormats(trace.Format.Writes))
	return cmd
}

// convert writes the jobs of a trace in a form, to a file or to standard output.
func convert(cmd *cobra.Command, r trace.Reader, form, to string, with func(*trace.Job) (*trace.Job, error)) error {
	if form == "" {
		return errors.New("--format is needed: the format to write, such as sls")
	}
	format, err := trace.Find(form)
	if err != nil {
		return fmt.Errorf("--format: %w", err)
	}
	if !format.Writes() {
		_, err := format.Create(nil)
		return fmt.Errorf("--format: %w", err)
	}
	out, err := create(cmd, "to", to, "trace")
	if err != nil {
		return err
	}
	w, err := format.Create(out)
	n := 0
	for err == nil {
		var j *trace.Job
		if j, err = r.Next(); err == nil {
			if j, err = with(j); err == nil {
				n++
				err = cmp.Or(w.Write(j), cmd.Context().Err())
			}
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
