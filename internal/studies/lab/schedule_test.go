package lab

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// What the simulator plays must not change when it gets faster: the schedules of many runs, each
// cut down to the number of its attempts and to a sum over all of them, stand in a file. Rounds do
// not count, only what ran where and when.
//
//	go test ./internal/studies/lab -run TestSchedules -schedules-update
//
// writes the file again; with SLACKLINE_LONG set, for more scenarios and the whole day.
var schedulesUpdate = flag.Bool("schedules-update", false, "store the schedules as they are played now")

// schedules is a sink that sums up attempts. The order in which they are told does not matter.
type schedules struct {
	attempts int64
	sum      uint64
	jobs     map[sched.JobID]uint64
	runs     map[sched.AttemptID][]uint64
}

func newSchedules() *schedules {
	return &schedules{jobs: map[sched.JobID]uint64{}, runs: map[sched.AttemptID][]uint64{}}
}

func (s *schedules) Batch(_ int64, at units.Time, events []sched.Event) error {
	for i := range events {
		switch e := &events[i]; e.Kind {
		case sched.JobArrived:
			h := fnv.New64a()
			io.WriteString(h, e.Detail.Job.ID)
			s.jobs[e.Job] = h.Sum64()
		case sched.Started:
			s.runs[e.Attempt] = []uint64{uint64(at.Add(-e.Age)), uint64(e.Stage), uint64(e.Task), uint64(e.Node), uint64(e.Container), uint64(e.Locality), s.jobs[e.Job]}
		case sched.Ended:
			s.attempts++
			s.sum += digest(append(s.runs[e.Attempt], uint64(at.Add(-e.Age)), uint64(e.Outcome)))
		}
	}
	return nil
}

func (s *schedules) Plan(int64, units.Time, *sched.Plan) error { return nil }

// digest mixes numbers, as SplitMix64 does.
func digest(parts []uint64) (h uint64) {
	for _, x := range parts {
		h = (h ^ x) + 0x9e3779b97f4a7c15
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return h
}

// play adds the schedule of one run; false if it never ends.
func (s *schedules) play(t *testing.T, cfg sim.Config, name string) bool {
	t.Helper()
	policy, err := catalog.New(name, NoQueues)
	if err != nil {
		t.Fatal(err)
	}
	w, err := sim.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if policy.Suits(ptr(w.Can())) != nil {
		return false
	}
	world := drive.World(w)
	if policy.Studies() {
		world = Teach(world, policy.StudiesModels())
	}
	one := newSchedules()
	err = drive.New(world, policy, one).Run(context.Background())
	if errors.Is(err, sim.ErrStuck) {
		return false
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	s.attempts += one.attempts
	s.sum += one.sum
	return true
}

func ptr[T any](x T) *T { return &x }

// everyPolicy is each scheme of the catalogue, and what parts can be put together besides.
func everyPolicy() []string {
	return slices.Concat(Policies(), policies[5:], sleepy, []string{"fifo+speculate(lag=5s,gap=5,interval=1s)", "edf-p+speculate(lag=2s,gap=10)",
		"fair+delay", "fifo+matchmaking"})
}

// TestSchedules plays scenarios that are drawn, plain ones and such with a network, second attempts
// and nodes that sleep, and where the trace is there the day FB-2010 with and without masters.
func TestSchedules(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("times that are drawn may differ by a nanosecond on other processors")
	}
	found := map[string]string{}
	for _, policy := range everyPolicy() {
		for _, many := range []int{schedulesOf(200), scenarios(0, 1000)} {
			s, ended := newSchedules(), 0
			for seed := range uint64(many) {
				p := randomRun(seed, []func(dice, *played){plain, shared}[seed%2])
				p.cfg.Until = 2000 * units.Time(units.Second)
				if s.play(t, p.cfg, policy) {
					ended++
				}
			}
			if many > 0 {
				found[fmt.Sprintf("%d drawn %s", many, policy)] = fmt.Sprintf("%d runs %d attempts %016x", ended, s.attempts, s.sum)
			}
		}
	}
	playStreams(t, found)
	playDay(t, found)
	compareSchedules(t, filepath.Join("testdata", "schedules.txt"), found)
}

// schedulesOf is so many runs, or a tenth of them in a hurry, of which no sum is stored.
func schedulesOf(many int) int {
	if testing.Short() {
		return many / 10
	}
	return many
}

// playStreams plays jobs whose classes become known on the way, which is what promises with a probability need.
func playStreams(t *testing.T, found map[string]string) {
	s, err := scenario.Read("streams.yaml", []byte(`
cluster: {nodes: 20, racks: 2, map_slots: 2, reduce_slots: 1, heartbeat: 1s, task_times: {law: lognormal, cv: 0.6}}
workload:
  streams:
    - {id: small, class: small, arrivals: {process: poisson, every: 15s}, count: 300, maps: 8, reduces: 2, map_time: 20s, reduce_time: 15s, deadline: +3m}
    - {id: large, class: large, arrivals: {process: poisson, every: 90s}, count: 50, maps: 60, reduces: 8, map_time: 30s, reduce_time: 40s, deadline: +10m}
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, policy := range []string{"rtmr", "promise(level=90%)", "promise", "promise(refused=reject)", "edf(feasible)+slowstart"} {
		all := newSchedules()
		all.play(t, s.Sim(1), policy)
		found["streams "+policy] = fmt.Sprintf("%d attempts %016x", all.attempts, all.sum)
	}
}

// playDay plays the first hours of the day, and with SLACKLINE_LONG all of it.
func playDay(t *testing.T, found map[string]string) {
	if os.Getenv("SLACKLINE_LONG") == "" {
		return
	}
	file, err := filepath.Abs(filepath.Join(traces(), "swim", "FB-2010_samples_24_times_1hr_0.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); err != nil {
		t.Log("NOT CHECKED: the day FB-2010, as there is no " + file)
		return
	}
	for _, part := range []string{"first: 2h", "first: 24h"} {
		for _, masters := range []string{"", ", masters: {}"} {
			for _, policy := range Policies() {
				if part == "first: 24h" && !slices.Contains([]string{"fifo", "fair", "edf-p"}, policy) {
					continue
				}
				s, err := scenario.Read("fb-2010.yaml", fmt.Appendf(nil, `
cluster: {nodes: 600, racks: 30, map_slots: 6, reduce_slots: 2, heartbeat: 3s, replicas: 3%s}
workload: {trace: {format: swim, file: %q, %s, deadlines: {share: 1}}}
`, masters, file, part))
				if err != nil {
					t.Fatal(err)
				}
				all := newSchedules()
				all.play(t, s.Sim(1), policy)
				found[fmt.Sprintf("FB-2010 %s%s %s", part, masters, policy)] = fmt.Sprintf("%d attempts %016x", all.attempts, all.sum)
			}
		}
	}
}

// compareSchedules holds what was played against what stands in the file.
func compareSchedules(t *testing.T, file string, found map[string]string) {
	text, err := os.ReadFile(file)
	if err != nil && !*schedulesUpdate {
		t.Fatal(err)
	}
	stored := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if name, is, ok := strings.Cut(line, " = "); ok {
			stored[name] = is
		}
	}
	for name, is := range found {
		if _, kept := stored[name]; !kept && testing.Short() {
			continue
		}
		if stored[name] != is && !*schedulesUpdate {
			t.Errorf("%s: played %s, stored is %s", name, is, stored[name])
		}
		stored[name] = is
	}
	if *schedulesUpdate {
		var out strings.Builder
		for _, name := range slices.Sorted(maps.Keys(stored)) {
			fmt.Fprintf(&out, "%s = %s\n", name, stored[name])
		}
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
