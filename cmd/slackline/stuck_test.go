package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slackline/slackline/internal/studies/report"
)

// A run that gets stuck does not take the others with it: they are reported and kept, it is told,
// and the exit code is not 0.
func TestStuckCell(t *testing.T) {
	s := newShell(t, map[string]string{"s.yaml": `cluster: {nodes: 2, heartbeat: 1s, outages: [{node: n1, down: 5s}], task_times: {law: uniform, cv: 0.1}}
workload: {jobs: [{id: a, maps: 9, map_time: 10s}]}
policies: [fifo, edf-p]
seeds: 1..3
sweep: {cluster.nodes: [1, 2, 3]}
`, "one.yaml": `cluster: {nodes: 1, outages: [{node: n1, down: 5s}]}
workload: {jobs: [{id: quick, maps: 1, map_time: 1s}, {id: slow, maps: 9, map_time: 10s}]}
`, "slow.yaml": "cluster: {nodes: 1}\nworkload: {jobs: [{id: a, maps: 1, map_time: 10s}]}\nsweep: {cluster.speed: [1, 1e-20]}\n"})
	for _, kept := range []string{"", "18 of 18 results were kept from before; use --fresh to run them again\n"} {
		r := s.run("compare", "s.yaml", "-o", "json", "--no-timing")
		if r.code != 1 || !strings.HasPrefix(r.stderr, "warning: s: 3 seeds cannot decide which policy is better by mean response (3 comparisons at once take at least 17)\n"+kept+"slackline: 6 of 18 runs did not finish; the first, s cluster.nodes=1 by fifo with seed 1: the simulation is stuck at ") {
			t.Fatalf("%d: %s", r.code, r.stderr)
		}
		var got report.Report
		if err := json.Unmarshal([]byte(r.stdout), &got); err != nil {
			t.Fatal(err)
		}
		for i, run := range got.Runs {
			if stuck := run.Params["cluster.nodes"] == "1"; len(got.Runs) != 18 || (run.Stuck != "") != stuck || run.Jobs[0].Outcome != map[bool]report.Outcome{true: report.Unfinished, false: report.Done}[stuck] {
				t.Errorf("run %d of %d: %+v, stuck: %q", i, len(got.Runs), run.Params, run.Stuck)
			}
		}
	}
	table := s.run("compare", "s.yaml").stdout
	if strings.Count(table, "is not counted with seeds 1, 2, 3; the first: the simulation is stuck at") != 2 || strings.Count(table, "against") != 2 {
		t.Error(table)
	}
	r := s.run("simulate", "one.yaml", "--html", "one.html")
	if r.code != 1 || !strings.HasPrefix(r.stderr, "slackline: one by edf-p with seed 1: the simulation is stuck") || !strings.Contains(r.stdout, "quick") {
		t.Errorf("%d: %s%s", r.code, r.stdout, r.stderr)
	}
	if _, err := os.Stat(s.path("one.html")); err != nil {
		t.Error(err)
	}
	if r = s.run("compare", "slow.yaml", "-o", "json"); r.code != 1 || !strings.Contains(r.stderr, "1 of 2 runs did not finish; the first, slow cluster.speed=1e-20 by edf-p with seed 1: the simulation takes too long") {
		t.Errorf("%d: %s", r.code, r.stderr)
	}
}

// A rehearsal that gets stuck is told as the run that it was for, and does not take the others with it.
func TestStuckRehearsal(t *testing.T) {
	const jobs = "profiles: rehearsed\nworkload: {jobs: [{id: a, maps: 1, map_time: 10s}]}\npolicies: [fifo]\n"
	s := newShell(t, map[string]string{
		"s.yaml":     "cluster: {nodes: 1, outages: [{node: n1, down: 0s}]}\n" + jobs,
		"sweep.yaml": "cluster: {nodes: 2, outages: [{node: n1, down: 0s}]}\n" + jobs + "sweep: {cluster.nodes: [1, 2]}\n",
		"long.yaml":  "cluster: {nodes: 1, speed: 1e-20}\n" + jobs,
	})
	const why = "slackline: s by fifo with seed 1: the rehearsal under fifo, which measures the jobs: the simulation is stuck at 0s"
	for _, args := range []string{"simulate s.yaml", "simulate s.yaml --html p.html --journal j --admit refuse", "compare s.yaml", "compare s.yaml --fresh", "audit s.yaml --policy fifo"} {
		if r := s.run(strings.Fields(args)...); r.code != 1 || !strings.HasPrefix(r.stderr, why) {
			t.Errorf("%s: %d: %s", args, r.code, r.stderr)
		}
	}
	r := s.run("simulate", "sweep.yaml", "-o", "json")
	var got report.Report
	if err := json.Unmarshal([]byte(r.stdout), &got); err != nil || r.code != 1 || len(got.Runs) != 2 || got.Runs[0].Stuck == "" || got.Runs[1].Stuck != "" || got.Runs[1].Summary.Done != 1 {
		t.Errorf("%d, %v: %s%s", r.code, err, r.stdout, r.stderr)
	}
	if r = s.run("simulate", "long.yaml"); r.code != 2 || !strings.Contains(r.stderr, "the rehearsal under fifo, which measures the jobs: the simulation takes too long") {
		t.Errorf("%d: %s", r.code, r.stderr)
	}
}

// A policy that the world cannot run is found before the first run, with its place, and leaves nothing behind.
func TestPoliciesAreCheckedFirst(t *testing.T) {
	const jobs = "workload: {jobs: [{id: a, maps: 1, map_time: 10s}]}\n"
	s := newShell(t, map[string]string{
		"s.yaml":     "cluster: {nodes: 2}\n" + jobs + "policies: [fifo, edf-p+speculate]\nseeds: 1..3\n",
		"sleep.yaml": "cluster: {nodes: 2}\n" + jobs + "policies: [fifo, fifo+sleep]\n",
		"sweep.yaml": "cluster: {nodes: 2}\n" + jobs + "policies: [fifo, fifo+sleep]\nsweep: {cluster.idle_power: [100W, 0W]}\n",
		"runs.yaml":  "cluster: {nodes: 2, progress: 5s, idle_power: 100W}\n" + jobs + "policies: [fifo, edf-p+speculate, fifo+sleep]\n",
	})
	before := s.files()
	for args, want := range map[string]string{
		"s.yaml":               `s.yaml:3:18: policy "edf-p+speculate" needs a world that can speculate`,
		"s.yaml --policy fifo": "",
		"s.yaml --policy fifo,fifo+speculate --journal j --html p.html": `--policy: s.yaml: policy "fifo+speculate" needs a world`,
		"sleep.yaml": `sleep.yaml:3:18: policy "fifo+sleep" saves nothing if no node draws power; give the cluster some, such as idle_power: 100W`,
		"sweep.yaml": `sweep.yaml:3:18: policy "fifo+sleep" saves nothing`,
		"runs.yaml":  "",
	} {
		for _, command := range []string{"simulate", "compare"} {
			r := s.run(append([]string{command}, strings.Fields(args)...)...)
			if want == "" && r.code != 0 || want != "" && (r.code != 2 || r.stdout != "" || !strings.Contains(r.stderr, want)) {
				t.Errorf("%s %s: %d: %s%s\nwant %s", command, args, r.code, r.stdout, r.stderr, want)
			}
		}
	}
	if d := cmp.Diff(before, s.files()); d != "" {
		t.Errorf("it left something behind: %s", d)
	}
}

// A policy that copies slow tasks is refused where attempts do not report, with the key that lets them.
func TestSpeculateWithoutReports(t *testing.T) {
	s := newShell(t, map[string]string{"s.yaml": "cluster: {nodes: 2}\nworkload: {jobs: [{id: a, maps: 1, map_time: 0s}]}\n"})
	if r := s.run("simulate", "s.yaml", "--policy", "fifo+speculate"); r.code != 2 || !strings.Contains(r.stderr, "set progress for the cluster, such as progress: 5s") {
		t.Errorf("%d: %s", r.code, r.stderr)
	}
}
