package page

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// traced is a trace as any reader of the format sees it.
type traced struct {
	TraceEvents []struct {
		Ph, Name, Cat string
		Pid, Tid, ID  int64
		Ts, Dur       float64
		Args          struct {
			Name, Outcome, Class string
			Task                 int64
			Maps                 int64
			DeadlineUs           *float64 `json:"deadline_us"`
		}
	}
}

// Each attempt of a run stands in its trace once, with its time to the nanosecond, in a named slot
// that holds one at a time.
func TestTraceTellsAll(t *testing.T) {
	s, err := scenario.Read("small.yaml", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	c := lab.Cells(s, []string{"edf-p"}, []uint64{7})[0]
	var b bytes.Buffer
	trace, k := NewTrace(&b), newKept()
	c.Sinks = append(c.Sinks, trace, k)
	run, err := lab.Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	if err := trace.Close(); err != nil {
		t.Fatal(err)
	}
	var got traced
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatalf("%v\n%s", err, &b)
	}
	type slot struct{ pid, tid int64 }
	names, ends, jobs := map[slot]string{}, map[slot]float64{}, map[string]int{}
	processes := 0
	var attempts []keptBar
	for _, e := range got.TraceEvents {
		at := slot{e.Pid, e.Tid}
		switch e.Ph {
		case "M":
			if e.Name == "process_name" {
				processes++
			} else {
				names[at] = e.Args.Name
			}
		case "X":
			if names[at] == "" || e.Ts < ends[at] {
				t.Errorf("in %v %q at %v, which is taken until %v", at, names[at], e.Ts, ends[at])
			}
			ends[at] = e.Ts + e.Dur
			job := int64(slices.IndexFunc(run.Jobs, func(j reportJob) bool { return j.ID == e.Name }))
			stage := int64(sched.Map)
			if e.Cat == "reduce" {
				stage = int64(sched.Reduce)
			}
			outcome := int64(slices.Index([]string{"none", "committed", "superseded", "killed", "preempted", "failed", "lost"}, e.Args.Outcome))
			begin := int64(e.Ts*1000 + 0.5)
			attempts = append(attempts, keptBar{job, e.Args.Task, stage, outcome, begin, begin + int64(e.Dur*1000+0.5)})
		case "b":
			jobs[e.Name]++
			if e.Name == hostile && (e.Args.DeadlineUs == nil || *e.Args.DeadlineUs != 600e6 || e.Args.Maps != 40 || e.Args.Class != "<b>a</b>") {
				t.Errorf("job: %+v", e)
			}
		case "e":
			jobs[e.Name]--
			if e.Args.Outcome != "committed" {
				t.Errorf("job: %+v", e)
			}
		default:
			t.Errorf("an event of kind %q", e.Ph)
		}
	}
	order := func(a, b keptBar) int { return slices.Compare(a.list(), b.list()) }
	slices.SortFunc(attempts, order)
	slices.SortFunc(k.bars, order)
	if !slices.Equal(attempts, k.bars) {
		t.Errorf("the attempts differ:\n%v\n%v", attempts, k.bars)
	}
	if len(jobs) != 3 || jobs[hostile] != 0 || processes != 6 || len(names) != 18 {
		t.Errorf("jobs %v, %d nodes, %d slots", jobs, processes, len(names))
	}
}

// A container of several slots takes a lane for each; one that still runs is written until the last
// event; an empty trace is one too.
func TestTraceOfTheUnusual(t *testing.T) {
	var empty bytes.Buffer
	if err := NewTrace(&empty).Close(); err != nil || !json.Valid(empty.Bytes()) || !strings.HasPrefix(empty.String(), head) {
		t.Errorf("%v: %s", err, &empty)
	}
	var b bytes.Buffer
	s := NewTrace(&b)
	f := follow.New(s)
	job := &workload.Job{ID: "wide", Deadline: units.Never, Stages: []workload.StageSpec{{Kind: workload.Map, Tasks: make([]workload.Task, 2), Containers: wide}}}
	for i, e := range []sched.Event{
		{Kind: sched.JobArrived, Job: 1, Detail: &sched.Detail{Job: job}},
		{Kind: sched.Started, Job: 1, Attempt: 1, Task: 1, Stage: sched.Map, Node: 3},
		{Kind: sched.Started, Job: 1, Attempt: 2, Task: 2, Stage: sched.Map, Node: 3},
		{Kind: sched.Ended, Attempt: 1, Outcome: sched.Failed},
		{Kind: sched.Ended, Attempt: 9, Outcome: sched.Failed}, // nobody knows it
		{Kind: sched.Started, Job: 5, Attempt: 4, Stage: sched.Map, Node: 3},
	} {
		if err := f.Batch(0, units.Time(i)*1001, []sched.Event{e}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`{"ph":"X","name":"wide","cat":"map","ts":1.001,"dur":2.002,"pid":3,"tid":2,"args":{"locality":"none","outcome":"failed","task":1}}`,
		`"ts":2.002,"dur":3.003,"pid":3,"tid":4,"args":{"locality":"none","outcome":"none","task":2}}` + "\n]}\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s\nlacks %s", &b, want)
		}
	}
	if n := strings.Count(b.String(), `"ph":"X"`); n != 4 || !json.Valid(b.Bytes()) {
		t.Errorf("%d bars, want 4\n%s", n, &b)
	}
}

// What cannot be written ends the run, with the reason.
func TestTraceOnAFullDisk(t *testing.T) {
	s := follow.New(NewTrace(full{}))
	job := &workload.Job{ID: "j"}
	if err := s.Batch(0, 0, []sched.Event{{Kind: sched.JobArrived, Job: 1, Detail: &sched.Detail{Job: job}}}); !errors.Is(err, errFull) {
		t.Error(err)
	}
}

var errFull = errors.New("no space left on device")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }
