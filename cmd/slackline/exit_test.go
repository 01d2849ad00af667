package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

const (
	refusedJob = "name: hurry\napp: wordcount\ninput: in.txt\noutput: out/hurry\ndeadline: 1us\n"
	failedJob  = "name: bad\napp: grep\nparams: {pattern: x}\ninput: in.txt\ninput_format: json\noutput: out/bad\n"
	refusedSim = `cluster: {nodes: 2, map_slots: 2, reduce_slots: 1}
workload: {jobs: [{id: a, maps: 10, map_time: 10s, reduces: 1, reduce_time: 5s, shuffle_time: 1s, deadline: DUE}]}
`
)

const capacityFile = `prices: {on_demand: 1}
classes: [{name: a, maps: 1, map: {mean: 9s, max: 9s}, map_slots: 1, deadline: 5m, at_most: 2}]
`

// Every command ends with the codes of the one table. Each is asked for what it does, and with a
// flag that it does not have; some have more.
func TestExitCodes(t *testing.T) {
	t.Parallel()
	text, _ := corpus()
	s := newShell(t, map[string]string{"in.txt": "x\n", "corpus/a.txt": text, "words.yaml": wordsJob, "hurry.yaml": refusedJob, "bad.yaml": failedJob, "two.yaml": twoJobs,
		"refused.yaml": strings.Replace(refusedSim, "DUE", "20s", 1), "flow.yaml": "name: flow\ncluster: {nodes: 1, map_slots: 1, heartbeat: 0s}\nworkload:\n  jobs:\n    - {id: a, workflow: w, workflow_deadline: +8s, maps: 2, map_time: 10s}\npolicies: [fifo]\n",
		"late.yaml":  strings.Replace(refusedSim, "DUE", "30s", 1),
		"fails.yaml": strings.Replace(twoJobs, "block: 64MB", "block: 64MB, failure_rate: 0.9", 1),
		"plan.yaml":  capacityFile, "impossible.yaml": strings.Replace(capacityFile, "5m", "1s", 1),
		"weather.csv": "time,ghi\n2030-06-01T18:00:00Z,1\n2030-06-01T18:10:00Z,9\n2030-06-01T18:20:00Z,5\n",
		"stuck.yaml":  "cluster: {nodes: 1, outages: [{node: n1, down: 5s}]}\nworkload: {jobs: [{id: slow, maps: 9, map_time: 10s}]}\n"})
	s.must(0, "run", "words.yaml", "-q") // so that there is something to be asked for
	cases := []struct {
		code int
		args string
	}{
		{0, ""}, {0, "help"}, {0, "help exit-codes"}, {0, "exit-codes"}, {2, "help nothing"}, {2, "nothing"},
		{0, "completion"}, {0, "completion bash"}, {0, "completion zsh"}, {0, "completion fish"}, {0, "completion powershell"}, {2, "completion ksh"},
		{0, "version"}, {0, "apps"}, {0, "policies"}, {0, "schema job"}, {2, "schema nothing"}, {0, "schema forecast"},
		{0, "forecast"}, {0, "forecast power"}, {0, "forecast power weather.csv --turbine 0 --site 40,-105 --horizon 10m"}, {2, "forecast power nothing"}, {2, "forecast power two.yaml"},
		{0, "forecast weather --days 1"}, {2, "forecast weather --days 0"}, {2, "forecast nothing"},
		{0, "capacity plan.yaml"}, {3, "capacity impossible.yaml"}, {2, "capacity nothing"}, {2, "capacity two.yaml"},
		{0, "run words2.yaml"}, {0, "run words2.yaml --fresh --strict"}, {2, "run nothing.yaml"}, {2, "run words.yaml"}, {1, "run bad.yaml"}, {1, "run bad.yaml -q"},
		{3, "run hurry.yaml --policy rtmr"}, {3, "run hurry.yaml --policy rtmr -q"}, {3, "run hurry.yaml --policy rtmr,dc -o json"}, {1, "run hurry.yaml bad.yaml --policy rtmr"},
		{0, "run hurry.yaml"}, {3, "run hurry.yaml --strict"}, {2, "run hurry.yaml --policy nothing"},
		{2, "run words.yaml --slots-trace nothing.csv"}, {0, "resume out/words"}, {2, "resume nothing"}, {2, "resume"},
		{0, "discard out/words"}, {0, "discard words"}, {0, "discard words.yaml -n"}, {2, "discard nothing"}, {2, "discard corpus"}, {2, "discard"},
		{0, "simulate two.yaml --seed 1"}, {0, "simulate refused.yaml --policy rtmr"}, {3, "simulate refused.yaml --policy rtmr --strict"}, {0, "simulate late.yaml"},
		{3, "simulate late.yaml --strict"}, {0, "simulate flow.yaml"}, {3, "simulate flow.yaml --strict"}, {0, "simulate fails.yaml"}, {3, "simulate fails.yaml --strict"}, {1, "simulate stuck.yaml"}, {2, "simulate nothing.yaml"},
		{0, "compare refused.yaml --policy fifo,rtmr"}, {3, "compare refused.yaml --policy fifo,rtmr --strict"}, {0, "compare fails.yaml"}, {3, "compare fails.yaml --strict"}, {1, "compare stuck.yaml"}, {2, "compare words.yaml"},
		{0, "wait words"}, {2, "wait nothing"}, {2, "wait"}, {3, "cancel words"}, {2, "cancel nothing"}, {2, "cancel"},
		{3, "submit words.yaml"}, {2, "submit nothing.yaml"}, {2, "submit"}, {2, "submit --to yarn nothing.yaml"}, {3, "close"}, {2, "close words"},
		{0, "jobs"}, {2, "jobs --state nothing"}, {0, "show words"}, {2, "show nothing"}, {0, "why words"}, {2, "why nothing"}, {0, "logs words"}, {2, "logs nothing"},
		{0, "profile"}, {0, "profile list"}, {0, "profile show wordcount"}, {2, "profile show nothing"}, {2, "profile import nothing"},
		{0, "simulate two.yaml --policy fifo --seed 1 --journal j"}, {0, "replay j"}, {2, "replay two.yaml"}, {2, "replay nothing"},
		{0, "reproduce"}, {2, "reproduce nothing"}, {3, "reproduce 003-matchmaking --quick --seed 1 --html none --strict"},
		{0, "yarn"}, {2, "yarn nothing"}, {2, "yarn serve --listen 0.0.0.0:1"}, {2, "yarn serve nothing"}, {2, "yarn capacity nothing --command true"},
		{0, "yarn dev"}, {2, "yarn dev nothing"}, {0, "yarn dev status"}, {0, "yarn dev down"}, {2, "yarn dev up --nodes 0"}, {2, "yarn dev up --plugin nothing"}, {2, "yarn dev host x"},
		{2, "workload stats nothing"}, {0, "workload"}, {2, "stream map nothing"}, {2, "stream nothing wordcount"},
		{0, "audit two.yaml"}, {2, "audit nothing.yaml"}, {2, "ask nothing.yaml"}, {2, "ask words.yaml --policy fifo,fair"}, {2, "validate --rounds 0"}, {2, "validate nothing.yaml"}, {2, "demo --size 0B"}, {2, "demo --input nothing"},
	}
	for _, c := range cases {
		if testing.Short() && strings.HasPrefix(c.args, "reproduce 003") {
			continue
		}
		for _, dir := range []string{"hurry", "words2"} {
			if !strings.Contains(c.args, "--fresh") && os.RemoveAll(s.path("out/"+dir)) != nil {
				t.Fatal("it stays")
			}
		}
		s.write("words2.yaml", strings.ReplaceAll(wordsJob, "words", "words2"))
		if strings.Contains(c.args, "--fresh") {
			if err := os.RemoveAll(s.path("out/words2")); err != nil {
				t.Fatal(err)
			}
		}
		r := s.run(strings.Fields(c.args)...)
		if r.code != c.code || (r.code != 0) != strings.Contains(r.stderr, "slackline: ") {
			t.Errorf("slackline %s: exit code %d, want %d\n%s%s", c.args, r.code, c.code, r.stdout, r.stderr)
		}
	}
	s.exercised(newRoot(), func(path string) bool {
		return slices.ContainsFunc(cases, func(c struct {
			code int
			args string
		}) bool {
			return strings.HasPrefix(c.args+" ", path+" ")
		})
	})
}

// exercised holds all commands to exit code 2 for a flag that there is not, and wants a case for each beside.
func (s *shell) exercised(cmd *cobra.Command, has func(path string) bool) {
	if cmd.HasParent() && cmd.Name() != "exit-codes" {
		path := strings.TrimPrefix(cmd.CommandPath(), "slackline ")
		if r := s.run(append(strings.Fields(path), "--nothing")...); r.code != 2 || r.stdout != "" || !strings.Contains(r.stderr, "nothing") {
			s.t.Errorf("slackline %s --nothing: exit code %d\n%s", path, r.code, r.stderr)
		}
		if parent, _, _ := strings.Cut(path, " "); !has(path) && !has(parent) {
			s.t.Errorf("slackline %s has no case here", path)
		}
	}
	for _, c := range cmd.Commands() {
		s.exercised(c, has)
	}
}

// Why a job failed or was refused stands on standard error once: where progress is told in its
// lines, with --quiet in the last.
func TestReasonsOnStandardError(t *testing.T) {
	s := newShell(t, map[string]string{"in.txt": "x\n", "hurry.yaml": refusedJob, "bad.yaml": failedJob})
	s.must(0, "run", "hurry.yaml")
	for _, c := range []struct{ args, reason, last string }{
		{"run hurry.yaml --policy rtmr", "alone on this cluster it takes", "slackline: job \"hurry\" was refused"},
		{"run bad.yaml", "record 1", "slackline: job \"bad\" failed"},
	} {
		if err := os.RemoveAll(s.path("out")); err != nil {
			t.Fatal(err)
		}
		for _, quiet := range []string{"", " -q"} {
			r := s.run(strings.Fields(c.args + quiet)...)
			lines := strings.Split(strings.TrimSpace(r.stderr), "\n")
			last := lines[len(lines)-1]
			if strings.Count(r.stderr, c.reason) != 1 || !strings.HasPrefix(last, c.last) || strings.Contains(last, c.reason) != (quiet != "") || quiet != "" && len(lines) != 1 {
				t.Errorf("slackline %s%s:\n%s", c.args, quiet, r.stderr)
			}
		}
	}
}

// Every command that takes its time ends with 130 when it is interrupted, and says in its last line
// which command goes on.
func TestInterruptedCommands(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("NOT CHECKED: another process cannot be interrupted here")
	}
	text, _ := corpus()
	many := "cluster: {nodes: 50, map_slots: 2, reduce_slots: 1, task_times: {law: uniform, cv: 0.1}}\nworkload: {jobs: [{id: a, maps: 20000, map_time: 10s}]}\npolicies: [fifo, fair]\nseeds: 1..200\n"
	s := newShell(t, map[string]string{"many.yaml": many, "corpus/a.txt": strings.Repeat(text, 200),
		"slow.yaml": "name: slow\napp: loadgen\nparams: {map_cpu: 1ms}\ninput: corpus\noutput: out/slow\n"})
	var tmp string
	for _, v := range s.env {
		if dir, is := strings.CutPrefix(v, "TMPDIR="); is {
			tmp = dir // the last one counts
		}
	}
	for _, c := range []struct{ args, last, begun string }{
		{"simulate many.yaml", "interrupted; the same command starts again", ""},
		{"compare many.yaml", "of 400 runs are done and kept, and the same command continues with the others", ""},
		{"validate slow.yaml", "interrupted; the same command starts again", ""},
		{"demo --input corpus", "interrupted; the same command starts again", filepath.Join(tmp, "slackline-demo-*")},
		{"demo --input corpus --keep kept", "interrupted; what the demo has written is in kept; remove it, and the same command starts again", s.path("kept")},
		{"reproduce 003-rtmr --html none", "interrupted; the same command starts again", ""},
	} {
		code, said := -1, ""
		// One that the signal itself ends, as it does not listen yet, has not begun: it gets more time.
		for wait := time.Second / 2; code < 0 && wait < time.Minute; wait *= 2 {
			cmd := s.command(strings.Fields(c.args)...)
			var stderr strings.Builder
			cmd.Stderr = &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			// Most of them would take minutes. The demo is over in a second, on a fast machine in less.
			for began := time.Now(); time.Since(began) < wait || c.begun != "" && time.Since(began) < time.Minute; time.Sleep(time.Millisecond) {
				if any, err := filepath.Glob(c.begun); err == nil && len(any) > 0 {
					break
				}
			}
			_ = cmd.Process.Signal(os.Interrupt)
			err := cmd.Wait()
			if _, exited := err.(*exec.ExitError); err != nil && !exited {
				t.Fatal(err)
			}
			code, said = cmd.ProcessState.ExitCode(), stderr.String()
			if again := "interrupted; the same command starts again"; c.last != again && strings.HasSuffix(said, again+"\n") && wait < 30*time.Second {
				code = -1 // it had done nothing yet
			}
		}
		if code != exitInterrupt || !strings.HasSuffix(said, c.last+"\n") {
			t.Errorf("slackline %s: exit code %d\n%s\nwant the last line to end with %s", c.args, code, said, c.last)
		}
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
