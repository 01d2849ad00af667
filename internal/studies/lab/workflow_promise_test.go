package lab

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/internal/studies/scenario"
)

// promisedWorkflows draws workflows, the last job of each with a deadline of its own, among jobs that stand alone.
func promisedWorkflows(seed uint64) string {
	d, n := draw.Of(seed, "promised workflows"), uint64(0)
	below := func(k int) int { n++; return d.Number(n).Below(k) }
	var b strings.Builder
	b.WriteString("name: w\ncluster:\n  heartbeat: 0s\n  replicas: 0\n  classes:\n    - {name: slow, nodes: 2, map_slots: 3, speed: 1, dynamic_power: 40W}\n" +
		"    - {name: fast, nodes: 1, map_slots: 3, speed: 1.5, dynamic_power: 200W}\nprofiles: rehearsed\nworkload:\n  jobs:\n")
	for w := range 6 {
		at, size := below(400), 2+below(5)
		due := 60 + below(900)
		for j := range size {
			after, own := "", ""
			if j > 0 {
				after = fmt.Sprintf(", after: [w%dj%d]", w, below(j))
			}
			if j+1 == size {
				own = fmt.Sprintf(", deadline: +%ds", due)
				for k := range size - 2 {
					after = strings.Replace(after, "]", fmt.Sprintf(", w%dj%d]", w, k), 1)
				}
			}
			after = strings.Replace(after, fmt.Sprintf("w%dj%d, w%dj%d", w, 0, w, 0), fmt.Sprintf("w%dj0", w), 1)
			fmt.Fprintf(&b, "    - {id: w%dj%d, class: c%d, workflow: w%d, workflow_deadline: +%ds, arrive: %ds, maps: %d, map_time: %ds, moldable: {slope: 0.0%d}%s%s}\n",
				w, j, below(3), w, due, at, 4+below(12), 4+below(16), 1+below(9), after, own)
		}
	}
	for j := range 10 {
		fmt.Fprintf(&b, "    - {id: j%d, class: c%d, arrive: %ds, deadline: +%ds, maps: %d, map_time: %ds}\n", j, below(3), below(500), 30+below(300), 1+below(20), 4+below(16))
	}
	return b.String()
}

// No promise that promise gives is broken where flow's plan cuts the jobs of workflows beside it, it gives some to
// jobs that are cut, and hardly fewer than without the plan.
func TestPromisedWorkflows(t *testing.T) {
	var promised, broken, cut [2]int
	for seed := range uint64(scenarios(40, 400)) {
		text := promisedWorkflows(seed + 1)
		s, err := scenario.Read("w.yaml", []byte(text))
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed+1, err, text)
		}
		for i, policy := range []string{"promise", "promise+tradeoff(beta=0)"} {
			run, err := Run(context.Background(), Cells(s, []string{policy}, []uint64{seed + 1})[0])
			if err != nil {
				t.Fatalf("seed %d: %v", seed+1, err)
			}
			for k := range run.Jobs {
				j := &run.Jobs[k]
				if j.Promised != nil {
					promised[i]++
					if j.Cut != "" {
						cut[i]++
					}
					if j.Finished == nil || *j.Finished > *j.Deadline {
						broken[i]++
						t.Logf("seed %d, %s: %s, promised by %v, ended at %v", seed+1, policy, j.ID, *j.Deadline, j.Finished)
					}
				}
			}
		}
	}
	t.Logf("promised %v, of jobs that were cut %v, broken %v", promised, cut, broken)
	if broken[1] > broken[0] || broken[1]*100 > promised[1] || cut[1] == 0 || promised[1]*10 < promised[0]*9 {
		t.Errorf("of %d promises %d are broken, and without the plan %d of %d", promised[1], broken[1], broken[0], promised[0])
	}
}

// Who has a promise keeps the tasks that it has it for, and so do those that it waits for, where a job before them
// takes so long that they would be cut into more. Without promises they are.
func TestPromisedStaysCut(t *testing.T) {
	s, err := scenario.Read("w.yaml", []byte(`name: w
cluster: {nodes: 2, map_slots: 4, heartbeat: 0s, task_times: {law: lognormal, cv: 0.4}}
profiles: rehearsed
workload:
  jobs:
    - {id: a, workflow: w, workflow_deadline: +8m, maps: 8, map_time: 60s, moldable: {slope: 0.05}}
    - {id: m, workflow: w, after: [a], maps: 8, map_time: 10s, moldable: {slope: 0.05}}
    - {id: b, workflow: w, after: [m], deadline: +4h, maps: 8, map_time: 60s, moldable: {slope: 0.05}}
`))
	if err != nil {
		t.Fatal(err)
	}
	again := map[string]int{}
	for seed := range uint64(20) {
		for _, policy := range []string{"promise+tradeoff", "flow"} {
			run, err := Run(context.Background(), Cells(s, []string{policy}, []uint64{seed})[0])
			if err != nil {
				t.Fatal(err)
			}
			if policy != "flow" && run.Jobs[2].Promised == nil {
				t.Errorf("seed %d: b is not promised", seed)
			}
			for _, j := range run.Jobs[1:] {
				if !strings.Contains(j.Cut, "in place of 8,") {
					again[policy+" "+j.ID]++
				}
			}
		}
	}
	if again["promise+tradeoff m"]+again["promise+tradeoff b"] > 0 || again["flow m"] == 0 || again["flow b"] == 0 {
		t.Errorf("cut again in so many of 20 runs: %v", again)
	}
}

// No task of a workflow takes longer than another job with a promise has to spare. a is promised to be in time with
// 60 %, and is done 30 s before its deadline with that; b has an hour, and would be one map of 94 s. Four take 30.6 s
// each, five 26.4 s.
func TestPromisedIsSpared(t *testing.T) {
	for policy, want := range map[string]string{"promise+tradeoff": "cut into 5 tasks", "flow": "cut into 1 task "} {
		s, err := scenario.Read("w.yaml", []byte(`name: w
cluster: {nodes: 1, map_slots: 4, heartbeat: 0s}
profiles: rehearsed
workload:
  jobs:
    - {id: a, class: a, deadline: +150s, confidence: 60%, maps: 40, map_time: 10s}
    - {id: b, class: b, workflow: w, workflow_deadline: +1h, arrive: 5s, maps: 8, map_time: 20s, moldable: {slope: 0.1}}
`))
		if err != nil {
			t.Fatal(err)
		}
		run, err := Run(context.Background(), Cells(s, []string{policy}, []uint64{1})[0])
		if err != nil {
			t.Fatal(err)
		}
		if a, b := &run.Jobs[0], &run.Jobs[1]; !strings.Contains(b.Cut, want) || (a.Promised != nil) != (policy != "flow") {
			t.Errorf("%s: %s, with a promise %v; want %s", policy, b.Cut, a.Promised != nil, want)
		}
	}
}
