package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/studies/report"
)

// Eight real jobs of a class that is known, two of which nobody could finish in time: RTMR refuses
// the two, says how long they take alone and what deadline would do, and finishes the others, where
// FIFO runs all eight and is late with two. What the deadlines of those that are promised leave is
// more than any machine needs.
func TestPromisesOfRealJobs(t *testing.T) {
	var text, jobs strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, "line %d\n", i)
	}
	for i := range 8 {
		deadline := "1h"
		if i == 3 || i == 6 {
			deadline = "10ms"
		}
		fmt.Fprintf(&jobs, "---\nname: j%d\napp: loadgen\nparams: {map_cpu: 100us}\ninput: in.txt\noutput: out/j%d\nreduces: 1\ndeadline: %s\narrive: %dms\n", i, i, deadline, 20*i)
	}
	s := newShell(t, map[string]string{"in.txt": text.String(), "jobs.yaml": jobs.String(),
		"teach.yaml": "name: teach\napp: loadgen\nparams: {map_cpu: 100us}\ninput: in.txt\noutput: taught\nreduces: 1\n"})
	if r := s.run("run", "teach.yaml", "--block", "3kB", "-q"); r.code != 0 {
		t.Fatal(r.stderr)
	}
	r := s.run("run", "jobs.yaml", "--block", "3kB", "-q", "-o", "json", "--policy", "rtmr,fifo")
	var got report.Report
	if err := json.Unmarshal([]byte(r.stdout), &got); err != nil {
		t.Fatal(err, r.stderr)
	}
	by, fifo := got.Runs[0], got.Runs[1]
	if r.code != 3 || by.Summary.Admitted != 6 || by.Summary.Kept != 6 || by.Summary.InTime != 6 || by.Summary.Deadlines != 8 || by.Summary.Refused != 2 || fifo.Summary.Admitted != 8 || fifo.Summary.Late != 2 || fifo.Summary.Penalty <= 0 {
		t.Fatalf("code %d, %+v, %+v", r.code, by.Summary, fifo.Summary)
	}
	for i := range by.Jobs {
		j := &by.Jobs[i]
		switch j.ID {
		case "j3", "j6":
			if j.Outcome != report.Refused || j.Offer == nil || *j.Offer <= *j.Deadline || !strings.HasPrefix(j.Reason, "alone on this cluster it takes ") ||
				!strings.Contains(j.Reason, "; the earliest deadline that would be accepted is ") {
				t.Errorf("%+v", j)
			}
		default:
			if j.Outcome != report.Kept || j.Promised == nil || *j.Promised > *j.Deadline || s.read("out/"+j.ID+"/rtmr/part-r-00000") == "" {
				t.Errorf("%+v", j)
			}
		}
	}
	// Who was refused had no promise that could be broken; who has one is told by when.
	if list := s.must(0, "jobs", "--policy", "rtmr"); strings.Contains(list, "not kept") || strings.Contains(list, "rejected: ") || strings.Count(list, "refused") != 4 {
		t.Error(list)
	}
	// the word of earlier builds
	if refused := s.jobs("--policy", "rtmr", "--state", "rejected").Jobs; len(refused) != 2 {
		t.Errorf("%+v", refused)
	}
	rejected := s.jobs("--policy", "rtmr", "--name", "j3").Jobs[0]
	if one := s.must(0, "show", fmt.Sprint(rejected.ID)); rejected.State != "refused" || !strings.HasPrefix(rejected.Reason, "alone on this cluster it takes ") || !strings.Contains(one, ": refused\n") {
		t.Errorf("%+v\n%s", rejected, one)
	}
	kept := s.jobs("--policy", "rtmr", "--name", "j0").Jobs[0]
	if one := s.must(0, "show", fmt.Sprint(kept.ID)); !strings.Contains(one, "promised   its deadline; it was expected ") {
		t.Error(one)
	}
	if table := s.run("simulate", "jobs.yaml", "--block", "3kB", "--policy", "rtmr"); !strings.Contains(table.stdout, "promises and their outcome") {
		t.Errorf("%d: %s%s", table.code, table.stdout, table.stderr)
	}
}

// Of a class of which nothing is known a sample is measured first, and what rests on it is called an estimate.
func TestSampleOfRealJob(t *testing.T) {
	s := newShell(t, map[string]string{"in.txt": strings.Repeat("some line\n", 3000),
		"job.yaml": "name: j\napp: loadgen\nparams: {map_cpu: 50us}\ninput: in.txt\noutput: out\nreduces: 1\ndeadline: 1h\n"})
	r := s.run("run", "job.yaml", "--block", "5kB", "-q", "--policy", "rtmr")
	if r.code != 0 || !strings.Contains(r.stdout, "an estimate from a sample") {
		t.Errorf("%d: %s%s", r.code, r.stdout, r.stderr)
	}
}
