package lab

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/studies/scenario"
)

// promised counts the promises of a scenario, and those that are kept.
func promised(t *testing.T, text, policy string, seeds uint64) (promises, kept int) {
	t.Helper()
	s, err := scenario.Read("promises.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for seed := range seeds {
		run, err := Run(t.Context(), Cells(s, []string{policy}, []uint64{seed + 1})[0])
		if err != nil {
			t.Fatal(err)
		}
		promises, kept = promises+run.Summary.Promised, kept+run.Summary.Kept
	}
	return promises, kept
}

// Streams on which promises broke more often than was stated, each for a reason of its own.
func TestPromisesAreKept(t *testing.T) {
	if testing.Short() {
		t.Skip("one cell after another, where -short is not asked for")
	}
	for _, c := range []struct {
		why, cluster, mix string
		seeds             uint64
		least             int // so many promises at least
	}{
		{"tasks are shorter than the interval at which nodes are served", "heartbeat: 3s, task_times: {law: lognormal, cv: 0.2}",
			"arrivals: {process: poisson, every: 60s}, start: 500ms, rate: 6400MB, jobs: [{id: s, count: 300, maps: 80, reduces: 1, deadline: 20s..50s}]", 2, 80},
		{"half of the nodes, four times as fast as the others, are lost", "heartbeat: 0s, speed: 2, classes: [{name: slow, nodes: 4, speed: 0.5}], task_times: {law: lognormal, cv: 0.2}, " +
			"outages: [{node: n1, down: 1h}, {node: n2, down: 1h}, {node: n3, down: 1h}, {node: n4, down: 1h}]",
			"arrivals: {process: poisson, every: 32s}, start: 1s, rate: 6.4MB, cpu_share: 1, jobs: [{id: s, count: 400, maps: 6, reduces: 1, deadline: 80s..130s}]", 2, 250},
	} {
		text := fmt.Sprintf("cluster: {nodes: 4, %s}\nworkload:\n  mix: {class: load, ratio: 0.5, %s}\n", c.cluster, c.mix)
		n, kept := promised(t, text, "promise(level=95%)", c.seeds)
		if least := 0.95*float64(n) - 3*math.Sqrt(0.95*0.05*float64(n)); n < c.least || float64(kept) < least {
			t.Errorf("%s: %d of %d promises are kept, want %.0f at least of %d", c.why, kept, n, least, c.least)
		}
	}
}

// Of a job without a promise its report says both ways out: with which chance it meets its deadline, and by when it is
// done with the chance that a promise asks for. Who asks for less is promised it.
func TestWithoutAPromiseBothWaysOut(t *testing.T) {
	s, err := scenario.Read("behind.yaml", []byte(`
profiles: rehearsed
cluster: {nodes: 4, map_slots: 2, reduce_slots: 1, heartbeat: 0s, task_times: {law: lognormal, cv: 0.5}}
workload:
  jobs:
    - {id: tight, class: x, maps: 12, reduces: 1, map_time: 20s, reduce_time: 20s, deadline: 130s}
    - {id: wide, class: x, arrive: 5m, maps: 12, reduces: 1, map_time: 20s, reduce_time: 20s, deadline: +330s}
    - {id: before, class: x, arrive: 301s, maps: 40, reduces: 1, map_time: 20s, reduce_time: 20s, deadline: +328s, confidence: 60%}
    - {id: lower, class: x, arrive: 20m, maps: 12, reduces: 1, map_time: 20s, reduce_time: 20s, deadline: +130s, confidence: at least 52%}
`))
	if err != nil {
		t.Fatal(err)
	}
	run, err := Run(t.Context(), Cells(s, []string{"promise"}, []uint64{1})[0])
	if err != nil {
		t.Fatal(err)
	}
	for i, parts := range [][]string{{"deadline at 2:10 min with ", ", and is done by ", " with 99 %; it runs all the same"}, nil, nil, nil} {
		said := run.Jobs[i].Admission
		for _, part := range parts {
			if !strings.Contains(said, part) {
				t.Errorf("%s: %q is not in %q", run.Jobs[i].ID, part, said)
			}
		}
		if parts == nil && said != "" {
			t.Errorf("%s: %s", run.Jobs[i].ID, said)
		}
	}
}

// Whoever ran to its end was admitted, also if its sample was all of it. With the refused and those of whom nothing
// was decided they are the submitted.
func TestAdmittedAndRefusedAreTheSubmitted(t *testing.T) {
	s, err := scenario.Read("s.yaml", []byte(`cluster: {nodes: 2, heartbeat: 1s, task_times: {law: lognormal, cv: 0.3}, failure_rate: 0.05, max_failures: 1}
workload:
  streams: [{id: a, class: c, arrivals: {every: 15s}, count: 60, maps: 1, map_time: 10s, deadline: +40s}]
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, policy := range []string{"fifo", "rtmr", "promise", "promise( refused=reject)", "dc"} {
		run, err := Run(t.Context(), Cells(s, []string{policy}, []uint64{1})[0])
		if err != nil {
			t.Fatal(err)
		}
		s := &run.Summary
		if s.Jobs != 60 || s.Admitted+s.Refused+s.Killed+s.Unfinished != s.Jobs || s.Failed == 0 && policy == "fifo" {
			t.Errorf("%s: %+v", policy, s)
		}
	}
}

// Sixty promised jobs whose tasks take twice as long as all before them are kept, though others come later with nearer
// deadlines: few of these are promised, none of them in vain, and the others go behind.
func TestPromisesBeforeLaterOnes(t *testing.T) {
	var b strings.Builder
	b.WriteString("cluster: {nodes: 16, map_slots: 2, reduce_slots: 1, heartbeat: 0s, task_times: {law: lognormal, cv: 0.1}}\nworkload:\n  jobs:\n")
	job := func(id string, class string, at, due, maps, seconds, reduce int) {
		fmt.Fprintf(&b, "    - {id: %s, class: %s, arrive: %ds, deadline: +%ds, maps: %d, map_time: %ds, reduces: 1, reduce_time: %ds}\n", id, class, at, due, maps, seconds, reduce)
	}
	for i := range 12 {
		job(fmt.Sprint("h", i), "a", 15*i, 900, 18, 20, 5)
		job(fmt.Sprint("g", i), "b", 15*i+5, 900, 8, 12, 5)
	}
	for i := range 60 {
		job(fmt.Sprint("a", i), "a", 300, 1500, 18, 40, 10)
	}
	for i := range 150 {
		job(fmt.Sprint("b", i), "b", 310+10*i, 120, 7, 12, 5)
	}
	s, err := scenario.Read("sixty.yaml", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	run, err := Run(t.Context(), Cells(s, []string{"promise"}, []uint64{1})[0])
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for i := range run.Jobs {
		j := &run.Jobs[i]
		kind := j.ID[:1]
		if j.Promised != nil {
			count[kind+" promised"]++
		}
		if j.Outcome.InTime() {
			count[kind]++
			if j.Promised != nil {
				count[kind+" kept"]++
			}
		}
	}
	if count["a promised"] != 60 || count["a"] < 54 || count["b promised"] != count["b kept"] || count["b promised"] < 40 || count["b"] < 60 {
		t.Errorf("%v: want 54 of 60 in time, 60 of the later ones too, and 40 of these promised, none in vain", count)
	}
}
