package main

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// That a run was cold instead of people look at what it took.
func TestColdRunsAreMarked(t *testing.T) {
	s := wordsShell(t)
	s.warm(1, "run", "words.yaml", "-q")
	var all struct {
		Jobs []struct {
			ID   int
			Cold bool
		}
	}
	if err := json.Unmarshal([]byte(s.must(0, "jobs", "-o", "json")), &all); err != nil {
		t.Fatal(err)
	}
	for i, j := range all.Jobs { // the youngest first
		if j.Cold != (i > 0) {
			t.Errorf("%+v", all)
		}
	}
	cold := len(all.Jobs) - 1
	if out := s.must(0, "jobs"); strings.Count(out, " cold") != cold {
		t.Error(out)
	}
	if out := s.must(0, "show", "1"); !strings.Contains(out, " cold\n") || strings.Contains(s.must(0, "show", strconv.Itoa(cold+1)), " cold") {
		t.Error(out)
	}
}

// A class that a refused job has taught is not said to come from no jobs.
func TestTaughtByARefusedJob(t *testing.T) {
	t.Parallel()
	s := newShell(t, map[string]string{"in.txt": strings.Repeat("some line\n", 3000),
		"job.yaml": "name: j\napp: loadgen\nparams: {map_cpu: 500us}\ninput: in.txt\noutput: out\nreduces: 1\ndeadline: 100ms\n"})
	if r := s.run("run", "job.yaml", "--block", "5kB", "-q", "--policy", "rtmr"); r.code != 3 {
		t.Fatalf("%d: %s%s", r.code, r.stdout, r.stderr)
	}
	for _, args := range [][]string{{"profile", "list"}, {"profile", "show", "loadgen"}, {"profile", "forget", "loadgen"}} {
		out := s.must(0, args...)
		if strings.Contains(out, "0 cold") || strings.Contains(out, "learned from 0 jobs") {
			t.Errorf("%q: %s", args, out)
		}
		if args[1] != "list" && !regexp.MustCompile(`loadgen~500us-\w+, learned from tasks of jobs that did not finish\n`).MatchString(out) {
			t.Errorf("%q: %s", args, out)
		}
	}
}

// Each reason on standard error says whose word it is.
func TestReasonsApart(t *testing.T) {
	need(t, "sh")
	s := newShell(t, map[string]string{"in.txt": "x\n", "jobs.yaml": "name: a\nmap: sh -c 'exit 1'\ninput: in.txt\noutput: out/a\n---\n" +
		"name: b\napp: loadgen\nparams: {map_cpu: 300ms}\ninput: in.txt\noutput: out/b\ndeadline: 10ms\n"})
	r := s.run("run", "jobs.yaml", "-q", "--policy", "fifo", "--strict")
	if !strings.HasPrefix(r.stderr, "slackline: job \"a\" failed") || !strings.Contains(r.stderr, "\nslackline: job \"b\" missed its deadline") {
		t.Errorf("%d: %s", r.code, r.stderr)
	}
}
