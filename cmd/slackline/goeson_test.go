//go:build !windows

package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/studies/report"
)

// A run that continues an interrupted one judges jobs by the deadlines that counted from the
// first submission. A job that had finished before takes part in nothing: no verdict, no time, no
// error of a prediction.
func TestGoesOn(t *testing.T) {
	const early = "name: early\napp: loadgen\nclass: load\nparams: {map_cpu: 1us}\ninput: small.txt\noutput: out/early\nreduces: 1\ndeadline: 1h\n"
	s := newShell(t, map[string]string{"small.txt": strings.Repeat("line\n", 100), "in.txt": strings.Repeat("some line of text\n", 400), "early.yaml": early,
		"jobs.yaml": early + "---\nname: slow\napp: loadgen\nclass: load\nparams: {map_cpu: 5ms}\ninput: in.txt\noutput: out/slow\nreduces: 1\ndeadline: 300ms\n"})
	s.must(0, "run", "early.yaml", "-q", "--policy", "fifo") // now there is an expectation
	s.again()
	cmd := s.command("run", "jobs.yaml", "--block", "1kB", "--nodes", "1", "--slots", "2", "-q", "--policy", "fifo")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for {
		_, early := os.Stat(s.path("out/early/_SUCCESS"))
		if _, slow := os.Stat(s.path("out/slow/_temporary/log")); early == nil && slow == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	_ = cmd.Process.Kill() // before the end of the first job is written
	_ = cmd.Wait()
	time.Sleep(300 * time.Millisecond) // now the deadline has passed
	r := s.run("run", "jobs.yaml", "--block", "1kB", "--nodes", "1", "--slots", "2", "-o", "json", "--policy", "fifo")
	var got report.Report
	if err := json.Unmarshal([]byte(r.stdout), &got); err != nil {
		t.Fatal(err, r.stderr)
	}
	if !strings.Contains(r.stderr, "this resumes a run that started at ") || strings.Contains(r.stderr, ": done at ") {
		t.Error(r.stderr)
	}
	run := got.Runs[0]
	if e := run.Jobs[0]; !e.Before || e.Outcome != report.Done {
		t.Errorf("%+v", e)
	}
	if j := run.Jobs[1]; j.Before || j.Outcome != report.Late || j.Finished == nil || *j.Deadline != 0.3 || j.Submitted != 0 || *j.Finished < 0.6 {
		t.Errorf("%+v", j)
	} else if off, known := j.Off(); known || j.Expected == nil || j.Cold {
		t.Errorf("the time that was lost counts as an error of %v of %v, or the run as cold: %v", off, j.Expected, j.Cold)
	}
	if run.Summary.Deadlines != 1 || run.Summary.Late != 1 || run.Summary.Penalty <= 0 {
		t.Errorf("%+v", run.Summary)
	}
	if out := s.must(0, "show", "slow"); !strings.Contains(out, "expected   ") || strings.Contains(out, "off by") {
		t.Error(out)
	}
	list := s.must(0, "jobs")
	if !strings.Contains(list, "LATE by") || strings.Count(list, "met by") != 1 || !strings.Contains(s.must(0, "show", "slow"), "after submission: LATE") || !strings.Contains(s.must(0, "show", "early"), "all its tasks were done before this run") {
		t.Error(list)
	}
}
