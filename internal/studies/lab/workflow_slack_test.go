package lab

import (
	"context"
	"fmt"
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

// Where hours differ in price, a workflow of flow that needs several nodes waits for the cheap ones within its slack.
func TestWorkflowInCheapHours(t *testing.T) {
	text := `
profiles: rehearsed
cluster:
  heartbeat: 0s
  replicas: 0
  supply: [{at: 0s, price: 0.40, carbon: 400}, {at: 2h, price: 0.10, carbon: 100}, {at: 4h, price: 0.40, carbon: 400}]
  forecasts: [{of: price, mid: [0.40, 0.40, 0.10, 0.10, 0.40, 0.40], every: 1h}]
  classes:
    - {name: slow, nodes: 12, map_slots: 4, speed: 1, idle_power: 100W, dynamic_power: 100W, wake_time: 60s}
workload:
  jobs:
    - {id: j0, class: c, workflow: w, workflow_deadline: +6h, maps: 32, map_time: 5m, moldable: {min: 16, slope: 0.005}}
`
	for k := 1; k < 12; k++ {
		text += fmt.Sprintf("    - {id: j%d, class: c, workflow: w, after: j%d, maps: 32, map_time: 5m, moldable: {min: 16, slope: 0.005}}\n", k, (k-1)/2)
	}
	s, err := scenario.Read("cheap.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	cost := func(policy string) float64 {
		r, err := Run(context.Background(), Cells(s, []string{policy}, []uint64{1})[0])
		if err != nil || len(r.Workflows) != 1 || *r.Workflows[0].Finished > 6*3600 {
			t.Fatalf("%s: %v, %+v", policy, err, r.Workflows)
		}
		return *r.Summary.EnergyCost
	}
	if now, then := cost("flow"), cost("flow+slack"); then > 0.5*now {
		t.Errorf("it costs %v in place of %v", then, now)
	}
}

// What reduces take is known of jobs that say what their maps do: so is what a plan needs. Of other jobs nothing is:
// they stay as they are cut, and the plan guesses what they take.
func TestWorkflowWithReduces(t *testing.T) {
	for moldable, maps := range map[string]int{"": 4, ", moldable: {slope: 0.1}": 1} {
		s, err := scenario.Read("r.yaml", []byte(`cluster: {nodes: 2, map_slots: 2, reduce_slots: 1}
workload:
  jobs:
    - {id: a, workflow: w, workflow_deadline: +10m, maps: 4, map_time: 30s, reduces: 2, reduce_time: 60s`+moldable+`}
    - {id: b, workflow: w, after: a, maps: 4, map_time: 30s, moldable: {slope: 0.1}}
`))
		if err != nil {
			t.Fatal(err)
		}
		run, err := Run(t.Context(), Cells(s, []string{"flow"}, []uint64{1})[0])
		if err != nil {
			t.Fatal(err)
		}
		if j := &run.Jobs[0]; j.Planned == nil || j.Maps != maps || *j.Planned > 600 {
			t.Errorf("with%s: %d maps, planned for %v (%s)", moldable, j.Maps, j.Planned, j.PlannedFor)
		}
	}
}
