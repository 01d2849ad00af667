package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/fault"
	"github.com/slackline/slackline/internal/worlds/engine/failure"
	"github.com/slackline/slackline/internal/worlds/engine/outdir"
	"github.com/slackline/slackline/internal/worlds/engine/process"
	"github.com/slackline/slackline/internal/worlds/engine/task"
	"github.com/slackline/slackline/internal/worlds/truth"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// attempt is one try of a task, from the item that starts it to its Ended.
type attempt struct {
	id        sched.AttemptID
	job       *job
	stage     sched.Stage
	task      sched.TaskID
	try       int // of this task, from 0
	node      sched.NodeID
	container uint8
	cancel    context.CancelCauseFunc
	meter     task.Meter
	said      task.Said
	idle      atomic.Bool // it waits for map output: that it does not get on is not its fault

	began    units.Time
	err      error      // what its goroutine reported
	done     float64    // as it was told last
	beats    int64      // of the meter when it was last seen to get on
	seen     units.Time // then
	stopping sched.Outcome
	text     string     // why
	grace    units.Time // its goroutine is waited for until then
	forgiven bool       // its failure does not count, as the next attempt passes over the record
}

// of is the task that it is an attempt of.
func (a *attempt) of() outdir.Task {
	return outdir.Task{Reduce: a.stage == sched.Reduce, Number: int(a.task)}
}

// start starts an attempt of an open task. The caller has checked that it may.
func (w *World) start(it *sched.Item, b sched.Bound) {
	j, n := w.jobs[it.Job], w.nodes[it.Node]
	s := j.stage(it.Stage)
	t := &s.tasks[b.Task-1]
	a := &attempt{job: j, stage: it.Stage, task: b.Task, try: int(t.Tries), node: it.Node, container: it.Container, seen: w.now, began: w.now}
	s.Begin(&t.Task)
	w.recount(j)
	c := s.Spec.Container(int(it.Container))
	n.Free.Sub(&c.Needs)
	if k := len(w.free); k > 0 {
		a.id, w.free = w.free[k-1], w.free[:k-1]
	} else {
		a.id = sched.AttemptID(len(w.attempts))
		w.attempts = append(w.attempts, nil)
	}
	w.attempts[a.id] = a
	w.emit(sched.Event{Kind: sched.Started, Attempt: a.id, Job: it.Job, Stage: it.Stage, Task: b.Task, Node: it.Node,
		Container: it.Container, Locality: b.Locality, Item: it.ID})
	ctx, cancel := context.WithCancelCause(context.Background())
	a.cancel = cancel
	work := w.work(j, a)
	j.running.Add(1)
	w.running.Go(func() {
		defer j.running.Done()
		defer cancel(nil)
		w.reports.post(work(ctx))
	})
}

// work returns what the attempt does. All it needs of the world it has from the start: it runs
// beside the loop.
func (w *World) work(j *job, a *attempt) func(context.Context) report {
	do := j.executor()
	if a.stage == sched.Map {
		c := w.mapConfig(j, a)
		return func(ctx context.Context) report {
			out, stats, err := do.Map(ctx, c)
			return report{attempt: a, output: out, stats: stats, err: err}
		}
	}
	c := w.reduceConfig(j, a)
	return func(ctx context.Context) report {
		stats, err := do.Reduce(ctx, c)
		return report{attempt: a, stats: stats, err: err}
	}
}

func (w *World) config(j *job, a *attempt, reduce bool) task.Config {
	return task.Config{Program: j.cfg.Program, Task: int(a.task - 1), Attempt: a.try, Buffer: w.buffer(reduce),
		Merge: w.merge(), Sync: w.cfg.Sync == outdir.SyncAll, Meter: &a.meter, Said: &a.said, Warn: w.warner(j), Clock: w.cfg.Clock,
		Local:     filepath.Join(j.out.Local(), w.nodes[a.node].Spec.Name, fmt.Sprintf("%v-%d-%d", a.stage, a.task, a.try)),
		Container: j.stage(a.stage).Spec.Container(int(a.container)).Name,
		Skip:      w.skip(j, a), Out: j.out.AttemptDir(a.of(), a.try), Written: j.cfg.Written}
}

// merge is how many runs an attempt merges at once: all attempts share the files that this process
// may open with the logs and locks of the jobs that have begun, or do with what each slot may start
// next.
func (w *World) merge() int {
	maps, reduces := w.slots()
	return task.MergeFactor(process.OpenFiles()-2*(w.begun+maps+reduces), maps+reduces)
}

func (w *World) mapConfig(j *job, a *attempt) task.MapConfig {
	return task.MapConfig{Config: w.config(j, a, false), Split: j.splits[a.task-1], Parts: j.reduces, Cuts: j.cuts, Sources: j.cfg.Sources}
}

func (w *World) reduceConfig(j *job, a *attempt) task.ReduceConfig {
	outs := j.outs
	return task.ReduceConfig{Config: w.config(j, a, true), Maps: len(j.splits), Parts: j.reduces, Fetch: func(ctx context.Context, m int) (*task.Output, error) {
		a.idle.Store(true)
		defer a.idle.Store(false)
		return outs.wait(ctx, m)
	}}
}

// stop tells an attempt to stop. It ends when its goroutine has, or when the grace period is over.
func (w *World) stop(a *attempt, outcome sched.Outcome, why string) {
	if a.stopping != sched.NoOutcome {
		return
	}
	a.stopping, a.text, a.grace = outcome, why, w.now.Add(w.cfg.Grace)
	a.cancel(errors.New(why))
}

// ended takes in the report of an attempt's goroutine.
func (w *World) ended(r *report) {
	a := r.attempt
	if w.attempts[a.id] != a { // it was left behind, or went with its node
		w.discard(r)
		return
	}
	a.err = r.err
	j := a.job
	var broken *task.FetchError
	switch {
	case a.stopping != sched.NoOutcome:
		w.discard(r)
		w.end(a, a.stopping, a.text, nil)
	case w.halts(j, r.err, false):
		w.end(a, sched.Killed, r.err.Error(), nil)
	case errors.As(r.err, &broken):
		w.end(a, sched.Killed, r.err.Error(), nil)
		w.lose(a.job, sched.TaskID(broken.Map+1), broken.Output, r.err)
	case r.err != nil:
		w.passOver(j, a, r.err)
		why := r.err.Error()
		if !a.forgiven {
			why += j.hint(r.err)
		}
		w.end(a, sched.Failed, why, nil)
	default:
		w.succeed(a, r)
	}
	w.settle(a.job)
}

// succeed makes the output of an attempt that of its task. It is committed once that stands in the
// job's log.
func (w *World) succeed(a *attempt, r *report) {
	j := a.job
	s := j.stage(a.stage)
	t := &s.tasks[a.task-1]
	if !j.out.Held() {
		w.discard(r)
		w.end(a, sched.Failed, j.out.Gone().Error(), nil)
		w.endJob(j, sched.Failed, j.out.Gone().Error())
		return
	}
	if err := w.commitTask(j, a, r); err != nil {
		outcome := sched.Failed
		if w.halts(j, err, false) {
			outcome = sched.Killed
		}
		w.discard(r)
		a.err = err
		w.end(a, outcome, err.Error(), nil)
		return
	}
	if r.output != nil {
		t.Node, t.out = int32(a.node), r.output
		w.nodes[a.node].outputs[j] = true
		j.outs.put(int(a.task-1), r.output)
	}
	t.counters = r.stats.Counters
	w.end(a, sched.Committed, "", &r.stats)
	for _, other := range w.attempts {
		if other != nil && other.job == a.job && other.stage == a.stage && other.task == a.task {
			w.stop(other, sched.Superseded, "another attempt of the task was faster")
		}
	}
	if s == j.last() && int(s.Done) == len(s.tasks) {
		w.endJob(j, sched.Committed, "")
		return
	}
	w.slowStart(j)
}

// commitTask makes what an attempt wrote that of its task, and writes that down.
func (w *World) commitTask(j *job, a *attempt, r *report) error {
	c := &outdir.Commit{Task: a.of(), Node: w.nodes[a.node].Spec.Name, Run: r.output}
	if r.output == nil {
		c.Parts = r.stats.Parts
	}
	c.Count(r.stats.Counters)
	return j.out.CommitTask(c, a.try)
}

// end tells the end of an attempt. A task that did not commit is open again; one that failed too
// often fails its job.
func (w *World) end(a *attempt, outcome sched.Outcome, why string, stats *task.Stats) {
	j, n := a.job, w.nodes[a.node]
	s := j.stage(a.stage)
	t := &s.tasks[a.task-1]
	w.attempts[a.id] = nil
	w.resting = append(w.resting, a.id)
	c := s.Spec.Container(int(a.container))
	n.Free.Add(&c.Needs)
	n.fresh = true
	s.End(&t.Task, outcome)
	w.recount(j)
	e := sched.Event{Kind: sched.Ended, Attempt: a.id, Outcome: outcome, Text: why, Detail: account(a, stats), X: units.Rounded(float64(w.draws(n, j, &c).Over(w.now.Sub(a.began))))}
	if stats != nil {
		e.Bytes, e.OutBytes = stats.Read, stats.Written
		e.Spans = [sched.Phases]units.Duration{sched.PhaseShuffle: stats.Shuffle, sched.PhaseSort: stats.Sort, sched.PhaseRun: stats.Run}
	}
	w.emit(e)
	if outcome == sched.Committed {
		return
	}
	w.freshen()
	if outcome == sched.Failed && !a.forgiven {
		w.blame(a.job, a.stage, a.task, why, a.err)
	}
}

// draws is what a task draws in a container above what its node draws idle: as is stated, else what a busy core does.
func (w *World) draws(n *node, j *job, c *cluster.Container) units.Watts {
	return cmp.Or(n.Spec.Class.Rate(j.cfg.Spec.Class, c).Watts, w.cfg.Core)
}

// blame counts a failure of a task. The job fails with it if it would fail in the same way again,
// or has failed too often; the run pauses instead if that is for the machine.
func (w *World) blame(j *job, s sched.Stage, n sched.TaskID, why string, err error) {
	t := &j.stage(s).tasks[n-1]
	t.various = t.various || t.fails > 0 && t.why != why
	t.why = why
	t.fails++
	last := failure.Of(err) == failure.Permanent || t.fails >= w.cfg.MaxFailures
	if last && !w.halts(j, err, true) {
		w.endJob(j, sched.Failed, t.failed(s, n))
	}
}

// lose takes back a committed map whose output cannot be read, and blames it; an output that is
// gone already is nobody's news.
func (w *World) lose(j *job, m sched.TaskID, out *task.Output, err error) {
	if j.outs.drop(int(m-1), out) {
		w.reopen(j, m)
		w.blame(j, sched.Map, m, err.Error(), remade(err))
	}
}

// remade is the error of an output that is lost: never permanent, as another attempt makes it again.
func remade(err error) error {
	if failure.Of(err) == failure.Permanent {
		return failure.As(failure.Transient, err)
	}
	return err
}

// reopen lets a committed map run again.
func (w *World) reopen(j *job, m sched.TaskID) {
	s := j.stages[0]
	t := &s.tasks[m-1]
	t.out, t.Node = nil, 0 // what it counted stands: the job may end without a need for it
	s.Reopen(&t.Task)
	j.out.Lose(int(m))
	w.emit(sched.Event{Kind: sched.OutputLost, Job: j.id, Stage: sched.Map, Task: m})
	w.more(j)
}

// undo lets the tasks of a job that was to be committed run again whose parts have changed since.
// Each counts as a failure of its task.
func (w *World) undo(j *job, damaged []outdir.Damage) {
	j.ending, j.why, j.settling = sched.NoOutcome, "", false
	s := j.last()
	for _, d := range damaged {
		s.Reopen(&s.tasks[d.Number-1].Task)
		_ = j.out.Withdraw(d.Task) // what cannot be removed goes with the commit of the job
		w.emit(sched.Event{Kind: sched.OutputLost, Job: j.id, Stage: s.Spec.Kind, Task: sched.TaskID(d.Number), Text: d.Err.Error()})
	}
	for i := range j.stages[0].tasks { // of a run that was resumed when nobody was to ask for map output any more
		if t := &j.stages[0].tasks[i]; len(j.stages) > 1 && t.State == truth.Done && t.out == nil {
			w.reopen(j, sched.TaskID(i+1))
		}
	}
	w.more(j)
	for _, d := range damaged {
		w.blame(j, s.Spec.Kind, sched.TaskID(d.Number), d.Err.Error(), remade(d.Err))
	}
}

// discard removes what an attempt that does not count left. If it cannot, that does not matter: it
// goes with the job in the end.
func (w *World) discard(r *report) {
	j := r.attempt.job
	if r.output != nil {
		w.remove(r.output)
	} else if r.err == nil {
		_ = j.out.Drop(r.attempt.of(), r.attempt.try)
	}
}

// remove removes the output of a map.
func (w *World) remove(out *task.Output) { _ = fault.DeleteAll(filepath.Dir(out.Path)) }

// alarms ends attempts that do not get on or do not stop.
func (w *World) alarms() {
	for _, a := range w.attempts {
		switch {
		case a == nil:
		case a.stopping != sched.NoOutcome:
			if a.grace <= w.now {
				w.end(a, a.stopping, a.text, nil)
				w.settle(a.job)
			}
		case a.seen.Add(w.timeout(a)) <= w.now:
			if b := a.meter.Beats(); b != a.beats || a.idle.Load() {
				a.beats, a.seen = b, w.now
				continue
			}
			w.stop(a, sched.Failed, fmt.Sprintf("it made no progress for %v", w.timeout(a)))
		}
	}
}

func (w *World) nextAlarm() units.Time {
	next := units.Never
	for _, a := range w.attempts {
		switch {
		case a == nil:
		case a.stopping != sched.NoOutcome:
			next = min(next, a.grace)
		default:
			next = min(next, a.seen.Add(w.timeout(a)))
		}
	}
	return next
}
