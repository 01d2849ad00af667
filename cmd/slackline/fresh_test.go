//go:build !windows

package main

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

const chainJobs = `name: c1
app: wordcount
input: text.txt
output: out/c1
reduces: 3
---
name: c2
` + held + `
after: [c1]
input: out/c1
output: out/c2
`

// killedInChain runs two jobs, one behind the other, and kills the process in the second by a
// policy, behind that which writes a file: then the first has finished.
func killedInChain(t *testing.T, begun, once string, args ...string) *shell {
	t.Helper()
	s := newShell(t, map[string]string{"jobs.yaml": chainJobs, "text.txt": strings.Repeat("a b c d e\n", 10)})
	s.hold("c2", once)
	defer s.release("c2")
	cmd := s.command(append([]string{"run", "jobs.yaml"}, args...)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.begun(begun)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	return s
}

const thrownAway = `job "c1" had finished in the interrupted run; its output is thrown away, and it runs again`

// run --fresh runs all jobs of a run that was interrupted, also those that had finished, and
// whatever has changed since.
func TestFreshStartsAnew(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]func(s *shell){
		"as it was":         func(*shell) {},
		"with less reduces": func(s *shell) { s.write("jobs.yaml", strings.Replace(chainJobs, "reduces: 3", "reduces: 2", 1)) },
		"with other input":  func(s *shell) { s.write("text.txt", "f g\n") },
	} {
		t.Run(what, func(t *testing.T) {
			s := killedInChain(t, "out/c2", "")
			s.write("out/c1/_notes.txt", "mine")
			change(s)
			r := s.run("run", "jobs.yaml", "--fresh")
			if r.code != 0 || strings.Contains(r.stderr, "resumes:") || strings.Count(r.stderr, thrownAway) != 1 {
				t.Fatalf("%d: %s", r.code, r.stderr)
			}
			got := tree(t, s.path("out"))
			if got["c1/_notes.txt"] != "mine" {
				t.Error("a file of the user's is gone")
			}
			delete(got, "c1/_notes.txt")
			s.again()
			s.must(0, "run", "jobs.yaml")
			if want := tree(t, s.path("out")); !maps.Equal(got, want) {
				t.Errorf("it left %v, an undisturbed run %v", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
			}
			// Now the run has ended, and nothing is thrown away.
			if r := s.run("run", "jobs.yaml", "--fresh"); r.code != 2 || !strings.Contains(r.stderr, `jobs.yaml:4:9: output "out/c1": it exists already; remove it`) {
				t.Errorf("%d: %s", r.code, r.stderr)
			}
		})
	}
}

// What policies had finished is thrown away with the rest of their run.
func TestFreshStartsAllPoliciesAnew(t *testing.T) {
	s := killedInChain(t, "out/c2/fair", "out/c2/fifo/_SUCCESS", "--policy", "fifo,fair")
	r := s.run("run", "jobs.yaml", "--policy", "fifo,fair", "--fresh")
	if r.code != 0 || strings.Contains(r.stderr, "resumes:") || strings.Contains(r.stderr, "had finished before") || strings.Count(r.stderr, thrownAway) != 2 {
		t.Fatalf("%d: %s", r.code, r.stderr)
	}
	if left := tree(t, s.path("out")); len(left) != 2*(4+2) {
		t.Errorf("%v", slices.Sorted(maps.Keys(left)))
	}
}

// What jobs have finished in a run that is under way is not thrown away, though none of its jobs writes just now.
func TestFreshWaitsForALivingRun(t *testing.T) {
	t.Parallel()
	s := newShell(t, map[string]string{"jobs.yaml": chainJobs + "arrive: 30s\n", "text.txt": "a b c\n"})
	cmd := s.command("run", "jobs.yaml")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	s.finishes("c1")
	before := tree(t, s.path("out"))
	if r := s.run("run", "jobs.yaml", "--fresh"); r.code != 2 || !strings.Contains(r.stderr, "its run is still active; nothing was thrown away") {
		t.Errorf("%d: %s", r.code, r.stderr)
	}
	// Nor by another command line, which knows of the run by the store alone.
	s.write("other.yaml", chainJobs[:strings.Index(chainJobs, "---")]+"---\nname: c3\napp: wordcount\ninput: text.txt\noutput: out/c3\n")
	if r := s.run("run", "other.yaml", "--fresh"); r.code != 2 || !strings.Contains(r.stderr, "its run is still active; nothing was thrown away") {
		t.Errorf("%d: %s", r.code, r.stderr)
	}
	if !maps.Equal(before, tree(t, s.path("out"))) {
		t.Error("something has changed")
	}
}

// The log of a job names its own output and no other: with many jobs submitted together it would
// grow with the square of their number.
func TestLogsNameTheirOwnOutput(t *testing.T) {
	s := killedInChain(t, "out/c2/fair", "out/c2/fifo/_SUCCESS", "--policy", "fifo,fair")
	for own, others := range map[string][]string{"out/c1/fifo": {"out/c1/fair", "out/c2"}, "out/c2/fair": {"out/c1/fifo", "out/c2/fifo"}} {
		log, err := os.ReadFile(s.path(own + "/_temporary/log"))
		if err != nil || !strings.Contains(string(log), "jobs.yaml") {
			t.Fatalf("%s: %v: %s", own, err, log)
		}
		for _, other := range others {
			if strings.Contains(string(log), other) {
				t.Errorf("the log of %s names %s: %s", own, other, log)
			}
		}
	}
}

// What cannot be proved to be what the run wrote is not thrown away, nor is anything else then.
func TestFreshThrowsAwayOnlyItsOwn(t *testing.T) {
	for what, c := range map[string]struct {
		change func(s *shell)
		args   []string
		want   string
	}{
		"a part was changed": {func(s *shell) { s.write("out/c1/part-r-00001", "mine") }, nil,
			`jobs.yaml:4:9: output "out/c1": a job had finished it, but its files have changed: `},
		"a part was added": {func(s *shell) { s.write("out/c1/part-r-00009", "mine") }, nil,
			`jobs.yaml:4:9: output "out/c1": a job had finished it, but part-r-00009 is not from that job; move it away`},
		"a run that ended": {func(s *shell) { s.write("out/c2/_SUCCESS", "") }, nil,
			`output "out/c1": it exists already; remove it`},
		"a journal that cannot be": {func(*shell) {}, []string{"--journal", "text.txt"}, "text.txt"},
	} {
		t.Run(what, func(t *testing.T) {
			s := killedInChain(t, "out/c2", "")
			c.change(s)
			before := tree(t, s.path("out"))
			r := s.run(append([]string{"run", "jobs.yaml", "--fresh"}, c.args...)...)
			if r.code != 2 || !strings.Contains(r.stderr, c.want) {
				t.Errorf("%d: %s", r.code, r.stderr)
			}
			if !maps.Equal(before, tree(t, s.path("out"))) {
				t.Error("something has changed")
			}
		})
	}
}
