package experiment

import (
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Outcome is what came of a run: its report, and what watching it showed besides.
type Outcome struct {
	*report.Run
	Jobs []Job // those of the report, with more
}

// Job is what became of a job.
type Job struct {
	report.Job
	Maps     int64          // committed
	Local    int64          // of them, on a node with their input
	Response units.Duration // of all committed maps, from the job's arrival to the map's end
	Running  units.Duration // the part of it for which they ran
	Slots    units.Duration // slot time of all its attempts, whatever came of them
}

// watch is the sink behind an Outcome.
type watch struct {
	jobs     map[sched.JobID]*Job
	arrived  map[sched.JobID]units.Time
	done     map[string]*Job
	attempts map[sched.AttemptID]seen
}

type seen struct {
	job   sched.JobID
	stage sched.Stage
	local bool
	began units.Time
}

var _ drive.Sink = (*watch)(nil)

func newWatch() *watch {
	return &watch{map[sched.JobID]*Job{}, map[sched.JobID]units.Time{}, map[string]*Job{}, map[sched.AttemptID]seen{}}
}

// Plan shows nothing that its events do not.
func (w *watch) Plan(int64, units.Time, *sched.Plan) error { return nil }

// Batch takes in what happened.
func (w *watch) Batch(_ int64, at units.Time, events []sched.Event) error {
	for i := range events {
		switch e := &events[i]; e.Kind {
		case sched.JobArrived:
			j := &Job{}
			w.jobs[e.Job], w.arrived[e.Job], w.done[e.Detail.Job.ID] = j, at, j
		case sched.Started:
			w.attempts[e.Attempt] = seen{e.Job, e.Stage, e.Locality == sched.NodeLocal, at}
		case sched.Ended:
			a := w.attempts[e.Attempt]
			j := w.jobs[a.job]
			if j == nil {
				continue
			}
			j.Slots += at.Sub(a.began)
			if a.stage == sched.Map && e.Outcome == sched.Committed {
				j.Maps++
				j.Response += at.Sub(w.arrived[a.job])
				j.Running += at.Sub(a.began)
				if a.local {
					j.Local++
				}
			}
		}
	}
	return nil
}

// outcome joins it with the report.
func (w *watch) outcome(run *report.Run) *Outcome {
	o := &Outcome{Run: run}
	for _, j := range run.Jobs {
		one := Job{}
		if seen := w.done[j.ID]; seen != nil {
			one = *seen
		}
		one.Job = j
		o.Jobs = append(o.Jobs, one)
	}
	return o
}
