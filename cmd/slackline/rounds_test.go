//go:build !windows

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/units"
)

const severalJobs = `name: slow
app: loadgen
params: {map_cpu: 1ms}
input: text.txt
output: out/slow
---
name: words
` + held + `
input: text.txt
output: out/words
`

// killedInSecond runs the jobs by three policies, and stops the process in the middle of the second.
func killedInSecond(t *testing.T, with os.Signal) *shell {
	t.Helper()
	s := newShell(t, map[string]string{"jobs.yaml": severalJobs, "text.txt": strings.Repeat("a b\n", 100)})
	s.hold("words", "out/words/fifo/_SUCCESS")
	defer s.release("words")
	cmd := s.command("run", "jobs.yaml", "--policy", "fifo,fair,edf-p", "-o", "json", "--journal", "journals")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.begun("out/words/fair") // which is held; slow may have finished
	if err := cmd.Process.Signal(with); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	return s
}

// policiesOf reads a report in JSON, and returns its policies in order.
func policiesOf(t *testing.T, text string) (policies []string, r report.Report) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, run := range r.Runs {
		policies = append(policies, run.Policy)
	}
	return policies, r
}

// lastRound is the instant of a journal's last round, in seconds.
func lastRound(t *testing.T, journal string) float64 {
	t.Helper()
	rounds := regexp.MustCompile(` round \d+ at=(\d+) `).FindAllStringSubmatch(journal, -1)
	if rounds == nil {
		t.Fatalf("the journal has no round:\n%s", journal)
	}
	at, err := strconv.ParseInt(rounds[len(rounds)-1][1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return units.Time(at).Seconds()
}

// A new output does not lie in that of another job, be it finished or at work, of whatever file: who reads the one
// would read both. A folder that no job has written may hold anything.
func TestOutputInAnother(t *testing.T) {
	t.Parallel()
	s := newShell(t, map[string]string{"in/a.txt": "a b\n", "q.yaml": "app: wordcount\ninput: in\noutput: out/a\n"})
	s.must(0, "run", "q.yaml", "-q")
	if err := os.Symlink("out/a", s.path("link")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(s.path("busy/_temporary"), 0o777); err != nil {
		t.Fatal(err)
	}
	s.write("busy/_temporary/log", "")
	s.write("hers/_SUCCESS", "")
	for output, in := range map[string]string{"out/a/fifo": "out/a", "out/a/x/y": "out/a", "link/x": "out/a", "busy/x": "busy", "out/b": "", "hers/x": ""} {
		s.write("p.yaml", "app: wordcount\ninput: in\noutput: "+output+"\n")
		r, want := s.run("run", "p.yaml", "-q"), fmt.Sprintf("p.yaml:3:9: output %q: it lies in %s, to which another job writes or has written, and whoever reads that reads all that is in it; name another directory\n", output, s.path(in))
		if in == "" && r.code != 0 || in != "" && (r.code != exitBadInput || !strings.HasSuffix(r.stderr, want)) {
			t.Errorf("%s: exit code %d: %s", output, r.code, r.stderr)
		}
	}
	if left := tree(t, s.path("out/a")); len(left) != 2 {
		t.Errorf("there are %v", slices.Sorted(maps.Keys(left)))
	}
	s.write("several/notes.txt", "mine\n")
	s.write("p.yaml", "app: wordcount\ninput: in\noutput: several\n")
	s.must(0, "run", "p.yaml", "-q", "--policy", "fifo,edf-p")
}

// The same command continues a run by several policies of which a job failed, as resume says.
func TestFailedPoliciesAreContinued(t *testing.T) {
	t.Parallel()
	s := newShell(t, map[string]string{"c.yaml": chain, "in/f": "a b a\n"})
	s.must(exitFailed, "run", "c.yaml", "-q", "--policy", "fifo,edf-p")
	first := tree(t, s.path("out/first"))
	s.write("c.yaml", strings.Replace(chain, "; exit 3", "", 1))
	if r := s.run("resume", "second"); r.code != exitBadInput || !strings.Contains(r.stderr, "this runs the rest: slackline run --policy=fifo,edf-p --quiet=true -- c.yaml\n") {
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}
	r := s.run("run", "c.yaml", "-q", "--policy", "fifo,edf-p")
	if r.code != 0 || strings.Count(r.stderr, "they are unchanged: first, beside\n") != 2 {
		t.Fatalf("exit code %d: %s", r.code, r.stderr)
	}
	for name, text := range tree(t, s.path("out")) {
		if before, kept := first[strings.TrimPrefix(name, "first/")]; strings.Contains(name, "_temporary") || kept && strings.HasPrefix(name, "first/") && before != text {
			t.Errorf("%s is left, or was written again", name)
		}
	}
	s.again()
	s.must(0, "run", "c.yaml", "-q", "--policy", "fifo,edf-p", "--only", "first")
	s.must(0, "run", "c.yaml", "-q", "--policy", "fifo,edf-p")
}

// --overwrite leaves the old output of a job until the new one is committed.
func TestOverwriteThatFails(t *testing.T) {
	t.Parallel()
	mended := strings.Replace(chain, "; exit 3", "", 1)
	s := newShell(t, map[string]string{"c.yaml": mended, "in/f": "a b a\n"})
	s.must(0, "run", "c.yaml", "-q")
	s.write("in/f", "c c\n")
	s.write("c.yaml", chain)
	second, third := tree(t, s.path("out/second")), tree(t, s.path("out/third"))
	s.must(exitFailed, "run", "c.yaml", "-q", "--overwrite")
	if !maps.Equal(tree(t, s.path("out/second")), second) || !maps.Equal(tree(t, s.path("out/third")), third) {
		t.Error("the jobs that failed did not leave the old output as it was")
	}
	if text := s.read("out/beside/part-r-00000"); !strings.Contains(text, "c c") {
		t.Errorf("the job that finished left %q", text)
	}
	if r := s.run("resume", "second"); r.code != exitBadInput || !strings.Contains(r.stderr, "this runs them all again, or with --only the rest: slackline run --overwrite=true --quiet=true -- c.yaml\n") {
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}
	s.write("c.yaml", mended)
	s.must(0, "run", "c.yaml", "-q", "--overwrite", "--only", "second,third")
	if text := s.read("out/third/part-r-00000"); text != "c\t2\n" {
		t.Errorf("%q", text)
	}
}

// Where a run with one policy has written, several do not write beside it.
func TestPoliciesBesideAnOutput(t *testing.T) {
	s := newShell(t, map[string]string{"in/a.txt": "a b\n", "j.yaml": "app: wordcount\ninput: in\noutput: out\n"})
	s.must(0, "run", "j.yaml", "-q")
	if r := s.run("run", "j.yaml", "-q", "--policy", "fifo,edf-p"); r.code != 2 || !strings.Contains(r.stderr, "j.yaml:3:9: output \"out/fifo\": it lies in "+s.path("out")+", to which another job writes or has written") {
		t.Errorf("%d: %s", r.code, r.stderr)
	}
	if left := tree(t, s.path("out")); len(left) != 2 {
		t.Errorf("there are %v", slices.Sorted(maps.Keys(left)))
	}
	if err := os.RemoveAll(s.path("out")); err != nil {
		t.Fatal(err)
	}
	s.must(0, "run", "j.yaml", "-q", "--policy", "fifo,edf-p")
	if r := s.run("run", "j.yaml", "-q", "--overwrite"); r.code != 2 || !strings.Contains(r.stderr, "it exists already, with a folder for each of several runs, such as edf-p; remove it") {
		t.Errorf("%d: %s", r.code, r.stderr)
	}
}

// A run by several policies continues those that had not finished, and reports all of them.
func TestKillBetweenPolicies(t *testing.T) {
	for _, again := range [][]string{{"resume", "out/slow"}, {"resume", "jobs.yaml"}, {"resume", "words"}, {"resume"},
		{"run", "jobs.yaml", "--policy", "fifo,fair,edf-p", "-o", "json", "--journal", "journals"}} {
		t.Run(strings.Join(again, " "), func(t *testing.T) {
			s := killedInSecond(t, os.Kill)
			before, err := os.Stat(s.path("out/slow/fifo/_SUCCESS"))
			if err != nil {
				t.Fatal(err)
			}
			journal := s.read("journals/slow+words-fifo-1.journal")
			r := s.run(again...)
			if r.code != 0 || !strings.Contains(r.stderr, "policy fifo had finished before, and is not run again") || strings.Contains(r.stderr, "warning") {
				t.Fatalf("%d: %s", r.code, r.stderr)
			}
			policies, reports := policiesOf(t, r.stdout)
			if !slices.Equal(policies, []string{"fifo", "fair", "edf-p"}) {
				t.Fatalf("the report has %v", policies)
			}
			for _, run := range reports.Runs {
				if run.Summary.Finished() != 2 || len(run.Jobs) != 2 || run.Real == nil {
					t.Errorf("%s: %+v", run.Policy, run.Summary)
				}
			}
			if took, want := reports.Runs[0].Summary.Makespan, lastRound(t, journal); took != want {
				t.Errorf("the report of the first policy says %v s, its journal %v s: it is not that of its run", took, want)
			}
			if after, err := os.Stat(s.path("out/slow/fifo/_SUCCESS")); err != nil || !after.ModTime().Equal(before.ModTime()) {
				t.Errorf("the first policy ran again: %v", err)
			}
			if s.read("journals/slow+words-fifo-1.journal") != journal {
				t.Error("the journal of the first policy was written again")
			}
			all := tree(t, s.path("out"))
			for name, b := range all {
				job, rest, _ := strings.Cut(name, "/")
				_, file, _ := strings.Cut(rest, "/")
				if strings.Contains(name, "_temporary") || all[job+"/fifo/"+file] != b {
					t.Errorf("%s is left, or is not what the first policy wrote", name)
				}
			}
			if len(all) != 3*len(tree(t, s.path("out/slow/fifo")))+3*len(tree(t, s.path("out/words/fifo"))) {
				t.Errorf("%d files", len(all))
			}
			if r := s.run("run", "jobs.yaml", "--policy", "fifo,fair,edf-p"); r.code != 2 || !strings.Contains(r.stderr, "it exists already") {
				t.Errorf("%d: %s", r.code, r.stderr)
			}
			if r := s.run("resume", "out/slow/edf-p"); r.code != 0 || !strings.Contains(r.stdout, "the run has ended") {
				t.Errorf("%d: %s%s", r.code, r.stdout, r.stderr)
			}
		})
	}
}

// What is not known of a policy that had finished is said to be missing, and one whose jobs have
// changed since does not count.
func TestKillBetweenPoliciesSays(t *testing.T) {
	s := killedInSecond(t, os.Kill)
	s.write("jobs.yaml", strings.Replace(severalJobs, "1ms", "2us", 1))
	if r := s.run("resume", "out/slow"); r.code != 2 || !strings.Contains(r.stderr, `it is finished, but the job would write something else: params is "map_cpu=2us" now, and was "map_cpu=1ms" before; remove it`) {
		t.Errorf("%d: %s", r.code, r.stderr)
	}
	s.write("jobs.yaml", severalJobs)
	if err := os.RemoveAll(s.path("data")); err != nil {
		t.Fatal(err)
	}
	r := s.run("resume", "out/slow")
	if r.code != 0 || !strings.Contains(r.stderr, "warning: policy fifo had finished before and is not run again, but its report is missing here: it was not kept") {
		t.Errorf("%d: %s", r.code, r.stderr)
	}
	if policies, _ := policiesOf(t, r.stdout); !slices.Equal(policies, []string{"fair", "edf-p"}) {
		t.Errorf("the report has %v", policies)
	}
}

// A run of several policies that was stopped by Ctrl-C continues the policy that it was at.
func TestInterruptBetweenPolicies(t *testing.T) {
	s := killedInSecond(t, os.Interrupt)
	before, err := os.Stat(s.path("out/slow/fifo/_SUCCESS"))
	if err != nil {
		t.Fatal(err)
	}
	r := s.run("resume", "out/slow")
	if policies, _ := policiesOf(t, r.stdout); r.code != 0 || !slices.Equal(policies, []string{"fifo", "fair", "edf-p"}) {
		t.Errorf("%d: %v\n%s", r.code, policies, r.stderr)
	}
	if after, err := os.Stat(s.path("out/slow/fifo/_SUCCESS")); err != nil || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("the first policy ran again: %v", err)
	}
	for name := range tree(t, s.path("out")) {
		if strings.Contains(name, "_temporary") {
			t.Errorf("%s is left", name)
		}
	}
}
