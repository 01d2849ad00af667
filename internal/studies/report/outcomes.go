package report

import (
	"fmt"
	"io"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// promise notes what the job's admission said of its finish.
func (j *Job) promise(why *sched.Reason) {
	if why.Code == sched.Promised || why.Code == sched.Estimated {
		j.Promised, j.Estimated = seconds(units.Time(why.B)), why.Code == sched.Estimated
	}
	if j.Admission = ""; why.Code == sched.NoDeadline || why.Code == sched.ClassUnknown {
		j.Admission = why.String()
	}
}

// writeOutcomes tells, of runs whose admission says by when jobs finish, what it said and what came, and to whom it said no; what
// it offered instead stands in the sentence on that job. Whoever asked for no deadline waits for no promise.
func writeOutcomes(w io.Writer, g []*Run) {
	for _, run := range g {
		t := &Grid{Title: label(run, g) + ", promises and what came of them"}
		t.Add("job", ">deadline", ">promised by", ">finished", "", "")
		lines, more := 0, 0
		for i := range run.Jobs {
			j := &run.Jobs[i]
			if j.Before || j.Deadline == nil || j.Promised == nil && j.Admission == "" && j.Outcome != "rejected" {
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
			t.Add(j.ID, orDash(j.Deadline), orDash(j.Promised), orDash(j.Finished), j.kept(), note)
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

// kept says how the finish compares to what was promised.
func (j *Job) kept() string {
	switch {
	case j.Outcome == "rejected":
		return "refused"
	case j.Promised == nil:
		return "no promise"
	case j.Finished == nil:
		return j.Outcome
	case *j.Finished <= *j.Promised:
		return span(*j.Promised-*j.Finished) + " before"
	}
	return span(*j.Finished-*j.Promised) + " LATER than promised"
}
