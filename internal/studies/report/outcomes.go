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
}

// writeOutcomes tells, of runs whose admission says by when jobs finish, what it said and what came, and to whom it said no; what
// it offered instead stands in the sentence on that job.
func writeOutcomes(w io.Writer, g []*Run) {
	for _, run := range g {
		t := &Grid{Title: label(run, g) + ", promises and what came of them"}
		t.Add("job", ">deadline", ">promised by", ">finished", "", "")
		lines, more := 0, 0
		for i := range run.Jobs {
			j := &run.Jobs[i]
			if j.Promised == nil && j.Offer == nil {
				continue
			}
			if lines++; lines > mostJobs {
				more++
				continue
			}
			note := ""
			if j.Estimated {
				note = "an estimate from a sample"
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
	case j.Promised == nil:
		return "refused"
	case j.Finished == nil:
		return j.Outcome
	case *j.Finished <= *j.Promised:
		return span(*j.Promised-*j.Finished) + " before"
	}
	return span(*j.Finished-*j.Promised) + " LATER than promised"
}
