//go:build !windows

package main

import (
	"encoding/json"
	"strings"
	"syscall"
	"testing"
)

// told is what jobs -o json says of each job, and the words of its row.
type told struct {
	ID, First                      int
	Name, State, Outcome, Deadline string
}

func (s *shell) told(args ...string) (list []told) {
	s.t.Helper()
	var all struct{ Jobs []told }
	if err := json.Unmarshal([]byte(s.must(0, append([]string{"jobs", "-o", "json"}, args...)...)), &all); err != nil {
		s.t.Fatal(err)
	}
	return all.Jobs
}

// pause runs late.yaml and sends SIGTERM when its first job has finished.
func pause(t *testing.T, due string) *shell {
	t.Helper()
	jobs := strings.Replace(lateJobs, "1h", due, 1) + "---\nname: c\napp: loadgen\ninput: short.txt\noutput: out/c\nafter: a\n"
	s := newShell(t, map[string]string{"jobs.yaml": strings.Replace(jobs, "DUE", "1h", 1), "short.txt": "x\n"})
	s.hold("a", "")
	defer s.release("a")
	cmd := s.command("run", "jobs.yaml", "--policy", "fifo")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.begun("out/a")
	s.finishes("b")
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	return s
}

// Each job that was submitted has one outcome, across an interruption too: a job that went on is
// told of once, where it ended, and refers to where it was submitted first; one that had finished
// stays as it was.
func TestOneOutcomeAcrossAnInterruption(t *testing.T) {
	t.Parallel()
	s := pause(t, "50ms")
	if list := s.told("--state", "interrupted"); len(list) != 2 || list[0].Outcome != "interrupted" {
		t.Fatalf("%+v", list)
	}
	r := s.run("resume", "out/a")
	if r.code != 0 || strings.Contains(r.stderr, "killed") || !strings.Contains(r.stderr, `job "b" had finished before the interruption: it met its deadline by `) {
		t.Fatalf("%d: %s", r.code, r.stderr)
	}
	for line := range strings.Lines(r.stdout + r.stderr) {
		if strings.Contains(line, " -") && !strings.Contains(line, " --policy=") {
			t.Errorf("a time below 0: %s", line)
		}
	}
	if !strings.Contains(r.stderr, `job "a": 1 map, 1 reduce, due `) || !strings.Contains(r.stdout, "  met before\n") {
		t.Error(r.stderr, r.stdout)
	}
	outcomes := map[string]string{}
	for _, j := range s.told() {
		if j.Outcome != "" {
			if outcomes[j.Name] != "" {
				t.Errorf("a second outcome of %s: %s and %s", j.Name, outcomes[j.Name], j.Outcome)
			}
			outcomes[j.Name] = j.Outcome
		} else if j.State != "resumed" {
			t.Errorf("%+v", j)
		}
		if want := map[string]int{"a": 2, "c": 3}[j.Name]; j.ID > 3 && (j.First != want || want == 0) {
			t.Errorf("job %d, %s, was first %d", j.ID, j.Name, j.First)
		}
	}
	if outcomes["a"] != "late" || outcomes["b"] != "met" || outcomes["c"] != "done" {
		t.Error(outcomes)
	}
	if list := s.told("--state", "interrupted"); len(list) != 0 {
		t.Errorf("what has ended is interrupted: %+v", list)
	}
	if out := s.must(0, "show", "a"); !strings.Contains(out, "resumes    job 2, which was interrupted") || strings.Contains(out, "killed") {
		t.Error(out)
	}
	if out := s.must(0, "show", "2"); !strings.Contains(out, "a, resumed") || !strings.Contains(out, " resumed it") {
		t.Error(out)
	}
}

// Work that was thrown away is interrupted no longer.
func TestDiscardedIsNotInterrupted(t *testing.T) {
	t.Parallel()
	s := pause(t, "1h")
	s.must(0, "discard", "out/a", "--dry-run")
	if list := s.told("--state", "interrupted"); len(list) != 2 {
		t.Fatalf("%+v", list)
	}
	s.must(0, "discard", "out/a")
	if list := s.told("--state", "discarded"); len(list) != 1 || list[0].Name != "a" || list[0].Outcome != "interrupted" {
		t.Errorf("%+v", list)
	}
	s = pause(t, "1h")
	s.must(0, "run", "jobs.yaml", "--fresh", "-q", "--policy", "fifo")
	if list := s.told("--state", "interrupted"); len(list) != 0 {
		t.Errorf("%+v", list)
	}
	if list := s.told("--state", "discarded"); len(list) != 2 {
		t.Errorf("%+v", list)
	}
}

// resume prints the result in the form that it is asked for, whatever the first run was asked for.
func TestResumeInAnotherForm(t *testing.T) {
	s := pause(t, "1h")
	r := s.run("resume", "out/a", "-o", "json")
	if r.code != 0 || len(parse(t, r.stdout).Runs) != 1 {
		t.Errorf("%d: %s%s", r.code, r.stdout, r.stderr)
	}
	if r := s.run("resume", "out/a", "-o", "xml"); r.code != 2 {
		t.Errorf("%d: %s", r.code, r.stderr)
	}
}
