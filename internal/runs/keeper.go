package runs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/internal/worlds/engine/outdir"
	"github.com/slackline/slackline/internal/worlds/engine/process"
	"github.com/slackline/slackline/internal/worlds/yarn"
	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Keeper is the sink that keeps a real run: what its jobs and attempts did goes into the report,
// and into the store, if there is one that can be written. A goroutine of its own writes while the
// run goes on, so that no decision waits for a disk.
type Keeper struct {
	follow.Single
	local *Local
	cell  lab.Cell
	live  *store.Live      // nil: nothing is written
	known []*profile.Class // of the classes of its jobs, before the run
	now   time.Time        // when this process began the run, or resumed it
	base  time.Time        // 0 of the clock of the run, in the first batch at the latest
	begun bool

	lock    sync.Mutex          // of what the writer takes, and of the jobs
	jobs    []*keptJob          // all, as the report has them, in the order in which they came
	open    map[string]*keptJob // by name: those that have not ended
	outputs taken               // their output directories
	here    []*keptJob          // those that have arrived and not ended, by index; nil where none is
	came    int                 // how often jobs were submitted
	input   int64               // of all jobs
	dirty   []*keptJob          // to be written
	rows    []*keptAttempt
	yarn    *yarn.World       // whose jobs are kept from when they arrive; nil: they are jobs of this machine
	told    units.Time        // when that was last
	mode    sched.ControlVerb // of the cluster, as it says
	fresh   []*keptJob        // of a cluster, that have no row yet
	broken  error             // the first error of the writer, which stops it
	stop    chan struct{}
	writer  sync.WaitGroup
	door    *engine.Door
	memory  *Memory
	look    func(context.Context, func()) error // calls back from the loop, between two of its steps
	loop    *drive.Loop                         // of the run, for its own goroutine
	ctx     context.Context                     // of what is asked of the run
	over    context.CancelCauseFunc
	server  sync.WaitGroup
	joins   sync.Mutex // held while jobs join

	untrusted error // why nobody may ask: others can write to the store
}

// keptJob is what is known of a job.
type keptJob struct {
	file     *scenario.Job // until it has ended
	input    int64         // bytes, where they are known before it runs
	row      store.Job     // guarded by Keeper.lock
	dirty    bool
	expected *report.Expectation // nil: nothing is known
	work     report.Work
	failures []report.Failure
	before   bool        // an interrupted run before did all of its tasks
	refused  string      // why, "" if it was not
	masters  store.Tally // which no table shows
	ended    int         // attempts
}

// keptAttempt is a row to be written once its job has one.
type keptAttempt struct {
	job *keptJob
	row *store.Attempt
}

// inEngine is the isolation of attempts that have no process of their own.
const inEngine = "none: a built-in application, in the process of the engine"

// writeEvery is how often an active run is written.
const writeEvery = 500 * time.Millisecond

// mostFailures is how many failed attempts of a job a report lists; the store has them all.
const mostFailures = 100

// NewKeeper begins to keep a run of the jobs on this machine by the policy of the cell, whose
// output lies in the folder under of theirs. Without a store that can be written it fills the
// report alone; an error says why the store cannot be used, and is no reason not to run.
func (l *Local) NewKeeper(c lab.Cell, under string, foreseen []Foresight) (*Keeper, error) {
	k := newKeeper(c)
	k.local, k.door = l, l.doors[under]
	k.look = func(ctx context.Context, f func()) error { return k.door.Ask(ctx, engine.Request{Look: f}) }
	if !c.GoesOn.IsZero() {
		k.base = c.GoesOn
	}
	var rows []*store.Job
	for i := range l.Files {
		j, err := l.keep(i, under, l.Command, k.base)
		if err != nil {
			return k, err
		}
		row := &j.row
		row.GoesOn = !c.GoesOn.IsZero()
		if foreseen != nil {
			j.expected = foreseen[i].Expected()
		}
		if j.expected != nil {
			row.Expected, row.Spread = &j.expected.Seconds, j.expected.Spread
		}
		k.add(j)
		if !l.told(i, under, c.GoesOn) {
			rows = append(rows, row)
		}
	}
	m := l.Memory
	if m == nil || m.readOnly != nil {
		return k, nil
	}
	if k.known = l.Known; k.known == nil {
		known, err := m.store.Profiles(l.Families()...)
		if err != nil {
			return k, err
		}
		k.known = known
	}
	return k, k.begin(m, store.Run{Name: l.Name(), Seed: c.Seed}, rows)
}

func newKeeper(c lab.Cell) *Keeper {
	now := time.Now()
	k := &Keeper{cell: c, now: now, base: now, open: make(map[string]*keptJob), outputs: newTaken(), stop: make(chan struct{})}
	k.ctx, k.over = context.WithCancelCause(context.Background())
	return k
}

// begin begins to write to the store, and to be asked through it.
func (k *Keeper) begin(m *Memory, run store.Run, rows []*store.Job) (err error) {
	k.memory, run.Policy, run.PID, run.Began = m, k.cell.Policy, os.Getpid(), k.now
	if k.untrusted = m.Trusted(); k.untrusted == nil && k.yarn == nil && k.local.Open {
		run.Door = absolute(".")
	}
	if k.live, err = m.store.Begin(run, rows); err != nil {
		return err
	}
	k.writer.Go(k.write)
	if k.untrusted == nil {
		k.server.Go(k.serve)
	}
	return nil
}

// keep is what is kept of a job before it arrives. Its command line is that of a run which
// continues it if it has not begun.
func (l *Local) keep(i int, under string, from Command, base time.Time) (*keptJob, error) {
	from.Began = base.Round(0)
	command, err := json.Marshal(from)
	f := l.Files[i]
	j := &keptJob{file: f, input: l.jobs[i].Size(), work: report.Work{Counters: map[string]int64{}}, row: store.Job{
		Name: f.Name, Class: f.Class, State: store.Waiting, File: absolute(f.Path()), Command: command,
		Output: l.output(i, under), Submitted: base.Add(time.Duration(f.Arrive)),
		Reduces: store.Tally{Tasks: f.Reduces}, Maps: store.Tally{Tasks: len(l.jobs[i].Splits)}, Isolation: inEngine}}
	if spec := &l.jobs[i].Spec; spec.Deadline != units.Never { // as the run will count it when the job arrives
		j.row.Deadline = new(base.Add(time.Duration(spec.Deadline.Add(-spec.Overdue))))
	}
	if f := l.jobs[i].Spec.Workflow; f != nil {
		j.row.Workflow = f.ID
	}
	if l.jobs[i].Executor != nil {
		j.row.Isolation = process.How()
	}
	return j, err
}

// add begins to keep a job.
func (k *Keeper) add(j *keptJob) {
	k.jobs, k.open[j.row.Name] = append(k.jobs, j), j
	k.outputs.add(j)
	k.input += j.input
}

// forget notes that a job has ended.
func (k *Keeper) forget(j *keptJob) {
	delete(k.open, j.row.Name)
	if j.file != nil {
		k.outputs.remove(j)
	}
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// told tells whether a job had finished in the run that this one continues, and the store says
// so: it gets no row again.
func (l *Local) told(file int, under string, goesOn time.Time) bool {
	if !outdir.HasFinished(l.output(file, under)) {
		return false
	}
	row, err := l.finish(file, under, goesOn)
	return err == nil && row != nil
}

// Beside are the runs of other processes that were under way when this one began.
func (k *Keeper) Beside() []store.Run {
	if k.live == nil {
		return nil
	}
	return k.live.Beside
}

// lost takes back a committed task. One that names a reason failed by it, though its attempt had
// ended well.
func (k *Keeper) lost(j *keptJob, at units.Time, e *follow.Record) {
	j.tally(e.Stage).Done--
	if e.Text != "" {
		j.fail(report.Failure{Stage: e.Stage.String(), Task: int(e.Task), At: at.Seconds(), Reason: e.Text})
	}
}

func (j *keptJob) tally(s sched.Stage) *store.Tally {
	switch s {
	case sched.Map:
		return &j.row.Maps
	case sched.Master:
		return &j.masters
	}
	return &j.row.Reduces
}

func (j *keptJob) fail(f report.Failure) {
	if len(j.failures) < mostFailures {
		j.failures = append(j.failures, f)
	}
}

// Plan keeps which jobs are promised their deadline, and which are refused: these end as if they
// were killed.
func (k *Keeper) Plan(at units.Time, decisions []follow.Decision) error {
	k.lock.Lock()
	defer k.lock.Unlock()
	for i := range decisions {
		d := &decisions[i]
		if d.Refused != sched.OK {
			continue
		}
		if o, told := report.OutlookOf(at, d); told {
			if j := k.job(d.Job); j != nil {
				k.foresee(j, &o)
			}
		}
		if now := d.Verb == sched.Foretell && d.Outlook.Word.Binds(); d.Verb != sched.Reject && d.Verb != sched.Admit && !now {
			continue
		}
		if j := k.job(d.Job); j != nil && d.Verb == sched.Reject {
			j.refused = d.Why()
		} else if j != nil {
			is := d.Outlook.Word.Binds() || d.Job.Spec.Promised
			was := j.row.Promised
			j.row.Promised = is
			if d.Verb == sched.Foretell && was {
				continue // which was promised before
			}
			if k.yarn != nil && d.Outlook.Word.Binds() {
				j.expect(d.Outlook.By, d.Job.Arrived)
			}
		}
	}
	return nil
}

// foresee notes when a job is expected to be done.
func (k *Keeper) foresee(j *keptJob, o *report.Outlook) {
	wall := func(s float64) (t time.Time) {
		if s != 0 {
			t = k.wall(units.Time(0).Add(units.FromSeconds(s)))
		}
		return t
	}
	j.row.Outlook = &store.Outlook{Told: k.wall(units.Time(0).Add(units.FromSeconds(o.At))), Half: wall(o.Half), Ninety: wall(o.Ninety), Sure: wall(o.Sure),
		Confidence: o.Confidence, Why: o.Why}
}

// Batch takes in what happened.
func (k *Keeper) Batch(now units.Time, records []follow.Record) error {
	k.lock.Lock()
	defer k.lock.Unlock()
	if !k.begun && k.cell.Origin != nil {
		k.base = k.cell.Origin()
	}
	k.begun = true
	for i := range records {
		e, at := &records[i], records[i].At
		switch e.Kind {
		case sched.JobArrived:
			k.arrive(e.Job)
			continue
		case sched.Control:
			k.mode = e.Control
		}
		if e.Sizes {
			if j := k.job(e.Job); j != nil {
				j.row.Maps.Tasks, j.row.Reduces.Tasks = e.Job.Tasks(sched.Map), e.Job.Tasks(sched.Reduce)
			}
		}
		if !ofJobs(e.Kind) || e.Again {
			continue
		}
		j := k.job(e.Job)
		if j == nil {
			continue
		}
		switch e.Kind {
		case sched.Started:
			k.start(j, e.Attempt)
		case sched.Ended:
			k.end(j, at, e)
		case sched.OutputLost:
			k.lost(j, at, e)
		case sched.JobEnded:
			k.endJob(j, e)
		}
	}
	if k.yarn != nil {
		k.tell(now)
	}
	return nil
}

// ofJobs tells what changes a job that is kept.
func ofJobs(kind sched.EventKind) bool {
	return kind == sched.Started || kind == sched.Ended || kind == sched.OutputLost || kind == sched.JobEnded
}

func (k *Keeper) endJob(j *keptJob, e *follow.Record) {
	k.here[e.Job.Index] = nil
	k.forget(j)
	// Jobs of a file that have not finished may be run again by their command; an open run and a
	// cluster have no end of jobs.
	if j.file = nil; e.Outcome == sched.Committed || k.yarn != nil || k.local.Open {
		j.row.Command = nil
	}
	ended := k.wall(e.Job.Ended)
	// what was refused, or killed while it waited, took nothing
	if j.row.Ended = &ended; e.Outcome == sched.Committed || j.row.Started != nil {
		j.row.Took = new(ended.Sub(k.wall(e.Job.Ready)).Seconds())
	}
	j.row.State, j.row.Reason = stateOf(e.Outcome), e.Text
	switch {
	case j.refused != "" && e.Outcome == sched.Killed:
		j.row.State, j.row.Reason = store.Refused, strings.TrimPrefix(e.Text, "rejected: ")
	case j.before && e.Outcome == sched.Committed: // how long that took, and when it was, nobody knows
		j.row.Took, j.row.Expected, j.row.Spread, j.row.Deadline = nil, nil, nil, nil
		j.row.Reason = "all its tasks were done before this run, which resumed an interrupted one"
	}
	if books := k.cell.Books; books != nil && j.row.Reason == "" && j.row.Deadline != nil && ended.After(*j.row.Deadline) {
		if a := books.Of(e.Job.Number); a != nil {
			j.row.Reason = a.Sentence()
		}
	}
	if e.Detail != nil && e.Detail.Account != nil {
		j.work.Counters = e.Detail.Account.Counters
	}
	j.row.Counters = j.work.Counters
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

// job returns what is kept of a job, nil if it is unknown; what changes of it will be written.
func (k *Keeper) job(f *follow.Job) *keptJob {
	if f == nil {
		return nil
	}
	j := *sched.Row(&k.here, f.Index)
	if j != nil {
		k.change(j)
	}
	return j
}

// change notes that a job has to be written.
func (k *Keeper) change(j *keptJob) {
	if !j.dirty {
		j.dirty, k.dirty = true, append(k.dirty, j)
	}
}

func (k *Keeper) wall(at units.Time) time.Time { return k.base.Add(time.Duration(at)) }

func (k *Keeper) arrive(f *follow.Job) {
	if f == nil {
		return
	}
	spec := f.Spec
	if k.yarn != nil && k.open[spec.ID] == nil {
		k.meet(spec)
	}
	*sched.Row(&k.here, f.Index) = k.open[spec.ID]
	j := k.job(f)
	if j == nil {
		return
	}
	j.row.Submitted = k.wall(f.Arrived)
	j.row.Maps.Tasks, j.row.Reduces.Tasks = f.Tasks(sched.Map), f.Tasks(sched.Reduce)
	for i := range spec.Stages {
		if tally := j.tally(spec.Stages[i].Kind); k.yarn == nil { // which tells nothing of what it has done
			tally.Done = len(spec.Stages[i].Done)
		}
	}
	j.before = report.Before(spec)
	if spec.Deadline != units.Never {
		j.row.Deadline = new(k.wall(spec.Deadline.Add(-spec.Overdue)))
	}
}

func (k *Keeper) start(j *keptJob, a *follow.Attempt) {
	j.row.Attempts++
	j.before = false
	if j.row.Started == nil {
		j.row.Started, j.row.State = new(k.wall(a.Began)), store.Running
	}
}

func (k *Keeper) end(j *keptJob, at units.Time, e *follow.Record) {
	a, account := e.Attempt, sched.Account{}
	if e.Detail != nil && e.Detail.Account != nil {
		account = *e.Detail.Account
	}
	began := a.Measured(at, e.Event)
	row := &store.Attempt{Stage: a.Stage.String(), Task: int(a.Task), Try: account.Try, Locality: a.Locality.String(),
		Began: k.wall(began), Took: at.Sub(began).Seconds(), Shuffle: e.Spans[sched.PhaseShuffle].Seconds(),
		Sort: e.Spans[sched.PhaseSort].Seconds(), Outcome: e.Outcome.String(), Reason: e.Text, Read: int64(e.Bytes), Written: int64(e.OutBytes),
		Counters: account.Counters, Output: account.Said}
	if a.On != nil {
		row.Node = a.On.Name
	}
	if j.ended++; k.yarn != nil { // it knows of no tasks
		row.Task, row.Try = j.ended, 1
	}
	if k.live != nil && k.broken == nil {
		k.rows = append(k.rows, &keptAttempt{j, row})
	}
	switch e.Outcome {
	case sched.Failed:
		j.row.Failures++
		j.fail(report.Failure{Stage: row.Stage, Task: row.Task, Try: row.Try, Node: row.Node, At: at.Seconds(), Reason: e.Text})
	case sched.Committed:
		tally := j.tally(a.Stage)
		tally.Done++
		tally.Tasks = max(tally.Tasks, tally.Done)
		if a.Stage == sched.Map && (a.Locality == sched.NodeLocal || a.Locality == sched.Anywhere) {
			j.row.LocalMaps++
		}
	}
}

// finish stops the writer and gives the lock back.
func (k *Keeper) finish(last store.Change) error {
	k.Unserve()
	if k.live == nil {
		return nil
	}
	close(k.stop)
	k.writer.Wait()
	err := k.broken
	if err == nil {
		err = k.save(last)
	}
	return errors.Join(err, k.live.Close())
}

// Abandon keeps a run that did not come to its end.
func (k *Keeper) Abandon(why string) error {
	k.interrupt(why)
	return k.finish(store.Change{})
}

// interrupt notes why the jobs that are open have not ended.
func (k *Keeper) interrupt(why string) {
	k.lock.Lock()
	defer k.lock.Unlock()
	for _, j := range k.open {
		j.row.State, j.row.Reason = store.Interrupted, why
		k.change(j)
	}
}

// Finish completes the report of the run by what its jobs did, and keeps it with what was taught.
// An error says why it is not kept.
func (k *Keeper) Finish(run *report.Run, real *report.Real, taught []*profile.Class) error {
	k.complete(run, real, taught)
	if k.live == nil {
		return nil
	}
	text, err := json.Marshal(run)
	if err != nil {
		return errors.Join(err, k.finish(store.Change{}))
	}
	return k.finish(store.Change{Taught: taught, Report: text, Ended: time.Now()})
}

// complete joins the report and what was taught with what the keeper knows. Rows may be written
// meanwhile.
func (k *Keeper) complete(run *report.Run, real *report.Real, taught []*profile.Class) {
	k.lock.Lock()
	defer k.lock.Unlock()
	if run.Real = real; real != nil {
		times := run.Share(real.Energy)
		for _, class := range taught {
			class.Metered(find(k.known, class.Name), times)
		}
	}
	named := make(map[string][]*keptJob) // one after another, as jobs of a name come
	for _, j := range k.jobs {
		named[j.row.Name] = append(named[j.row.Name], j)
	}
	for i := range run.Jobs {
		j := &run.Jobs[i]
		if len(named[j.ID]) == 0 {
			continue
		}
		kept := named[j.ID][0]
		named[j.ID] = named[j.ID][1:]
		w := &kept.work
		for name, to := range map[string]*int64{mapreduce.MapInputBytes: &w.Read, mapreduce.MapInputRecords: &w.Records,
			mapreduce.ReduceShuffleBytes: &w.Shuffled, mapreduce.SpilledRecords: &w.Spilled, mapreduce.BytesWritten: &w.Written} {
			*to = w.Counters[mapreduce.TaskGroup+"."+name]
		}
		if w.RecordsOut = w.Counters[mapreduce.TaskGroup+"."+mapreduce.ReduceOutputRecords]; j.Reduces == 0 {
			w.RecordsOut = w.Counters[mapreduce.TaskGroup+"."+mapreduce.MapOutputRecords]
		}
		j.Work, j.Failures, j.Expected = w, kept.failures, kept.expected
		if j.Outcome == report.Refused {
			kept.row.State, kept.row.Reason = store.Refused, j.Reason
			k.change(kept)
		}
		j.Resumed = !k.cell.GoesOn.IsZero() && kept.row.Submitted.Before(k.now)
		if class := find(taught, j.Class); class != nil {
			if off, ok := j.Off(); ok {
				class.Predicted((off + 1) * cmp.Or(j.Expected.Factor, 1))
			}
		}
	}
	var fetched *int64
	if real != nil && k.cell.GoesOn.IsZero() { // else it is also what looked at the tasks that were committed
		fetched = real.Fetched
	}
	if len(taught) == 1 && real != nil && real.Memory != nil { // else it is nobody's alone
		taught[0].Memory.Add(float64(*real.Memory))
	}
	for i, class := range taught {
		if real == nil || !cold(find(k.known, class.Name), fetched, k.input) {
			continue
		}
		for r := range run.Jobs {
			if j := &run.Jobs[r]; j.Class == class.Name && j.Started != nil {
				j.Cold = true
			}
		}
		for _, j := range k.jobs {
			if j.row.Class == class.Name && j.row.Started != nil {
				j.row.Cold = true
				k.change(j)
			}
		}
		taught[i] = class.AsCold()
	}
}
