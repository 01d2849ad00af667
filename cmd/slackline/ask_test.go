//go:build !windows

package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/runs"
)

const askedJob = `name: a
app: loadgen
params: {map_cpu: 50ms}
input: in.txt
output: out/a
by: DUE
`

// Who submits a job that is refused hears so, and why.
func TestSubmissionRefused(t *testing.T) {
	t.Parallel()
	s := newShell(t, map[string]string{"in.txt": "x\n", "taught.yaml": "name: taught\nmap: sh -c 'sleep 0.3; cat'\ninput: in.txt\noutput: taught\nreduces: 0\nclass: c\n",
		"late.yaml": "name: late\nmap: sh -c 'sleep 0.3; cat'\ninput: in.txt\noutput: late\nreduces: 0\nclass: c\ndeadline: 50ms\n"})
	for range 3 {
		s.must(0, "run", "taught.yaml", "--overwrite")
	}
	open := s.elsewhere("takes jobs", "run", "--open", "--policy", "promise(refused=reject)", "--nodes", "1", "--slots", "1")
	if r := s.run("submit", "late.yaml"); r.code != 3 || !strings.Contains(r.stdout, `job "late": refused: `) || !strings.Contains(r.stderr, "1 job refused") {
		t.Errorf("%+v", r)
	}
	s.must(0, "close")
	open.ends(3)
}

// Who asks gets an answer with all that the schema says, and nothing is run or written; run looks at
// deadlines before it starts.
func TestAsk(t *testing.T) {
	t.Parallel()
	s := newShell(t, map[string]string{"far.yaml": strings.Replace(askedJob, "DUE", "24h", 1), "near.yaml": strings.Replace(askedJob, "DUE", "1ms", 1), "in.txt": "x\n"})
	r := s.run("ask", "far.yaml", "--policy", "edf-p")
	if want := "far.yaml:2:6: nothing is known of jobs of class \"loadgen~50ms-2f510423\" yet; run it once to learn: slackline run far.yaml\n"; r.code != exitBadInput || !strings.HasSuffix(r.stderr, want) {
		t.Fatalf("exit code %d: %s", r.code, r.stderr)
	}
	// The policy that runs jobs if nobody asks for another one says something of all.
	if r = s.run("ask", "far.yaml"); r.code != 0 || !strings.Contains(r.stdout, "nothing is known of its class yet, so this is a guess") {
		t.Errorf("of an unknown class: exit code %d: %s%s", r.code, r.stdout, r.stderr)
	}
	if r = s.run("run", "far.yaml", "-q"); r.code != 0 {
		t.Fatal(r.stderr)
	}
	output := filepath.Join(s.dir, "out")
	if err := os.RemoveAll(output); err != nil {
		t.Fatal(err)
	}
	before := len(s.jobs().Jobs)
	if r = s.run("ask", "far.yaml"); r.code != 0 || !strings.HasPrefix(r.stdout, `job "a": done at `) || !strings.Contains(r.stdout, "; alone it takes ") {
		t.Errorf("exit code %d: %s%s", r.code, r.stdout, r.stderr)
	}

	if r = s.run("ask", "far.yaml", "--store", "elsewhere", "--policy", "edf-p"); r.code != exitBadInput || !strings.Contains(r.stderr, "nothing is known of jobs of class") {
		t.Errorf("of another store: exit code %d: %s%s", r.code, r.stdout, r.stderr)
	}

	r = s.run("ask", "near.yaml", "-o", "json")
	if want := "slackline: job \"a\" would not be in time\n"; r.code != exitNo || r.stderr != want {
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}
	type object struct {
		Required   []string
		Properties map[string]struct{ Items *object }
		Items      *object
	}
	var schema object
	if err := json.Unmarshal([]byte(s.run("schema", "answer").stdout), &schema); err != nil {
		t.Fatal(err)
	}
	var answer map[string]json.RawMessage
	if err := json.Unmarshal([]byte(r.stdout), &answer); err != nil {
		t.Fatal(err)
	}
	same := func(what string, of *object, has map[string]json.RawMessage) {
		t.Helper()
		keys, named := slices.Sorted(maps.Keys(has)), slices.Sorted(maps.Keys(of.Properties))
		if !slices.Equal(keys, named) || !slices.Equal(slices.Sorted(slices.Values(of.Required)), named) {
			t.Errorf("%s: there are %v, the schema names %v and requires %v", what, keys, named, of.Required)
		}
	}
	same("the answer", &schema, answer)
	var jobs []map[string]json.RawMessage
	if err := json.Unmarshal(answer["jobs"], &jobs); err != nil || len(jobs) != 1 {
		t.Fatal(err, len(jobs))
	}
	same("a job", schema.Properties["jobs"].Items, jobs[0])
	if _, err := os.Stat(output); err == nil || len(s.jobs().Jobs) != before {
		t.Error("to ask has run something")
	}

	if r = s.run("run", "near.yaml", "-q", "--admit", "refuse"); r.code != exitNo || !strings.Contains(r.stderr, `nothing was run (--admit refuse): job "a" is expected to end `) {
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}
	if _, err := os.Stat(output); err == nil || len(s.jobs().Jobs) != before {
		t.Error("a run that is refused has run something")
	}
	for flags, want := range map[string]bool{"--admit=warn": true, "--admit=off": false, "--fresh": true} {
		r = s.run("run", "near.yaml", "-q", flags)
		if got := strings.Contains(r.stderr, `warning: job "a" is expected to end `); got != want || r.code != 0 {
			t.Errorf("%s: exit code %d: %s", flags, r.code, r.stderr)
		}
		if err := os.RemoveAll(output); err != nil {
			t.Fatal(err)
		}
	}
	for flags, want := range map[string]string{"--admit=perhaps": `--admit "perhaps": it must be warn, refuse or off`, "--admit=refuse --policy=rtmr": "--admit refuse: rtmr admits jobs by their deadlines itself; leave --admit out"} {
		if r = s.run(append([]string{"run", "near.yaml"}, strings.Fields(flags)...)...); r.code != exitBadInput || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: exit code %d: %s", flags, r.code, r.stderr)
		}
	}
}

// Who asks an open run is told what it has learned of a class since it began, and no guess.
func TestAskOfWhatAnOpenRunLearned(t *testing.T) {
	t.Parallel()
	s := newShell(t, map[string]string{"in.txt": "x\n", "a.yaml": "name: a\nclass: s\nmap: cat\ninput: in.txt\noutput: a\nreduces: 0\ndeadline: 1h\n"})
	s.write("b.yaml", strings.NewReplacer("name: a", "name: b", "output: a", "output: b").Replace(s.read("a.yaml")))
	open := s.elsewhere("takes jobs", "run", "--open", "--nodes", "1", "--slots", "1")
	const guess = "nothing is known of its class yet"
	if r := s.must(0, "ask", "a.yaml"); !strings.Contains(r, guess) {
		t.Errorf("before any job: %s", r)
	}
	s.must(0, "submit", "a.yaml")
	s.must(0, "wait", "a")
	if r := s.must(0, "ask", "b.yaml"); strings.Contains(r, guess) || !strings.Contains(r, `job "b": done at `) {
		t.Errorf("after one: %s", r)
	}
	s.must(0, "close")
	open.ends(0)
}

// Jobs of a pipeline that are submitted one by one are told of when they come, too: what those before them are to
// write is a guess.
func TestPipelineOfSubmissions(t *testing.T) {
	t.Parallel()
	s := newShell(t, map[string]string{"in.txt": "x\n", "one.yaml": "name: one\nmap: sh wait.sh\nfiles: wait.sh\ninput: in.txt\noutput: one\nreduces: 0\n",
		"two.yaml":   "name: two\napp: wordcount\ninput: one\noutput: two\ndeadline: 1h\n",
		"three.yaml": "name: three\napp: wordcount\ninput: two\noutput: three\ndeadline: 1h\n"})
	s.write("wait.sh", "while ! [ -e "+filepath.Join(s.dir, "go")+" ]; do sleep 0.1; done; cat")
	open := s.elsewhere("takes jobs", "run", "--open", "--nodes", "1", "--slots", "1")
	s.must(0, "submit", "one.yaml")
	for _, name := range []string{"two", "three"} {
		if r := s.must(0, "ask", name+".yaml"); !strings.Contains(r, `job "`+name+`": done at `) {
			t.Errorf("while what %s reads is not there: %s", name, r)
		}
		s.must(0, "submit", name+".yaml")
		open.until(`job "` + name + `": 1 map, 1 reduce`)
	}
	s.write("go", "")
	s.must(0, "close")
	open.ends(0)
}

// Who asks is told that there is no promise, and whether others are promised the slots.
func TestWhyNoPromise(t *testing.T) {
	now, chance := time.Now(), 0.95
	for cause, want := range map[string]string{"": "with 95 %", "behind": "with 95 %, which is no promise", "owed": "which is no promise, as jobs with promises need its slots"} {
		is := sentence(&runs.Answer{ID: "a", Done: &now, Deadline: &now, Chance: &chance, Unpromised: cause}, now)
		if !strings.HasSuffix(is, want) {
			t.Errorf("%q: %q does not end with %q", cause, is, want)
		}
	}
}
