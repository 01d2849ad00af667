package lab

import (
	"context"
	"testing"

	"github.com/slackline/slackline/internal/studies/scenario"
)

// What rds owes whatever its models say: no slot idles for an interval, and short jobs do not wait for long
// ones. Each scenario leaves room for all deadlines that are looked at.
func TestShortJobsDoNotWait(t *testing.T) {
	const small = "{nodes: 4, map_slots: 2, reduce_slots: 1, heartbeat: 0s, replicas: 0}"
	for _, c := range []struct{ name, cluster, policy, jobs string }{
		{"reduces of a job whose maps wait hold no slots", small, "rds(interval=2m)", `
    - {id: large, class: c, arrive: 0s, maps: 200, map_time: 20s, reduces: 4, reduce_time: 20s, deadline: 60m}
    - {id: small, class: c, arrive: 90s, maps: 2, map_time: 20s, reduces: 1, reduce_time: 20s, deadline: +2m}`},
		{"a deadline within the interval that begins", small, "rds(interval=5m)", `
    - {id: large, class: c, arrive: 0s, maps: 400, map_time: 20s, reduces: 0, deadline: 120m}
    - {id: small, class: c, arrive: 280s, maps: 4, map_time: 20s, reduces: 0, deadline: +45s}`},
		// The next interval begins at 5 min. It needs 20 s, and there are 15 s until its deadline then.
		{"a deadline soon behind the interval", small, "rds(interval=5m,short=start)", `
    - {id: large, class: c, arrive: 0s, maps: 400, map_time: 20s, reduces: 0, deadline: 120m}
    - {id: small, class: c, arrive: 240s, maps: 4, map_time: 20s, reduces: 0, deadline: +75s}`},
		// At 1:40 four slots fall free. Nine are given: small lacks one, next seven.
		{"few tasks before many", small, "rds(interval=5m)", `
    - {id: many, class: a, arrive: 0s, maps: 4, map_time: 100s, reduces: 0, deadline: 4m}
    - {id: more, class: b, arrive: 0s, maps: 4, map_time: 130s, reduces: 0, deadline: 4m}
    - {id: next, class: c, arrive: 10s, maps: 8, map_time: 20s, reduces: 0, deadline: 151s}
    - {id: small, class: c, arrive: 20s, maps: 1, map_time: 20s, reduces: 0, deadline: 122s}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := scenario.Read("short.yaml", []byte("cluster: "+c.cluster+"\nprofiles: rehearsed\nworkload:\n  jobs:"+c.jobs+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			r, err := Run(context.Background(), Cell{Scenario: "short", Policy: c.policy, Seed: 1, World: Simulated(s.Sim(1))})
			if err != nil {
				t.Fatal(err)
			}
			for _, j := range r.Jobs {
				if j.ID == "small" && *j.Finished > *j.Deadline {
					t.Errorf("it runs from %v to %v, and its deadline is at %v", *j.Started, *j.Finished, *j.Deadline)
				}
			}
		})
	}
}

// What a world tells of capacity reaches the plan in a run, alone or beside own forecasts.
func TestToldCapacity(t *testing.T) {
	s, err := scenario.Read("told.yaml", []byte(`
cluster: {nodes: 4, map_slots: 2, reduce_slots: 1, slots: {as: up, forecast: {by: perfect}, rows: [{at: 0s, capacity: 1}, {at: 2m, capacity: 0.5}, {at: 4m, capacity: 0.75}]}}
workload: {jobs: [{id: j, class: c, maps: 60, map_time: 20s, reduces: 2, reduce_time: 20s, deadline: 20m}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, policy := range []string{"rds(interval=2m,forecast=told)", "rds(interval=2m,forecast=combined)"} {
		r, err := Run(context.Background(), Cell{Scenario: "told", Policy: policy, Seed: 1, World: Simulated(s.Sim(1))})
		if err != nil || r.Summary.Finished() != 1 {
			t.Errorf("%s: %v", policy, err)
		}
	}
}

// A job of long tasks has all slots when one comes whose plan needs half of them. By default its tasks are left
// to end, and the other one is late. With preempt=3m they end where they would run for longer than that, and
// no more of them than slots are missing.
func TestLongTasksEnd(t *testing.T) {
	for _, c := range []struct {
		policy string
		long   string
		killed int64
		late   bool
	}{
		{"rds(interval=2m,solver=0s)", "20m", 0, true},
		{"rds(interval=2m,solver=0s,preempt=3m)", "20m", 3, false},
		{"rds(interval=2m,solver=0s,preempt=19m)", "20m", 0, true}, // they have run for two minutes
		{"rds(interval=2m,solver=0s,preempt=9m)", "9m", 0, true},
	} {
		s, err := scenario.Read("long.yaml", []byte(`
cluster: {nodes: 4, map_slots: 2, reduce_slots: 1, heartbeat: 0s, replicas: 0}
profiles: rehearsed
workload:
  jobs:
    - {id: long, class: a, arrive: 0s, maps: 16, map_time: `+c.long+`, reduces: 0, deadline: 40h}
    - {id: soon, class: b, arrive: 30s, maps: 8, map_time: 4m, reduces: 0, deadline: +14m}
`))
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(context.Background(), Cells(s, []string{c.policy}, []uint64{1})[0])
		if err != nil {
			t.Fatal(err)
		}
		soon := &r.Jobs[1]
		if late := *soon.Finished > *soon.Deadline; r.Summary.Attempts-24 != c.killed || late != c.late {
			t.Errorf("%s, maps of %s: %d tasks ended, want %d; it is done at %v of %v", c.policy, c.long, r.Summary.Attempts-24, c.killed, *soon.Finished, *soon.Deadline)
		}
	}
}
