package lab

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

const lessons = `
cluster: {nodes: 4, heartbeat: 1s, task_times: {law: lognormal, cv: 0.4}}
workload:
  jobs:
    - {id: a, class: sort, maps: 12, reduces: 2, map_time: 10s, reduce_time: 20s}
    - {id: b, class: sort, maps: 5, reduces: 1, map_time: 10s, reduce_time: 20s, arrive: 20s}
    - {id: c, class: grep, maps: 3, reduces: 0, map_time: 4s, arrive: 5s}
`

// heard is a sink that keeps what was learned and when.
type heard struct {
	at       []units.Time
	profiles []*profile.Class
	ends     []units.Time
}

func (h *heard) Batch(_ int64, at units.Time, events []sched.Event) error {
	for i := range events {
		switch e := &events[i]; e.Kind {
		case sched.ProfileLearned:
			h.at, h.profiles = append(h.at, at), append(h.profiles, e.Detail.Profile)
		case sched.JobEnded:
			h.ends = append(h.ends, at)
		}
	}
	return nil
}

func (h *heard) Plan(int64, units.Time, *sched.Plan) error { return nil }

func readScenario(t *testing.T, text string) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Read("lessons.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func byFIFO(t *testing.T, w drive.World, sinks ...drive.Sink) {
	t.Helper()
	policy, err := catalog.New("fifo", NoQueues)
	if err != nil {
		t.Fatal(err)
	}
	if err := drive.New(w, policy, sinks...).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func simulator(t *testing.T, cfg sim.Config) drive.World {
	t.Helper()
	w, err := sim.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// Each job that ends is told of at once, with all that is known by then, and what was told does not change afterwards.
func TestTeacherTells(t *testing.T) {
	cfg := readScenario(t, lessons).Sim(1)
	before := profile.New("sort")
	before.Attempt(sched.Map, "node", 1<<20, 99*units.Second, 0)
	cfg.Profiles = []*profile.Class{before}
	var h heard
	learner := report.NewLearner()
	byFIFO(t, Teach(simulator(t, cfg), true), &h, follow.New(learner))
	if len(h.ends) != 3 || len(h.at) != 4 || h.at[0] != 0 {
		t.Fatalf("told at %v, jobs ended at %v", h.at, h.ends)
	}
	for i, end := range h.ends {
		if h.at[i+1] != end {
			t.Errorf("told at %v what a job taught that ended at %v", h.at[i+1], end)
		}
	}
	runs := map[string]int64{}
	for _, p := range h.profiles[1:] {
		runs[p.Name]++
		if p.Runs != runs[p.Name] {
			t.Errorf("class %s was told of after %d jobs as if there had been %d", p.Name, runs[p.Name], p.Runs)
		}
	}
	last := h.profiles[len(h.profiles)-1]
	want := profile.New(last.Name)
	if last.Name == before.Name {
		want.Merge(before)
	}
	want.Merge(learner.Of(last.Name).Bare())
	if last.Model(sched.Map, "", profile.Run) == nil {
		t.Error("it was told without cost models")
	}
	want.Models = last.Models
	if d := cmp.Diff(want, last); d != "" {
		t.Error(d)
	}
	// Whoever reads no models is told the same but for those, at the same times.
	var plain heard
	byFIFO(t, Teach(simulator(t, cfg), false), &plain)
	for i, p := range h.profiles {
		p.Models = nil
		if d := cmp.Diff(p, plain.profiles[i]); d != "" || h.at[i] != plain.at[i] {
			t.Errorf("without cost models, at %v: %s", plain.at[i], d)
		}
	}
}

// Cost models are fitted for policies that promise with a probability, and for no others.
func TestWhoReadsModels(t *testing.T) {
	for name, want := range map[string]bool{"promise": true, "rtmr": false,
		"dc": false, "edf(feasible)+slowstart": false} {
		p, err := catalog.New(name, NoQueues)
		if err != nil || !p.Studies() || p.StudiesModels() != want {
			t.Errorf("%s: reads models %v, %v", name, !want, err)
		}
	}
}

// A rehearsal teaches the very times that the run then takes: the worst that is known from the
// start is the worst that comes.
func TestRehearsal(t *testing.T) {
	s := readScenario(t, "profiles: rehearsed\n"+lessons)
	for _, c := range Cells(s, []string{"fifo"}, []uint64{3}) {
		w, err := c.World(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var h heard
		learner := report.NewLearner()
		byFIFO(t, w, &h, follow.New(learner))
		if len(h.at) != 2 || h.at[1] != 0 {
			t.Fatalf("told at %v", h.at)
		}
		if d := cmp.Diff(learner.Profiles(), h.profiles); d != "" {
			t.Error(d)
		}
	}
}

func TestProfilesFromAFile(t *testing.T) {
	_, err := scenario.Read("dir/lessons.yaml", []byte("profiles: none.json\n"+lessons))
	want := "dir/lessons.yaml:1:11: the profiles cannot be read: dir/none.json: there is no such file; name a file from slackline profile export, or write rehearsed"
	if err == nil || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
}

// What a map fetches from another node is part of what it costs. The longest one stands for the worst case, so the
// theorem holds where some maps of a job are far from their input.
func TestRemoteReadsAreLearned(t *testing.T) {
	const far = `
cluster: {nodes: 2, racks: 2, replicas: 1, heartbeat: 0s, block: 64MiB, read: {remote: 4MiB}}
workload:
  jobs:
    - {id: a, class: sort, maps: 8, reduces: 0, map_time: 10s, hosts: [[n1], [n1], [n1], [n1], [n1], [n1], [n1], [n1]]}
`
	l := report.NewLearner()
	byFIFO(t, simulator(t, readScenario(t, far).Sim(1)), follow.New(l))
	c := l.Of("sort")
	maps := c.At(sched.Map, "standard")
	if maps.Task.Min != 10 || maps.Task.Max != 26 {
		t.Errorf("maps took %v to %v s, want 10 to 26: 16 s to fetch 64 MiB", maps.Task.Min, maps.Task.Max)
	}
	if maps.Shuffle.Max != 0 || maps.Start.Max != 0 {
		t.Errorf("maps shuffled for %v s and started for %v s, want 0", maps.Shuffle.Max, maps.Start.Max)
	}
}

// A rehearsal hears when the run is to stop.
func TestRehearsalsStop(t *testing.T) {
	s, err := scenario.Read("s.yaml", []byte("profiles: rehearsed\ncluster: {nodes: 1}\nworkload: {jobs: [{id: a, maps: 1, map_time: 1s}]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Run(ctx, Cells(s, []string{"fifo"}, []uint64{1})[0])
	if !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), "the rehearsal") {
		t.Error(err)
	}
}
