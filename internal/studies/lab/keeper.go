package lab

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/internal/worlds/engine/process"
	"github.com/slackline/slackline/internal/worlds/engine/task"
	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Keeper is the sink that keeps a real run: what its jobs and attempts did goes into the report, and into the store, if there is one
// that can be written. A goroutine of its own writes while the run goes on, so that no decision waits for a disk.
type Keeper struct {
	local    *Local
	cell     Cell
	expected []*report.Expectation // by file; nil where nothing is known
	live     *store.Live           // nil: nothing is written
	known    []*profile.Class      // before the run
	base     time.Time             // of the clock of the run
	jobs     []keptJob             // by file
	byHandle []int                 // file + 1, by handle of job
	nodes    []string              // by handle
	attempts []keptAttempt         // by handle
	accounts map[sched.AttemptID]engine.Account
	totals   map[string]map[string]int64 // counters of jobs that end

	lock   sync.Mutex // of what the writer takes
	dirty  []bool     // jobs
	rows   []*store.Attempt
	broken error // the first error of the writer, which stops it
	stop   chan struct{}
	writer sync.WaitGroup
}

var _ drive.Sink = (*Keeper)(nil)

// keptJob is what is known of a job.
type keptJob struct {
	row      store.Job // guarded by Keeper.lock
	work     report.Work
	failures []report.Failure
	resumed  bool // an interrupted run before did a part of it
	before   bool // and all of its tasks
	refused  bool
}

type keptAttempt struct {
	job      int // file + 1, 0: none
	stage    sched.Stage
	task     sched.TaskID
	node     sched.NodeID
	locality sched.Locality
	began    units.Time
}

// inEngine is the isolation of attempts that have no process of their own.
const inEngine = "none: a built-in application, in the process of the engine"

// writeEvery is how often a run that goes on is written.
const writeEvery = 500 * time.Millisecond

// mostFailures is how many failed attempts of a job a report lists; the store has them all.
const mostFailures = 100

// NewKeeper begins to keep a run of the jobs on this machine by the policy of the cell, whose output lies in the folder under of theirs.
// Without a store that can be written it fills the report alone; an error says why the store cannot be used, and is no reason not to run.
func (l *Local) NewKeeper(m *Memory, c Cell, under string, expected []*report.Expectation) (*Keeper, error) {
	k := &Keeper{local: l, cell: c, expected: expected, base: time.Now(), jobs: make([]keptJob, len(l.Files)), dirty: make([]bool, len(l.Files)),
		accounts: map[sched.AttemptID]engine.Account{}, totals: map[string]map[string]int64{}, stop: make(chan struct{})}
	if k.expected == nil {
		k.expected = make([]*report.Expectation, len(l.Files))
	}
	var rows []*store.Job
	how := sync.OnceValue(process.How)
	for i, f := range l.Files {
		row := &k.jobs[i].row
		*row = store.Job{Name: f.Name, Class: f.Class, State: store.Waiting, File: absolute(f.Path()), Output: absolute(filepath.Join(f.Output, under)),
			Submitted: k.base.Add(time.Duration(f.Arrive)), Reduces: store.Tally{Tasks: f.Reduces}, Maps: store.Tally{Tasks: len(l.splits[i])},
			GoesOn: c.GoesOn != nil}
		if row.Isolation = inEngine; l.jobs[i].Executor != nil {
			row.Isolation = how()
		}
		if e := k.expected[i]; e != nil {
			row.Expected, row.Spread = &e.Seconds, e.Spread
		}
		k.jobs[i].work.Counters = map[string]int64{}
		if c.GoesOn == nil || !l.told(m, i, under, c.GoesOn) {
			rows = append(rows, row)
		}
	}
	l.Accounts = func(a engine.Account) {
		if a.Attempt == 0 {
			k.totals[a.Job] = a.Counters
			return
		}
		k.accounts[a.Attempt] = a
	}
	if m == nil || m.store == nil || m.readOnly != nil {
		return k, nil
	}
	known, err := m.store.Profiles()
	if err != nil {
		return k, err
	}
	k.known = known
	live, err := m.store.Begin(store.Run{Name: l.Name(), Policy: c.Policy, Seed: c.Seed, PID: os.Getpid(), Began: k.base}, rows)
	if err != nil {
		return k, err
	}
	k.live = live
	k.writer.Go(k.write)
	return k, nil
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// told tells whether a job had finished in the run that this one goes on with, and the store says so: it gets no row again.
func (l *Local) told(m *Memory, file int, under string, goesOn *GoesOn) bool {
	if state, err := task.NewCommitter(l.outputs(under)[file]).State(); err != nil || state != task.Finished {
		return false
	}
	row, err := l.finish(m, file, under, goesOn)
	return err == nil && row != nil
}

// Beside are the runs of other processes that were under way when this one began.
func (k *Keeper) Beside() []store.Run {
	if k.live == nil {
		return nil
	}
	return k.live.Beside
}

// write writes what has changed, again and again.
func (k *Keeper) write() {
	t := time.NewTicker(writeEvery)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			if err := k.live.Save(k.changes()); err != nil {
				k.lock.Lock()
				k.broken = err
				k.lock.Unlock()
				return
			}
		case <-k.stop:
			return
		}
	}
}

// changes takes what has to be written.
func (k *Keeper) changes() (c store.Change) {
	k.lock.Lock()
	defer k.lock.Unlock()
	for i := range k.jobs {
		if row := k.jobs[i].row; k.dirty[i] && row.ID != 0 {
			c.Jobs = append(c.Jobs, &row)
		}
		k.dirty[i] = false
	}
	c.Attempts, k.rows = k.rows, nil
	return c
}

// lost takes back a committed task. One that names a reason failed by it, though its attempt had ended well.
func (k *Keeper) lost(j *keptJob, at units.Time, e *sched.Event) {
	if e.Stage == sched.Map {
		j.row.Maps.Done--
	} else {
		j.row.Reduces.Done--
	}
	if e.Text != "" && len(j.failures) < mostFailures {
		j.failures = append(j.failures, report.Failure{Stage: e.Stage.String(), Task: int(e.Task), At: at.Seconds(), Reason: e.Text})
	}
}

// Plan keeps which jobs are promised their deadline, and which are refused: these end as if they were killed.
func (k *Keeper) Plan(_ int64, _ units.Time, p *sched.Plan) error {
	for i := range p.Items {
		it := &p.Items[i]
		if it.Refused != sched.OK || it.Verb != sched.Reject && it.Verb != sched.Admit {
			continue
		}
		k.lock.Lock()
		if j := k.job(it.Job); j != nil && it.Verb == sched.Reject {
			j.refused = true
		} else if j != nil {
			j.row.Promised = report.Promises(&it.Reason)
		}
		k.lock.Unlock()
	}
	return nil
}

// Batch takes in what happened.
func (k *Keeper) Batch(round int64, at units.Time, events []sched.Event) error {
	k.lock.Lock()
	defer k.lock.Unlock()
	for i := range events {
		e := &events[i]
		switch e.Kind {
		case sched.NodeUp, sched.NodeChanged:
			if e.Detail != nil && e.Detail.Node != nil {
				*grown(&k.nodes, e.Node) = e.Detail.Node.Name
			}
		case sched.JobArrived:
			k.arrive(at, e)
		case sched.Started:
			k.start(at, e)
		case sched.Ended:
			k.end(at, e)
		case sched.OutputLost:
			if j := k.job(e.Job); j != nil {
				k.lost(j, at, e)
			}
		case sched.JobEnded:
			if j := k.job(e.Job); j != nil {
				ended := k.wall(at)
				took := ended.Sub(j.row.Submitted).Seconds()
				j.row.Ended, j.row.Took = &ended, &took
				j.row.State, j.row.Reason = stateOf(e.Outcome), e.Text
				switch {
				case j.refused && e.Outcome == sched.Killed:
					j.row.State, j.row.Reason = store.Refused, strings.TrimPrefix(e.Text, "rejected: ")
				case j.before && e.Outcome == sched.Committed: // how long that took, and when it was, nobody knows
					j.row.Took, j.row.Expected, j.row.Spread, j.row.Deadline = nil, nil, nil, nil
					j.row.Reason = "all its tasks were done before this run, which went on with an interrupted one"
				}
				if all := k.totals[j.row.Name]; all != nil {
					j.work.Counters = all
				}
				j.row.Counters = j.work.Counters
			}
		}
	}
	return nil
}

func stateOf(o sched.Outcome) string {
	switch o {
	case sched.Committed:
		return store.Finished
	case sched.Failed:
		return store.Failed
	}
	return store.Killed
}

// grown returns the element for a handle, growing the list if need be.
func grown[T any, H ~int32](list *[]T, h H) *T {
	for int(h) >= len(*list) {
		var zero T
		*list = append(*list, zero)
	}
	return &(*list)[h]
}

// job returns what is kept of a job, nil if it is unknown; what changes of it will be written.
func (k *Keeper) job(h sched.JobID) *keptJob {
	if i := *grown(&k.byHandle, h); i > 0 {
		k.dirty[i-1] = true
		return &k.jobs[i-1]
	}
	return nil
}

func (k *Keeper) wall(at units.Time) time.Time { return k.base.Add(time.Duration(at)) }

func (k *Keeper) arrive(at units.Time, e *sched.Event) {
	spec := e.Detail.Job
	i := slices.IndexFunc(k.local.Files, func(f *scenario.Job) bool { return f.Name == spec.ID })
	*grown(&k.byHandle, e.Job) = i + 1
	j := k.job(e.Job)
	if j == nil {
		return
	}
	j.row.Submitted = k.wall(at)
	j.row.Maps.Tasks, j.row.Reduces.Tasks = spec.Tasks(sched.Map), spec.Tasks(sched.Reduce)
	for i := range spec.Stages {
		st := &spec.Stages[i]
		j.resumed = j.resumed || len(st.Done) > 0
		if st.Kind == sched.Map {
			j.row.Maps.Done = len(st.Done)
		} else {
			j.row.Reduces.Done = len(st.Done)
		}
	}
	j.before = report.Before(spec)
	if spec.Deadline != units.Never {
		due := k.wall(spec.Deadline)
		due = due.Add(-time.Duration(k.cell.GoesOn.Lost(spec.ID, k.base)))
		j.row.Deadline = &due
	}
}

func (k *Keeper) start(at units.Time, e *sched.Event) {
	j := k.job(e.Job)
	if j == nil {
		return
	}
	*grown(&k.attempts, e.Attempt) = keptAttempt{job: k.byHandle[e.Job], stage: e.Stage, task: e.Task, node: e.Node, locality: e.Locality, began: at}
	j.row.Attempts++
	j.before = false
	if j.row.Started == nil {
		began := k.wall(at)
		j.row.Started, j.row.State = &began, store.Running
	}
}

func (k *Keeper) end(at units.Time, e *sched.Event) {
	a := grown(&k.attempts, e.Attempt)
	if a.job == 0 {
		return
	}
	j := &k.jobs[a.job-1]
	k.dirty[a.job-1] = true
	account := k.accounts[e.Attempt]
	delete(k.accounts, e.Attempt)
	a.began = report.Began(a.began, at, e)
	row := &store.Attempt{Job: j.row.ID, Stage: a.stage.String(), Task: int(a.task), Try: account.Try, Node: *grown(&k.nodes, a.node),
		Locality: a.locality.String(), Began: k.wall(a.began), Took: at.Sub(a.began).Seconds(), Shuffle: e.Spans[sched.PhaseShuffle].Seconds(),
		Sort: e.Spans[sched.PhaseSort].Seconds(), Outcome: e.Outcome.String(), Reason: e.Text, Read: int64(e.Bytes), Written: int64(e.OutBytes),
		Counters: account.Counters, Output: account.Output}
	if k.live != nil && k.broken == nil {
		k.rows = append(k.rows, row)
	}
	switch e.Outcome {
	case sched.Failed:
		j.row.Failures++
		if len(j.failures) < mostFailures {
			j.failures = append(j.failures, report.Failure{Stage: row.Stage, Task: row.Task, Try: row.Try, Node: row.Node, At: at.Seconds(), Reason: e.Text})
		}
	case sched.Committed:
		if a.stage == sched.Map {
			j.row.Maps.Done++
			if a.locality == sched.NodeLocal || a.locality == sched.Anywhere {
				j.row.LocalMaps++
			}
		} else {
			j.row.Reduces.Done++
		}
	}
	a.job = 0
}

// finish stops the writer and gives the lock back.
func (k *Keeper) finish(last store.Change) error {
	if k.live == nil {
		return nil
	}
	close(k.stop)
	k.writer.Wait()
	err := k.broken
	if err == nil {
		c := k.changes()
		c.Taught, c.Report, c.Ended = last.Taught, last.Report, last.Ended
		err = k.live.Save(c)
	}
	return errors.Join(err, k.live.Close())
}

// Abandon keeps a run that did not come to its end.
func (k *Keeper) Abandon(why string) error {
	k.lock.Lock()
	for i := range k.jobs {
		if row := &k.jobs[i].row; row.Ended == nil {
			row.State, row.Reason = store.Interrupted, why
			k.dirty[i] = true
		}
	}
	k.lock.Unlock()
	return k.finish(store.Change{})
}

// Finish completes the report of the run by what its jobs did, and keeps it with what was taught. An error says why it is not kept.
func (k *Keeper) Finish(run *report.Run, real *report.Real, taught []*profile.Class) error {
	run.Real = real
	for i := range run.Jobs {
		j := &run.Jobs[i]
		f := slices.IndexFunc(k.local.Files, func(f *scenario.Job) bool { return f.Name == j.ID })
		if f < 0 {
			continue
		}
		kept := &k.jobs[f]
		w := &kept.work
		for name, to := range map[string]*int64{mapreduce.MapInputBytes: &w.Read, mapreduce.MapInputRecords: &w.Records,
			mapreduce.ReduceShuffleBytes: &w.Shuffled, mapreduce.SpilledRecords: &w.Spilled, mapreduce.BytesWritten: &w.Written} {
			*to = w.Counters[mapreduce.TaskGroup+"."+name]
		}
		if w.RecordsOut = w.Counters[mapreduce.TaskGroup+"."+mapreduce.ReduceOutputRecords]; j.Reduces == 0 {
			w.RecordsOut = w.Counters[mapreduce.TaskGroup+"."+mapreduce.MapOutputRecords]
		}
		j.Work, j.Failures, j.Expected = w, kept.failures, k.expected[f]
		if j.Outcome == report.Refused {
			kept.row.State, kept.row.Reason = store.Refused, j.Reason
			k.dirty[f] = true
		}
		if class := find(taught, j.Class); class != nil && !kept.resumed {
			if off, ok := j.Off(); ok {
				class.Predicted(off + 1)
			}
		}
	}
	if len(taught) == 1 && real != nil && real.Memory != nil { // else it is nobody's alone
		taught[0].Memory.Add(float64(*real.Memory))
	}
	for i, class := range taught {
		if real == nil || !cold(find(k.known, class.Name), real.Fetched, k.local.input()) {
			continue
		}
		for r := range run.Jobs {
			if j := &run.Jobs[r]; j.Class == class.Name && j.Started != nil {
				j.Cold = true
			}
		}
		for f := range k.jobs {
			if row := &k.jobs[f].row; row.Class == class.Name && row.Started != nil {
				row.Cold, k.dirty[f] = true, true
			}
		}
		taught[i] = class.AsCold()
	}
	if k.live == nil {
		return nil
	}
	text, err := json.Marshal(run)
	if err != nil {
		return errors.Join(err, k.finish(store.Change{}))
	}
	return k.finish(store.Change{Taught: taught, Report: text, Ended: time.Now()})
}
