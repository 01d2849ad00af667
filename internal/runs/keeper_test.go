package runs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slackline/slackline/internal/fault"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/kernel/store"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// realRun runs job files as the command does and returns the report.
func realRun(t *testing.T, m *Memory, local *Local) *report.Run {
	t.Helper()
	known, err := m.Profiles()
	if err != nil {
		t.Fatal(err)
	}
	expected, err := local.Foresee(t.Context(), lab.DefaultPolicy, 1, known)
	if err != nil {
		t.Fatal(err)
	}
	cell, err := local.Real(lab.DefaultPolicy, 1, "", known)
	if err != nil {
		t.Fatal(err)
	}
	local.Memory = m
	k, err := local.NewKeeper(cell, "", expected)
	if err != nil {
		t.Fatal(err)
	}
	learner := report.NewLearner()
	cell.Sinks = []follow.Sink{k, learner}
	meter := StartMeter(DefaultPower, nil)
	run, err := lab.Run(t.Context(), cell)
	if err != nil {
		t.Fatal(err)
	}
	real := meter.Stop()
	if real.Fetched != nil {
		*real.Fetched = 0 // a system that is short of memory may have fetched some of its input
	}
	if err := k.Finish(run, real, learner.Profiles()); err != nil {
		t.Fatal(err)
	}
	return run
}

// wordsFile is a job file over a text of its own, and the text.
func wordsFile(t *testing.T) (*scenario.Job, string) {
	t.Helper()
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte(strings.Repeat("some words and more words\n", 20000)), 0o666); err != nil {
		t.Fatal(err)
	}
	src := fmt.Sprintf("name: words\napp: wordcount\ninput: [%s]\noutput: %s\nreduces: 2\ndeadline: 1h\n", text, filepath.Join(dir, "out"))
	job, err := scenario.ReadJob("words.yaml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return job, text
}

func localOf(t *testing.T, job *scenario.Job) *Local {
	t.Helper()
	m := ThisMachine(2)
	m.Block = 64 << 10
	local, err := NewLocal([]*scenario.Job{job}, m, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return local
}

func openMemory(t *testing.T, dir string) *Memory {
	t.Helper()
	m, err := OpenMemory(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// A real run is in the report and in the store with all that it did, and teaches what the next one
// is expected to take.
func TestKeeper(t *testing.T) {
	m := openMemory(t, filepath.Join(t.TempDir(), "data"))
	job, _ := wordsFile(t)
	var runs []*report.Run
	for i := range 5 {
		runs = append(runs, realRun(t, m, localOf(t, job)))
		if err := os.RemoveAll(job.Output); err != nil {
			t.Fatal(err)
		}
		j := runs[i].Jobs[0]
		if (j.Expected == nil) != (i == 0) {
			t.Fatalf("run %d: %+v", i, j.Expected)
		}
		if i > 0 {
			if !(j.Expected.Seconds > 0) || j.Expected.Spread == nil || !(*j.Expected.Spread > 0) || j.Expected.From != "the policy" {
				t.Errorf("run %d: %+v", i, j.Expected)
			}
		}
	}
	run := runs[4]
	j := &run.Jobs[0]
	size := int64(20000 * len("some words and more words\n"))
	if w := j.Work; w.Read != size || w.Records != 20000 || w.RecordsOut != 4 || w.Counters["TaskCounter."+mapreduce.MapInputRecords] != 20000 || w.Written == 0 || w.Shuffled == 0 {
		t.Errorf("%+v", w)
	}
	if r := run.Real; r == nil || r.CPU < 0 || r.Energy == nil || r.Energy.Joules <= 0 || r.Energy.Source == "model" && r.Energy.Detail != "10W + 8W for each busy core" {
		t.Errorf("%+v", r)
	}
	s := m.Store()
	jobs, err := s.Jobs(store.JobFilter{})
	if err != nil || len(jobs) != 5 {
		t.Fatal(len(jobs), err)
	}
	row := jobs[0]
	if row.ID != 5 || row.Name != "words" || row.Class != "wordcount" || row.State != store.Finished || row.Maps != (store.Tally{Tasks: j.Maps, Done: j.Maps}) ||
		row.Reduces != (store.Tally{Tasks: 2, Done: 2}) || row.Attempts != j.Attempts || row.LocalMaps != j.LocalMaps || row.Deadline == nil ||
		math.Abs(*row.Took-(*j.Finished-j.Submitted)) > 1e-6 || *row.Expected != j.Expected.Seconds || row.Output != job.Output || !filepath.IsAbs(row.File) {
		t.Errorf("%+v\n%+v", row, j)
	}
	if d := cmp.Diff(j.Work.Counters, row.Counters); d != "" {
		t.Error(d)
	}
	attempts, err := s.Attempts(row.ID, store.AttemptFilter{})
	if err != nil || len(attempts) != j.Attempts {
		t.Fatal(len(attempts), err)
	}
	sum := int64(0)
	for _, a := range attempts {
		sum += a.Counters["TaskCounter."+mapreduce.MapInputRecords]
		if a.Try != 1 || a.Outcome != "committed" || a.Node == "" || a.Task < 1 || a.Took <= 0 {
			t.Errorf("%+v", a)
		}
	}
	if sum != 20000 {
		t.Errorf("%d records in all attempts", sum)
	}
	last, err := m.Last("words", lab.DefaultPolicy)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(run, last); d != "" {
		t.Error(d)
	}
	if other, err := m.Last("words", "fifo"); other != nil || err != nil {
		t.Error(other, err)
	}
	known, err := m.Profiles()
	if err != nil || len(known) != 1 {
		t.Fatal(known, err)
	}
	c := known[0].Whole() // the first run was cold
	if maps := c.Any(workload.Map); c.Runs != 5 || c.Error.N != 4 || c.Output.N != 5 || c.Ratio.N != 5 || maps.Start.N != maps.Task.N || len(maps.Costs) == 0 {
		t.Errorf("%+v", c)
	}
	if r := c.Any(workload.Reduce); r.Fetch.N == 0 || len(r.Fetches) == 0 {
		t.Errorf("%+v", r)
	}
	if run.Real.Memory != nil && c.Memory.N != 5 {
		t.Error(c.Memory)
	}
}

// What failed is there with its reasons, and a run without a store runs.
func TestKeeperOfFailures(t *testing.T) {
	for _, dir := range []string{filepath.Join(t.TempDir(), "data"), "/proc/slackline"} {
		if _, err := os.Stat("/proc/self"); err != nil && dir[0] == '/' {
			continue
		}
		m := openMemory(t, dir)
		if (m.ReadOnly() != nil) != (dir == "/proc/slackline") {
			t.Error(m.ReadOnly())
		}
		job, text := wordsFile(t)
		local := localOf(t, job)
		cell, err := local.Real(lab.DefaultPolicy, 1, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		world, err := cell.World(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		cell.World = func(context.Context) (drive.World, error) { return world, nil }
		if err := os.Remove(text); err != nil { // after the input was cut
			t.Fatal(err)
		}
		local.Memory = m
		k, err := local.NewKeeper(cell, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		cell.Sinks = []follow.Sink{k}
		run, err := lab.Run(t.Context(), cell)
		if err != nil {
			t.Fatal(err)
		}
		if err := k.Finish(run, nil, nil); err != nil {
			t.Fatal(err)
		}
		j := run.Jobs[0]
		if j.Outcome != "failed" || len(j.Failures) != 1 || !strings.Contains(j.Failures[0].Reason, "no such file") || j.Failures[0].Try < 1 {
			t.Errorf("%+v", j)
		}
		if m.Store().Absent() {
			continue
		}
		failed, err := m.Store().Attempts(1, store.AttemptFilter{Outcomes: []string{"failed"}})
		if err != nil || len(failed) != len(j.Failures) || failed[0].Reason != j.Failures[0].Reason {
			t.Errorf("%+v, %v", failed, err)
		}
		if jobs, err := m.Store().Jobs(store.JobFilter{States: []string{store.Failed}}); err != nil || len(jobs) != 1 || jobs[0].Failures != len(failed) || jobs[0].Reason != j.Reason {
			t.Errorf("%+v, %v", jobs, err)
		}
	}
}

// A committed task whose part is damaged is told among the failures, and counted as done once it
// has run again.
func TestKeeperOfDamage(t *testing.T) {
	defer fault.Use(nil)
	m := openMemory(t, filepath.Join(t.TempDir(), "data"))
	job, _ := wordsFile(t)
	local := localOf(t, job)
	cell, err := local.Real(lab.DefaultPolicy, 1, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	local.Memory = m
	k, err := local.NewKeeper(cell, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	cell.Sinks = []follow.Sink{k}
	fault.Use(&fault.Schedule{Flip: 1, Most: 1, Grant: func(what string) bool { return strings.Contains(what, "part-") }})
	run, err := lab.Run(t.Context(), cell)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Finish(run, nil, nil); err != nil {
		t.Fatal(err)
	}
	j := run.Jobs[0]
	if j.Outcome != report.Met || len(j.Failures) != 1 || j.Failures[0].Try != 0 || !strings.HasSuffix(j.Failures[0].Reason, ": the checksum does not match") {
		t.Errorf("%+v", j)
	}
	jobs, err := m.Store().Jobs(store.JobFilter{})
	if err != nil || len(jobs) != 1 || jobs[0].Failures != 0 || jobs[0].Maps.Done != jobs[0].Maps.Tasks || jobs[0].Reduces.Done != jobs[0].Reduces.Tasks {
		t.Errorf("%+v, %v", jobs, err)
	}
}

// A run that is broken off is kept as interrupted.
func TestKeeperAbandons(t *testing.T) {
	m := openMemory(t, t.TempDir())
	job, _ := wordsFile(t)
	local := localOf(t, job)
	local.Memory = m
	k, err := local.NewKeeper(lab.Cell{Policy: "p"}, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Abandon("it was stopped"); err != nil {
		t.Fatal(err)
	}
	jobs, err := m.Store().Jobs(store.JobFilter{})
	if err != nil || len(jobs) != 1 || jobs[0].State != store.Interrupted || jobs[0].Reason != "it was stopped" {
		t.Errorf("%+v, %v", jobs, err)
	}
}

// What the keeper of an open run looks through, and what is large, follows the jobs that are there;
// of those that have ended it has what the report says of them.
func TestKeeperForgetsJobsThatEnded(t *testing.T) {
	k := &Keeper{local: &Local{Open: true}, open: make(map[string]*keptJob), outputs: newTaken()}
	for i := range 1000 {
		name := fmt.Sprint("job ", i%7) // names are used again
		k.add(&keptJob{file: &scenario.Job{}, row: store.Job{ID: int64(i + 1), Name: name, Output: "/out/" + name, Command: []byte("{}")}})
		job := &follow.Job{Spec: &workload.Job{ID: name, Deadline: units.Never}}
		for _, e := range []*sched.Event{{Kind: sched.JobArrived}, {Kind: sched.JobEnded, Outcome: sched.Failed}} {
			if err := k.Batch(units.Time(i), []follow.Record{{Event: e, Job: job}}); err != nil {
				t.Fatal(err)
			}
		}
		if c := k.changes(); len(c.Jobs) != 1 || c.Jobs[0].ID != int64(i+1) || c.Jobs[0].State != store.Failed || c.Jobs[0].Command != nil {
			t.Fatalf("to be written are %+v", c.Jobs)
		}
	}
	if len(k.open)+len(k.outputs.within) > 0 || len(k.here) > 1 || len(k.dirty) > 0 || len(k.changes().Jobs) > 0 || len(k.jobs) != 1000 {
		t.Errorf("it has %d open jobs, %d indices, %d of %d to be written", len(k.open), len(k.here), len(k.dirty), len(k.jobs))
	}
	for _, j := range k.jobs {
		if j.file != nil {
			t.Fatalf("the file of job %d is kept", j.row.ID)
		}
	}
}

// The expectation is the prediction of the simulator, and its spread follows the spread of what was learned; or it is
// what the policy says, also of a class of which nothing is known.
func TestExpected(t *testing.T) {
	job, _ := wordsFile(t)
	local := localOf(t, job)
	if _, err := local.Foresee(t.Context(), "edf-p", 1, nil); err == nil || !strings.Contains(err.Error(), `nothing is known of jobs of class "wordcount" yet`) {
		t.Error(err)
	}
	all, err := local.Foresee(t.Context(), "promise", 1, nil)
	if err != nil || !all[0].New || !all[0].Known || !(all[0].Ninety > 2*all[0].Done) || all[0].Expected() != nil || local.Late(&all[0]) != 0 {
		t.Errorf("of an unknown class: %+v, %v", all, err)
	}
	steady, wild := profile.New("wordcount"), profile.New("wordcount")
	for i := range 20 {
		steady.Attempt(workload.Map, LocalClass, 64<<10, 1e9, 0)
		wild.Attempt(workload.Map, LocalClass, 64<<10, []units.Duration{5e8, 15e8}[i%2], 0)
		steady.Attempt(workload.Reduce, LocalClass, 0, 1e9, 0)
		wild.Attempt(workload.Reduce, LocalClass, 0, 1e9, 0)
	}
	var spreads [2]float64
	for i, c := range []*profile.Class{steady, wild} {
		known := []*profile.Class{c}
		cell, err := local.Simulated("edf-p", 1, known)
		if err != nil {
			t.Fatal(err)
		}
		run, err := lab.Run(t.Context(), cell)
		if err != nil {
			t.Fatal(err)
		}
		all, err := local.Foresee(t.Context(), "edf-p", 1, known)
		if err != nil {
			t.Fatal(err)
		}
		e := all[0].Expected()
		if e.Seconds != *run.Jobs[0].Finished || e.Spread == nil {
			t.Fatalf("%+v, simulated %v", e, *run.Jobs[0].Finished)
		}
		spreads[i] = *e.Spread
	}
	if spreads[0] > 1e-6 || spreads[1] < 0.1 {
		t.Error(spreads)
	}
}

// The time in which nobody ran, between an interruption and the run that goes on, is no error of a
// prediction; a job that is refused then took nothing; and what that run fetches to look at what
// had been committed does not make it cold.
func TestTimeLostIsNoError(t *testing.T) {
	job, _ := wordsFile(t)
	for _, refused := range []bool{false, true} {
		local, lost := localOf(t, job), 2*time.Minute
		began := time.Now().Add(-lost)
		k, err := local.NewKeeper(lab.Cell{GoesOn: began}, "", []Foresight{{Known: true, Done: 5}})
		if err != nil {
			t.Fatal(err)
		}
		k.known = []*profile.Class{{Name: "wordcount", Runs: 14}}
		b := report.NewBuilder("engine", "s", "p", 1)
		sinks, at := follow.New(b, k), units.Time(lost)
		spec := local.jobs[0].Spec
		spec.Stages = []workload.StageSpec{{Kind: workload.Map, Tasks: make([]workload.Task, 1)}}
		events := []sched.Event{{Kind: sched.JobArrived, Job: 1, Age: units.Duration(lost), Detail: &sched.Detail{Job: &spec}}}
		if !refused {
			events = append(events, sched.Event{Kind: sched.Started, Job: 1, Attempt: 1, Task: 1})
		}
		err = sinks.Batch(1, at, events)
		outcome := sched.Committed
		if refused {
			outcome = sched.Killed
			err = errors.Join(err, sinks.Plan(1, at, &sched.Plan{Items: []sched.Item{{Verb: sched.Reject, Job: 1}}}))
		} else {
			err = errors.Join(err, sinks.Batch(2, at.Add(units.Second), []sched.Event{{Kind: sched.Ended, Attempt: 1, Outcome: outcome}}))
		}
		err = errors.Join(err, sinks.Batch(3, at.Add(units.Second), []sched.Event{{Kind: sched.JobEnded, Job: 1, Outcome: outcome}}))
		run, fetched, class := b.Run(), int64(1<<40), &profile.Class{Name: "wordcount", Runs: 1}
		if err = errors.Join(err, k.Finish(run, &report.Real{Fetched: &fetched}, []*profile.Class{class})); err != nil {
			t.Fatal(err)
		}
		j, row := &run.Jobs[0], &k.jobs[0].row
		if off, known := j.Off(); known || class.Error.N != 0 {
			t.Errorf("refused %v: off by %v, and the class counts %d errors", refused, off, class.Error.N)
		}
		if (row.Took == nil) != refused {
			t.Errorf("refused %v: took %v", refused, row.Took)
		}
		if j.Cold || row.Cold {
			t.Errorf("refused %v: it is cold", refused)
		}
	}
}

func TestParsePower(t *testing.T) {
	for text, want := range map[string]Power{"10W,8W": DefaultPower, " 20.5 , 0W": {20.5, 0}} {
		if p, err := ParsePower(text); err != nil || p != want {
			t.Errorf("%q: %v, %v", text, p, err)
		}
	}
	for _, text := range []string{"", "10W", "10W,", "-1,2", "1,NaN", "1,2,3", "1e9,1", "a,b"} {
		if p, err := ParsePower(text); err == nil {
			t.Errorf("%q: %v", text, p)
		}
	}
}
