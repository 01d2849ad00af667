package lab

import (
	"context"
	"testing"

	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
)

// Where all nodes are needed slack stands aside, and is not noticed: every job is done at the instant at which it is
// without it, as promise looks neither more nor less often.
func TestSlackIsNotNoticed(t *testing.T) {
	s, err := scenario.Read("busy.yaml", []byte(`
cluster: {nodes: 6, map_slots: 2, reduce_slots: 1, heartbeat: 3s, replicas: 0, task_times: {law: lognormal, cv: 0.4}, idle_power: 100W, dynamic_power: 100W, wake_time: 60s}
workload:
  mix:
    class: c
    arrivals: {process: poisson, every: 4s}
    rate: 6MB
    ratio: 0.1
    shuffle_rate: 100MB
    reduce_rate: 10MB
    jobs:
      - {id: a, count: 60, maps: 20..60, reduces: 1, deadline: 60s..10m}
`))
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(3) {
		jobs := func(policy string) []report.Job {
			r, err := Run(context.Background(), Cell{Scenario: "busy", Policy: policy, Seed: seed, World: Simulated(s.Sim(seed))})
			if err != nil {
				t.Fatal(err)
			}
			return r.Jobs
		}
		alone, beside, late := jobs("promise"), jobs("promise+slack"), 0
		for i := range alone {
			x, y := &alone[i], &beside[i]
			if x.Finished == nil || y.Finished == nil || x.ID != y.ID {
				t.Fatalf("seed %d: job %q, and %q with slack, have not both finished", seed, x.ID, y.ID)
			}
			if *x.Finished > *x.Deadline {
				late++
			}
			if *x.Finished != *y.Finished || x.Outcome != y.Outcome {
				t.Errorf("seed %d: job %q is %v at %v s, and %v at %v s with slack", seed, x.ID, x.Outcome, *x.Finished, y.Outcome, *y.Finished)
			}
		}
		if late == 0 {
			t.Errorf("seed %d: no job is late, so not all nodes are needed", seed)
		}
	}
}

// Where nodes with the data are kept from work, others take as many tasks a beat as they have room for: with one a beat
// alone the third job is late.
func TestWorkFarFromItsData(t *testing.T) {
	s, err := scenario.Read("far.yaml", []byte(`
profiles: rehearsed
cluster: {nodes: 3, map_slots: 8, placement: cover, idle_power: 30W, dynamic_power: 60W, wake_time: 5s, classes: [{name: disks, nodes: 8, idle_power: 20W, dynamic_power: 100W}]}
workload:
  jobs:
    - {id: a, class: y, maps: 8, map_time: 5s, arrive: 30m, deadline: +10m}
    - {id: b, class: y, maps: 150, map_time: 5s, arrive: 60m, deadline: +100s}
    - {id: c, class: y, maps: 150, map_time: 5s, arrive: 90m, deadline: +100s}
`))
	if err != nil {
		t.Fatal(err)
	}
	cell := Cells(s, []string{"promise+slack"}, []uint64{1})[0]
	r, err := Run(context.Background(), cell)
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range r.Jobs {
		if j.Outcome != report.Kept {
			t.Errorf("%s is %v, not kept", j.ID, j.Outcome)
		}
	}
}

// Tasks are kept on some nodes, and say of others what their speeds make of it: of 88 maps eight would run on nodes of
// half the speed, so nothing is promised; and what took little on fast nodes needs more of the others at once.
func TestSpeedsWhereNodesAreSaved(t *testing.T) {
	for _, c := range []struct{ job, scenario string }{
		{"half", `
cluster: {nodes: 20, map_slots: 4, reduce_slots: 2, placement: cover, idle_power: 120W, dynamic_power: 300W, wake_time: 5s, task_times: {law: normal, cv: 0.1}, classes: [{name: slow, nodes: 2, idle_power: 20W, dynamic_power: 250W, speed: 0.5}]}
workload:
  jobs:
    - {id: a, class: z, maps: 193, map_time: 60s, reduces: 11, reduce_time: 20s, arrive: 25m}
    - {id: b, class: z, maps: 88, map_time: 60s, reduces: 11, reduce_time: 20s, arrive: 35m}
    - {id: c, class: z, maps: 26, map_time: 60s, arrive: 54m, deadline: +120s}
    - {id: d, class: z, maps: 26, map_time: 60s, reduces: 11, reduce_time: 20s, arrive: 105m, deadline: +480s}
    - {id: half, class: z, maps: 88, map_time: 60s, arrive: 135m, deadline: +120s}
`}, {"all", `
cluster: {nodes: 10, map_slots: 2, placement: cover, idle_power: 60W, dynamic_power: 100W, wake_time: 0s, classes: [{name: fast, nodes: 8, idle_power: 20W, dynamic_power: 40W, speed: 2.5}, {name: slow, nodes: 15, idle_power: 20W, dynamic_power: 100W, speed: 0.5}]}
workload:
  jobs:
    - {id: a, class: z, maps: 16, map_time: 120s, arrive: 30m, deadline: +20m}
    - {id: b, class: z, maps: 16, map_time: 120s, arrive: 60m, deadline: +20m}
    - {id: all, class: z, maps: 66, map_time: 120s, arrive: 90m, deadline: +200s}
`}} {
		s, err := scenario.Read("speeds.yaml", []byte("profiles: rehearsed"+c.scenario))
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(context.Background(), Cells(s, []string{"promise+slack"}, []uint64{1})[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range r.Jobs {
			if j.Outcome == report.Broken || j.Outcome == report.Late && j.ID == "all" {
				t.Errorf("%s is %v", j.ID, j.Outcome)
			}
		}
	}
}
