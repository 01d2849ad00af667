package lab

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
)

// Nodes come because of deadlines and leave again, and no task runs twice for it: what lies on them alone, blocks and
// map outputs that are still wanted, keeps them.
func TestNoTaskRunsTwiceForNodesThatLeave(t *testing.T) {
	games, rented, left := 60, 0, 0
	if os.Getenv("SLACKLINE_LONG") != "" {
		games = 1000
	}
	for seed := range uint64(games) {
		r := rand.New(rand.NewPCG(seed, 38))
		yaml := fmt.Sprintf(`
cluster: {nodes: %d, map_slots: 1, reduce_slots: 1, heartbeat: 1s, replicas: %d, task_times: {law: lognormal, cv: 0.4}, offers: [{name: m, most: 8, price: 1, boot: %ds}]}
profiles: rehearsed
workload:
  mix: {class: c, rate: 6.4MB, ratio: 0.3, shuffle_rate: 20MB, reduce_rate: 10MB, arrivals: {process: poisson, every: 40s}, jobs: [{id: s, count: 8, maps: 1..8, reduces: 1..2, deadline: 80s..240s}, {id: l, count: 4, maps: 20..40, reduces: 1..4, deadline: 200s..400s}]}
`, 1+r.IntN(3), r.IntN(2), 1+r.IntN(20))
		s, err := scenario.Read("rented.yaml", []byte(yaml))
		if err != nil {
			t.Fatal(err)
		}
		c := Cells(s, []string{[]string{"edf(feasible)+need(idle=1s)", "promise+need(idle=1s)"}[seed%2]}, []uint64{seed})[0]
		run, err := Run(context.Background(), c)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if n := run.Summary; n.Attempts != n.Tasks || n.Finished() != n.Jobs {
			t.Errorf("seed %d: %d attempts of %d tasks, %d of %d jobs finished", seed, n.Attempts, n.Tasks, n.Finished(), n.Jobs)
		}
		rented += run.Bill[0].Rented
		left += run.Bill[0].Rented - run.Bill[0].Most
	}
	if rented < games || left < games/10 {
		t.Errorf("nodes were rented only %d times, and again %d times", rented, left)
	}
	t.Logf("%d games: nodes were rented %d times", games, rented)
}

// What a policy asks of clouds is in the report with its reason, and is what the bill is of; a play that foresees the
// run asks for the same.
func TestRequests(t *testing.T) {
	s, err := scenario.Read("rented.yaml", []byte(`
cluster: {nodes: 2, heartbeat: 1s, offers: [{name: spot, most: 20, price: 0.2, boot: 2m}, {name: fast, most: 20, price: 0.5, boot: 10s}]}
profiles: rehearsed
workload:
  jobs:
    - {id: monday, class: sort, maps: 20, map_time: 30s, reduces: 2, reduce_time: 20s, deadline: 10m}
    - {id: report, class: sort, arrive: 10m, maps: 60, map_time: 30s, reduces: 2, reduce_time: 20s, deadline: +6m}
    - {id: later, class: sort, arrive: 40m, maps: 2, map_time: 30s, reduces: 2, reduce_time: 20s}
`))
	if err != nil {
		t.Fatal(err)
	}
	policy := "edf(feasible)+slowstart+need"
	cell := Cells(s, []string{policy}, []uint64{1})[0]
	run, err := Run(context.Background(), cell)
	if err != nil {
		t.Fatal(err)
	}
	more, less, first := map[string]int{}, map[string]int{}, -1
	for i, q := range run.Requests {
		if q.Nodes > 0 {
			more[q.Class] += q.Nodes
			if first < 0 {
				first = i
			}
		} else {
			less[q.Class] -= q.Nodes
		}
	}
	for _, b := range run.Bill {
		if more[b.Class] != b.Rented {
			t.Errorf("asked for %v, rented %+v", more, b)
		}
	}
	if first < 0 || less["spot"]+less["fast"] == 0 || !strings.Contains(run.Requests[first].Why, "without them report could be late by") {
		t.Fatalf("%+v", run.Requests)
	}
	cfg, err := cell.Config(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	asked := &report.Requests{}
	if _, err := Start(policy, NoQueues).Asking(asked).Foresee(context.Background(), cfg, s.Sim(1).Workload.Jobs); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(asked.List) != fmt.Sprint(run.Requests[:len(asked.List)]) || len(asked.List) == 0 {
		t.Errorf("foreseen %+v\ncame %+v", asked.List, run.Requests)
	}
}

// Nodes go back when they have idled, also where nothing else happens then: the last tasks may end between two looks.
func TestIdleNodesAreGivenBack(t *testing.T) {
	for maps := 40; maps < 56; maps++ {
		s, err := scenario.Read("idle.yaml", fmt.Appendf(nil, `
cluster: {nodes: 2, map_slots: 1, reduce_slots: 1, heartbeat: 20ms, replicas: 0, offers: [{name: slow, most: 6, price: 0.1, boot: 6s}]}
profiles: rehearsed
workload:
  jobs:
    - {id: a, class: c, maps: %d, map_time: 3s, reduces: 0, deadline: 54s}
    - {id: later, class: c, arrive: 10m, maps: 1, map_time: 1s, reduces: 0}
`, maps))
		if err != nil {
			t.Fatal(err)
		}
		run, err := Run(context.Background(), Cells(s, []string{"edf+need"}, []uint64{1})[0])
		if err != nil {
			t.Fatal(err)
		}
		rented := 0
		for _, q := range run.Requests {
			if rented += q.Nodes; q.At > *run.Jobs[0].Finished+67 {
				t.Errorf("%d maps: after %v s %v, and the job was done after %v s", maps, q.At, &q, *run.Jobs[0].Finished)
			}
		}
		if rented != 0 || len(run.Requests) < 2 {
			t.Errorf("%d maps: %d are rented at the end, %v", maps, rented, run.Requests)
		}
	}
}

// Who rents takes the class that is cheapest now, and nodes that the cloud takes away are asked for again.
func TestSpot(t *testing.T) {
	s, err := scenario.Read("spot.yaml", []byte(`
cluster: {nodes: 1, heartbeat: 1s, replicas: 0, offers: [{name: spot, most: 60, price: [0.1, 0.9], boot: 10s, interruptions: 10}, {name: firm, most: 20, price: 0.5, boot: 10s}]}
profiles: rehearsed
workload:
  jobs:
    - {id: before, class: sort, maps: 120, map_time: 30s, reduces: 2, reduce_time: 20s, deadline: 10m}
    - {id: after, class: sort, arrive: 1h, maps: 200, map_time: 30s, reduces: 2, reduce_time: 20s, deadline: +10m}
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, policy := range []string{"edf+slowstart+need", "promise+need"} {
		run, err := Run(context.Background(), Cells(s, []string{policy}, []uint64{1})[0])
		if err != nil {
			t.Fatal(err)
		}
		asked, later := 0, 0
		for _, q := range run.Requests {
			if wants := map[bool]string{true: "spot", false: "firm"}[q.At < 3600]; q.Nodes > 0 && q.Class != wants {
				t.Errorf("%s: at %v s %v, and %s is cheaper", policy, q.At, &q, wants)
			} else if q.Nodes > 0 && q.At > 30 && q.At < 600 {
				later += q.Nodes
			}
			asked += max(0, q.Nodes)
		}
		spot := run.Bill[0]
		if later == 0 || spot.Rented <= spot.Most || run.Summary.Finished() != 2 {
			t.Errorf("%s: %d nodes were asked for after some were taken away, %+v, %d of 2 jobs ended", policy, later, spot, run.Summary.Finished())
		}
		if cost := 0.1 * spot.Hours; spot.Cost < cost*0.999 || spot.Cost > cost*1.001 {
			t.Errorf("%s: %v node-hours at 0.1 cost %v", policy, spot.Hours, spot.Cost)
		}
	}
}

// Of a job that nothing can save so many nodes are rented as its weight pays for, and of hours that had work on former
// days some are kept warm.
func TestLateAndWarm(t *testing.T) {
	jobs := func(more ...string) string {
		return "\ncluster: {nodes: 1, heartbeat: 1s, replicas: 0, offers: [{name: m, most: 20, price: 1, boot: 30s}]}\nprofiles: rehearsed\nworkload:\n  jobs:\n    - {id: " +
			strings.Join(more, "}\n    - {id: ") + "}\n"
	}
	late := jobs("a, class: c, weight: 2, maps: 60, map_time: 30s, reduces: 0, deadline: 4m")
	hopeless := strings.Replace(late, "most: 20", "most: 4", 1)
	day := jobs("a, class: c, arrive: 3h, maps: 60, map_time: 30s, reduces: 0, deadline: +4m", "b, class: c, arrive: 27h, maps: 1, map_time: 1s, reduces: 0, deadline: +1h")
	for _, c := range []struct {
		what, yaml, policy, why string
		rented                  int
	}{
		{"it can be saved", late, "edf+need", "needed", 5},
		{"it cannot", hopeless, "edf+need", "", 0},
		{"but is wanted, for 1 · 2 an hour", hopeless, "edf+need(late=1)", "needed", 2},
		{"for 2 · 2 no more would help", hopeless, "edf+need(late=2)", "needed", 2},
		{"nothing is kept warm", day, "edf+need", "needed", 5},
		{"three times 0.28 nodes, which had work in that hour", day, "edf+need(warm=300)", "to be rented at any time", 5 + 1},
	} {
		s, err := scenario.Read("late.yaml", []byte(c.yaml))
		if err != nil {
			t.Fatal(err)
		}
		run, err := Run(context.Background(), Cells(s, []string{c.policy}, []uint64{1})[0])
		if err != nil {
			t.Fatal(err)
		}
		if text := fmt.Sprint(run.Requests); run.Bill[0].Rented != c.rented || !strings.Contains(text, c.why) {
			t.Errorf("%s: %+v, want %d, %s", c.what, run.Bill, c.rented, text)
		}
	}
}

// Nodes are warm from the hour on in which others had work, though nothing happens then, and no longer.
func TestWarmFromTheHourOn(t *testing.T) {
	s, err := scenario.Read("warm.yaml", []byte(`
cluster: {nodes: 1, heartbeat: 1s, replicas: 0, offers: [{name: m, most: 100, price: 1, boot: 30s}]}
profiles: rehearsed
workload:
  jobs:
    - {id: a, class: c, arrive: 3h, maps: 20, map_time: 30m, reduces: 0, deadline: +50m}
    - {id: b, class: d, arrive: 27h20m, maps: 1, map_time: 1s, reduces: 0, deadline: +1h}
    - {id: c, class: d, arrive: 28h30m, maps: 1, map_time: 1s, reduces: 0, deadline: +1h}
`))
	if err != nil {
		t.Fatal(err)
	}
	run, err := Run(context.Background(), Cells(s, []string{"edf+need(warm=100)"}, []uint64{1})[0])
	if err != nil {
		t.Fatal(err)
	}
	warm, least, last := 0, 1e9, 0.0
	for _, q := range run.Requests {
		if at := q.At / 3600; at > 24 {
			least, last, warm = min(least, at), max(last, at), warm+max(0, q.Nodes)
		}
	}
	if least != 27 || last < 28 || last > 28.02 || warm == 0 {
		t.Errorf("%d nodes were kept from hour %v to %v: %v", warm, least, last, run.Requests)
	}
}

// A promise that nothing can keep any more keeps no nodes.
func TestBrokenPromisesKeepNoNodes(t *testing.T) {
	s, err := scenario.Read("broken.yaml", []byte(`
cluster: {nodes: 2, map_slots: 10, reduce_slots: 1, heartbeat: 1s, replicas: 0, outages: [{node: n1, down: 170m, up: 171m}], offers: [{name: m, most: 10, price: 1, boot: 30s}]}
profiles: rehearsed
workload:
  jobs:
    - {id: long, class: l, maps: 20, map_time: 3h, reduces: 0, deadline: 4h, confidence: 60%}
    - {id: short, class: s, arrive: 175m, maps: 300, map_time: 30s, reduces: 0, deadline: +6m}
`))
	if err != nil {
		t.Fatal(err)
	}
	run, err := Run(context.Background(), Cells(s, []string{"promise+need"}, []uint64{1})[0])
	if err != nil {
		t.Fatal(err)
	}
	if b := run.Bill[0]; b.Rented == 0 || b.Hours > 1 {
		t.Errorf("nodes were rented for 4 minutes of work: %+v", b)
	}
}

// A job that nothing can save is told of where the rents are, and no node is rented for it.
func TestBeyondHelpIsTold(t *testing.T) {
	s, err := scenario.Read("late.yaml", []byte(`
cluster: {nodes: 1, map_slots: 2, offers: [{name: m, most: 2, map_slots: 2, price: 1, boot: 30s}]}
profiles: rehearsed
workload: {jobs: [{id: big, class: c, maps: 100, map_time: 10s, reduces: 0, deadline: +1m}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	run, err := Run(context.Background(), Cells(s, []string{"edf(feasible)+slowstart+need"}, []uint64{1})[0])
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Requests) != 1 || run.Bill[0].Rented > 0 || !strings.Contains(run.Requests[0].String(), `job "big": with all nodes that can be had it would be late by `) {
		t.Errorf("%+v, %+v", run.Requests, run.Bill)
	}
}
