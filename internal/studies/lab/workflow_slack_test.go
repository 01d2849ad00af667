package lab

import (
	"context"
	"testing"

	"github.com/slackline/slackline/internal/studies/scenario"
)

// What flow leaves of a workflow's time is slack for the nodes: beside the part slack they sleep, which saves
// three tenths of the energy here, and the workflow is in time all the same.
func TestWorkflowSlack(t *testing.T) {
	s, err := scenario.Read("slack.yaml", []byte(`
profiles: rehearsed
cluster:
  heartbeat: 0s
  replicas: 0
  classes:
    - {name: slow, nodes: 6, map_slots: 4, speed: 1, idle_power: 100W, dynamic_power: 100W, wake_time: 60s}
workload:
  jobs:
    - {id: a, class: c, workflow: w, workflow_deadline: +6h, maps: 16, map_time: 10m, moldable: {min: 8, slope: 0.01}}
    - {id: b, class: c, workflow: w, after: a, maps: 16, map_time: 10m, moldable: {min: 8, slope: 0.01}}
    - {id: c, class: c, workflow: w, after: a, maps: 16, map_time: 10m, moldable: {min: 8, slope: 0.01}}
    - {id: d, class: c, workflow: w, after: [b, c], maps: 16, map_time: 10m, moldable: {min: 8, slope: 0.01}}
`))
	if err != nil {
		t.Fatal(err)
	}
	play := func(policy string) (energy, ended float64) {
		r, err := Run(context.Background(), Cell{Scenario: "slack", Policy: policy, Seed: 1, World: Simulated(s.Sim(1))})
		if err != nil {
			t.Fatal(err)
		}
		w := &r.Workflows[0]
		if w.Finished == nil {
			t.Fatalf("%s: the workflow has not ended", policy)
		}
		return *r.Summary.Energy, *w.Finished
	}
	alone, _ := play("flow")
	asleep, ended := play("flow+slack")
	if asleep > 0.75*alone || ended > 6*3600 {
		t.Errorf("%v kWh in place of %v, ended after %v s", asleep, alone, ended)
	}
}
