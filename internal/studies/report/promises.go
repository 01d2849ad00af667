package report

import (
	"fmt"
	"io"
	"math"

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

// writeOutcomes tells, of runs whose admission promises deadlines, which were kept, how the finish compares to what was expected when the
// job was admitted, and to whom it said no; what it offered instead stands in the sentence on that job. A promise is judged by the deadline
// alone: jobs that came later may have lawfully overtaken one that waited. Whoever asked for no deadline waits for no promise.
func writeOutcomes(w io.Writer, g []*Run) {
	for _, run := range g {
		t := &Grid{Title: label(run, g) + ", promises and what came of them"}
		t.Add("job", ">deadline", ">expected by", ">finished", "promise", ">than expected", "")
		lines, more := 0, 0
		for i := range run.Jobs {
			j := &run.Jobs[i]
			if j.Before || j.Deadline == nil || j.Promised == nil && j.Admission == "" && j.Outcome != Refused {
				continue
			}
			if lines++; lines > mostJobs {
				more++
				continue
			}
			note := ""
			switch {
			case j.Estimated:
				note = "an estimate from a sample"
			case j.Admission != "":
				note = j.Admission
			}
			t.Add(j.ID, orDash(j.Deadline), orDash(j.Promised), orDash(j.Finished), j.kept(), j.unexpected(), note)
		}
		if more > 0 {
			t.Add(fmt.Sprintf("… and %d more; -o json has them all", more))
		}
		if lines > 0 {
			fmt.Fprintln(w)
			_ = t.Write(w)
		}
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
