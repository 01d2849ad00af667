package experiment

import (
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Outcome is what came of a run: its report, and what watching it showed besides.
type Outcome struct {
	*report.Run
	Jobs   []Job              // those of the report, with more
	Values map[string]float64 // of what was computed and not run
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
	follow.Single
	jobs map[string]*Job // by ID
}

func newWatch() *watch { return &watch{jobs: map[string]*Job{}} }

// Batch takes in what happened.
func (w *watch) Batch(at units.Time, records []follow.Record) error {
	for i := range records {
		e := &records[i]
		a := e.Attempt
		if e.Kind != sched.Ended || a == nil {
			continue
		}
		j := w.jobs[a.Job.Spec.ID]
		if j == nil {
			j = &Job{}
			w.jobs[a.Job.Spec.ID] = j
		}
		j.Slots += at.Sub(a.Began)
		if a.Stage == sched.Map && e.Outcome == sched.Committed {
			j.Maps++
			j.Response += at.Sub(a.Job.Arrived)
			j.Running += at.Sub(a.Began)
			if a.Locality == sched.NodeLocal {
				j.Local++
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
		if seen := w.jobs[j.ID]; seen != nil {
			one = *seen
		}
		one.Job = j
		o.Jobs = append(o.Jobs, one)
	}
	return o
}
