package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/studies/account"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// jobsSchema names the form of what jobs prints as JSON. Fields may be added to it, never renamed.
const jobsSchema = "slackline/jobs/v2"

func newJobs(o *options) *cobra.Command {
	var f store.JobFilter
	var since string
	cmd := &cobra.Command{
		Use:   "jobs",
		Short: "List the jobs that ran or are running, here or on a Hadoop cluster",
		Long: `Lists the jobs that run has started, in any process, the newest first: their state, how long they took and were expected to
take, and whether they met their deadlines: kept or BROKEN if the deadline had been promised, else met or LATE. It also
lists the jobs of a Hadoop cluster that yarn serve schedules, by the names of their applications in YARN.

A job whose process ended too early is interrupted, until a run resumes it. Then it is resumed, and the job of that run
shows the outcome. If its work was thrown away instead, it is discarded. A time marked cold is that of a cold run for the
class: estimates use warm runs.`,
		Example: `  slackline jobs
  slackline jobs --state failed,interrupted --since 24h
  slackline jobs --name words --limit 3 -o json`,
		Args: exactly(0, "no arguments"),
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.States, "state", nil, "only jobs in one of these states: "+strings.Join(store.States, ", "))
	flags.StringVar(&f.Name, "name", "", "only jobs with this name")
	flags.StringVar(&f.Class, "class", "", "only jobs of this class")
	flags.StringVar(&f.Policy, "policy", "", "only jobs that ran under this policy")
	flags.StringVar(&since, "since", "", "only jobs submitted since then: a span back from now (2h), a day (2026-01-31) or a time")
	flags.IntVar(&f.Limit, "limit", 20, "at most this many; 0 = all")
	_ = cmd.RegisterFlagCompletionFunc("state", cobra.FixedCompletions(store.States, cobra.ShellCompDirectiveNoFileComp))
	return o.asking(cmd, func(h *store.Store, _ []string) error {
		for i, s := range f.States {
			if s == store.Rejected {
				f.States[i] = store.Refused
			}
		}
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
		waits := o.waits(cmd.Context(), list, now)
		if o.json() {
			type listed struct {
				*store.Job
				Outcome report.Outcome `json:"outcome,omitempty"` // once it has ended
				Wait    *account.Wait  `json:"wait,omitempty"`    // until then
			}
			all := each.Of(list, func(j *store.Job) listed { return listed{j, outcome(j), waits[j.ID].Wait} })
			return report.WriteJSON(cmd.OutOrStdout(), struct {
				Schema string   `json:"schema"`
				Jobs   []listed `json:"jobs"`
			}{jobsSchema, all})
		}
		return writeJobs(cmd.OutOrStdout(), list, waits, now, width(cmd.OutOrStdout()))
	})
}

// writeJobs prints jobs, one on a line.
func writeJobs(w io.Writer, list []*store.Job, waits map[int64]waiting, now time.Time, columns int) error {
	g := &report.Grid{Least: []string{"reduces", "maps", "policy", "class", "expected", "submitted"}}
	g.Add(">job", "name", "class", "policy", "state", "submitted", ">took", ">expected", "deadline", ">maps", ">reduces", "why")
	for _, j := range list {
		g.Add(fmt.Sprint(j.ID), j.Name, j.Class, j.Policy, j.State, stamp(j.Submitted, now), took(j), expected(j), promise(j, now),
			tally(j.Maps), tally(j.Reduces), oneLine(cmp.Or(waits[j.ID].short, j.Reason), max(20, columns/3)))
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
	return asFailure(write(w))
}

// stamp prints a time by the clock of this place, with its day if that is not today.
func stamp(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	if t.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return t.Format(time.TimeOnly)
	}
	return t.Format(time.DateTime)
}

func took(j *store.Job) string {
	switch {
	case j.Took == nil:
		return "–"
	case j.Cold:
		return units.Span(*j.Took) + " cold"
	}
	return units.Span(*j.Took)
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

// outcome is what became of a job, "" while it waits or runs, and where a later one that continues
// it has the outcome.
func outcome(j *store.Job) report.Outcome {
	f := report.Facts{Refused: j.State == store.Refused, Promised: j.Promised, Real: true}
	switch j.State {
	case store.Waiting, store.Running, store.Resumed:
		return ""
	case store.Finished:
		if f.End = sched.Committed; j.Deadline != nil && j.Ended != nil {
			f.InTime = new(!j.Ended.After(*j.Deadline))
		}
	case store.Failed:
		f.End = sched.Failed
	case store.Killed:
		f.End = sched.Killed
	}
	return f.Outcome()
}

// promise says how a job stands to its deadline, or what became of that.
func promise(j *store.Job, now time.Time) string {
	if j.Deadline == nil || j.State == store.Resumed {
		return "–"
	}
	o := outcome(j)
	switch {
	case o.InTime():
		return fmt.Sprintf("%s by %s", o, units.Span(j.Deadline.Sub(*j.Ended).Seconds()))
	case o.Late():
		return fmt.Sprintf("%s by %s", strings.ToUpper(string(o)), units.Span(j.Ended.Sub(*j.Deadline).Seconds()))
	case o != "":
		return string(o)
	case !now.After(*j.Deadline):
		return "due in " + units.Span(j.Deadline.Sub(now).Seconds())
	}
	return "OVERDUE by " + units.Span(now.Sub(*j.Deadline).Seconds())
}
