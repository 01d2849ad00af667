package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/studies/account"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
)

// asked is what why says as JSON.
type asked struct {
	Schema  string
	State   string
	Waits   string
	Told    []string
	Wait    *account.Wait
	Job     *report.Job
	Account *account.Account
	Changes []lab.Change
}

func whyJSON(t *testing.T, s *shell, args ...string) (a asked) {
	t.Helper()
	text := s.must(0, append(append([]string{"why"}, args...), "-o", "json")...)
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		t.Fatal(err)
	}
	var schema, got any
	for text, to := range map[string]*any{text: &got, s.must(0, "schema", "why"): &schema} {
		if err := json.Unmarshal([]byte(text), to); err != nil {
			t.Fatal(err)
		}
	}
	for _, mistake := range unlike("why", schema.(map[string]any), got) {
		t.Error(mistake)
	}
	return a
}

// unlike tells where a value has fields that its schema does not name, or lacks some that it requires.
func unlike(path string, schema map[string]any, got any) (mistakes []string) {
	switch got := got.(type) {
	case map[string]any:
		properties, named := schema["properties"].(map[string]any)
		if !named {
			return nil
		}
		for key, value := range got {
			of, known := properties[key].(map[string]any)
			if !known {
				mistakes = append(mistakes, fmt.Sprintf("the schema does not name %s.%s", path, key))
				continue
			}
			mistakes = append(mistakes, unlike(path+"."+key, of, value)...)
		}
		for _, key := range schema["required"].([]any) {
			if _, has := got[key.(string)]; !has {
				mistakes = append(mistakes, fmt.Sprintf("%s has no %v", path, key))
			}
		}
	case []any:
		of, _ := schema["items"].(map[string]any)
		for i, value := range got {
			mistakes = append(mistakes, unlike(fmt.Sprintf("%s[%d]", path, i), of, value)...)
		}
	}
	return mistakes
}

// Simulated jobs of each outcome say where their time went and what would have met their deadlines: that is what a run
// comes to in which it was so.
func TestWhySimulated(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../examples/two-jobs.yaml")
	if err != nil {
		t.Fatal(err)
	}
	two, s := "two-jobs.yaml", newShell(t, map[string]string{"two-jobs.yaml": string(text)})
	s.must(0, "simulate", two, "--policy", "fifo", "--seed", "1", "--keep")
	late := whyJSON(t, s, "alert")
	if late.Job == nil || late.Job.Outcome != report.Late || late.Account.Response().Seconds() != *late.Job.Finished-late.Job.Submitted {
		t.Fatalf("%+v", late)
	}
	helps := map[string]*float64{}
	for _, c := range late.Changes {
		if helps[c.What] = c.Finished; c.Estimate {
			t.Errorf("%q is no replay", c.What)
		}
	}
	if len(late.Changes) < 3 || !late.Changes[0].Outcome.InTime() || !strings.HasPrefix(late.Changes[0].What, "its deadline later by ") {
		t.Errorf("%+v", late.Changes)
	}
	var again struct{ Runs []report.Run }
	for what, args := range map[string][]string{"policy edf-p": {"--policy", "edf-p"}, "16 nodes more": {"--policy", "fifo", "--nodes", "36"}} {
		text := s.must(0, append([]string{"simulate", two, "--seed", "1", "-o", "json"}, args...)...)
		if err := json.Unmarshal([]byte(text), &again); err != nil {
			t.Fatal(err)
		}
		if f := helps[what]; f == nil || *f != *again.Runs[0].Jobs[1].Finished {
			t.Errorf("%s: it said %v, that comes to %v", what, f, *again.Runs[0].Jobs[1].Finished)
		}
	}
	lines := strings.SplitAfter(string(text), "\n")
	i := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "id: report") })
	lines[i], lines[i+1] = strings.Replace(lines[i+1], "arrive: 30s", "arrive: 0s", 1), lines[i]
	s.write("first.yaml", strings.Join(lines, ""))
	if err := json.Unmarshal([]byte(s.must(0, "simulate", "first.yaml", "--policy", "fifo", "--seed", "1", "-o", "json")), &again); err != nil {
		t.Fatal(err)
	}
	if f := helps["it came before report"]; f == nil || *f != *again.Runs[0].Jobs[0].Finished {
		t.Errorf("if it came before it said %v, that comes to %v", f, *again.Runs[0].Jobs[0].Finished)
	}
	said := s.must(0, "why", "alert")
	for _, want := range []string{"alert: LATE by", "waited for slots", "report held", "Simulated again with one thing changed"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is missing in\n%s", want, said)
		}
	}
	for _, line := range strings.Split(said, "\n") {
		if n := len([]rune(line)); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	s.must(0, "simulate", two, "--policy", "edf-p", "--seed", "1", "--journal", "run.journal")
	if met := whyJSON(t, s, "alert", "run.journal"); met.Job.Outcome != report.Met || len(met.Changes) != 0 {
		t.Errorf("%+v", met)
	}
	if r := s.run("why", "nobody", "run.journal"); r.code != 2 || !strings.Contains(r.stderr, "there are: report, alert") {
		t.Errorf("%d %s", r.code, r.stderr)
	}
	if r := s.run("why", "nobody"); r.code == 0 || !strings.Contains(r.stderr, "nobody") {
		t.Errorf("%d %s", r.code, r.stderr)
	}
	if text := s.must(0, "simulate", two, "--policy", "fifo", "--seed", "1"); !strings.Contains(text, `job "alert" LATE by`) || !strings.Contains(text, "waited for slots (report") {
		t.Error(text)
	}
}

// A job without a deadline of its own is told what became of its workflow.
func TestWhyOfALateWorkflow(t *testing.T) {
	t.Parallel()
	s := newShell(t, map[string]string{"late.yaml": `cluster: {nodes: 1, map_slots: 1, heartbeat: 0s}
workload:
  jobs:
    - {id: a, workflow: w, workflow_deadline: +15s, maps: 1, map_time: 10s}
    - {id: b, workflow: w, after: a, maps: 1, map_time: 10s}
policies: [fifo]
`})
	s.must(0, "simulate", "late.yaml", "--keep")
	if said := s.must(0, "why", "b"); !strings.Contains(said, "its workflow w by fifo: done after 20.0 s, 5.0 s after its deadline") {
		t.Errorf("%s", said)
	}
}

// A job that has really run says why it was late, by an estimate what would have helped, and in the list.
func TestWhyReal(t *testing.T) {
	t.Parallel()
	need(t, "sleep", "cat", "false")
	s := newShell(t, map[string]string{"in.txt": "a b\n", "jobs.yaml": `name: slow
map: sh -c 'sleep 1; cat'
input: [in.txt]
output: out/slow
---
name: urgent
map: cat
input: [in.txt]
output: out/urgent
deadline: 20ms
---
name: bad
map: "false"
input: [in.txt]
output: out/bad
`})
	s.run("run", "jobs.yaml", "--nodes", "1", "--slots", "1", "--policy", "fifo")
	a := whyJSON(t, s, "urgent")
	if a.Job == nil || !a.Job.Outcome.Late() || a.Account == nil || a.Account.Response() <= 0 || len(a.Changes) == 0 || !a.Changes[0].Estimate {
		t.Fatalf("%+v", a)
	}
	held := false
	for i := range a.Account.Parts {
		for _, o := range a.Account.Parts[i].Jobs {
			held = held || o.Job == "slow"
		}
	}
	if !held {
		t.Errorf("nobody says that slow held the slot: %+v", a.Account)
	}
	if text := s.must(0, "jobs"); !strings.Contains(text, "waited for slots") {
		t.Error(text)
	}
	if bad := whyJSON(t, s, "bad"); bad.Job.Outcome != report.Failed || bad.Job.Reason == "" {
		t.Errorf("%+v", bad)
	}
	if slow := whyJSON(t, s, "slow"); slow.Job.Outcome != report.Done || len(slow.Changes) != 0 {
		t.Errorf("%+v", slow)
	}
}
