package lab

import (
	"context"
	"testing"

	"github.com/slackline/slackline/internal/studies/scenario"
)

// What rds owes whatever its models say: no slot idles for an interval, and who comes with a deadline before the next
// interval does not wait for long jobs. Each scenario leaves room for all deadlines that are looked at.
func TestShortJobsDoNotWait(t *testing.T) {
	const small = "{nodes: 4, map_slots: 2, reduce_slots: 1, heartbeat: 0s, replicas: 0}"
	for _, c := range []struct{ name, cluster, policy, jobs string }{
		{"reduces of a job whose maps wait hold no slots", small, "rds(interval=2m)", `
    - {id: large, class: c, arrive: 0s, maps: 200, map_time: 20s, reduces: 4, reduce_time: 20s, deadline: 60m}
    - {id: small, class: c, arrive: 90s, maps: 2, map_time: 20s, reduces: 1, reduce_time: 20s, deadline: +2m}`},
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
