package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// log is a sink that tells on standard error what becomes of jobs while they run.
type log struct {
	follow.Single
	w      io.Writer
	clock  func(units.Time) string // how times are told
	why    map[string]bool         // reasons of failures that were told
	failed units.Time              // when a failed attempt was told last
	told   int                     // failed attempts
	unsaid int                     // failed attempts since the last that was told
}

func newLog(w io.Writer) *log {
	return &log{w: w, why: map[string]bool{}, clock: clocked}
}

// clocked is a time of the run, in tenths of a second within its first minute.
func clocked(at units.Time) string {
	if at < units.Time(units.Minute) {
		return fmt.Sprintf("%7.1f s", at.Seconds())
	}
	return fmt.Sprintf("%9s", units.Span(at.Seconds()))
}

// The first attempts that fail are told one by one, those behind them at most one every few
// seconds: there may be thousands. What was told once is not told again.
const (
	failFirst = 10
	failEvery = 2 * units.Second
)

// Batch tells of jobs that arrive or end, of attempts that fail, and of what did not fit the book.
func (l *log) Batch(_ units.Time, records []follow.Record) error {
	for i := range records {
		at := records[i].At
		switch e := &records[i]; e.Kind {
		case sched.JobArrived:
			if e.Job == nil || e.Again {
				continue
			}
			j, due := e.Job.Spec, ""
			if j.Deadline != units.Never {
				if due = ", due in " + units.Span(j.Deadline.Sub(at).Seconds()); j.Deadline < at {
					due = ", due " + units.Span(at.Sub(j.Deadline).Seconds()) + " ago"
				}
			}
			what := units.Count(j.Tasks(sched.Map), "map") + ", " + units.Count(j.Tasks(sched.Reduce), "reduce")
			if j.Growing() != nil { // nobody knows yet
				what = j.Class
			}
			l.say(at, "job %q: %s%s", j.ID, what, due)
		case sched.Ended:
			if a := e.Attempt; a != nil && e.Outcome == sched.Failed {
				l.fail(at, fmt.Sprintf("job %q: %v-%d", a.Job.Spec.ID, a.Stage, a.Task), e.Text)
			}
		case sched.JobEnded:
			if e.Job == nil {
				continue
			}
			how := e.Outcome.String()
			switch {
			case strings.HasPrefix(e.Text, "rejected: "):
				how = "refused: " + strings.TrimPrefix(e.Text, "rejected: ")
			case e.Text != "":
				how += ": " + l.untold(e.Text)
			}
			l.say(at, "job %q: %s", e.Job.Spec.ID, how)
		case sched.Discrepancy:
			l.say(at, "Slackline and the world disagree: %s", e.Text)
		}
	}
	return nil
}

// fail tells of a failed attempt, unless the same has been told of another, and how many failed
// since the last that was told.
func (l *log) fail(at units.Time, task, why string) {
	if l.why[why] || l.told >= failFirst && at.Sub(l.failed) < failEvery {
		l.unsaid++
		return
	}
	more := ""
	if l.unsaid > 0 {
		more = fmt.Sprintf(" (and %d more before it)", l.unsaid)
	}
	l.say(at, "%s failed%s: %s", task, more, why)
	l.failed, l.unsaid, l.why[why] = at, 0, true
	l.told++
}

// untold is why a job ended, without the reason of its last attempt if that was told.
func (l *log) untold(text string) string {
	for why := range l.why {
		if rest, ok := strings.CutSuffix(text, ": "+why); ok && why != "" {
			return strings.TrimSuffix(rest, ", the last time")
		}
	}
	return text
}

// say tells what happened. Whatever users' code put into it, what follows the first line is indented.
func (l *log) say(at units.Time, format string, args ...any) {
	const indent = "             "
	head, text := l.clock(at)+"  ", fmt.Sprintf(format, args...)
	if isTerminal(l.w) && !strings.Contains(text, "\n") {
		text = strings.TrimSpace(report.Wrapped(text, indent, width(l.w)))
		fmt.Fprintf(l.w, "%s%s\n", head, text)
		return
	}
	fmt.Fprintf(l.w, "%s%s\n", head, report.Indented(text, indent))
}
