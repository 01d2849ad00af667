package experiment

import (
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/policies/rds"
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

	stages  [2]stageOf // maps and reduces
	foresee []foreseen
}

// stageOf is what was seen of a stage of a job.
type stageOf struct {
	tasks, done, runs int
	work              units.Duration // of committed tasks

	// Of slots that it was given more of: how many have yet to begin something, since when, and
	// what the others waited.
	bound, pending int
	since          units.Time
	waited         units.Duration
	waits          int
}

// foreseen is what a plan expected of an interval, and what was done in it.
type foreseen struct {
	at   units.Time
	part float64 // of all the job's work
	done [2]int  // tasks, before it and then in it
	over bool    // the interval has gone by
}

// watch is the sink behind an Outcome.
type watch struct {
	follow.Single
	jobs    map[string]*Job // by ID
	planned units.Time      // when slots were planned last
}

func newWatch() *watch { return &watch{jobs: map[string]*Job{}} }

// Batch takes in what happened.
func (w *watch) Batch(_ units.Time, records []follow.Record) error {
	for i := range records {
		e, at := &records[i], records[i].At
		a := e.Attempt
		if e.Kind != sched.Ended && e.Kind != sched.Started || a == nil || e.Again {
			continue
		}
		j := w.job(a.Job)
		if e.Kind == sched.Started {
			if s := j.stage(a.Stage); s != nil {
				s.begins(at)
			}
			continue
		}
		j.Slots += at.Sub(a.Began)
		if s := j.stage(a.Stage); s != nil {
			s.runs--
			if e.Outcome == sched.Committed {
				s.done++
				s.work += at.Sub(a.Began)
			}
		}
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

// job is what was seen of one.
func (w *watch) job(of *follow.Job) *Job {
	j := w.jobs[of.Spec.ID]
	if j == nil {
		j = &Job{}
		for s, stage := range [2]sched.Stage{sched.Map, sched.Reduce} {
			j.stages[s].tasks = of.Tasks(stage)
		}
		w.jobs[of.Spec.ID] = j
	}
	return j
}

// stage is that of maps or of reduces, nil for any other.
func (j *Job) stage(s sched.Stage) *stageOf {
	switch s {
	case sched.Map:
		return &j.stages[0]
	case sched.Reduce:
		return &j.stages[1]
	}
	return nil
}

// begins notes that an attempt has.
func (s *stageOf) begins(at units.Time) {
	s.runs++
	if s.pending > 0 {
		s.pending--
		if at >= s.since {
			s.waits++
			s.waited += at.Sub(s.since)
		}
	}
}

// Plan takes in what was decided about slots.
func (w *watch) Plan(at units.Time, decisions []follow.Decision) error {
	for i := range decisions {
		d := &decisions[i]
		if d.Verb != sched.SetSlots || d.Job == nil {
			continue
		}
		j := w.job(d.Job)
		if s := j.stage(d.Stage); s != nil {
			n := int(d.Count)
			if n > s.bound {
				s.pending, s.since = max(0, n-s.runs), max(at, d.At)
			} else {
				s.pending = min(s.pending, max(0, n-s.runs))
			}
			s.bound = n
		}
		if d.Reason.Cause == rds.PlannedSlots && d.At > at {
			w.plans(at, j, float64(d.Reason.C)/1e6)
		}
	}
	return nil
}

// interval is that of rds, by default.
const interval = 10 * units.Minute

// plans notes what a plan expects of a job; the one before, if it was an interval ago, is over.
func (w *watch) plans(at units.Time, j *Job, part float64) {
	if at != w.planned {
		for _, other := range w.jobs {
			other.close(at, w.planned)
		}
		w.planned = at
	}
	if n := len(j.foresee); n == 0 || j.foresee[n-1].at != at {
		j.foresee = append(j.foresee, foreseen{at: at, part: part, done: [2]int{j.stages[0].done, j.stages[1].done}})
	}
}

// close ends what was foreseen at a time. A job that has ended since could not do what was expected.
func (j *Job) close(at, planned units.Time) {
	n := len(j.foresee)
	if n == 0 || j.foresee[n-1].at != planned || at.Sub(planned) != interval {
		return
	}
	f := &j.foresee[n-1]
	f.over = j.stages[0].done < j.stages[0].tasks || j.stages[1].done < j.stages[1].tasks
	for s := range f.done {
		f.done[s] = j.stages[s].done - f.done[s]
	}
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
