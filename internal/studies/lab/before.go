package lab

import (
	"time"

	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/sched"
)

// Earlier is a job with a deadline that had finished before the run was killed that this one goes on with.
type Earlier struct {
	Job  string
	Late time.Duration // behind its deadline; not above 0: in time
	Told bool          // the store knows when it finished
}

// Judge counts in the report of a run that goes on with another whether the jobs that had finished in that one had met their deadlines, as
// the store knows it, and returns them. Of a job whose end the process could not keep any more, or where there is no store, nobody knows.
func (l *Local) Judge(m *Memory, run *report.Run, under string, goesOn *GoesOn) (list []Earlier, err error) {
	for i := range run.Jobs {
		j := &run.Jobs[i]
		if !j.Before || j.Deadline == nil {
			continue
		}
		e := Earlier{Job: j.ID}
		row, err := l.finish(m, j.ID, under, goesOn)
		if err != nil {
			return list, err
		}
		if row != nil {
			e.Late, e.Told = row.Ended.Sub(*row.Deadline), true
			inTime := e.Late <= 0
			j.Outcome = report.Facts{Promised: row.Promised, End: sched.Committed, InTime: &inTime, Real: true}.Outcome()
		}
		list = append(list, e)
	}
	run.Tally()
	return list, nil
}

// finish returns what is kept of the job's end in the run that was killed, nil if that is nothing.
func (l *Local) finish(m *Memory, name, under string, goesOn *GoesOn) (*store.Job, error) {
	if m == nil || m.store == nil {
		return nil, nil
	}
	output := ""
	for i, f := range l.Files {
		if f.Name == name {
			output = absolute(l.outputs(under)[i])
		}
	}
	jobs, err := m.store.Jobs(store.JobFilter{Name: name, States: []string{store.Finished}})
	for _, j := range jobs { // the newest first
		// A run that found it finished, as this one, kept neither how long it took nor its deadline.
		if j.Output != output || j.Took == nil || j.Ended == nil || goesOn != nil && j.Ended.Before(goesOn.Began) {
			continue
		}
		if j.Deadline == nil { // it had none then
			return nil, nil
		}
		return j, nil
	}
	return nil, err
}
