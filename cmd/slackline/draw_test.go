package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// --html writes a page; the result on standard output is the same as without.
func TestDrawings(t *testing.T) {
	s := newShell(t, map[string]string{"two.yaml": twoJobs})
	plain := measured.ReplaceAllString(s.must(0, "compare", "two.yaml", "-o", "json"), "")
	drawn := measured.ReplaceAllString(s.must(0, "compare", "two.yaml", "-o", "json", "--html", "two.html"), "")
	if diff := cmp.Diff(plain, drawn); diff != "" {
		t.Errorf("drawing changes the result: %s", diff)
	}
	if page := s.read("two.html"); !strings.Contains(page, "edf-p") || !strings.HasSuffix(strings.TrimSpace(page), "</html>") {
		t.Errorf("the page has %d bytes: %.200s", len(page), page)
	}
	// A page of before may be replaced.
	s.must(0, "simulate", "two.yaml", "--policy", "fifo", "--seed", "1", "--html", "two.html")
	for _, f := range s.files() {
		if strings.Contains(f, ".part") {
			t.Errorf("%s is left", f)
		}
	}
}

// A real run is drawn, and beside it stands in the page of the simulator.
func TestDrawARealRun(t *testing.T) {
	t.Parallel()
	text, _ := corpus()
	s := newShell(t, map[string]string{"words.yaml": wordsJob, "corpus/a.txt": text})
	s.must(0, "run", "words.yaml", "--html", "run.html")
	if page := s.read("run.html"); !strings.Contains(page, `"world":"engine"`) || !strings.Contains(page, `"level":"slot"`) {
		t.Errorf("%.2000s", page)
	}
	s.must(0, "simulate", "words.yaml", "--html", "sim.html")
	if page := s.read("sim.html"); !strings.Contains(page, `"world":"engine"`) || !strings.Contains(page, `"world":"sim"`) {
		t.Error("the page of the simulator lacks one of the worlds")
	}
}

// A drawing that could not be written is refused before anything runs, in one sentence, and nothing
// is left behind; what is no drawing is not replaced.
func TestBadDrawings(t *testing.T) {
	t.Parallel()
	s := newShell(t, map[string]string{"two.yaml": twoJobs, "words.yaml": wordsJob, "corpus/a.txt": "a b\n", "folder/x": ""})
	before := s.files()
	for _, c := range []struct{ args, want string }{
		{"simulate two.yaml --html no/such/page.html", "--html: no/such/page.html cannot be written: there is no folder no/such"},
		{"compare two.yaml --html folder", "--html: folder is a folder; name a file"},
		{"compare two.yaml --html two.yaml", "--html: two.yaml is what the command reads; name another file"},
		{"compare two.yaml --html words.yaml", "--html: words.yaml exists already and is not a page; name another file, or replace it with --overwrite"},
		{"simulate two.yaml --policy fifo --seed 1 --html x --journal ./x", "--html: x: the command would write a journal and a page there; give each its own file"},
		{"run words.yaml --html no/page.html", "--html: no/page.html cannot be written: there is no folder no"},
		{"simulate two.yaml --html", "flag needs an argument"},
	} {
		r := s.run(strings.Fields(c.args)...)
		if r.code != 2 || r.stdout != "" || !strings.Contains(r.stderr, c.want) || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("slackline %s: exit code %d, want 2\nstdout %q\nstderr %s\nwant   %s", c.args, r.code, r.stdout, r.stderr, c.want)
		}
	}
	if diff := cmp.Diff(before, s.files()); diff != "" {
		t.Errorf("bad input left something behind: %s", diff)
	}
}

// A run that fails half-way leaves no drawing, and the one of before as it was.
func TestNoHalfDrawing(t *testing.T) {
	s := newShell(t, map[string]string{"two.yaml": twoJobs, "broken.yaml": "name: broken\ncluster: {nodes: 4}\nworkload: {trace: {format: swim, file: broken.tsv}}\n",
		"broken.tsv": "job0\t0\t0\t67108864\t1024\t1024\njob1\t60\t60\tmany\t1024\t1024\n"})
	s.must(0, "simulate", "two.yaml", "--policy", "fifo", "--seed", "1", "--html", "a.html")
	page, before := s.read("a.html"), s.files()
	if r := s.run("simulate", "broken.yaml", "--html", "a.html"); r.code != 2 {
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}
	if s.read("a.html") != page {
		t.Error("a run that failed replaced the page of before")
	}
	if diff := cmp.Diff(before, s.files()); diff != "" {
		t.Errorf("a run that failed left something behind: %s", diff)
	}
}

// What is drawn or recorded runs again, but is kept for the next comparison without a drawing.
func TestDrawnRunsAreKept(t *testing.T) {
	t.Parallel()
	s := newShell(t, map[string]string{"s.yaml": "cluster: {nodes: 2}\nworkload: {jobs: [{id: a, maps: 9, map_time: 10s}]}\npolicies: [fifo, edf-p]\n"})
	for _, flags := range [][]string{{"--html", "s.html"}, {"--html", "s.html"}, {"--journal", "journals"}} {
		if r := s.run(append([]string{"compare", "s.yaml"}, flags...)...); r.code != 0 || strings.Contains(r.stderr, "were kept") {
			t.Errorf("%v: %d: %s", flags, r.code, r.stderr)
		}
	}
	if r := s.run("compare", "s.yaml"); r.code != 0 || !strings.HasSuffix(r.stderr, "\n2 of 2 results were kept from before; use --fresh to run them again\n") {
		t.Errorf("%d: %s", r.code, r.stderr)
	}
}
