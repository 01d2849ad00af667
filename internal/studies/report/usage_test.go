package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// big is a node with vcores and memory, and perhaps map slots.
func big(n int, slots, cores int64, memory units.Bytes) sched.Event {
	class := &cluster.Class{Name: "c", Speed: 1, Capacity: units.Vector{units.MapSlots: slots, units.VCores: cores, units.Memory: int64(memory)}}
	return sched.Event{Kind: sched.NodeUp, Node: sched.NodeID(n), Detail: &sched.Detail{Node: &cluster.Node{Name: "n", Rack: 1, Class: class}}}
}

// asks makes a job whose maps take so much.
func asks(e sched.Event, cores int64, memory units.Bytes) sched.Event {
	e.Detail.Job.Stage(workload.Map).Containers = []cluster.Container{{Name: "big", Needs: units.Vector{units.VCores: cores, units.Memory: int64(memory)}}}
	return e
}

// Vcores and memory by hand: node 1 has 8 and 16 GB until 40, node 2 as much until 20, and one of
// 12 vcores is to leave at 10 but runs 4 of them until 30. A job that takes a slot of node 1 beside
// holds none.
func TestUtilizationOfCores(t *testing.T) {
	b := NewBuilder("sim", "s", "p", 1)
	s := &script{t: t, sinks: follow.New(b)}
	s.at(0, big(1, 1, 8, 16*units.GB), big(2, 0, 8, 16*units.GB), big(3, 0, 12, 16*units.GB), asks(arrived(1, "a", 0, 0, 4, 0), 4, 2*units.GB), arrived(2, "b", 0, 0, 1, 0))
	s.at(0, started(1, 1, 1, sched.Map, 1, sched.Anywhere), started(2, 1, 2, sched.Map, 2, sched.Anywhere), started(3, 1, 3, sched.Map, 3, sched.Anywhere),
		started(4, 2, 1, sched.Map, 1, sched.Anywhere))
	leaves := big(3, 0, 0, 0)
	leaves.Kind = sched.NodeChanged
	s.at(10, ended(1, sched.Committed, 0, 0, 0, 10), ended(4, sched.Committed, 0, 0, 0, 10), jobEnded(2, sched.Committed, ""), leaves)
	s.at(20, ended(2, sched.Lost, 0, 0, 0, 20), sched.Event{Kind: sched.NodeDown, Node: 2}, started(1, 1, 1, sched.Map, 2, sched.Anywhere))
	s.at(30, ended(3, sched.Committed, 0, 0, 0, 30))
	s.at(40, ended(1, sched.Committed, 0, 0, 0, 20), jobEnded(1, sched.Committed, ""))
	sum := b.Run().Summary
	held := 4 * (10. + 20 + 30 + 20)
	there := 8.*40 + 8*20 + 12*10 + 4*20
	if sum.CoreUtilization == nil || *sum.CoreUtilization != held/there || sum.Cores != there/40 {
		t.Errorf("vcores in use %v of %v, want %v of %v", *sum.CoreUtilization, sum.Cores, held/there, there/40)
	}
	const gb = float64(units.GB)
	if want := 2 * (10. + 20 + 30 + 20) / (16*40 + 16*20 + 16*10 + 2*20); sum.MemoryUtilization == nil || *sum.MemoryUtilization != want || sum.Memory != (16*40+16*20+16*10+2*20)*gb/40 {
		t.Errorf("memory in use %v of %v, want %v", *sum.MemoryUtilization, sum.Memory, want)
	}
	if sum.MapUtilization != 10./40 || sum.MapSlots != 1 || sum.ReduceUtilization != 0 || sum.ReduceSlots != 0 {
		t.Errorf("map slots in use %v of %v, reduce slots %v of %v", sum.MapUtilization, sum.MapSlots, sum.ReduceUtilization, sum.ReduceSlots)
	}
}

// line is the line of a table that begins with the word, its cells in order.
func line(t *testing.T, r *Report, word string) string {
	t.Helper()
	var out bytes.Buffer
	if err := r.WriteTable(&out); err != nil {
		t.Fatal(err)
	}
	var all []string // one of each table
	for l := range strings.Lines(out.String()) {
		if f := strings.Fields(l); len(f) > 1 && f[0] == word {
			all = append(all, strings.Join(f, " "))
		}
	}
	if all == nil {
		t.Fatalf("no line begins with %q:\n%s", word, out.String())
	}
	return strings.Join(all, " | ")
}

func ptr(x float64) *float64 { return &x }

// What a run does not have is a dash, not a zero; what no run has gets no column, but for slots.
func TestTableOfResources(t *testing.T) {
	slots := &Run{World: "sim", Scenario: "s", Policy: "slotted", Summary: Summary{MapUtilization: 0.5, MapSlots: 4, ReduceSlots: 2}}
	cores := &Run{World: "sim", Scenario: "s", Policy: "shared", Summary: Summary{CoreUtilization: ptr(0.25), MemoryUtilization: ptr(0.75), Cores: 8, Memory: 1e9}}
	idle := &Run{World: "sim", Scenario: "s", Policy: "idle", Summary: Summary{CoreUtilization: ptr(0), Cores: 8}}
	for _, c := range []struct {
		runs []*Run
		word string
		want string
	}{
		{[]*Run{slots}, "policy", "policy makespan mean response p95 local maps map slots reduce slots attempts"},
		{[]*Run{slots}, "slotted", "slotted – – – – 50 % 0 % 0"},
		{[]*Run{slots, cores}, "policy", "policy makespan mean response p95 local maps map slots reduce slots vcores memory attempts"},
		{[]*Run{slots, cores}, "slotted", "slotted – – – – 50 % 0 % – – 0"},
		{[]*Run{slots, cores}, "shared", "shared – – – – – – 25 % 75 % 0"},
		{[]*Run{idle}, "idle", "idle – – – – – – 0 % 0"},
	} {
		if got := line(t, New(c.runs...), c.word); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// Energy and its brown part: a column each where a run has them, as means over the seeds that have,
// beside the share of in time.
func TestTableOfEnergy(t *testing.T) {
	run := func(policy string, seed uint64, met int, energy, brown *float64) *Run {
		return &Run{World: "sim", Scenario: "s", Policy: policy, Seed: seed, Summary: Summary{Deadlines: 4, InTime: met, Energy: energy, Brown: brown}}
	}
	r := New(run("bare", 1, 4, nil, nil), run("bare", 2, 2, nil, nil),
		run("all", 1, 3, ptr(2), nil), run("all", 2, 3, ptr(4), nil),
		run("green", 1, 1, ptr(8), ptr(0.5)), run("green", 2, 1, ptr(8), ptr(0.5)))
	for word, want := range map[string]string{
		"policy": "policy in time | policy makespan mean response p95 local maps map slots reduce slots attempts energy brown seeds",
		"bare":   "bare 3 ± 12.7 of 4 | bare – – – – – – 0 – – 2",
		"all":    "all 3 of 4 | all – – – – – – 0 3 kWh ± 12.7 kWh – 2",
		"green":  "green 1 of 4 | green – – – – – – 0 8 kWh 0.5 kWh 2",
	} {
		if got := line(t, r, word); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if got := line(t, New(run("none", 1, 0, nil, nil)), "policy"); strings.Contains(got, "energy") || strings.Contains(got, "brown") {
		t.Errorf("columns for nothing: %s", got)
	}
}

// Comparisons speak of the share of deadlines that were met, not of their number, which differs
// where other jobs are admitted; and of energy and its brown part where both policies have it.
func TestComparisonsOfSharesAndEnergy(t *testing.T) {
	var runs []*Run
	for seed := range uint64(50) {
		x := float64(seed)
		runs = append(runs,
			&Run{World: "sim", Scenario: "s", Policy: "a", Seed: seed, Summary: Summary{Deadlines: 10, InTime: 5, Energy: ptr(10 + x), Brown: ptr(6 + x)}},
			&Run{World: "sim", Scenario: "s", Policy: "b", Seed: seed, Summary: Summary{Deadlines: 4, InTime: 4, Energy: ptr(8 + x), Brown: ptr(7 + x)}},
			&Run{World: "sim", Scenario: "s", Policy: "c", Seed: seed, Summary: Summary{}})
	}
	r := New(runs...)
	r.Compare("")
	got := map[string]Comparison{}
	for _, c := range r.Comparisons {
		got[c.Policy+" "+c.Metric] = c
	}
	for name, want := range map[string]struct {
		mean   float64
		better string
	}{"b in time": {0.5, "b"}, "b energy": {-2, "b"}, "b brown energy": {1, "a"}} {
		if c, there := got[name]; !there || c.Mean != want.mean || c.Better != want.better || c.Seeds != 50 {
			t.Errorf("%s: %+v, want %v and %s", name, c, want.mean, want.better)
		}
	}
	for _, name := range []string{"c in time", "c energy", "c brown energy"} {
		if c, there := got[name]; there {
			t.Errorf("%s without any: %+v", name, c)
		}
	}
}

// CSV has the columns of the JSON: empty where there is nothing.
func TestCSVOfResources(t *testing.T) {
	var out bytes.Buffer
	r := New(&Run{World: "sim", Scenario: "s", Policy: "p", Summary: Summary{CoreUtilization: ptr(0.25), Cores: 8, Memory: 23.6e9, Makespan: 1234567.5, Penalty: 1e-9, Energy: ptr(1.5), Brown: ptr(0.5)}})
	if err := r.WriteCSV(&out); err != nil {
		t.Fatal(err)
	}
	head, row, _ := strings.Cut(strings.TrimSpace(out.String()), "\n")
	cells := map[string]string{}
	values := strings.Split(row, ",")
	for i, name := range strings.Split(head, ",") {
		cells[name] = values[i]
	}
	for name, want := range map[string]string{"map_utilization": "0", "map_slots": "0", "vcore_utilization": "0.25", "vcores": "8", "memory_bytes": "23600000000", "makespan_s": "1234567.5", "penalty": "1e-09", "memory_utilization": "", "energy_kwh": "1.5",
		"green_kwh": "", "brown_kwh": "0.5"} {
		if got, there := cells[name]; !there || got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// Slots that are there all the time are a whole number, whatever the steps in which they were counted.
func TestSlotsAreWhole(t *testing.T) {
	b := NewBuilder("sim", "s", "p", 1)
	s := &script{t: t, sinks: follow.New(b)}
	up := big(1, 3600, 0, 0)
	s.at(0, up, arrived(1, "a", 0, 0, 4, 0))
	for at := 0.1; at < 40; at += 0.7 {
		other := big(2, 1, 0, 0)
		down := sched.Event{Kind: sched.NodeDown, Node: 1}
		s.at(at, down, up, other, sched.Event{Kind: sched.NodeDown, Node: 2})
	}
	s.at(41.3, jobEnded(1, sched.Killed, ""))
	if got := b.Run().Summary.MapSlots; got != 3600 {
		t.Errorf("%v map slots", got)
	}
}
