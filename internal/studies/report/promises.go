package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Promises tells whether a job that is admitted for this reason is promised its deadline.
func Promises(why *sched.Reason) bool {
	return why.Code == sched.Promised || why.Code == sched.Estimated
}

// promise notes what the job's admission said of its finish.
func (j *Job) promise(why *sched.Reason) {
	if Promises(why) { // B is what is expected, and nobody's word
		j.Promised, j.Estimated = seconds(units.Time(why.B)), why.Code == sched.Estimated
	}
	if j.Admission = ""; why.Code == sched.NoDeadline || why.Code == sched.ClassUnknown {
		j.Admission = why.String()
	}
}

// mostPromises is how many promises, and how many jobs that were refused, failed or were killed, are listed of a run; the JSON report has them all.
const mostPromises = 10

// writePromises tells, of runs whose admission promises deadlines, which were kept, how the finish compares to what was expected when the
// job was admitted, and to whom it said no; what it offered instead stands in the sentence on that job. A promise is judged by the deadline
// alone: jobs that came later may have lawfully overtaken one that waited. Whoever asked for no deadline waits for no promise. Where there are
// too many, those that were broken come first.
func writePromises(w io.Writer, g []*Run) {
	for _, run := range g {
		var list []*Job
		for i := range run.Jobs {
			j := &run.Jobs[i]
			if !j.Before && j.Deadline != nil && (j.Promised != nil || j.Admission != "" || j.Outcome == Refused) {
				list = append(list, j)
			}
		}
		if len(list) == 0 {
			continue
		}
		if len(list) > mostPromises {
			slices.SortStableFunc(list, func(a, b *Job) int { return cmp.Compare(a.bad(), b.bad()) })
		}
		t := &Grid{Title: label(run, g) + ", promises and what came of them"}
		t.Add("job", ">deadline", ">expected by", ">finished", "promise", ">than expected", "")
		for _, j := range list[:min(len(list), mostPromises)] {
			note := j.Admission
			if j.Estimated {
				note = "an estimate from a sample"
			}
			t.Add(j.ID, dueAt(j.Deadline), orDash(j.Promised), orDash(j.Finished), j.kept(), j.unexpected(), note)
		}
		if more := len(list) - mostPromises; more > 0 {
			t.Add(fmt.Sprintf("… and %d more; -o json has them all", more))
		}
		fmt.Fprintln(w)
		_ = t.Write(w)
	}
}

// bad sorts broken promises before all others.
func (j *Job) bad() int {
	if j.Outcome == Broken {
		return 0
	}
	return 1
}

// aloneTooMuch are the kinds of refusals of jobs that would be refused without any other.
var aloneTooMuch = []string{sched.AloneLate.String(), sched.AloneLateMean.String(), sched.TooFewSlots.String(), sched.NoSlots.String()}

// writeReasons tells of the jobs of each run that were refused, failed or were killed, and why.
func writeReasons(w io.Writer, g []*Run) {
	for _, run := range g {
		lines, alone, more := 0, 0, 0
		for i := range run.Jobs {
			j := &run.Jobs[i]
			if slices.Contains(aloneTooMuch, j.Refusal) {
				alone++
			}
			if j.Reason == "" {
				continue
			}
			if lines++; lines > mostPromises {
				more++
				continue
			}
			outcome := "was " + string(j.Outcome)
			if j.Outcome == Failed {
				outcome = "failed"
			}
			fmt.Fprintf(w, "%s: job %q %s: %s\n", label(run, g), j.ID, outcome, Indented(j.Reason, "    "))
			if f := j.decisive(); f != nil {
				fmt.Fprintf(w, "    slackline logs %s %s-%d has all that it said\n", word(j.ID), f.Stage, f.Task)
			}
		}
		if more == 0 {
			continue
		}
		said := fmt.Sprintf("%s: … and %d more; -o json has them all", label(run, g), more)
		if s := &run.Summary; s.Refused > 0 {
			said += fmt.Sprintf("; of the %d that were refused, %d take too long even alone", s.Refused, alone)
		}
		fmt.Fprintln(w, said)
	}
}

// kept says what became of the promise, which is the deadline.
func (j *Job) kept() string {
	switch {
	case j.Outcome == Broken && j.Finished != nil:
		return "BROKEN by " + span(*j.Finished-*j.Deadline)
	case j.Outcome == Refused || j.Promised != nil:
		return string(j.Outcome)
	}
	return "none"
}

// unexpected says how the finish compares to what was expected at admission.
func (j *Job) unexpected() string {
	switch {
	case j.Promised == nil || !j.Outcome.Finished() || j.Finished == nil:
		return ""
	case math.Abs(*j.Finished-*j.Promised) < 0.0005:
		return span(0)
	case *j.Finished < *j.Promised:
		return span(*j.Promised-*j.Finished) + " earlier"
	}
	return span(*j.Finished-*j.Promised) + " later"
}
