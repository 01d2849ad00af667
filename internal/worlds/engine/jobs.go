package engine

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/slackline/slackline/internal/worlds/engine/joblog"
	"github.com/slackline/slackline/internal/worlds/engine/task"
	"github.com/slackline/slackline/internal/worlds/truth"
	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// job is the truth about a job.
type job struct {
	truth.Job // its description with stages; of a job fed by another, only when that is done
	cfg       *Job
	input     []inputFile
	splits    []task.Split
	cuts      *task.Cuts // of a program with a total order
	stages    []*stage
	committer *task.Committer
	outs      *outputs
	warned    sync.Map       // texts of warnings that were told
	running   sync.WaitGroup // its attempts' goroutines, those left behind too

	lock      *joblog.Lock // of its output directory
	log       *joblog.Log
	described bool // in the log
	life      int  // how many processes have worked on it before
	past      *past
	again     Resumption // counts only what has to be done again
	trouble   int        // how often it could not be set up

	arrived, setUp bool
	ending         sched.Outcome // once it is to end
	why            string        // it ends so
	doomed         bool          // it cannot begin, and is to end
	settling, over bool          // its output is being dealt with; JobEnded was told
}

// stage is the truth about a stage.
type stage struct {
	truth.Stage
	tasks []taskTruth // by number less 1
}

type taskTruth struct {
	truth.Task        // Node holds its map output
	why        string // it failed so the last time
	various    bool   // and in another way before
	out        *task.Output
	counters   *mapreduce.Counters // of the attempt that was committed
	skip       []task.Spot         // records that attempts failed at and the next ones pass over
	careful    bool                // attempts are to tell which record they fail at
}

// newJob reads the input of a job that does not wait for another's output.
func (w *World) newJob(c *Job) (*job, error) {
	j := &job{cfg: c, committer: task.NewCommitter(c.Output)}
	j.committer.Sync = w.cfg.Sync
	if w.cfg.fedBy(c) {
		return j, nil
	}
	if err := w.plan(j); err != nil {
		return nil, err
	}
	if err := w.look(j); err != nil {
		return nil, fmt.Errorf("job %q: %w", c.Spec.ID, err)
	}
	return j, nil
}

// plan cuts the input into tasks.
func (w *World) plan(j *job) error {
	input, splits, err := w.cfg.read(j.cfg)
	if err != nil {
		return err
	}
	j.input, j.splits = input, splits
	if j.cfg.Program.TotalOrder {
		j.cuts = task.NewCuts(splits)
	}
	return j.shape(w.cfg.stages(j.cfg, splits))
}

func (j *job) shape(stages []workload.StageSpec) error {
	spec := j.cfg.Spec
	spec.Stages = stages
	j.Spec = &spec
	j.stages = nil
	for i := range spec.Stages {
		st := &spec.Stages[i]
		j.stages = append(j.stages, &stage{Stage: truth.NewStage(st), tasks: make([]taskTruth, len(st.Tasks))})
	}
	j.outs = newOutputs(len(spec.Stages[0].Tasks))
	return spec.Validate()
}

func (j *job) stage(s sched.Stage) *stage {
	for _, st := range j.stages {
		if st.Spec.Kind == s {
			return st
		}
	}
	return nil
}

func (j *job) last() *stage { return j.stages[len(j.stages)-1] }

// now is what the job is by now.
func (j *job) now() *truth.Job {
	j.Here, j.Ends = j.arrived && !j.over, j.ending != sched.NoOutcome || j.doomed
	return &j.Job
}

// before returns the jobs that a job waits for.
func (w *World) before(j *job) []*job {
	var list []*job
	for _, p := range w.jobs[1:] {
		if slices.Contains(j.cfg.Spec.After, p.cfg.Spec.ID) {
			list = append(list, p)
		}
	}
	return list
}

// failed tells whether the job ended without output.
func (j *job) failed() bool { return j.over && j.ending != sched.Committed }

// comes tells whether a job can be told by now: at its time, and, if it reads what another writes, when that is settled.
func (w *World) comes(j *job) bool {
	return !j.arrived && j.cfg.Spec.Arrive <= w.now &&
		(j.Spec != nil || !slices.ContainsFunc(w.before(j), func(p *job) bool { return !p.over }))
}

func (w *World) nextArrival() units.Time {
	next := units.Never
	for _, j := range w.jobs[1:] {
		if !j.arrived && j.Spec != nil {
			next = min(next, j.cfg.Spec.Arrive)
		}
	}
	return next
}

// arrivals tells the jobs whose time has come, and ends those that can never run one batch after they came.
func (w *World) arrivals() {
	for i, j := range w.jobs[1:] {
		id := sched.JobID(i + 1)
		if j.arrived {
			switch {
			case j.ending != sched.NoOutcome:
			case !j.stages[0].Ready && slices.ContainsFunc(w.before(j), (*job).failed):
				w.endJob(id, sched.Killed, "its predecessor did not finish")
			case j.stages[0].Ready && int(j.last().Done) == len(j.last().tasks): // a run before this one did it all
				w.endJob(id, sched.Committed, "")
			}
			continue
		}
		if !w.comes(j) {
			continue
		}
		j.arrived = true
		if j.Spec == nil {
			w.feed(id, j)
		}
		w.goOn(id, j)
		e := sched.Event{Kind: sched.JobArrived, Job: id, Detail: &sched.Detail{Job: j.Spec}}
		if w.cfg.GoesOn && !w.handed {
			e.Age = w.now.Sub(j.Spec.Arrive)
		}
		w.emit(e)
		w.mayStart(id)
	}
}

// feed reads the input of a job that waited for it. One that cannot read it arrives with an empty task, and fails.
func (w *World) feed(id sched.JobID, j *job) {
	var err error
	if !slices.ContainsFunc(w.before(j), (*job).failed) {
		if err = w.plan(j); err == nil {
			if err = w.look(j); err == nil {
				return
			}
		}
	}
	err = errors.Join(err, j.shape([]workload.StageSpec{{Kind: workload.Map, Tasks: make([]workload.Task, 1)}}))
	if err != nil {
		w.doom(id, err)
	}
}

// doom ends a job that cannot begin one batch after it came.
func (w *World) doom(id sched.JobID, err error) {
	w.jobs[id].doomed = true
	if w.noRoom(id, err) {
		return
	}
	w.reports.post(report{attempt: &attempt{job: id, doom: err}})
}

// goOn takes over what an interrupted run of the job has left. That it cannot ends the job, and leaves it as it is for another try.
func (w *World) goOn(id sched.JobID, j *job) {
	if j.past == nil {
		return
	}
	if !j.past.finished {
		err := w.setUp(j)
		for try := 1; err != nil && !busy(err) && task.FailureOf(err) == task.Transient && try < w.cfg.MaxFailures; try++ {
			err = w.setUp(j)
		}
		if err != nil {
			j.release()
			w.doom(id, err)
			return
		}
	}
	if w.cfg.Resumed != nil && j.past.records > 0 {
		w.cfg.Resumed(j.resumption())
	}
}

// mayStart makes a job's first stage ready if all its predecessors have finished. Of a job without any the ledger knows it by itself.
func (w *World) mayStart(id sched.JobID) {
	j := w.jobs[id]
	if !j.arrived || j.stages[0].Ready || j.ending != sched.NoOutcome {
		return
	}
	for _, p := range w.before(j) {
		if !p.over || p.failed() {
			return
		}
	}
	j.stages[0].Ready = true
	if len(j.Spec.After) > 0 {
		w.emit(sched.Event{Kind: sched.StageReady, Job: id, Stage: j.stages[0].Spec.Kind})
	}
	w.freshen()
	w.slowStart(id)
}

// slowStart makes the reduces ready when enough maps have committed: as Hadoop, the part rounded up.
func (w *World) slowStart(id sched.JobID) {
	j := w.jobs[id]
	if len(j.stages) < 2 || j.stages[1].Ready || !j.stages[0].Ready {
		return
	}
	if maps := j.stages[0]; int(maps.Done) >= int(math.Ceil(j.Spec.SlowStart*float64(len(maps.tasks)))) {
		j.stages[1].Ready = true
		w.emit(sched.Event{Kind: sched.StageReady, Job: id, Stage: sched.Reduce})
		w.freshen()
	}
}

// endJob lets a job end: what runs of it is stopped, then its output is committed or removed, then the end is told.
func (w *World) endJob(id sched.JobID, outcome sched.Outcome, why string) {
	j := w.jobs[id]
	if j.ending != sched.NoOutcome {
		return
	}
	j.ending, j.why = outcome, why
	for _, a := range w.attempts {
		if a != nil && a.job == id {
			w.stop(a, sched.Killed, "its job has ended")
		}
	}
	w.settle(id)
}

// Counters returns what the job with that id has counted so far, by its committed attempts; nil if there is no such job. It may
// be called when the run has ended.
func (w *World) Counters(id string) *mapreduce.Counters {
	for _, j := range w.jobs[1:] {
		if j.cfg.Spec.ID == id {
			all := mapreduce.NewCounters()
			for _, s := range j.stages {
				for i := range s.tasks {
					if c := s.tasks[i].counters; c != nil {
						all.Merge(c)
					}
				}
			}
			return all
		}
	}
	return nil
}

// failed says how a task has failed.
func (t *taskTruth) failed(s sched.Stage, n sched.TaskID) string {
	how := ""
	switch {
	case t.various:
		how = fmt.Sprintf(" %d times, the last time", t.Fails)
	case t.Fails > 1:
		how = fmt.Sprintf(" %d times in the same way", t.Fails)
	}
	return fmt.Sprintf("%v task %d failed%s: %s", s, n, how, t.why)
}
