package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/studies/report"
)

const twoPolicies = `cluster: {nodes: 2, map_slots: 1, heartbeat: 1s, task_times: {law: uniform, cv: 0.1}}
workload: {jobs: [{id: a, maps: 9, map_time: 10s, deadline: 90s}, {id: b, arrive: 1s, maps: 2, map_time: 9s, deadline: 40s}]}
policies: [fifo, edf-p]
`

// The primary metric is checked before anything runs: by its name, and whether the scenario can have it.
func TestMetric(t *testing.T) {
	s := newShell(t, map[string]string{"s.yaml": twoPolicies, "free.yaml": strings.NewReplacer(", deadline: 90s", "", ", deadline: 40s", "").Replace(twoPolicies)})
	for _, c := range []struct{ args, want string }{
		{"s.yaml --metric in-tmie", `--metric "in-tmie": there is no such metric; did you mean "in-time"?`},
		{"s.yaml --metric energy", "--metric energy: no run of s.yaml can have it; there are: in-time, work-in-time, accepted, kept, tardiness, penalty, makespan, mean-response, p95-response, no-deadline-response, local-maps, wakes"},
		{"free.yaml --metric in-time", "--metric in-time: no run of free.yaml can have it; there are: accepted, makespan, mean-response, p95-response, no-deadline-response, local-maps, wakes"},
	} {
		if r := s.run(append([]string{"compare"}, strings.Fields(c.args)...)...); r.code != 2 || r.stdout != "" || r.stderr != "slackline: "+c.want+"\n" {
			t.Errorf("%s: %d\n%s%s", c.args, r.code, r.stdout, r.stderr)
		}
	}
	for asked, want := range map[string]string{"": "in time", "mean-response": "mean response", "mean response": "mean response", "wakes": "wakes"} {
		var got report.Report
		args := []string{"compare", "s.yaml", "--seed", "1..6", "-o", "json"}
		if asked != "" {
			args = append(args, "--metric", asked)
		}
		if err := json.Unmarshal([]byte(s.must(0, args...)), &got); err != nil || len(got.Comparisons) == 0 {
			t.Fatal(err)
		}
		for i := range got.Comparisons {
			if c := &got.Comparisons[i]; c.Primary != (c.Metric == want) {
				t.Errorf("asked for %q: %s, primary is %v", asked, c.Metric, c.Primary)
			}
		}
	}
	help := s.must(0, "compare", "--help")
	listed := s.must(0, "__complete", "compare", "--metric", "")
	for _, m := range report.Metrics() {
		name := strings.ReplaceAll(m[0], " ", "-")
		if !strings.Contains(help, "\n  "+name+" ") || !strings.Contains(listed, name+"\t"+m[1]+"\n") {
			t.Errorf("%s is not listed", name)
		}
	}
}

// What so few seeds cannot tell is told before they run, of a sweep for all of its points.
func TestTooFewSeeds(t *testing.T) {
	s := newShell(t, map[string]string{"s.yaml": twoPolicies, "sweep.yaml": twoPolicies + "sweep: {cluster.nodes: [2, 3, 4]}\n"})
	for args, want := range map[string]string{
		"s.yaml --seed 1..12": "warning: s: 12 seeds cannot decide which policy is better by in time (1 comparison takes at least 13)\n",
		"s.yaml --seed 1..20 --policy fifo,edf-p,edf-n,fair,capacity,matchmaking": "warning: s: 20 seeds may decide which policy is better by in time, but are too few for the other metrics (35 comparisons at once, more where jobs are refused, take at least 26)\n",
		"s.yaml --seed 1..26 --policy fifo,edf-p,edf-n,fair,capacity,matchmaking": "",
		"sweep.yaml --seed 1..6": "warning: sweep: 6 seeds cannot decide which policy is better by in time (3 comparisons at once take at least 17)\n",
		"s.yaml --policy fifo":   "",
	} {
		if r := s.run(append([]string{"compare", "--fresh"}, strings.Fields(args)...)...); r.code != 0 || r.stderr != want {
			t.Errorf("%s: %d: %s, want %s", args, r.code, r.stderr, want)
		}
	}
}
