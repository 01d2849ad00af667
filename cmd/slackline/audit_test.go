package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/studies/report"
)

const chancy = `name: chancy
profiles: rehearsed
cluster: {nodes: 4, heartbeat: 0s, task_times: {law: lognormal, cv: 0.5}}
workload:
  streams:
    - {id: s, class: load, arrivals: {process: poisson, every: 40s}, count: 40, maps: 6, reduces: 1, map_time: 20s, reduce_time: 20s, deadline: +4m}
`

// Promises are counted by what was stated; a job may state its own, and what is wrong is told.
func TestAudit(t *testing.T) {
	t.Parallel()
	s := newShell(t, map[string]string{"chancy.yaml": chancy, "few.yaml": strings.Replace(chancy, "count: 40", "count: 9", 1), "wrong.yaml": strings.Replace(chancy, "maps: 6", "confidence: 100%, maps: 6", 1),
		"own.yaml": strings.Replace(chancy, "maps: 6", "confidence: 97%, maps: 6", 1)})
	var got struct{ Audits []report.Audit }
	text := s.must(0, "audit", "chancy.yaml", "--seed", "1..2", "-o", "json")
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	auditSays(t, s.must(0, "schema", "audit"), text, "scenario", "class", "month") // there is one of each here
	at := map[float64]int{}
	for _, a := range got.Audits {
		if a.Scenario+a.Class+a.History == "" {
			at[a.Stated] = a.Promises
			if a.Kept > a.Promises || a.Low > a.High || a.Verdict == report.LessThanStated || a.Verdict == "" {
				t.Errorf("%+v", a)
			}
		}
	}
	if len(at) != 3 || at[0.9] < at[0.99] || at[0.99] == 0 {
		t.Errorf("%v", at)
	}
	if table := s.must(0, "audit", "own.yaml"); !strings.Contains(table, "97 %") || strings.Contains(table, "99 %  ") {
		t.Error(table)
	}
	if table := s.must(0, "audit", "chancy.yaml", "--policy", "fifo"); table != "No promise was made.\n" {
		t.Error(table)
	}
	if table := s.must(0, "audit", "chancy.yaml", "--policy", "rtmr"); !strings.Contains(table, "worst case") {
		t.Error(table)
	}
	// A run that made ten promises or more ends with the same table; one with fewer does not.
	for file, ends := range map[string]bool{"chancy.yaml": true, "few.yaml": false} {
		report := s.must(0, "simulate", file, "--policy", "promise")
		if strings.Contains(report, "promises as stated and as kept") != ends {
			t.Errorf("%s:\n%s", file, report)
		}
	}
	if r := s.run("audit", "wrong.yaml"); r.code != 2 || !strings.Contains(r.stderr, `wrong.yaml:6:`) || !strings.Contains(r.stderr, "the policy rtmr") {
		t.Errorf("%d %s", r.code, r.stderr)
	}
}

// Where jobs with a promise failed, the audit says how many, also if no other promise is left.
func TestAuditOfJobsThatFailed(t *testing.T) {
	t.Parallel()
	s := newShell(t, map[string]string{"failing.yaml": `name: failing
profiles: rehearsed
cluster: {nodes: 4, map_slots: 2, reduce_slots: 1, failure_rate: 0.5, max_failures: 2}
workload:
  streams: [{id: a, class: a, arrivals: {process: constant, every: 10s}, count: 30, maps: 6, reduces: 1, map_time: 10s, reduce_time: 10s, deadline: +45s}]
`})
	var run struct {
		Runs []struct {
			Summary struct{ Promised, Kept, Broken int }
		}
	}
	if err := json.Unmarshal([]byte(s.must(0, "simulate", "failing.yaml", "--policy", "promise", "-o", "json")), &run); err != nil {
		t.Fatal(err)
	}
	sum := run.Runs[0].Summary
	if sum.Promised < 2 || sum.Kept+sum.Broken > 0 {
		t.Fatalf("%+v: of these the test says nothing", sum)
	}
	want := fmt.Sprintf("No promise was kept or broken; %d promises of jobs that failed or were killed are not counted.\n", sum.Promised)
	if table := s.must(0, "audit", "failing.yaml", "--policy", "promise"); table != want {
		t.Errorf("%q, not %q", table, want)
	}
	if text := s.must(0, "audit", "failing.yaml", "--policy", "promise", "-o", "json"); !strings.Contains(text, fmt.Sprintf(`"failed": %d`, sum.Promised)) {
		t.Error(text)
	}
}

// auditSays holds the JSON of an audit to its schema: each field is named there, and what is required is there.
func auditSays(t *testing.T, schema, text string, without ...string) {
	t.Helper()
	type object struct {
		Required   []string
		Properties map[string]struct {
			Items *object
			Const string
		}
	}
	var of object
	var audit struct {
		Schema string
		Audits []map[string]any
	}
	if err := json.Unmarshal([]byte(schema), &of); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(text), &audit); err != nil {
		t.Fatal(err)
	}
	if want := of.Properties["schema"].Const; audit.Schema != want || len(audit.Audits) == 0 {
		t.Errorf("%d audits of schema %q, not %q", len(audit.Audits), audit.Schema, want)
	}
	row := of.Properties["audits"].Items
	named := map[string]bool{}
	for _, a := range audit.Audits {
		for key := range a {
			if _, known := row.Properties[key]; !known {
				t.Errorf("the schema has no %q", key)
			}
			named[key] = true
		}
		for _, key := range row.Required {
			if _, has := a[key]; !has {
				t.Errorf("there is no %q in %v", key, a)
			}
		}
	}
	for key := range row.Properties {
		if !named[key] && !slices.Contains(without, key) {
			t.Errorf("no row has %q", key)
		}
	}
}

// What was promised here is counted as it came, and nothing is played.
func TestAuditOfHistory(t *testing.T) {
	t.Parallel()
	s := newShell(t, map[string]string{"in.txt": "a b\nb c\n", "j.yaml": "name: j\napp: wordcount\ninput: in.txt\noutput: out\ndeadline: 2m\n", "f.yaml": "name: f\napp: wordcount\ninput: in.txt\noutput: out\n"})
	if text := s.must(0, "audit", "--history"); text != "No promise was made.\n" {
		t.Error(text)
	}
	for range 3 {
		s.must(0, "run", "j.yaml", "-q", "--overwrite")
	}
	s.must(0, "run", "f.yaml", "-q", "--overwrite")
	text := s.must(0, "audit", "--history", "-o", "json")
	auditSays(t, s.must(0, "schema", "audit"), text, "scenario", "class", "month", "history", "tail", "quantile_over_median")
	var got struct{ Audits []report.Audit }
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Audits) != 1 || got.Audits[0].Promises < 2 || got.Audits[0].Kept != got.Audits[0].Promises || got.Audits[0].Stated != 0.99 || got.Audits[0].Low > 0.5 {
		t.Errorf("%+v", got.Audits)
	}
	if text := s.must(0, "audit", "--history", "--class", "other"); text != "No promise was made.\n" {
		t.Error(text)
	}
	for want, args := range map[string][]string{
		"no files with --history": {"--history", "j.yaml"},
		"files, or --history":     {},
		"--seed plays runs":       {"--history", "--seed", "3"},
		"give --history, too":     {"j.yaml", "--since", "2h"},
		"write a span such as 2h": {"--history", "--since", "long ago"},
	} {
		if r := s.run(append([]string{"audit"}, args...)...); r.code != 2 || !strings.Contains(r.stderr, want) {
			t.Errorf("%q: %d %s", args, r.code, r.stderr)
		}
	}
}
