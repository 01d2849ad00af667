package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"
)

// The list, a quick run with its page, and every way to ask for what there is not.
func TestReproduce(t *testing.T) {
	if testing.Short() {
		t.Skip("whole experiments are played where -short is not asked for")
	}
	t.Parallel()
	s := newShell(t, map[string]string{"notes.html": "mine"})
	list := s.must(0, "reproduce")
	for _, name := range []string{"003-matchmaking", "003-rtmr", "claims", "on two cores"} {
		if !strings.Contains(list, name) {
			t.Errorf("%q is not in the list:\n%s", name, list)
		}
	}
	var listed struct {
		Schema      string
		Experiments []map[string]any
	}
	if err := json.Unmarshal([]byte(s.must(0, "reproduce", "-o", "json")), &listed); err != nil || listed.Schema != "slackline/experiments/v1" || len(listed.Experiments) < 2 {
		t.Error(listed, err)
	}
	out := s.must(0, "reproduce", "003-matchmaking", "--quick", "--seed", "1,2")
	for _, part := range []string{"of 20 claims of the paper ", " open (2 seeds)", "published", "distance", "95 % interval", "refuted", "reproduces"} {
		if !strings.Contains(out, part) {
			t.Errorf("%q is not in\n%s", part, out)
		}
	}
	page := s.read("003-matchmaking.html")
	if !strings.Contains(page, "<svg") || strings.Contains(page, "<script") {
		t.Error("the page is not one")
	}
	var got struct {
		Schema, Experiment string
		Claims             []struct {
			Claim, Source, Kind string
			Published, Ours     *float64
			CI95                []float64 `json:"ci95"`
			Verdict, Note       string
			Distance            *float64
		}
	}
	if err := json.Unmarshal([]byte(s.must(0, "reproduce", "003-matchmaking", "--quick", "--seed", "1", "--html", "none", "-o", "json")), &got); err != nil {
		t.Fatal(err)
	}
	if got.Schema != "slackline/reproduce/v2" || got.Experiment != "003-matchmaking" || len(got.Claims) != 20 {
		t.Errorf("%+v", got)
	}
	for _, c := range got.Claims {
		if c.Claim == "" || c.Source == "" || len(c.CI95) != 2 || c.Ours == nil || (c.Kind == "number") != (c.Published != nil) || c.Verdict != "open" || c.Distance != nil || !strings.Contains(c.Note, "one seed has no interval") {
			t.Errorf("%+v", c)
		}
	}
	if _, err := os.Stat(s.path("none")); err == nil {
		t.Error("there is a page called none")
	}
	strict := s.run("reproduce", "003-matchmaking", "--quick", "--seed", "1", "--html", "mine.html", "--strict")
	if strict.code != 3 || !strings.Contains(strict.stderr, "20 of 20 claims are open, as there are too few seeds (FIFO, loadgen") || !strings.Contains(strict.stderr, "the page is mine.html\n") {
		t.Errorf("%d %s", strict.code, strict.stderr)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"003-matchmakin"}, `there is no experiment "003-matchmakin"; did you mean "003-matchmaking"?`},
		{[]string{"a", "b"}, `takes one experiment, not 2 arguments`},
		{[]string{"--quick"}, `--quick needs an experiment`},
		{[]string{"000-capacity", "--weather", "none.csv"}, `none.csv: there is no such file`},
		{[]string{"003-matchmaking", "--seed", "x"}, `--seed: "x" is not a seed`},
		{[]string{"003-matchmaking", "--html", "notes.html"}, `exists already and is not a page; name another file`},
		{[]string{"003-matchmaking", "-o", "csv"}, `--output "csv": it must be one of table, wide, json`},
	} {
		if r := s.run(append([]string{"reproduce"}, c.args...)...); r.code != 2 || !strings.Contains(r.stderr, c.want) || r.stdout != "" {
			t.Errorf("%v: %d %s%s", c.args, r.code, r.stderr, r.stdout)
		}
	}
	if s.read("notes.html") != "mine" {
		t.Error("a file that is no page was replaced")
	}
}

// Without a terminal a line tells of progress, no more often than every few seconds.
func TestProgressLines(t *testing.T) {
	var b strings.Builder
	p := newBar(&b, 30, true)
	for i := range 30 {
		p.step(p.began.Add(time.Duration(i) * time.Second / 2))
	}
	if got, want := b.String(), "11 of 30 runs\n21 of 30 runs\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
