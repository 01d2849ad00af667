package runs

import (
	"slices"
	"time"

	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/sched"
)

// Earlier is a job with a deadline that had finished before the run was interrupted that this one
// goes on with.
type Earlier struct {
	Job  string
	Late time.Duration // behind its deadline; not above 0: in time
	Told bool          // the store knows when it finished
}

// Judge counts in the report of a run that goes on with another whether the jobs that had finished
// in that one had met their deadlines, as the store knows it, and returns them. Of a job whose end
// the process could not keep any more, or where there is no store, nobody knows.
func (l *Local) Judge(m *Memory, run *report.Run, under string, goesOn time.Time) (list []Earlier, err error) {
	for i := range run.Jobs {
		j := &run.Jobs[i]
		if !j.Before || j.Deadline == nil {
			continue
		}
		e := Earlier{Job: j.ID}
		row, err := l.finish(m, slices.IndexFunc(l.Files, func(f *scenario.Job) bool { return f.Name == j.ID }), under, goesOn)
		if err != nil {
			return list, err
		}
		if row != nil && row.Deadline != nil {
			e.Late, e.Told = row.Ended.Sub(*row.Deadline), true
			inTime := e.Late <= 0
			j.Outcome = report.Facts{Promised: row.Promised, End: sched.Committed, InTime: &inTime, Real: true}.Outcome()
		}
		list = append(list, e)
	}
	run.Tally()
	return list, nil
}

// promised tells whether the run that began then promised the deadline of a job, as the store knows
// it.
func (l *Local) promised(file int, under string, began time.Time) (bool, error) {
	if l.Memory == nil || l.Memory.store == nil {
		return false, nil
	}
	output := absolute(l.outputs(under)[file])
	jobs, err := l.Memory.store.Jobs(store.JobFilter{Name: l.Files[file].Name, States: []string{store.Interrupted, store.Resumed}})
	return slices.ContainsFunc(jobs, func(j *store.Job) bool { return j.Output == output && j.Promised && !j.Submitted.Before(began) }), err
}

// finish returns the row of a job that finished in the run that was interrupted, nil if there is
// none.
func (l *Local) finish(m *Memory, file int, under string, goesOn time.Time) (*store.Job, error) {
	if m == nil || m.store == nil {
		return nil, nil
	}
	output := absolute(l.outputs(under)[file])
	jobs, err := m.store.Jobs(store.JobFilter{Name: l.Files[file].Name, States: []string{store.Finished}})
	for _, j := range jobs { // the newest first
		// A run that found it finished, as this one, kept not how long it took.
		if j.Output == output && j.Took != nil && j.Ended != nil && !j.Ended.Before(goesOn) {
			return j, nil
		}
	}
	return nil, err
}
