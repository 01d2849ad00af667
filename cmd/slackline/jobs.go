package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/studies/report"
)

// jobsSchema names the form of what jobs prints as JSON. Fields may be added to it, never renamed.
const jobsSchema = "slackline/jobs/v1"

func newJobs(o *options) *cobra.Command {
	var f store.JobFilter
	var since string
	cmd := &cobra.Command{
		Use:   "jobs",
		Short: "List the jobs that ran on this machine, and those that run",
		Long: `Lists jobs that run started, in any process, the newest first: what became of them, how long they took and what had been expected,
and how they stand to their promises. A job whose process ended before it did is interrupted.`,
		Example: `  slackline jobs
  slackline jobs --state failed,interrupted --since 24h
  slackline jobs --name words --limit 3 -o json`,
		Args: exactly(0, "no arguments"),
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.States, "state", nil, "only jobs in one of these states: waiting, running, finished, failed, killed, rejected, interrupted")
	flags.StringVar(&f.Name, "name", "", "only jobs of this name")
	flags.StringVar(&f.Class, "class", "", "only jobs of this class")
	flags.StringVar(&f.Policy, "policy", "", "only jobs that ran by this policy")
	flags.StringVar(&since, "since", "", "only jobs submitted since: a span back from now (2h), a day (2026-01-31) or a time")
	flags.IntVar(&f.Limit, "limit", 20, "at most so many; 0 = all")
	_ = cmd.RegisterFlagCompletionFunc("state", cobra.FixedCompletions(store.States, cobra.ShellCompDirectiveNoFileComp))
	return o.asking(cmd, func(h history, _ []string) error {
		if err := checkNames("state", f.States, store.States); err != nil {
			return err
		}
		if err := checkLimit(f.Limit); err != nil {
			return err
		}
		now := time.Now()
		var err error
		if f.Since, err = parseSince(since, now); err != nil {
			return err
		}
		list, err := h.Jobs(f)
		if err != nil {
			return failure{err}
		}
		if o.json() {
			if list == nil {
				list = []*store.Job{}
			}
			return writeJSON(cmd.OutOrStdout(), struct {
				Schema string       `json:"schema"`
				Jobs   []*store.Job `json:"jobs"`
			}{jobsSchema, list})
		}
		return writeJobs(cmd.OutOrStdout(), list, now, width(cmd.OutOrStdout()))
	})
}

// writeJobs prints jobs, one on a line.
func writeJobs(w io.Writer, list []*store.Job, now time.Time, columns int) error {
	g := &report.Grid{}
	g.Add(">job", "name", "class", "policy", "state", "submitted", ">took", ">expected", "promise", ">maps", ">reduces", "why")
	for _, j := range list {
		g.Add(fmt.Sprint(j.ID), j.Name, j.Class, j.Policy, j.State, stamp(j.Submitted, now), seconds(j.Took), expected(j), promise(j, now),
			tally(j.Maps), tally(j.Reduces), oneLine(report.Printable(j.Reason), max(20, columns/3)))
	}
	return writeRows(w, g, len(list), "no such jobs")
}

// writeRows prints a table, or a remark where it has no rows.
func writeRows(w io.Writer, g *report.Grid, rows int, none string) error {
	write := g.Write
	if rows == 0 {
		write = func(w io.Writer) error {
			_, err := io.WriteString(w, none+"\n")
			return err
		}
	}
	if err := write(w); err != nil {
		return failure{err}
	}
	return nil
}

// stamp prints a time by the clock of this place, with its day if that is not today.
func stamp(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	if t.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return t.Format(time.TimeOnly)
	}
	return t.Format(time.DateTime)
}

func seconds(s *float64) string {
	if s == nil {
		return "–"
	}
	return report.Span(*s)
}

func tally(t store.Tally) string {
	if t.Done == t.Tasks {
		return fmt.Sprint(t.Tasks)
	}
	return fmt.Sprintf("%d of %d", t.Done, t.Tasks)
}

// expected is what was said before the job ran.
func expected(j *store.Job) string {
	if j.Expected == nil {
		return "–"
	}
	return (&report.Expectation{Seconds: *j.Expected, Spread: j.Spread}).String()
}

// promise says how a job stands to its deadline.
func promise(j *store.Job, now time.Time) string {
	if j.Deadline == nil {
		return "–"
	}
	end, over := now, j.State != store.Waiting && j.State != store.Running
	if j.Ended != nil {
		end = *j.Ended
	}
	room := j.Deadline.Sub(end).Seconds()
	switch {
	case j.State == store.Finished && room >= 0:
		return "met by " + report.Span(room)
	case j.State == store.Finished:
		return "MISSED by " + report.Span(-room)
	case j.State == store.Rejected: // nothing was promised
		return "refused"
	case over:
		return "not kept"
	case room >= 0:
		return "due in " + report.Span(room)
	}
	return "LATE by " + report.Span(-room)
}
