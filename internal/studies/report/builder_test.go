package report

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/policies/rtmr"

	"github.com/google/go-cmp/cmp"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// script feeds sinks a run, instant by instant.
type script struct {
	t     *testing.T
	sinks *follow.Follower
	round int64
}

func (s *script) at(seconds float64, events ...sched.Event) {
	s.t.Helper()
	s.round++
	if err := s.sinks.Batch(s.round, units.Time(units.FromSeconds(seconds)), events); err != nil {
		s.t.Fatal(err)
	}
}

func (s *script) plan(seconds float64, items ...sched.Item) {
	if err := s.sinks.Plan(s.round, units.Time(units.FromSeconds(seconds)), &sched.Plan{Items: items}); err != nil {
		s.t.Fatal(err)
	}
}

func up(n int, maps, reduces int) sched.Event {
	class := &cluster.Class{Name: "c", Speed: 1, Capacity: units.Slots(maps, reduces)}
	return sched.Event{Kind: sched.NodeUp, Node: sched.NodeID(n), Detail: &sched.Detail{Node: &cluster.Node{Name: "n", Rack: 1, Class: class}}}
}

func arrived(h int, id string, at, deadline float64, maps, reduces int) sched.Event {
	j := &workload.Job{ID: id, Class: "k", Arrive: units.Time(units.FromSeconds(at)), Soft: units.Never, Deadline: units.Never, Weight: 2,
		Stages: []workload.StageSpec{{Kind: workload.Map, Tasks: make([]workload.Task, maps)}}}
	if deadline > 0 {
		j.Deadline = units.Time(units.FromSeconds(deadline))
	}
	if reduces > 0 {
		j.Stages = append(j.Stages, workload.StageSpec{Kind: workload.Reduce, Tasks: make([]workload.Task, reduces)})
	}
	return sched.Event{Kind: sched.JobArrived, Job: sched.JobID(h), Detail: &sched.Detail{Job: j}}
}

func started(a, job, node int, stage sched.Stage, task int, l sched.Locality) sched.Event {
	return sched.Event{Kind: sched.Started, Attempt: sched.AttemptID(a), Job: sched.JobID(job), Node: sched.NodeID(node), Stage: stage, Task: sched.TaskID(task), Locality: l}
}

func ended(a int, o sched.Outcome, read, wrote units.Bytes, shuffle, run float64) sched.Event {
	return sched.Event{Kind: sched.Ended, Attempt: sched.AttemptID(a), Outcome: o, Bytes: read, OutBytes: wrote,
		Spans: [sched.Phases]units.Duration{sched.PhaseShuffle: units.FromSeconds(shuffle), sched.PhaseRun: units.FromSeconds(run)}}
}

func jobEnded(h int, o sched.Outcome, why string) sched.Event {
	return sched.Event{Kind: sched.JobEnded, Job: sched.JobID(h), Outcome: o, Text: why}
}

// play is a run by hand: two nodes of 1 map and 1 reduce slot; the second leaves at 20. Job a has 2
// maps and 1 reduce and misses its deadline of 25 by 5, job b is rejected, c fails. Map 2 of a is
// lost with the second node and runs again.
func play(t *testing.T, sinks ...follow.Sink) {
	s := &script{t: t, sinks: follow.New(sinks...)}
	s.at(0, up(1, 1, 1), up(2, 1, 1), arrived(1, "a", 0, 25, 2, 1), sched.Event{Kind: sched.Heartbeat, Node: 1}, sched.Event{Kind: sched.Heartbeat, Node: 2})
	s.plan(0, sched.Item{Verb: sched.Admit, Job: 1})
	s.at(0, started(1, 1, 1, sched.Map, 1, sched.NodeLocal), started(2, 1, 2, sched.Map, 2, sched.RackLocal))
	s.at(8, ended(2, sched.Committed, 100, 50, 0, 8), arrived(2, "b", 8, 0, 1, 0))
	s.plan(8, sched.Item{Verb: sched.Admit, Job: 2, Refused: sched.TooLate}, sched.Item{Verb: sched.Reject, Job: 2, Reason: sched.Because(rtmr.Late, 9e9, 10e9)})
	s.at(8, jobEnded(2, sched.Killed, "no"))
	s.at(10, ended(1, sched.Committed, 100, 50, 0, 10))
	s.at(10, started(1, 1, 1, sched.Reduce, 1, sched.Anywhere))
	s.at(20, sched.Event{Kind: sched.NodeDown, Node: 2}, sched.Event{Kind: sched.OutputLost, Job: 1, Stage: sched.Map, Task: 2})
	s.at(20, started(3, 1, 1, sched.Map, 2, sched.NodeLocal))
	s.at(24, ended(3, sched.Committed, 100, 50, 0, 4))
	s.at(30, ended(1, sched.Committed, 100, 100, 16, 4), jobEnded(1, sched.Committed, ""), arrived(2, "c", 30, 50, 1, 0))
	s.plan(30, sched.Item{Verb: sched.Admit, Job: 2})
	s.at(30, started(1, 2, 1, sched.Map, 1, sched.Remote))
	s.at(40, ended(1, sched.Failed, 0, 0, 0, 10), jobEnded(2, sched.Failed, "it broke"))
}

func TestBuilder(t *testing.T) {
	b := NewBuilder("sim", "s", "p", 7)
	play(t, b)
	f := func(x float64) *float64 { return &x }
	want := &Run{World: "sim", Scenario: "s", Policy: "p", Seed: 7,
		Summary: Summary{Jobs: 3, Admitted: 2, Refused: 1, Late: 1, Failed: 1, Deadlines: 2, DeadlineWork: f(0), WorkInTime: f(0),
			Penalty:  2 * (30.0 - 25) / 25,
			Makespan: 40, MeanResponse: f(30), P95Response: f(30),
			ReduceIdle: 4, MapLocality: f(1), RackLocality: f(0), // map 2's first commit does not count any more
			// Slot time: two nodes until 20, one until 40. Maps held 10 + 8 + 4 + 10, the reduce 20.
			MapUtilization: 32.0 / 60, ReduceUtilization: 20.0 / 60, MapSlots: 60.0 / 40, ReduceSlots: 60.0 / 40,
			Tasks: 5, Attempts: 5, Events: 3 + 3 + 2 + 5 + 5},
		Jobs: []Job{
			{ID: "a", Class: "k", Queue: "default", Admitted: true, Started: f(0), MapsDone: f(24), Finished: f(30), Deadline: f(25), Maps: 2, Reduces: 1, LocalMaps: 2, Attempts: 4, TaskTime: f(0), Penalty: f(0.4), Outcome: Late},
			{ID: "b", Class: "k", Queue: "default", Submitted: 8, Reason: "would finish at 10.0 s, 1.0 s after its deadline", Refusal: "deadline", Maps: 1, TaskTime: f(0), Outcome: Refused},
			{ID: "c", Class: "k", Queue: "default", Submitted: 30, Admitted: true, Started: f(30), Deadline: f(50), Reason: "it broke", Maps: 1, Attempts: 1, TaskTime: f(0), Outcome: Failed},
		}}
	if diff := cmp.Diff(want, b.Run()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// A draining node counts with what it still runs, so that utilisation stays below 1.
func TestBuilderDrain(t *testing.T) {
	b := NewBuilder("sim", "s", "p", 1)
	s := &script{t: t, sinks: follow.New(b)}
	empty := up(1, 0, 0)
	empty.Kind = sched.NodeChanged
	s.at(0, up(1, 2, 0), arrived(1, "a", 0, 0, 1, 0), started(1, 1, 1, sched.Map, 1, sched.Anywhere))
	s.at(10, empty)
	s.at(20, ended(1, sched.Committed, 0, 0, 0, 20), jobEnded(1, sched.Committed, ""))
	if got, want := b.Run().Summary.MapUtilization, 20.0/30; got != want {
		t.Errorf("utilisation %v, want %v", got, want)
	}
}

// The names of the fields are a promise.
func TestJSON(t *testing.T) {
	var out bytes.Buffer
	b := NewBuilder("sim", "s", "p", 1)
	play(t, b)
	if err := WriteJSON(&out, New(b.Run())); err != nil {
		t.Fatal(err)
	}
	var o struct {
		Schema string
		Runs   []struct {
			World, Scenario, Policy string
			Seed                    int
			Summary                 map[string]any
			Jobs                    []map[string]any
		}
	}
	if err := json.Unmarshal(out.Bytes(), &o); err != nil {
		t.Fatal(err)
	}
	if o.Schema != "slackline/report/v2" || len(o.Runs) != 1 || len(o.Runs[0].Jobs) != 3 {
		t.Fatalf("%s", out.String())
	}
	for _, c := range []struct {
		has  map[string]any
		want string
	}{
		{o.Runs[0].Summary, `jobs admitted refused kept broken met late done failed killed interrupted unfinished promised deadlines in_time
			deadline_work_s work_in_time_s soft_deadlines soft_in_time penalty makespan_s mean_response_s p95_response_s
			map_locality rack_locality map_utilization reduce_utilization vcore_utilization memory_utilization map_slots reduce_slots vcores
			memory_bytes energy_kwh green_kwh brown_kwh energy_cost carbon_kg rented_node_hours rent task_energy_kwh idle_energy_kwh wake_energy_kwh
			sleep_energy_kwh wakes tasks attempts events wall_s events_per_s`},
		{o.Runs[0].Jobs[0], `id class queue submitted_s admitted reason started_s maps_done_s finished_s soft_deadline_s deadline_s
			maps reduces local_maps attempts task_time_s outcome`},
	} {
		for name := range strings.FieldsSeq(c.want) {
			if _, ok := c.has[name]; !ok {
				t.Errorf("the field %q is missing", name)
			}
		}
	}
	if e, ok := o.Runs[0].Summary["energy_kwh"]; !ok || e != nil {
		t.Errorf("energy_kwh is %v, want null", e)
	}
}

func TestLearner(t *testing.T) {
	l := NewLearner()
	play(t, l)
	all := l.Profiles()
	if len(all) != 1 || all[0].Name != "k" || all[0].Runs != 1 {
		t.Fatalf("%+v", all)
	}
	maps, reduces := all[0].At(workload.Map, "c"), *all[0].At(workload.Reduce, "c")
	if maps.Task.N != 3 || maps.Task.Max != 10 || maps.PerByte.N != 3 || maps.PerByte.Min != 0.04 {
		t.Errorf("maps: %+v", maps)
	}
	// The reduce started at 10, the last map ended at 24, its shuffle at 26.
	if reduces.Task.Mean != 4 || reduces.Shuffle.Mean != 2 {
		t.Errorf("reduces: %+v", reduces)
	}
	if w := reduces.Waves; w.First.N != 1 || w.First.Mean != 2 || w.Later.N != 0 {
		t.Errorf("a reduce of the first wave: %+v", w)
	}
	if all[0].Ratio.Mean != 0.5 {
		t.Errorf("ratio: %+v", all[0].Ratio)
	}
}

// Of a master counts what passes from its start until the job's first task may start, whatever its job
// does then. One that died before does not.
func TestLearnerOfMasters(t *testing.T) {
	l := NewLearner()
	s := &script{t: t, sinks: follow.New(l)}
	job := arrived(1, "a", 0, 0, 1, 1)
	job.Detail.Job.Stages = slices.Insert(job.Detail.Job.Stages, 0, workload.StageSpec{Kind: workload.Master, Tasks: make([]workload.Task, 1)})
	ready := func(stage sched.Stage) sched.Event {
		return sched.Event{Kind: sched.StageReady, Job: 1, Stage: stage}
	}
	s.at(0, up(1, 2, 1), job, ready(sched.Master))
	s.at(1, started(1, 1, 1, sched.Master, 1, sched.Anywhere))
	s.at(3, ended(1, sched.Failed, 0, 0, 0, 2))
	s.at(4, started(1, 1, 1, sched.Master, 1, sched.Anywhere))
	s.at(9, ready(sched.Map))
	s.at(10, started(2, 1, 1, sched.Map, 1, sched.NodeLocal))
	s.at(17, ended(1, sched.Lost, 0, 0, 0, 13))
	s.at(18, started(1, 1, 1, sched.Master, 1, sched.Anywhere))
	s.at(20, ended(2, sched.Committed, 100, 50, 0, 10), ready(sched.Reduce))
	s.at(22, started(2, 1, 1, sched.Reduce, 1, sched.Anywhere))
	s.at(30, ended(2, sched.Committed, 50, 50, 0, 8), ended(1, sched.Committed, 0, 0, 0, 8), jobEnded(1, sched.Committed, ""))
	if w := l.Of("k").At(workload.Reduce, "c").Waves; w.First.N != 0 || w.Later.N != 1 {
		t.Errorf("a reduce that started behind the last map: %+v", w)
	}
	if got := l.Of("k").At(workload.Master, "c").Start; got.N != 1 || got.Max != 5 {
		t.Errorf("a master that was up 5 s after its start: %+v", got)
	}
}

func TestTimeline(t *testing.T) {
	line := NewTimeline()
	play(t, line)
	var out bytes.Buffer
	line.Draw(&out, 50, units.Time(40*units.Second))
	want := `
a  █████████▆▅▄▒▒▒▒▒▒▒▒▒▒▒▂▅▅▅▅▁┃▒▒▒▒▒▒
b           ·
c                                     ▃▅▅▅▅▅▅▅▅▅▅▅
   0───────────────────────────────────────────40s
`
	if diff := cmp.Diff(want, "\n"+out.String()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestTable(t *testing.T) {
	a, b := NewBuilder("sim", "by hand", "fifo", 1), NewBuilder("sim", "by hand", "edf", 1)
	play(t, a, b)
	c := NewBuilder("sim", "by hand", "edf", 2)
	play(t, c)
	first, second, third := a.Run(), b.Run(), c.Run()
	third.Summary.Makespan += 2
	var out bytes.Buffer
	if err := New(first, second).WriteTable(&out); err != nil {
		t.Fatal(err)
	}
	want := `
by hand in the simulator

job  class  maps  reduces  submitted  deadline    fifo                    edf
──────────────────────────────────────────────────────────────────────────────────────────────
a    k         2        1        0 s    25.0 s  30.0 s  LATE by 5.0 s  30.0 s  LATE by 5.0 s
b    k         1        0      8.0 s         –       –  refused             –  refused
c    k         1        0     30.0 s    50.0 s       –  failed              –  failed

policy  in time  accepted  refused  failed
────────────────────────────────────────────
fifo     0 of 2    2 of 3        1       1
edf      0 of 2    2 of 3        1       1

policy  penalty  makespan  mean response     p95  local maps  map slots  reduce slots  attempts
─────────────────────────────────────────────────────────────────────────────────────────────────
fifo        0.4    40.0 s         30.0 s  30.0 s       100 %       53 %          33 %         5
edf         0.4    40.0 s         30.0 s  30.0 s       100 %       53 %          33 %         5
fifo: job "b" was refused: would finish at 10.0 s, 1.0 s after its deadline
fifo: job "c" failed: it broke
edf: job "b" was refused: would finish at 10.0 s, 1.0 s after its deadline
edf: job "c" failed: it broke
`
	if diff := cmp.Diff(want, "\n"+out.String()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	out.Reset()
	if err := New(second, third).WriteTable(&out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "41.0 s ± 12.7 s") { // t(1) = 12.706 over two values 2 s apart
		t.Errorf("no confidence interval:\n%s", out.String())
	}
}

// How many tasks the jobs of a class had is the mean of what was known before and of what was learned, rounded up.
func TestLearnerTellsTasks(t *testing.T) {
	known := profile.New("c")
	known.Runs = 2
	for range 5 {
		known.Attempt(workload.Map, "small", 0, units.Second, 0)
	}
	known.Attempt(workload.Map, "large", 0, units.Second, 0)
	known.Attempt(workload.Reduce, "small", 0, units.Second, 0)
	l := NewLearner(known)
	if m, r := l.Tasks("c"); m != 3 || r != 1 {
		t.Errorf("%d maps and %d reduces, want 3 and 1", m, r)
	}
	l.class("c").Runs = 1
	for range 4 {
		l.class("c").Attempt(workload.Map, "small", 0, units.Second, 0)
	}
	if m, r := l.Tasks("c"); m != 4 || r != 1 { // 10 maps and 1 reduce of 3 jobs
		t.Errorf("%d maps and %d reduces, want 4 and 1", m, r)
	}
	if m, r := l.Tasks("other"); m != 0 || r != 0 {
		t.Errorf("%d maps and %d reduces of a class that nobody knows", m, r)
	}
}

// A reduce holds its slot for nothing while a map of its job is to end: not in the time in which all maps that
// were known of had ended.
func TestReduceIdleOfAJobThatGetsMoreMaps(t *testing.T) {
	b := NewBuilder("yarn", "s", "p", 1)
	s := &script{t: t, sinks: follow.New(b)}
	s.at(0, up(1, 1, 1), arrived(1, "a", 0, 0, 1, 1))
	s.at(1, started(1, 1, 1, sched.Map, 1, sched.NodeLocal), started(2, 1, 1, sched.Reduce, 1, sched.Anywhere))
	s.at(3, ended(1, sched.Committed, 0, 0, 0, 2))
	more := arrived(1, "a", 0, 0, 3, 1)
	more.Kind = sched.JobAmended
	s.at(10, more)
	s.at(20, started(1, 1, 1, sched.Map, 2, sched.NodeLocal))
	s.at(21, ended(1, sched.Committed, 0, 0, 0, 1))
	less := arrived(1, "a", 0, 0, 2, 1)
	less.Kind = sched.JobAmended
	s.at(40, less)
	s.at(70, ended(2, sched.Committed, 0, 0, 0, 0), jobEnded(1, sched.Committed, ""))
	if idle := b.Run().Summary.ReduceIdle; idle != 2+30 {
		t.Errorf("%v s, want those from 1 to 3 and from 10 to 40", idle)
	}
}
