package scenario

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

const mixed = `cluster: {nodes: 5, block: 100MB}
workload:
  mix:
    class: loadgen
    arrivals: {process: poisson, every: 14s}
    rate: 10MB
    start: 2s
    ratio: 0.5
    reduce_rate: 5MB
    jobs:
      - {id: small, count: 30, maps: 1, reduces: 1..5, deadline: 200s..300s}
      - {id: large, count: 10, maps: 10..50, reduces: 4}
`

func mixSource(t *testing.T, text string) func(seed uint64) []*workload.Job {
	t.Helper()
	s, err := Read("s.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return func(seed uint64) []*workload.Job { c := s.Sim(seed); return drain(t, c.Source()) }
}

// There are so many jobs of each size, within their ranges, whatever the seed; order, times and sizes are drawn.
func TestMix(t *testing.T) {
	of := mixSource(t, mixed)
	orders := map[string]bool{}
	reduces, maps := map[int]bool{}, map[int]bool{}
	for seed := range uint64(20) {
		count := map[string]int{}
		var order []string
		for _, j := range of(seed) {
			size, _, _ := strings.Cut(j.ID, "-")
			count[size]++
			order = append(order, size)
			m, r := j.Stage(workload.Map), j.Stage(workload.Reduce)
			if m.Tasks[0].Work != 12*units.Second || m.Tasks[0].Input != 100*units.MB || j.Class != "loadgen" {
				t.Fatalf("%s: %+v", j.ID, m.Tasks[0])
			}
			share := float64(len(m.Tasks)) * 50 / float64(len(r.Tasks)) // MB
			if want := units.FromSeconds(2 + share/5); r.Tasks[0].Work-want > units.Millisecond || want-r.Tasks[0].Work > units.Millisecond {
				t.Fatalf("%s: a reduce of %g MB takes %v, want %v", j.ID, share, r.Tasks[0].Work, want)
			}
			if size == "large" {
				maps[len(m.Tasks)] = true
				if len(m.Tasks) < 10 || len(m.Tasks) > 50 || len(r.Tasks) != 4 || j.Deadline != units.Never {
					t.Fatalf("%+v", j)
				}
				continue
			}
			reduces[len(r.Tasks)] = true
			if d := j.Deadline.Sub(j.Arrive); len(m.Tasks) != 1 || d < 200*units.Second || d > 300*units.Second {
				t.Fatalf("%+v", j)
			}
		}
		if count["small"] != 30 || count["large"] != 10 {
			t.Fatalf("seed %d: %v", seed, count)
		}
		orders[strings.Join(order, " ")] = true
	}
	if len(orders) != 20 || len(reduces) != 5 || len(maps) < 35 {
		t.Errorf("%d orders, %d numbers of reduces, %d of maps", len(orders), len(reduces), len(maps))
	}
	if a, b := fmt.Sprint(ids(of(7))), fmt.Sprint(ids(of(7))); a != b {
		t.Errorf("one seed, two workloads:\n%s\n%s", a, b)
	}
}

func ids(jobs []*workload.Job) (list []string) {
	for _, j := range jobs {
		list = append(list, fmt.Sprint(j.ID, j.Arrive, j.Deadline, len(j.Stages[0].Tasks), len(j.Stages[1].Tasks)))
	}
	return list
}

// A mix stands beside listed jobs and streams.
func TestMixBesideOthers(t *testing.T) {
	of := mixSource(t, mixed+"  jobs: [{id: one, maps: 1, map_time: 0s, arrive: 1s}]\n  streams: [{id: s, maps: 1, map_time: 0s, arrivals: {every: 1m}, count: 3}]\n")
	var names []string
	jobs := of(1)
	for _, j := range jobs {
		names = append(names, j.ID)
	}
	if len(jobs) != 44 || !slices.Contains(names, "one") || !slices.Contains(names, "s-3") || !slices.Contains(names, "small-30") {
		t.Errorf("%d jobs: %v", len(jobs), names)
	}
	if !slices.IsSortedFunc(jobs, func(a, b *workload.Job) int { return int(a.Arrive/1000) - int(b.Arrive/1000) }) {
		t.Error("they do not arrive in order")
	}
}

func TestMixErrors(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"every: 14s", "every: 0s", `s.yaml:5:15: arrivals need every, the mean time between two, such as every: 30s`},
		{"process: poisson", "process: trace", `the jobs of a mix cannot arrive as in a trace`},
		{"id: large", "id: small", `another job, stream or size is named "small"`},
		{"maps: 10..50", "maps: 50..10", `50..10 is not a number of tasks or a range`},
		{"maps: 10..50", "maps: 0", `maps is 0, it must be at least 1`},
		{"count: 10,", "count: 1000000,", `the jobs up to this size have up to 54000180 tasks, and at most 10000000 are possible`},
		{"rate: 10MB", "rate: 0MB", `rate is 0B, it must be above 0`},
		{"nodes: 5", "nodes: 5, reduce_slots: 0", `job "small" cannot run: no node offers {reduce:1} for a reduce task`},
		{"    rate: 10MB\n", "", `the key "rate" in mix is missing`},
	} {
		_, err := Read("s.yaml", []byte(strings.Replace(mixed, c.from, c.to, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.to, err, c.want)
		}
	}
}
