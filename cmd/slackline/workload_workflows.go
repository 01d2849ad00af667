package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/files"
	"github.com/slackline/slackline/internal/studies/dag"
	"github.com/slackline/slackline/units"
)

// workflowFormats are those of workflows that other systems describe.
var workflowFormats = []string{"wfcommons", "oozie", "alibaba"}

func newWorkloadWorkflows() *cobra.Command {
	var format, to string
	var most int
	var length time.Duration
	var style dag.Style
	cmd := &cobra.Command{
		Use:   "workflows --format FORMAT FILE",
		Short: "Write workflows of other systems as a scenario",
		Long: `Reads workflows that other systems describe, and writes them as the jobs of a scenario on ten nodes, to be changed by hand:

  wfcommons  instances of WfCommons (JSON): tasks of one kind that stand behind equally many others are one job, each map of
             which takes their mean time
  oozie      workflow.xml: an action is a job with the maps and reduces that it states; of a decision the default is taken;
             how long tasks take it does not say
  alibaba    batch_task.csv of Alibaba's trace of 2018: each job of it with several tasks is a workflow

A workflow is due after --factor times its critical path, where each job has all nodes that it wants.`,
		Example: `  slackline workload workflows --format alibaba examples/traces/alibaba.csv --to flows.yaml && slackline simulate flows.yaml`,
		Args:    exactly(1, "a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(workflowFormats, format) {
				return fmt.Errorf("--format is %q, it must be one of %s", format, strings.Join(workflowFormats, ", "))
			}
			if length < time.Millisecond || !(style.Factor >= 0 && style.Factor <= 1e6) || !(style.Slope <= 100) || most < 0 {
				return fmt.Errorf("--task-time must be at least 1ms, --factor from 0 to 1e6, --slope at most 100, --most not negative")
			}
			name := args[0]
			style.Name, style.Time = strings.TrimSuffix(filepath.Base(name), filepath.Ext(name)), units.Duration(length)
			in, err := files.Open(name)
			if err != nil {
				return err
			}
			defer in.Close()
			var list []dag.Workflow
			if format == "alibaba" {
				list, err = dag.Alibaba(in, name, most)
			} else if src, e := files.ReadAll(name); e != nil {
				return e
			} else {
				read := map[string]func([]byte) (*dag.Workflow, error){"wfcommons": dag.WfCommons, "oozie": dag.Oozie}[format]
				var w *dag.Workflow
				if w, err = read(src); err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
				list = []dag.Workflow{*w}
			}
			if err != nil {
				return err
			}
			if len(list) == 0 {
				return fmt.Errorf("%s: there is no workflow in it: no job has several tasks", name)
			}
			out, err := create(cmd, "to", to, "scenario")
			if err != nil {
				return err
			}
			err = dag.Write(out, list, style)
			return out.finish(err, units.Count(len(list), "workflow"))
		},
	}
	f := cmd.Flags()
	f.StringVar(&format, "format", "", "format of the file: "+strings.Join(workflowFormats, ", "))
	f.DurationVar(&length, "task-time", 30*time.Second, "time of a task where the file does not say it")
	f.Float64Var(&style.Factor, "factor", 2, "deadline of a workflow, in critical paths; 0 = none")
	f.Float64Var(&style.Slope, "slope", 0.01, "what each further map adds to the work of all; below 0 = jobs stay as they are cut")
	f.IntVar(&most, "most", 0, "at most so many workflows of a trace; 0 = all")
	bindFile(f, &to, "to", "file to write to (default standard output)")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(workflowFormats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}
