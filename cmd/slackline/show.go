package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/studies/account"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/units"
)

// showSchema names the form of what show prints as JSON. Fields may be added to it, never renamed.
const showSchema = "slackline/show/v2"

// shown is a job with what there is around it.
type shown struct {
	Schema string           `json:"schema"`
	Job    *store.Job       `json:"job"`
	What   report.Outcome   `json:"outcome,omitempty"` // of the job, once it has ended
	Run    *store.Run       `json:"run"`
	Beside []string         `json:"beside"`         // other jobs of the run
	Real   *report.Real     `json:"real"`           // what the process of the run took; null until it has ended
	Failed []*store.Attempt `json:"failed"`         // attempts
	Wait   *account.Wait    `json:"wait,omitempty"` // what the job waits for, by the book of its run

	Promised *report.Job `json:"report"` // what the report of the run says of it; null until that has ended
	whole    *report.Run // that report
}

func newShow(o *options) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show JOB",
		Short: "Show everything about a job that ran or is running",
		Long: `Shows a job by its number, or the newest job of a name: its state, times, promise and expectation, tasks, counters, failed
attempts with their reasons, how they were isolated, and what the process of its run used.`,
		Example: `  slackline show words
  slackline show words -o json`,
		Args:              exactly(1, "the number or name of a job"),
		ValidArgsFunction: o.completeJobs,
	}
	return o.asking(cmd, func(h *store.Store, args []string) error {
		s, err := showJob(h, args[0])
		if err != nil {
			return err
		}
		now := time.Now()
		s.Wait = o.waits(cmd.Context(), []*store.Job{s.Job}, now)[s.Job.ID].Wait
		return o.result(cmd.OutOrStdout(), s, func(w io.Writer) error { return asFailure(s.write(w, now)) })
	})
}

func showJob(h *store.Store, key string) (*shown, error) {
	j, err := findJob(h, key)
	if err != nil {
		return nil, err
	}
	s := &shown{Schema: showSchema, Job: j, What: outcome(j), Beside: []string{}, Failed: []*store.Attempt{}}
	failed, err := h.Attempts(j.ID, store.AttemptFilter{Outcomes: []string{"failed"}})
	if err != nil {
		return nil, failure{err}
	}
	s.Failed = append(s.Failed, failed...)
	if s.Run, err = h.Run(j.Run); err != nil {
		return nil, failure{err}
	}
	beside, err := h.Jobs(store.JobFilter{Run: j.Run})
	if err != nil {
		return nil, failure{err}
	}
	for _, other := range slices.Backward(beside) {
		if other.ID != j.ID {
			s.Beside = append(s.Beside, other.Name)
		}
	}
	if s.Run.Report != nil {
		r, err := report.ReadRun(s.Run.Report)
		if err != nil {
			return nil, failure{fmt.Errorf("the report of run %d cannot be read: %w", j.Run, err)}
		}
		s.Real = r.Real
		if i := slices.IndexFunc(r.Jobs, func(other report.Job) bool { return other.ID == j.Name }); i >= 0 {
			s.Promised, s.whole = &r.Jobs[i], r
		}
		s.Run.Report = nil // it is that of all its jobs
	}
	return s, nil
}

// doneBy says by when a job is done as it was told, with the instants of that.
func doneBy(o *store.Outlook, now time.Time) string {
	told := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return stamp(t, now)
	}
	return report.DoneBy(told(o.Half), told(o.Ninety), told(o.Sure), o.Confidence)
}

// write prints the job for people.
func (s *shown) write(out io.Writer, now time.Time) error {
	j := s.Job
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-10s %s\n", name, report.Printable(fmt.Sprintf(format, args...)))
	}
	fmt.Fprintf(&b, "job %d: %s, %s\n\n", j.ID, report.Printable(j.Name), j.State)
	if j.Reason != "" {
		fmt.Fprintf(&b, "%-10s %s\n", "why", report.Indented(j.Reason, "           "))
	}
	line("class", "%s", j.Class)
	if j.Workflow != "" {
		line("workflow", "%s", j.Workflow)
	}
	if s.Promised != nil && s.Promised.Cut != "" {
		fmt.Fprintf(&b, "%-10s %s\n", "cut", report.Indented(s.Promised.Cut, "           "))
	}
	if j.File != "" {
		line("file", "%s", j.File)
	}
	if j.Output != j.Name { // as that of a job of a cluster, whose output nobody knows
		line("output", "%s", j.Output)
	}
	line("submitted", "%s", j.Submitted.Local().Format(time.DateTime))
	if j.First != 0 {
		line("resumes", "job %d, which was interrupted", j.First)
	}
	if j.Started != nil {
		line("started", "%s later", units.Span(j.Started.Sub(j.Submitted).Seconds()))
	}
	if j.Took != nil {
		line("took", "%s", took(j))
	}
	if j.Expected != nil {
		off := ""
		lost := j.First != 0 || s.Promised != nil && s.Promised.Resumed // the time of an interruption
		if s.Promised != nil && s.Promised.Overtaken() != "" {
			off = ", overtaken by " + s.Promised.Overtaken()
		} else if j.Took != nil && *j.Expected > 0 && j.State == store.Finished && !lost {
			off = fmt.Sprintf(", off by %+.0f %%", 100*(*j.Took / *j.Expected - 1))
		}
		line("expected", "%s%s", expected(j), off)
	}
	if j.Deadline != nil && j.State != store.Resumed {
		if after := j.Deadline.Sub(j.Submitted).Seconds(); after > 0 {
			line("deadline", "%s after submission: %s", units.Span(after), promise(j, now))
		} else {
			line("deadline", "%s, before this run began: %s", stamp(*j.Deadline, now), promise(j, now))
		}
	}
	switch p := s.Promised; {
	case p != nil && p.Promised != nil:
		by := fmt.Sprintf("its deadline; it was expected %s after submission, as things stood", units.Span(*p.Promised-p.Submitted))
		if j.First != 0 && p.Deadline != nil && *p.Promised == *p.Deadline {
			by = "its deadline, by the run that this one resumes"
		}
		if p.Confidence != nil {
			by = fmt.Sprintf("its deadline, with %.4g %%; as things stood it was done by %s after submission with that probability",
				100**p.Confidence, units.Span(*p.Promised-p.Submitted))
		}
		if p.Estimated {
			by += ", an estimate from a sample"
		}
		line("promised", "%s", by)
	case p != nil && p.Admission != "":
		line("promised", "nothing: %s", strings.TrimPrefix(p.Admission, "no promise: "))
	}
	if o := j.Outlook; o != nil {
		if j.Ended == nil {
			line("done", "%s", doneBy(o, now))
		}
		if o.Why != "" {
			// The instants of its words count from the start of the run, and the line above has them.
			why := o.Why
			if head, _, moved := strings.Cut(why, ": "); moved && strings.HasPrefix(head, "now done by ") && !strings.HasSuffix(why, "vary more") && !strings.HasSuffix(why, "may vary") { // else the shift is not that of the middle
				why = why[strings.LastIndex(head, ", ")+2:]
			}
			line("moved", "%s after submission: %s", units.Span(o.Told.Sub(j.Submitted).Seconds()), why)
		}
	}
	line("maps", "%s, %d of them with their input", tally(j.Maps), j.LocalMaps)
	line("reduces", "%s", tally(j.Reduces))
	line("attempts", "%d, %d failed", j.Attempts, j.Failures)
	if j.Isolation != "" {
		line("isolation", "%s", j.Isolation)
	}
	line("run", "%d: by %s, seed %d, process %d", s.Run.ID, s.Run.Policy, s.Run.Seed, s.Run.PID)
	if len(s.Beside) > 0 {
		line("beside", "%s", strings.Join(s.Beside, ", "))
	}
	if s.Promised != nil && s.Promised.Receipt() != "" {
		line("energy", "%s", s.Promised.Receipt())
	}
	if s.Real != nil && s.Run.Ended != nil {
		line("process", "%s", s.Real.Sentence(s.Run.Ended.Sub(s.Run.Began).Seconds()))
	}
	if s.whole != nil {
		if w := s.whole.WorkflowOf(s.Promised); w != nil {
			b.WriteByte('\n')
			_ = s.whole.Drawn(w).Write(report.Like(out, &b))
		}
	}
	if len(j.Counters) > 0 {
		g := &report.Grid{}
		g.Add("counter", ">value")
		for _, name := range slices.Sorted(maps.Keys(j.Counters)) {
			g.Add(name, fmt.Sprint(j.Counters[name]))
		}
		b.WriteByte('\n')
		_ = g.Write(&b) // which takes all that is written
	}
	if len(s.Failed) > 0 {
		fmt.Fprintf(&b, "\nfailed attempts; slackline logs %d TASK has more\n", j.ID)
		told := map[string]bool{}
		for _, a := range s.Failed {
			reason := report.Indented(a.Reason, "    ")
			if told[a.Reason] || strings.HasSuffix(j.Reason, a.Reason) {
				reason = "in the same way"
			}
			told[a.Reason] = true
			fmt.Fprintf(&b, "%s-%d, try %d on %s after %s: %s\n", a.Stage, a.Task, a.Try, a.Node, units.Span(a.Took), reason)
		}
	}
	_, err := io.WriteString(out, report.Like(out, nil).Wrapped(b.String()))
	return err
}
