package main

import (
	"strings"
	"testing"
)

// What became of workflows stands in the summary, in CSV and among what policies are compared by, and is the same where
// no rows of jobs are kept, also of some that have one name.
func TestWorkflowsAreCounted(t *testing.T) {
	t.Parallel()
	s := newShell(t, map[string]string{"s.yaml": `name: s
cluster: {nodes: 1, map_slots: 1, heartbeat: 0s, replicas: 0}
policies: [fifo, edf-p]
workload:
  jobs:
    - {id: a, workflow: v, workflow_deadline: +1m, maps: 1, map_time: 9s}
    - {id: b, workflow: v, after: a, maps: 1, map_time: 9s}
    - {id: c, workflow: w, workflow_deadline: +10s, maps: 1, map_time: 9s}
    - {id: d, workflow: x, maps: 1, map_time: 1s}
`})
	rows, sums := parse(t, s.must(0, "simulate", "s.yaml", "-o", "json")), parse(t, s.must(0, "simulate", "s.yaml", "--aggregate", "-o", "json"))
	for i, missed := range []any{1.0, nil} {
		for key, want := range map[string]any{"workflows": 3.0, "workflows_finished": 3.0, "workflow_deadlines": 2.0, "workflows_missed": missed} {
			if a, b := rows.Runs[i].Summary[key], sums.Runs[i].Summary[key]; a != want || b != want {
				t.Errorf("%s: %s is %v, in an aggregate %v, not %v", rows.Runs[i].Policy, key, a, b, want)
			}
		}
	}
	if head, _, _ := strings.Cut(s.must(0, "simulate", "s.yaml", "-o", "csv"), "\n"); !strings.Contains(head, ",workflows,workflows_finished,workflow_deadlines,workflows_missed,") {
		t.Error(head)
	}
	if text := s.must(0, "compare", "s.yaml", "--seed", "1..2", "--metric", "workflows in time"); !strings.Contains(text, "workflows in time") {
		t.Error(text)
	}
}
