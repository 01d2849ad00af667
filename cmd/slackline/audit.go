package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/studies/report"
)

// auditPolicies make promises of several confidences.
var auditPolicies = []string{"promise(level=90%)", "promise(level=95%)", "promise"}

func newAudit(o *options) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "audit SCENARIO.yaml|JOB.yaml...",
		Short: "Count how many promises were kept",
		Long: `Plays scenarios, traces (as workload.trace of a scenario), or job files as earlier runs on this machine have measured them,
with each of their seeds, and counts how many of the promises were kept: by what was stated, by scenario, by class, by how many
jobs of the class had ended before in the run, and by tail, which is the promised quantile of a job's response over its median.
Unless --policy says otherwise, promises are made at 90, 95 and 99 %; with --policy rtmr they are for the worst case.

Each part comes with its exact 95 % interval (Clopper and Pearson). Where even its upper end is below what was stated, the
table says "less than stated": these promises cannot be relied on. Where even its lower end is above, it says "more than
stated": deadlines left more room than that takes, or times were thought more uncertain than they were, so more jobs could have
been promised, or for earlier. The mean of the ratios says how wide the promises were.

A promise holds as long as no task fails. So promises of jobs that failed are neither kept nor broken; a line says how many of
them are not counted.`,
		Example: `  slackline audit examples/best-effort.yaml --seed 1..2
  slackline audit examples/best-effort.yaml --seed 3 -o json`,
		Args:              some("scenario files or job files"),
		ValidArgsFunction: yamlFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.policies == nil {
				o.policies = auditPolicies
			}
			cells, _, _, err := o.cells(cmd, args)
			if err != nil {
				return err
			}
			runs, err := o.runCells(cmd, cells)
			if err != nil {
				return err
			}
			return errors.Join(o.tellAudit(cmd, runs), unfinished(runs))
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.policies, "policy", nil, "policies to use, separated by commas; 90, 95 and 99 % by promise if left out")
	f.StringVar(&o.seed, "seed", noSeed, "seeds of everything random: a list, or a range such as 1..30")
	o.bindBlock(cmd)
	o.bindStore(f)
	_ = cmd.RegisterFlagCompletionFunc("policy", completePolicies)
	return o.bindOutput(cmd)
}

// tellAudit writes the table, or as JSON its rows.
func (o *options) tellAudit(cmd *cobra.Command, runs []*report.Run) error {
	out, list, failed := cmd.OutOrStdout(), report.Audits(runs), report.PromisesOfFailed(runs)
	if o.json() {
		told := map[string]any{"schema": "slackline/audit/v1", "audits": append([]report.Audit{}, list...), "failed": failed}
		if traces := report.Traces(runs); traces != nil {
			told["traces"] = traces
		}
		return report.WriteJSON(out, told)
	}
	switch more := report.NotCounted(failed); {
	case list == nil && more != "":
		fmt.Fprintf(out, "No promise was kept or broken; %s.\n", more)
		return nil
	case list == nil:
		fmt.Fprintln(out, "No promise was made.")
		return nil
	}
	return report.AuditTable("promises as stated and as kept", list, failed).Write(out)
}
