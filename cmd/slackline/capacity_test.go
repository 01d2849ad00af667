package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// The command as a shell sees it: forms, exit codes and streams.
func TestCapacity(t *testing.T) {
	t.Parallel()
	example, err := os.ReadFile("../../examples/allocation.yaml")
	if err != nil {
		t.Fatal(err)
	}
	late := strings.Replace(string(example), "deadline: 3m", "deadline: 20s", 1)
	s := newShell(t, map[string]string{
		"plan.yaml": string(example), "late.yaml": late,
		"bad.yaml": strings.Replace(string(example), "at_most: 12", "at_most: 1", 1),
	})
	out := s.must(0, "capacity", "plan.yaml")
	if !strings.Contains(out, "58 reserved and 0 on demand, for 13.20 EUR an hour") {
		t.Error(out)
	}
	var plan struct {
		Schema, Status, Reason string
		Cost                   float64
		Lower                  float64 `json:"lower_bound"`
		Prices                 map[string]float64
		Classes                []map[string]any
	}
	out = s.must(0, "capacity", "plan.yaml", "-o", "json")
	if err := json.Unmarshal([]byte(out), &plan); err != nil {
		t.Fatal(err)
	}
	if plan.Schema != "slackline/capacity/v1" || plan.Status != "optimal" || plan.Cost != plan.Lower ||
		len(plan.Prices) != 2 {
		t.Errorf("%+v", plan)
	}
	for _, key := range strings.Fields(`name admitted rejected map_slots reduce_slots gamma
		completion_low_s completion_mean_s completion_up_s deadline_s cost`) {
		if _, ok := plan.Classes[0][key]; !ok {
			t.Errorf("a class has no %s", key)
		}
	}

	// What runs taught fills in what the file leaves out.
	text, _ := corpus()
	s.write("corpus/a.txt", text)
	s.write("words.yaml", wordsJob)
	learned := strings.Replace(capacityFile, ", map: {mean: 9s, max: 9s}", ", reduces: 1", 1)
	s.write("learned.yaml", learned)
	s.write("words-learned.yaml", strings.Replace(learned, "name: a", "name: a, profile: wordcount", 1))
	s.must(0, "run", "words.yaml", "-q")
	r := s.run("capacity", "learned.yaml", "--from-profiles")
	if r.code != 2 || !strings.Contains(r.stderr, "learned.yaml:2:27: maps is 1, but map") {
		t.Errorf("%d %s", r.code, r.stderr)
	}
	if r := s.run("capacity", "words-learned.yaml"); r.code != 2 {
		t.Errorf("profiles are taken that nobody asked for: %d %s", r.code, r.stdout)
	}
	s.must(0, "capacity", "words-learned.yaml", "--from-profiles")

	// A plan can be played.
	s.write("played.yaml", s.must(0, "capacity", "plan.yaml", "-o", "yaml"))
	var report struct {
		Runs []struct {
			Jobs []struct{ Outcome string }
		}
	}
	played := s.run("simulate", "played.yaml", "--policy", "fair", "-o", "json")
	if err := json.Unmarshal([]byte(played.stdout), &report); err != nil || len(report.Runs[0].Jobs) != 190 {
		t.Errorf("%v, %d jobs, %s", err, len(report.Runs[0].Jobs), played.stderr)
	}
	const reason = "class ad-hoc: even unlimited machines need 25.0 s for a deadline of 20.0 s"
	for _, form := range []string{"table", "json", "csv"} {
		r := s.run("capacity", "late.yaml", "-o", form)
		if r.code != 3 || !strings.Contains(r.stderr, reason) || r.stdout == "" {
			t.Errorf("%s: %d %s\n%s", form, r.code, r.stderr, r.stdout)
		}
		if form != "json" {
			continue
		}
		err := json.Unmarshal([]byte(r.stdout), &plan)
		if err != nil || plan.Status != "infeasible" || plan.Reason != reason {
			t.Errorf("%+v, %v", plan, err)
		}
	}

	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"bad.yaml"}, "bad.yaml:31:15: at_least is 2 and at_most 1: at_least must not be above at_most"},
		{[]string{"none.yaml"}, "none.yaml: there is no such file"},
		{nil, "takes one file, not 0 arguments"},
		{[]string{"plan.yaml", "late.yaml"}, "takes one file, not 2 arguments"},
		{[]string{"plan.yaml", "-o", "xml"}, `--output "xml": it must be one of table, wide, json, csv, yaml`},
	} {
		r := s.run(append([]string{"capacity"}, c.args...)...)
		if r.code != 2 || !strings.Contains(r.stderr, c.want) || r.stdout != "" {
			t.Errorf("%v: %d %s%s", c.args, r.code, r.stderr, r.stdout)
		}
	}
	if out := s.must(0, "schema", "capacity"); !strings.Contains(out, "reserved_limit") {
		t.Error(out)
	}
}
