package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/studies/report"
)

// auditPolicies make promises of several confidences.
var auditPolicies = []string{"promise(level=90%)", "promise(level=95%)", "promise"}

func newAudit(o *options) *cobra.Command {
	var history bool
	var f store.JobFilter
	var since string
	cmd := &cobra.Command{
		Use:   "audit SCENARIO.yaml|JOB.yaml... | audit --history",
		Short: "Count how many promises were kept",
		Long: `Plays scenarios, traces (as workload.trace of a scenario), or job files as earlier runs on this machine have measured them,
with each of their seeds, and counts how many of the promises were kept: by what was stated, by scenario, by class, by how many
jobs of the class had ended before in the run, and by tail, which is the promised quantile of a job's response over its median.
Unless --policy says otherwise, promises are made at 90, 95 and 99 %; with --policy rtmr they are for the worst case.

Each part comes with its exact 95 % interval (Clopper and Pearson). Where even its upper end is below what was stated, the
table says "less than stated": these promises cannot be relied on. Where even its lower end is above, it says "more than
stated": deadlines left more room than that takes, or times were thought more uncertain than they were, so more jobs could have
been promised, or for earlier. The mean of the ratios says how wide the promises were.

With --history it counts the promises that were made here, or by yarn serve with the same --store, by what was stated, class and
month. Its intervals may be looked at every day: all of them together are right in 95 % of cases (Robbins 1970).

A promise holds as long as no task fails. So promises of jobs that failed or were killed are neither kept nor broken; a line says how many of
them are not counted.`,
		Example: `  slackline audit examples/best-effort.yaml --seed 1..2
  slackline audit examples/best-effort.yaml --seed 3 -o json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if history {
				return exactly(0, "no files with --history")(cmd, args)
			}
			return some("scenario files or job files, or --history")(cmd, args)
		},
		ValidArgsFunction: yamlFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if history {
				return o.auditHistory(cmd, f, since)
			}
			if since != "" || f.Class != "" {
				return errors.New("--since and --class choose from what ran: give --history, too")
			}
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
			return errors.Join(o.writeAudit(cmd, report.Audits(runs), report.PromisesOfFailed(runs), runs), unfinished(runs))
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&history, "history", false, "count the promises that were made here, instead of playing any")
	flags.StringVar(&since, "since", "", "with --history, only of jobs submitted since then: a span back from now (720h), a day (2026-01-31) or a time")
	flags.StringVar(&f.Class, "class", "", "with --history, only of jobs of this class")
	flags.StringArrayVar(&o.policies, "policy", nil, "policies to use, separated by commas; 90, 95 and 99 % by promise if left out")
	flags.StringVar(&o.seed, "seed", noSeed, "seeds of everything random: a list, or a range such as 1..30")
	o.bindBlock(cmd)
	o.bindStore(flags)
	_ = cmd.RegisterFlagCompletionFunc("policy", completePolicies)
	return o.bindOutput(cmd)
}

// auditHistory counts the promises of jobs that have ended here.
func (o *options) auditHistory(cmd *cobra.Command, f store.JobFilter, since string) error {
	if flag := given(cmd, "policy", "seed", "block"); flag != "" {
		return fmt.Errorf("--%s plays runs, and --history plays none", flag)
	}
	m, err := o.read(cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	defer m.Close()
	if f.Since, err = parseSince(since, time.Now()); err != nil {
		return err
	}
	jobs, err := m.Store().Jobs(f)
	if err != nil {
		return failure{err}
	}
	var made []report.Made
	failed := 0
	for _, j := range jobs {
		switch is := outcome(j); is {
		case report.Kept, report.Broken:
			p := report.Made{Stated: 1, Kept: is == report.Kept, Class: j.Class, Month: j.Submitted.Local().Format("2006-01")}
			if j.Outlook != nil && j.Outlook.Confidence > 0 {
				p.Stated = j.Outlook.Confidence
			}
			made = append(made, p)
		case report.Failed, report.Killed:
			if j.Promised {
				failed++
			}
		}
	}
	return o.writeAudit(cmd, report.AuditsOf(made), failed, nil)
}

// writeAudit writes the table, or as JSON its rows.
func (o *options) writeAudit(cmd *cobra.Command, list []report.Audit, failed int, runs []*report.Run) error {
	out := cmd.OutOrStdout()
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
