package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/studies/report"
)

// reports reads what a command prints with -o json.
func reports(t *testing.T, text string) *report.Report {
	t.Helper()
	r := &report.Report{}
	if err := json.Unmarshal([]byte(text), r); err != nil {
		t.Fatal(err)
	}
	return r
}

// Jobs of a trace that are not played are counted and told, by each command, to people and to programs.
func TestLeftOutOfATrace(t *testing.T) {
	s := newShell(t, map[string]string{
		"a.csv":       "M1,2,j1,1,Terminated,1,61,100,1\nM1,1,j2,1,Terminated,,,100,1\nM1,1,j4,1,Terminated,9,39,100,1\nM1,2,j3,1,Failed,10,20,100,1\n",
		"played.yaml": "cluster: {nodes: 2}\nworkload: {trace: {format: alibaba, file: a.csv}}\npolicies: [fifo, edf-p]\nseeds: [1, 2]\n",
		"stream.yaml": "cluster: {nodes: 2}\nworkload: {streams: [{id: a, maps: 1, map_time: 1s, arrivals: {process: trace, format: alibaba, file: a.csv}}]}\n",
		"one.yaml":    "cluster: {nodes: 2}\nworkload: {streams: [{id: a, maps: 1, map_time: 1s, count: 1, arrivals: {process: trace, format: alibaba, file: a.csv}}]}\n",
		"first.yaml":  "cluster: {nodes: 2}\nworkload: {trace: {format: alibaba, file: a.csv, first: 7s}}\n",
	})
	const never = "jobs that never ran (1), the first: a.csv:2: start_time: none of the tasks of job \"j2\" has one"
	const part = "jobs that failed (1), the first: a.csv:4: status: a task of job \"j3\" is Failed"
	warned := "warning: left out of the trace: " + never + "\nwarning: left out of the trace: " + part + "\n"
	for _, c := range []struct{ args, told string }{
		{"workload stats --format alibaba a.csv", "left out: " + never + "\nleft out: " + part + "\n"},
		{"workload import --format alibaba a.csv --to a.jsonl", "a.jsonl: 2 jobs, and 2 records left out\n"},
		{"simulate played.yaml --seed 1", "Left out of the trace: " + never + ".\nLeft out of the trace: " + part + ".\n"},
		{"compare played.yaml", "Left out of the trace: " + never + ".\nLeft out of the trace: " + part + ".\n"},
		{"simulate stream.yaml", "Left out of the trace: " + never + ".\nLeft out of the trace: " + part + ".\n"},
		{"compare played.yaml", "Left out of the trace: " + never + ".\n"}, // now known from before
	} {
		r := s.run(strings.Fields(c.args)...)
		if r.code != 0 || !strings.Contains(r.stderr, warned) || !strings.Contains(r.stdout, c.told) {
			t.Errorf("slackline %s: %d\n%s\n%s", c.args, r.code, r.stdout, r.stderr)
		}
	}
	if r := s.run("simulate", "one.yaml"); r.code != 0 || strings.Contains(r.stderr, "left out") {
		t.Errorf("of the first job: %d, %s", r.code, r.stderr)
	}
	if r := s.run("simulate", "first.yaml"); strings.Contains(r.stderr, part) || !strings.Contains(r.stderr, never) {
		t.Errorf("of the first 7 s: %s", r.stderr)
	}
	type left struct {
		Why, First string
		Count      int
	}
	var stats struct {
		Jobs int
		Left []left `json:"left_out"`
	}
	if err := json.Unmarshal([]byte(s.must(0, "workload", "stats", "--format", "alibaba", "a.csv", "-o", "json")), &stats); err != nil || stats.Jobs != 2 || len(stats.Left) != 2 || stats.Left[1].Count != 1 {
		t.Errorf("%+v, %v", stats, err)
	}
	for i, line := range strings.Split(strings.TrimSpace(s.must(0, "simulate", "played.yaml", "-o", "csv")), "\n") {
		if i == 0 && !strings.HasSuffix(line, ",stuck,trace_rule,trace_left_out") || i > 0 && !strings.HasSuffix(line, ",,3,2") {
			t.Errorf("line %d of the CSV: %s", i+1, line)
		}
	}
	for i, line := range strings.Split(strings.TrimSpace(s.must(0, "compare", "played.yaml", "--seed", "1..2", "-o", "comparisons")), "\n") {
		if i == 0 && !strings.HasSuffix(line, ",trace_rule,trace_left_out") || i > 0 && !strings.HasSuffix(line, ",3,2") {
			t.Errorf("line %d of the comparisons: %s", i+1, line)
		}
	}
	audit := s.must(0, "audit", "played.yaml", "--policy", "fifo", "-o", "json")
	if !strings.Contains(audit, `"rule": 3`) || !strings.Contains(audit, `"why": "jobs that never ran"`) || !strings.Contains(audit, `"filled_in": [`) {
		t.Error(audit)
	}
	s.must(0, "simulate", "played.yaml", "--seed", "1", "--html", "p.html")
	if page := s.read("p.html"); !strings.Contains(page, `"told":["left out of the trace: `+strings.ReplaceAll(never, `"`, `\"`)) || !strings.Contains(page, `"filled in: jobs of unknown input size`) {
		t.Error(page[strings.Index(page, `id="data"`):])
	}
	for _, command := range []string{"simulate", "compare"} {
		for _, run := range reports(t, s.must(0, command, "played.yaml", "-o", "json")).Runs {
			if l := run.Trace.LeftOut; run.Trace.Rule != 3 || len(l) != 2 || l[0].Why != "jobs that never ran" || l[0].Count != 1 || !strings.HasPrefix(l[0].First, "a.csv:2: ") {
				t.Errorf("%s: %+v", command, run.Trace)
			}
		}
	}
}

// A job without shuffle has no reduce, unless version 1 of the rule is asked for; who reads the
// result sees which it was.
func TestRuleOfTraces(t *testing.T) {
	s := newShell(t, map[string]string{
		"t.tsv":     "a\t1\t1\t1\t0\t1\nb\t2\t1\t1\t0\t1\nc\t3\t1\t1\t9\t1\n",
		"new.yaml":  "cluster: {nodes: 2}\nworkload: {trace: {format: swim, file: t.tsv}}\n",
		"old.yaml":  "cluster: {nodes: 2}\nworkload: {trace: {format: swim, file: t.tsv, rule: 1}}\n",
		"none.yaml": "cluster: {nodes: 2}\nworkload: {trace: {format: swim, file: t.tsv, rule: 4}}\n",
	})
	for file, want := range map[string][2]int{"new.yaml": {3, 1}, "old.yaml": {1, 3}} {
		got := reports(t, s.must(0, "simulate", file, "-o", "json"))
		reduces := 0
		for _, j := range got.Runs[0].Jobs {
			reduces += j.Reduces
		}
		if reduces != want[1] || got.Runs[0].Trace.Rule != want[0] {
			t.Errorf("%s: %d reduces by rule %d", file, reduces, got.Runs[0].Trace.Rule)
		}
	}
	for _, c := range []struct{ args, want string }{
		{"simulate new.yaml", "What the trace does not say about its jobs follows from rule 3.\n"},
		{"simulate old.yaml", "What the trace does not say about its jobs follows from rule 1.\n"},
		{"workload stats --format swim t.tsv", "4 (4 of them by rule 3)"},
		{"workload stats --format swim t.tsv --rule 1", "6 (6 of them by rule 1)"},
	} {
		if got := s.must(0, strings.Fields(c.args)...); !strings.Contains(got, c.want) {
			t.Errorf("slackline %s: %s", c.args, got)
		}
	}
	for args, want := range map[string]string{
		"simulate none.yaml":                          "none.yaml:2:",
		"workload stats --format swim t.tsv --rule 4": "--rule is 4, it must be from 1 to 3",
	} {
		if r := s.run(strings.Fields(args)...); r.code != 2 || !strings.Contains(r.stderr, want) {
			t.Errorf("slackline %s: %d: %s", args, r.code, r.stderr)
		}
	}
}

// A trace of maps alone needs no reduce slots. One of other jobs is refused where there are none,
// with the job that needs one.
func TestTraceOfMapsAlone(t *testing.T) {
	s := newShell(t, map[string]string{
		"maps.tsv":   "a\t1\t1\t1\t0\t1\nb\t2\t1\t1\t0\t1\n",
		"mixed.tsv":  "a\t1\t1\t1\t0\t1\nb\t90\t1\t1\t7\t1\n",
		"maps.yaml":  "cluster: {nodes: 2, map_slots: 2, reduce_slots: 0}\nworkload: {trace: {format: swim, file: maps.tsv}}\n",
		"mixed.yaml": "cluster: {nodes: 2, map_slots: 2, reduce_slots: 0}\nworkload: {trace: {format: swim, file: mixed.tsv}}\n",
		"first.yaml": "cluster: {nodes: 2, map_slots: 2, reduce_slots: 0}\nworkload: {trace: {format: swim, file: mixed.tsv, first: 90s}}\n",
		"none.yaml":  "cluster: {nodes: 2, map_slots: 0, reduce_slots: 2}\nworkload: {trace: {format: swim, file: maps.tsv}}\n",
		"old.yaml":   "cluster: {nodes: 2, map_slots: 2, reduce_slots: 0}\nworkload: {trace: {format: swim, file: maps.tsv, rule: 1}}\n",
	})
	for file, jobs := range map[string]int{"maps.yaml": 2, "first.yaml": 1} {
		if got := reports(t, s.must(0, "simulate", file, "-o", "json")); got.Runs[0].Summary.Finished() != jobs {
			t.Errorf("%s: %+v", file, got.Runs[0].Summary)
		}
	}
	for file, want := range map[string]string{
		"mixed.yaml": `mixed.yaml:1:49: job "b" of the trace (mixed.tsv:2) has reduces, and the cluster has no slot for them`,
		"old.yaml":   `old.yaml:1:49: job "a" of the trace (maps.tsv:1) has reduces, and the cluster has no slot for them`,
		"none.yaml":  "none.yaml:1:10: jobs of a trace run in map slots, and the cluster has none",
	} {
		if r := s.run("simulate", file); r.code != 2 || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: %d: %s, want %s", file, r.code, r.stderr, want)
		}
	}
}

// A job that no node can run, or that asks for labels that none carries, is left out before the run, and the others are
// played; JSON counts it. What is not known is not 0 bytes. What would stop every job is an error of the scenario.
func TestTraceOfJobsTooLarge(t *testing.T) {
	task := func(id string, at int, more string) string {
		return fmt.Sprintf(`{"id":%q,"submit":%d%s,"stages":[{"kind":"map","needs":{"memory":1073741824,"vcores":1},"tasks":[{"count":2,"time":5}]}]}`, id, at, more) + "\n"
	}
	const cluster = "cluster: {nodes: 2, vcores: 4, memory: 8GB, map_slots: 2"
	big := strings.Replace(task("big", 0, ""), "1073741824", "17179869184", 1)
	played := "workload: {trace: {format: slackline, file: t.jsonl, containers: true}}\npolicies: [fifo, fair]\n"
	s := newShell(t, map[string]string{
		"t.jsonl":    "{\"slackline_trace\":1}\n" + big + task("ok", 1, `,"deadline":600`) + task("gpu", 2, `,"labels":["gpu"]`) + task("last", 3, `,"after":["big","ok"]`),
		"none.jsonl": "{\"slackline_trace\":1}\n" + big,
		"s.yaml":     cluster + "}\n" + played,
		"none.yaml":  cluster + "}\n" + strings.Replace(played, "t.jsonl", "none.jsonl", 1),
		"am.yaml":    cluster + ", masters: {start: 1s, memory: 9GB, vcores: 1}}\n" + played,
		"large.yaml": "cluster: {nodes: 2, vcores: 4, memory: 8GB, map_slots: 2}\nsweep: {cluster.memory: [8GB, 16GB, 17GB]}\n" + played,
	})
	const left = `jobs that no node can run (2), the first: t.jsonl:2: job "big" cannot run: no node offers {vcores:1 memory:16GB} for a map task; the largest has {memory:8GB}`
	for _, command := range []string{"simulate s.yaml", "compare s.yaml --seed 1..2", "audit s.yaml --policy rtmr", "simulate large.yaml --policy fifo"} {
		r := s.run(strings.Fields(command)...)
		if r.code != 0 || strings.Count(r.stderr, "warning: left out of the trace: "+left) != 1 ||
			!strings.Contains(r.stderr, `filled in: dependencies on jobs that are left out, which are not waited for (1), the first: t.jsonl:5: job "last" waits for job "big"`) {
			t.Errorf("slackline %s: %d: %s", command, r.code, r.stderr)
		}
	}
	for _, run := range reports(t, s.must(0, "simulate", "s.yaml", "-o", "json")).Runs {
		if run.Summary.Jobs != 2 || run.Summary.Finished() != 2 || run.Trace.Left() != 2 || run.Trace.LeftOut[0].Reason != "no-node" || run.Trace.FilledIn[0].Count != 2 {
			t.Errorf("%+v, %+v", run.Summary, run.Trace)
		}
	}
	for at, run := range reports(t, s.must(0, "simulate", "large.yaml", "--policy", "fifo", "-o", "json")).Runs {
		if want := []int{2, 3, 3}[at]; run.Summary.Finished() != want || run.Trace.Left() != 4-want {
			t.Errorf("%v: %+v, %+v", run.Params, run.Summary, run.Trace)
		}
	}
	for file, want := range map[string]string{
		"none.yaml": `none.jsonl:2: job "big" cannot run: no node offers {vcores:1 memory:16GB} for a map task; the largest has {memory:8GB}`,
		"am.yaml":   `no job can run: no node offers {vcores:1 memory:9GB} for a master task; the largest has {memory:8GB}`,
	} {
		if r := s.run("simulate", file); r.code != 2 || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: %d: %s, want %s", file, r.code, r.stderr, want)
		}
	}
	if stats := s.must(0, "workload", "stats", "t.jsonl"); !strings.Contains(stats, "bytes read                          unknown") || strings.Contains(stats, " 0 B") {
		t.Error(stats)
	}
	if stats := s.must(0, "workload", "stats", "t.jsonl", "-o", "json"); !strings.Contains(stats, `"input_bytes": null`) || !strings.Contains(stats, `"reason": "input-unknown"`) {
		t.Error(stats)
	}
}

// A job of a queue that is closed is left out and counted before the run, also if the queue is one above or a sweep
// closes it, and the others are played. A queue that does not exist is a mistake, told before anything runs.
func TestTraceOfClosedQueues(t *testing.T) {
	job := func(id, queue string, at int) string {
		return fmt.Sprintf(`{"id":%q,"queue":%q,"submit":%d,"stages":[{"kind":"map","tasks":[{"count":2,"time":5}]}]}`, id, queue, at) + "\n"
	}
	scenario := func(trace, queues string) string {
		return "cluster: {nodes: 2, map_slots: 2}\nworkload: {trace: {format: slackline, file: " + trace + "}}\n" + queues + "policies: [fifo, capacity]\n"
	}
	const closed = "queues: [{name: prod, max_running: 0}, {name: dev}]\n"
	head := "{\"slackline_trace\":1}\n"
	s := newShell(t, map[string]string{
		"t.jsonl":    head + job("a", "prod", 0) + job("b", "dev", 1) + job("c", "prod", 2),
		"odd.jsonl":  head + job("a", "dev", 0) + job("b", "prd", 3),
		"s.yaml":     scenario("t.jsonl", closed),
		"above.yaml": scenario("t.jsonl", "queues: [{name: up, max_running: 0, queues: [{name: prod}]}, {name: dev}]\n"),
		"sweep.yaml": scenario("t.jsonl", "queues: [{name: prod, max_running: 3}, {name: dev}]\nsweep: {\"queues[0].max_running\": [1, 0]}\n"),
		"odd.yaml":   scenario("odd.jsonl", closed),
	})
	const left = `warning: left out of the trace: jobs of queues that are closed (2), the first: t.jsonl:2: job "a" cannot run: the queue %q is closed: its max_running is 0`
	for command, queue := range map[string]string{"simulate s.yaml": "prod", "compare s.yaml --seed 1..2": "prod", "simulate above.yaml": "up.prod", "simulate sweep.yaml": "prod"} {
		if r := s.run(strings.Fields(command)...); r.code != 0 || strings.Count(r.stderr, fmt.Sprintf(left, queue)) != 1 {
			t.Errorf("slackline %s: %d: %s", command, r.code, r.stderr)
		}
	}
	for _, run := range reports(t, s.must(0, "simulate", "s.yaml", "-o", "json")).Runs {
		if run.Summary.Finished() != 1 || run.Trace.Left() != 2 || run.Trace.LeftOut[0].Reason != "queue-closed" {
			t.Errorf("%+v, %+v", run.Summary, run.Trace)
		}
	}
	for i, run := range reports(t, s.must(0, "simulate", "sweep.yaml", "-o", "json")).Runs {
		if want := []int{3, 1}[i/2]; run.Summary.Finished() != want || run.Trace.Left() != 3-want {
			t.Errorf("%v: %+v, %+v", run.Params, run.Summary, run.Trace)
		}
	}
	if r := s.run("simulate", "odd.yaml", "--html", "made.html"); r.code != 2 || r.stdout != "" || !strings.Contains(r.stderr, `odd.jsonl:3: there is no queue "prd"; did you mean "prod"?`) {
		t.Errorf("%d: %s%s", r.code, r.stdout, r.stderr)
	}
}
