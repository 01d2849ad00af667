package engine

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/slackline/slackline/internal/worlds/engine/failure"
	"github.com/slackline/slackline/internal/worlds/engine/input"
	"github.com/slackline/slackline/internal/worlds/engine/outdir"
	"github.com/slackline/slackline/internal/worlds/engine/task"
	"github.com/slackline/slackline/internal/worlds/truth"
	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// job is the truth about a job.
type job struct {
	truth.Job             // its description with stages; nil or a guess of a job fed by another, until that is done
	id        sched.JobID // 0 = it has not arrived
	cfg       *Job
	number    int // in order of submission
	batch     *batch
	missing   int   // jobs that it waits for and that have not ended
	broken    bool  // one of them did not finish
	unread    error // why its input cannot be read
	input     []outdir.InputFile
	splits    []input.Split
	block     units.Bytes              // by which it was cut otherwise; 0 = as the run cuts
	asked     sched.ItemID             // it is being cut so; 0 = it is not
	guessed   bool                     // what it reads is a guess
	unseen    int                      // jobs that it waits for and that have not arrived
	cut       [sched.Stages]sched.Item // when that is there
	reduces   int
	cuts      *task.Cuts // of a program with a total order
	stages    []*stage
	out       *outdir.Dir
	outs      *outputs
	warned    sync.Map       // texts of warnings that were told
	running   sync.WaitGroup // its attempts' goroutines, those left behind too

	left    *outdir.History // what an interrupted run of it has left; nil = nothing
	again   Resumption      // counts only what has to be done again
	trouble int             // how often it could not be set up

	arrived, setUp bool
	ending         sched.Outcome // once it is to end
	why            string        // it ends so
	doomed         bool          // it is to end with the next batch
	settling, over bool          // its output is being dealt with; JobEnded was told
}

// stage is the truth about a stage.
type stage struct {
	truth.Stage
	tasks []taskTruth // by number less 1
	want  *want
	waits bool // it counts among those that wait for what it wants
}

type taskTruth struct {
	truth.Task // Node holds its map output
	fails      int
	why        string // it failed so the last time
	various    bool   // and in another way before
	out        *task.Output
	counters   *mapreduce.Counters // of the attempt that was committed
	skip       []task.Spot         // records that attempts failed at and the next ones pass over
	careful    bool                // attempts are to tell which record they fail at
}

// newJob makes a job, with its input if that is there and need not be read while others run.
func (w *World) newJob(c *Job, find func(id string) *link) (*job, error) {
	j := &job{cfg: c, out: w.outdir(c)}
	fed := fed(c, find)
	if j.guessed = fed && len(c.Guess) > 0 && !j.out.GoesOn(); j.guessed {
		return j, j.shape(w.cfg.stages(c, c.Guess, c.Reduces))
	}
	if fed || w.started && c.Splits == nil {
		return j, nil
	}
	return j, w.take(j)
}

// take cuts the input into tasks, and takes over what an interrupted run of the job has left.
func (w *World) take(j *job) error {
	if err := w.plan(j); err != nil {
		return err
	}
	if err := w.look(j); err != nil {
		return fmt.Errorf("job %q: %w", j.cfg.Spec.ID, err)
	}
	return nil
}

// prepare reads the input of a job that waits for no other any more. The disk may be slow, so that
// this is not done in the loop; the job arrives when it is done.
func (w *World) prepare(j *job) {
	read := &job{cfg: j.cfg, out: w.outdir(j.cfg)}
	w.settling.Go(func() { w.reports.post(report{job: j, read: read, err: w.take(read)}) })
}

// prepared lets a job arrive whose input has been read, or says what one is that has come as a guess. One that was
// cancelled meanwhile is told already.
func (w *World) prepared(j, read *job, err error) {
	if j.arrived && (!j.guessed || j.now().Ends) {
		return
	}
	if j.unread = err; err != nil && j.guessed && !j.arrived {
		j.Job = truth.Job{}
	}
	if err == nil {
		if j.arrived { // what policies want of it stands
			read.Admitted = j.Admitted
			for i, s := range j.stages {
				is := read.stages[i]
				is.Withheld, is.Limit, is.Sample, is.want = s.Withheld, s.Limit, s.Sample, s.want
			}
		}
		j.Job, j.input, j.splits, j.cuts, j.stages = read.Job, read.input, read.splits, read.cuts, read.stages
		j.out, j.outs, j.left, j.again, j.block, j.reduces = read.out, read.outs, read.left, read.again, read.block, read.reduces
	}
	guessed := j.guessed
	j.guessed = false
	switch {
	case !guessed:
		w.waiting.Push(j)
	case !j.arrived: // it waits for its time
	case err != nil:
		w.doom(j, err)
	default:
		w.goOn(j)
		w.emit(sched.Event{Kind: sched.JobAmended, Job: j.id, Detail: &sched.Detail{Job: j.Spec}})
		w.goesOn(j)
		for s := range j.cut {
			if j.cut[s].ID != 0 {
				w.mold(&j.cut[s])
			}
		}
	}
}

// plan cuts the input into tasks: one that may be cut otherwise as an interrupted run of it has.
func (w *World) plan(j *job) error {
	j.reduces = j.cfg.Reduces
	if free := w.cfg.Block == 0; j.block == 0 && (free || j.cfg.MinMaps+j.cfg.MaxReduces > 0) {
		was := 0
		if j.block, was = j.out.Cut(free); was > 0 && was <= j.cfg.MaxReduces {
			j.reduces = was
		}
	}
	input, splits, err := w.cfg.read(j.cfg, j.block)
	if err != nil {
		return err
	}
	j.input, j.splits = input, splits
	if j.cfg.Program.TotalOrder {
		j.cuts = task.NewCuts(splits)
	}
	return j.shape(w.cfg.stages(j.cfg, splits, j.reduces))
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
	j.outs = &outputs{byMap: make([]*task.Output, len(spec.Stages[0].Tasks)), changed: make(chan struct{})}
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

// parting is a job that is to end with the next batch.
type parting struct {
	job     *job
	outcome sched.Outcome
	why     string
}

// endNext lets a job end one batch from now, as what was told of it in this one has to be told
// before its end. None of its tasks start any more.
func (w *World) endNext(j *job, outcome sched.Outcome, why string) {
	j.doomed = true
	w.parting = append(w.parting, parting{j, outcome, why})
	w.recount(j)
}

// part ends the jobs whose end was left for this batch, and those behind them that can never run.
func (w *World) part() {
	for i := 0; i < len(w.parting); i++ {
		p := w.parting[i]
		p.job.doomed = false
		w.endJob(p.job, p.outcome, p.why)
	}
	w.parting = w.parting[:0]
}

// soonest is the next job to arrive, nil if none is known to.
func (w *World) soonest() *job {
	for len(w.waiting.List) > 0 {
		if j := w.waiting.List[0]; !j.arrived {
			return j
		}
		w.waiting.Pop() // it was cancelled before its time
	}
	return nil
}

func (w *World) nextArrival() units.Time {
	if j := w.soonest(); j != nil {
		return j.cfg.Spec.Arrive
	}
	return units.Never
}

// arrivals tells the jobs whose time has come: a guess not before those that it waits for, as it would be
// taken for one that waits no longer.
func (w *World) arrivals() {
	for j := w.soonest(); j != nil && j.cfg.Spec.Arrive <= w.now; j = w.soonest() {
		if w.waiting.Pop(); !j.guessed || j.unseen == 0 {
			w.arrive(j)
		}
	}
}

// arrive tells a job. One that can never run ends one batch later.
func (w *World) arrive(j *job) {
	if n := len(w.freeJobs); n > 0 {
		j.id, w.freeJobs = w.freeJobs[n-1], w.freeJobs[:n-1]
		w.jobs[j.id] = j
	} else {
		j.id = sched.JobID(len(w.jobs))
		w.jobs = append(w.jobs, j)
	}
	j.arrived = true
	behind := w.known[j.cfg.Spec.ID].followers
	for _, f := range behind {
		if f.unseen--; f.guessed && f.unseen == 0 {
			w.waiting.Push(f)
		}
	}
	if j.Spec == nil {
		w.feed(j)
	}
	w.goOn(j)
	e := sched.Event{Kind: sched.JobArrived, Job: j.id, Detail: &sched.Detail{Job: j.Spec}}
	if w.cfg.GoesOn && !w.handed {
		e.Age = w.now.Sub(j.Spec.Arrive)
	}
	w.emit(e)
	for _, s := range j.stages {
		s.want = w.wanting(s.Spec.Kinds(), j.Spec.Labels)
	}
	if j.broken {
		w.endNext(j, sched.Killed, behindFailed)
	}
	w.goesOn(j)
}

// goesOn takes note of where outputs of a job lie that a run before has left, and lets it start if it may.
func (w *World) goesOn(j *job) {
	for i := range j.stages[0].tasks {
		if t := &j.stages[0].tasks[i]; t.out != nil && t.Node > 0 {
			w.nodes[t.Node].outputs[j] = true
		}
	}
	w.mayStart(j)
}

// feed gives an empty task to a job that arrives without its input. One that could not read it
// fails; one that is cancelled, or whose predecessor did not finish, will never run.
func (w *World) feed(j *job) {
	err := errors.Join(j.unread, j.shape([]workload.StageSpec{{Kind: workload.Map, Tasks: make([]workload.Task, 1)}}))
	if err != nil {
		w.doom(j, err)
	}
}

// doom ends a job that cannot begin one batch after it came.
func (w *World) doom(j *job, err error) {
	if w.halts(j, err, true) {
		j.doomed = true
		return
	}
	w.endNext(j, sched.Failed, err.Error())
}

// goOn takes over what an interrupted run of the job has left. That it cannot ends the job, and
// leaves it as it is for another try.
func (w *World) goOn(j *job) {
	if j.left == nil {
		return
	}
	if !j.left.Finished {
		err := w.setUp(j)
		for try := 1; err != nil && !busy(err) && failure.Of(err).Again() && try < w.cfg.MaxFailures; try++ {
			err = w.setUp(j)
		}
		if err != nil {
			j.out.Release()
			w.doom(j, err)
			return
		}
	}
	if w.cfg.Resumed != nil && j.left.Lines > 0 {
		w.cfg.Resumed(j.resumption())
	}
}

// mayStart makes a job's first stage ready if all its predecessors have finished. Of a job without
// any the ledger knows it by itself. A job that came without its input is to be cancelled, and starts
// nothing until then; one that has ended has no stages.
func (w *World) mayStart(j *job) {
	if !j.arrived || j.now().Ends || j.stages[0].Ready || j.missing > 0 || j.broken || len(j.splits) < len(j.stages[0].tasks) {
		return
	}
	j.stages[0].Ready = true
	if len(j.Spec.After) > 0 {
		w.emit(sched.Event{Kind: sched.StageReady, Job: j.id, Stage: j.stages[0].Spec.Kind})
	}
	w.more(j)
	w.slowStart(j)
	if int(j.last().Done) == len(j.last().tasks) { // a run before this one did it all
		w.endNext(j, sched.Committed, "")
	}
}

// slowStart makes the reduces ready when enough maps have committed: as Hadoop, the part rounded
// up.
func (w *World) slowStart(j *job) {
	if len(j.stages) < 2 || j.stages[1].Ready || !j.stages[0].Ready {
		return
	}
	if maps := j.stages[0]; int(maps.Done) >= int(math.Ceil(j.Spec.SlowStart*float64(len(maps.tasks)))) {
		j.stages[1].Ready = true
		w.emit(sched.Event{Kind: sched.StageReady, Job: j.id, Stage: sched.Reduce})
		w.more(j)
	}
}

// endJob lets a job end: what runs of it is stopped, then its output is committed or removed, then
// the end is told.
func (w *World) endJob(j *job, outcome sched.Outcome, why string) {
	if j.ending != sched.NoOutcome {
		return
	}
	j.ending, j.why = outcome, why
	w.recount(j)
	for _, a := range w.attempts {
		if a != nil && a.job == j {
			w.stop(a, sched.Killed, "its job has ended")
		}
	}
	w.settle(j)
}

// counted is what the committed tasks of a job have counted so far, each once.
func (j *job) counted() *mapreduce.Counters {
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

// failed says how a task has failed.
func (t *taskTruth) failed(s sched.Stage, n sched.TaskID) string {
	how := ""
	switch {
	case t.various:
		how = fmt.Sprintf(" %d times, the last time", t.fails)
	case t.fails > 1:
		how = fmt.Sprintf(" %d times in the same way", t.fails)
	}
	return fmt.Sprintf("%v task %d failed%s: %s", s, n, how, t.why)
}
