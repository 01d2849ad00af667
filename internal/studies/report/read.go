package report

import (
	"encoding/json"

	"github.com/slackline/slackline/sched"
)

// ReadRun reads a run that was kept as JSON, also one in the first form of the report,
// slackline/report/v1. That had a word for how a job ended, and whether its deadline was met: the
// outcome and all counts follow from these. It knew nothing of work.
func ReadRun(text []byte) (*Run, error) {
	run := &Run{}
	if err := json.Unmarshal(text, run); err != nil {
		return nil, err
	}
	var first struct {
		Summary struct{ Missed *int }
		Jobs    []struct{ Met *bool }
	}
	if err := json.Unmarshal(text, &first); err != nil || first.Summary.Missed == nil || len(first.Jobs) != len(run.Jobs) {
		return run, err
	}
	for i := range run.Jobs {
		j := &run.Jobs[i]
		f := Facts{Promised: j.Promised != nil, InTime: first.Jobs[i].Met, Real: run.World != "sim"}
		switch j.Outcome {
		case "rejected":
			f.Refused, j.Admitted = true, false
		case "finished":
			f.End = sched.Committed
		case "failed":
			f.End = sched.Failed
		case "killed":
			f.End = sched.Killed
		}
		j.Outcome = f.Outcome()
	}
	run.Tally()
	return run, nil
}
