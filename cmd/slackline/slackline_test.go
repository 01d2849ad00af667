package main

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

const twoJobs = `name: two-jobs
cluster: {nodes: 20, racks: 2, map_slots: 2, reduce_slots: 1, heartbeat: 3s, replicas: 3, block: 64MB}
workload:
  jobs:
    - {id: j1, class: wordcount, arrive: 0s, maps: 40, reduces: 8, map_time: 20s, shuffle_time: 5s, reduce_time: 30s, deadline: 10m}
    - {id: j2, class: sort, arrive: 30s, maps: 10, reduces: 2, map_time: 15s, shuffle_time: 5s, reduce_time: 20s, deadline: 2m, after: [j1]}
policies: [fifo, fair, edf-n, edf-p]
seeds: [1, 2, 3]
`

const wordsJob = "name: words\napp: wordcount\ninput: [corpus/]\noutput: out/words\nreduces: 4\ndeadline: 60s\n"

// corpus is a text of some lines, and how often each word stands in it, counted naively.
func corpus() (text string, counts map[string]int) {
	var b strings.Builder
	counts = map[string]int{}
	for line := range 2000 {
		for word := range 10 {
			w := fmt.Sprintf("w%d", line*word%(17+word))
			counts[w]++
			b.WriteString(w + " ")
		}
		b.WriteByte('\n')
	}
	return b.String(), counts
}

// reported is what tests look at of a report.
type reported struct {
	Schema string
	Runs   []struct {
		World, Scenario, Policy string
		Seed                    int
		Summary                 map[string]any
		Jobs, Workflows         []map[string]any
	}
}

func parse(t *testing.T, text string) (r reported) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatalf("no JSON: %v\n%s", err, text)
	}
	return r
}

// The first milestone: run a word count with a deadline under EDF, simulate the same by what that taught, replay both.
func TestRunSimulateReplay(t *testing.T) {
	t.Parallel()
	text, counts := corpus()
	s := newShell(t, map[string]string{"words.yaml": wordsJob, "corpus/a.txt": text, "corpus/b.txt": text})
	ran := parse(t, s.must(0, "run", "words.yaml", "--policy", "edf-p", "--journal", "run.journal", "-o", "json"))
	for w := range counts {
		counts[w] *= 2
	}
	if diff := cmp.Diff(counts, s.output("out/words")); diff != "" {
		t.Errorf("word count: -want +got\n%s", diff)
	}
	s.read("out/words/_SUCCESS")
	if j := ran.Runs[0].Jobs[0]; ran.Runs[0].World != "engine" || j["id"] != "words" || j["outcome"] != "met" || j["deadline_s"] != 60.0 || j["reduces"] != 4.0 {
		t.Errorf("run: %v", ran.Runs[0])
	}
	played := parse(t, s.must(0, "simulate", "words.yaml", "--policy", "edf-p", "--journal", "sim.journal", "-o", "json"))
	if len(played.Runs) != 2 || played.Runs[0].World != "sim" || played.Runs[1].World != "engine" {
		t.Fatalf("simulate reports %d runs, want that of the simulator and that of the engine", len(played.Runs))
	}
	if diff := cmp.Diff(ran.Runs[0], played.Runs[1]); diff != "" {
		t.Errorf("the report of the run is not what it was: %s", diff)
	}
	if a, b := played.Runs[1].Jobs[0], played.Runs[0].Jobs[0]; a["maps"] != b["maps"] || a["reduces"] != b["reduces"] {
		t.Errorf("the engine ran %v maps and %v reduces, the simulator %v and %v", a["maps"], a["reduces"], b["maps"], b["reduces"])
	}
	for _, journal := range []string{"run.journal", "sim.journal"} {
		if out := s.must(0, "replay", journal); !strings.Contains(out, "exact") {
			t.Errorf("replay %s: %s", journal, out)
		}
	}
}

// A journal in which a plan was altered is refused, with the line.
func TestReplayAltered(t *testing.T) {
	s := newShell(t, map[string]string{"two.yaml": twoJobs})
	s.must(0, "simulate", "two.yaml", "--policy", "edf-p", "--seed", "1", "--journal", "a.journal")
	lines := strings.SplitAfter(s.read("a.journal"), "\n")
	// An item, with its sum mended: it can be read, and is not what the policy decides.
	for i, line := range lines {
		body, _, item := strings.Cut(line, " #")
		if !item || !strings.Contains(body, " item start ") || !strings.Contains(body, " node=1 ") {
			continue
		}
		body = strings.Replace(body, " node=1 ", " node=2 ", 1)
		forged := slices.Clone(lines)
		forged[i] = fmt.Sprintf("%s #%08x\n", body, crc32.Checksum([]byte(body), crc32.MakeTable(crc32.Castagnoli)))
		s.write("forged.journal", strings.Join(forged, ""))
		if r := s.run("replay", "forged.journal"); r.code != 1 || !strings.Contains(r.stderr, fmt.Sprintf("forged.journal:%d: recorded: ", i+1)) {
			t.Errorf("line %d forged: exit code %d\n%s", i+1, r.code, r.stderr)
		}
		break
	}
	if _, err := os.Stat(s.path("forged.journal")); err != nil {
		t.Error("no item to forge")
	}
	// Half a journal is exact as far as it goes.
	s.write("half.journal", strings.Join(lines[:len(lines)/2], ""))
	if out := s.must(1, "replay", "half.journal"); !strings.Contains(out, "stops before the end of the run") {
		t.Errorf("half a journal: %s", out)
	}
	n := len(lines) / 2
	at := strings.LastIndexAny(lines[n][:len(lines[n])*2/3], "0123456789")
	changed := []byte(lines[n])
	changed[at] = '0' + (changed[at]-'0'+1)%10
	lines[n] = string(changed)
	s.write("b.journal", strings.Join(lines, ""))
	r := s.run("replay", "b.journal")
	if r.code == 0 || !regexp.MustCompile(fmt.Sprintf(`\b%d\b`, n+1)).MatchString(r.stdout+r.stderr) {
		t.Errorf("line %d altered: exit code %d\n%s%s", n+1, r.code, r.stdout, r.stderr)
	}
}

var measured = regexp.MustCompile(`(?m)^ *"(wall_s|events_per_s)": .*$`)

// The same scenario gives the same JSON, run twice and on any number of processors, but for the time it took.
func TestDeterminism(t *testing.T) {
	t.Parallel()
	s := newShell(t, map[string]string{"two.yaml": twoJobs})
	s.write("random.yaml", strings.Replace(twoJobs, "block: 64MB", "block: 64MB, task_times: {law: lognormal, cv: 0.5}, failure_rate: 0.05, mtbf: 10m, mttr: 1m", 1))
	for _, file := range []string{"two.yaml", "random.yaml"} {
		var first string
		for _, procs := range []string{"2", "2", "1"} {
			s.env = append(s.env, "GOMAXPROCS="+procs)
			got := measured.ReplaceAllString(s.must(0, "compare", "--fresh", file, "-o", "json"), "")
			if first == "" {
				first = got
			}
			if diff := cmp.Diff(first, got); diff != "" {
				t.Errorf("%s with GOMAXPROCS=%s: %s", file, procs, diff)
			}
		}
		r := parse(t, s.must(0, "compare", file, "-o", "json"))
		if len(r.Runs) != 12 || r.Schema != "slackline/report/v2" {
			t.Errorf("%s: %d runs", file, len(r.Runs))
		}
		for i, run := range r.Runs {
			if want := []string{"fifo", "fair", "edf-n", "edf-p"}[i/3]; run.Policy != want || run.Seed != i%3+1 {
				t.Errorf("%s: run %d is %s with seed %d", file, i, run.Policy, run.Seed)
			}
		}
	}
}

// TestBadInput: one clear sentence with the place, exit code 2, no stack, nothing on standard
// output, nothing half-written.
func TestBadInput(t *testing.T) {
	t.Parallel()
	s := newShell(t, map[string]string{
		"corpus/a.txt": "a b\n", "taken/x": "", "words.yaml": wordsJob, "two.yaml": twoJobs,
		"key.yaml":      strings.Replace(wordsJob, "reduces", "reduce", 1),
		"app.yaml":      strings.Replace(wordsJob, "app: wordcount", "app: wordcont", 1),
		"param.yaml":    wordsJob + "params: {minimum: 3}\n",
		"input.yaml":    strings.Replace(wordsJob, "corpus/", "corps/", 1),
		"taken.yaml":    strings.Replace(wordsJob, "out/words", "taken", 1),
		"file.yaml":     strings.Replace(wordsJob, "out/words", "words.yaml", 1),
		"odd.json":      "{\"schema\": \"slackline/profiles/v2\", \"profiles\": [\n{\"nmae\": \"a\"}]}",
		"day.yaml":      strings.Replace(wordsJob, "60s", "2030-01-01", 1),
		"dollar.yaml":   strings.Replace(wordsJob, "out/words", "out/$DAY", 1),
		"unset.yaml":    strings.Replace(wordsJob, "out/words", "out/${UNSET_HERE}", 1),
		"a.yaml":        "name: a\napp: wordcount\ninput: corpus\noutput: out/a\nafter: b\n",
		"b.yaml":        "name: b\napp: wordcount\ninput: corpus\noutput: out/b\nafter: a\n",
		"size.yaml":     strings.Replace(twoJobs, "64MB", "-64MB", 1),
		"late.yaml":     strings.Replace(twoJobs, "deadline: 2m", "deadline: 20s", 1),
		"cycle.yaml":    strings.Replace(twoJobs, "deadline: 10m}", "deadline: 10m, after: j2}", 1),
		"policy.yaml":   strings.Replace(twoJobs, "fair, edf-n", "fair, edf-m", 1),
		"nojournal.txt": "hello\n",
		"again.yaml":    wordsJob,
		"gpu.yaml":      wordsJob + "labels: gpu\n",
		"whom.yaml":     wordsJob + "run: {policy: edf-m}\n",
		"pieces.yaml":   wordsJob + "run: {block: 0}\n",
		"noout.yaml":    strings.Replace(wordsJob, "out/words", "\"\"", 1),
		"slow.yaml":     strings.Replace(twoJobs, "heartbeat: 3s", "heartbeat: 3s, speed_steps: [{at: 5s, factor: 1e-9}]", 1),
		"half.csv":      "at,slots\n0,2.5\n",
		"t.tsv":         "a\t1\t1\t1\t1\t1\nb\tx\t1\t1\t1\t1\n",
		"trace.yaml":    "cluster: {nodes: 3}\nworkload:\n  trace: {format: swim, file: t.tsv}\n",
		"notrace.yaml":  "cluster: {nodes: 3}\nworkload:\n  trace: {format: swim, file: nosuch.tsv}\n",
	})
	before := s.files()
	for _, c := range []struct{ args, want string }{
		{"run nosuch.yaml", `nosuch.yaml: there is no such file`},
		{"simulate nosuch.yaml", `nosuch.yaml: there is no such file`},
		{"replay nosuch.journal", `nosuch.journal: there is no such file`},
		{"run key.yaml", `key.yaml:5:9: reduce and app contradict each other: reduce is for jobs of commands, which have map; leave one of them out; the key for the number of reduces is reduces`},
		{"run app.yaml", `app.yaml:2:6: there is no application "wordcont"; did you mean "wordcount"?`},
		{"run param.yaml", `param.yaml:7:9: application wordcount has no parameter "minimum"`},
		{"run input.yaml", `input.yaml:3:8: input "corps/": there is no such file or directory`},
		{"run taken.yaml --store hdfs://x/y", `--store: "hdfs://x/y" is an address, and jobs run on this machine with its files`},
		{"run taken.yaml --journal s3://x/y", `--journal: "s3://x/y" is an address`},
		{"run taken.yaml", `taken.yaml:4:9: output "taken": it exists already; remove it, or name another directory`},
		{"run day.yaml", `day.yaml:6:11: deadline: "2030-01-01" is a day without a time; write 2030-01-01T06:00`},
		{"run dollar.yaml", `dollar.yaml:4:9: output: "out/$DAY": write ${DAY} for the variable, or $$DAY for a dollar`},
		{"ask unset.yaml --set unset=1", `unset.yaml:4:9: output: ${UNSET_HERE}: there is no such variable; set it in the environment, or by --set UNSET_HERE=VALUE`},
		{"run a.yaml --set day=1", `--set: "day=1": {day} follows from the date of the run; --as-of sets that`},
		{"run words.yaml --set WHERE=x", `--set WHERE=x: no job file has ${WHERE} or {WHERE}`},
		{"simulate two.yaml --set unset_here=x", `--set unset_here=x: no job file has ${unset_here} or {unset_here}`},
		{"ask unset.yaml --set UNSET_HERE=x --set UNSET_THERE=y", `--set UNSET_THERE=y: no job file has ${UNSET_THERE} or {UNSET_THERE}; did you mean "UNSET_HERE"?`},
		{"run file.yaml --overwrite", `file.yaml:4:9: output "words.yaml": it is no directory, but a file; remove it, or name another directory`},
		{"profile import odd.json", `odd.json:2: profiles[0].nmae: there is no such field; did you mean "name"?`},
		{"run a.yaml --as-of never", `--as-of: "never" is no time at which a run was meant to begin`},
		{"run a.yaml --as-of=", `--as-of: "" is no time at which a run was meant to begin`},
		{"run a.yaml --as-of 0001-01-01", `--as-of: "0001-01-01" lies before the year 1900`},
		{"run a.yaml b.yaml", `a.yaml:5:8: job "a" waits for itself: "a" after "b" after "a"`},
		{"run a.yaml", `a.yaml:5:8: job "a" waits for job "b", which does not exist`},
		{"run words.yaml words.yaml", `words.yaml is given twice`},
		{"run words.yaml again.yaml", `again.yaml:1:7: the name "words" is already used by the job at words.yaml:1:7`},
		{"run words.yaml --nodes 1000000000", `--nodes is 1000000000, it must be 1 to 1000000`},
		{"run words.yaml --nodes 100000", `--nodes is 100000, on this machine it must be at most 1000`},
		{"run words.yaml --nodes 99999999999999999999", `invalid argument "99999999999999999999" for "--nodes" flag: it is too large`},
		{"simulate two.yaml --slots 999999999", `at most 100000`},
		{"simulate two.yaml --seed 1,1", `--seed: the seed 1 is given twice`},
		{"simulate two.yaml --seed 5..1", `--seed: "5..1" runs backwards`},
		{"simulate two.yaml --seed 1..1000000000", `--seed: "1..1000000000" are too many seeds`},
		{"simulate two.yaml --block 1MB", `--block is for job files`},
		{"simulate two.yaml --policy fifo --seed 1 --journal words.yaml", `--journal: words.yaml exists already and is not a journal; name another file, or replace it with --overwrite`},
		{"run words.yaml --journal words.yaml", `--journal: words.yaml is what the command reads; name another file`},
		{"run gpu.yaml", `gpu.yaml:7:9: workers on this machine have no labels`},
		{"run whom.yaml", `whom.yaml:7:15: policy "edf-m", character 1: there is no policy or part "edf-m"; did you mean "edf-n"?`},
		{"run pieces.yaml", `pieces.yaml:7:14: block is 0B, it must be above 0`},
		{"run noout.yaml", `noout.yaml:4:9: output is empty`},
		{"simulate slow.yaml", `slow.yaml: two-jobs by fifo with seed 1: the simulation takes too long: the next event is more than 146 years`},
		{"simulate trace.yaml", `t.tsv:2: submit time: "x" is not a time in seconds`},
		{"simulate notrace.yaml", `notrace.yaml:3:31: nosuch.tsv: there is no such file`},
		{"simulate /dev/zero", `/dev/zero: the file is larger than 64 MB`},
		{"run words.yaml --policy edf-m", `--policy: policy "edf-m", character 1: there is no policy or part "edf-m"; did you mean "edf-n"?`},
		{"run words.yaml --nodes 0", `--nodes is 0, it must be above 0`},
		{"run words.yaml --slots many", `--slots "many": write the number of map slots of a node`},
		{"run words.yaml --seed -1", `--seed: "-1" is not a seed`},
		{"run words.yaml -o xml", `--output "xml": it must be one of table, wide, json, csv`},
		{"run two.yaml", `two.yaml:`},
		{"run", `slackline run takes job files; see slackline run --help`},
		{"simulate words.yaml", `words.yaml:2:6: nothing is known of jobs of class "wordcount" yet; run it once to learn: slackline run words.yaml`},
		{"simulate size.yaml", `size.yaml:2:98: block is -64MB, it must be above 0`},
		{"simulate late.yaml", `late.yaml:6:`},
		{"compare cycle.yaml", `cycle.yaml:5:`},
		{"compare policy.yaml", `policy.yaml:7:24: policy "edf-m", character 1: there is no policy or part "edf-m"; did you mean "edf-n"?`},
		{"replay nojournal.txt", `nojournal.txt`},
		{"demo --input nosuch", `nosuch": there is no such file or directory`},
		{"demo --size 0B", `--size: it must be above 0`},
		{"schema answr", `there is no schema of "answr"; did you mean "answer"?`},
		{"schema jobs", `there is no schema of "jobs"; did you mean "job"?`},
		{"simulat two.yaml", `unknown command "simulat"`},
		{"explain words", `unknown command "explain"; did you mean "why"?`},
		{"kill words", `unknown command "kill"; did you mean "cancel"?`},
		{"frobnicate", `unknown command "frobnicate"; slackline --help lists them`},
		{"run words.yaml --polcy fifo", `unknown flag: --polcy; did you mean "--policy"?`},
		{"run words.yaml --frobnicate", `unknown flag: --frobnicate; see slackline run --help`},
		{"forecast power w.csv --order 3", `unknown flag: --order; it is gone: take --by combined, the default`},
		{"capacity c.yaml --instances 3", `unknown flag: --instances; it is gone: take -o yaml and slackline simulate for the plan of a file, and slackline reproduce for paper 004`},
		{"capacity c.yaml --verify", `unknown flag: --verify; it is gone: take -o yaml, which prints a scenario, and slackline simulate`},
		{"reproduce ./x", `there is no experiment "./x"; experiments are part of Slackline: slackline compare plays scenarios of your own`},
		{"run words.yaml --policy rds(room=all)", `"rds" has no parameter "room" any more: leave it out; it stands at what it was when left out`},
		{"run words.yaml --block=", `--block is empty; give it a value, or leave it out`},
		{"run words.yaml --slots-trace=", `--slots-trace is empty; give it a value, or leave it out`},
		{"run words.yaml --slots-trace half.csv", `--slots-trace: half.csv:2:3: 2.5 is not a whole number of slots; give a column capacity, from 0 to 1`},
		{"run words.yaml --only=", `--only is empty; give it a value, or leave it out`},
		{"simulate two.yaml --journal=", `--journal is empty; give it a value, or leave it out`},
		{"run words.yaml --policy sjf", `there is no policy or part "sjf"; slackline policies lists them`},
		{"run words.yaml --policy edfp", `there is no policy or part "edfp"; did you mean "edf-p"?`},
		{"run --policy fifo, edf-p", `--policy "fifo," ends with a comma; write the list without blanks, or in quotes: --policy fifo,edf-p`},
		{"run two.yaml", `two.yaml: this is a scenario, not a job file: slackline simulate plays it`},
		{"capacity two.yaml", `two.yaml: this is a scenario, not a file for slackline capacity: slackline simulate plays it`},
		{"compare words.yaml", `words.yaml: this is a job file, not a scenario: slackline run runs it, and slackline simulate plays it`},
		{"help simulat", `unknown command "simulat"`},
		{"help profile lst", `unknown command "lst"; did you mean "list"?`},
		{"completion ksh", `unknown command "ksh"; did you mean "zsh"?`},
		{"run words.yaml --polcy fifo", `unknown flag: --polcy`},
	} {
		r := s.run(strings.Fields(c.args)...)
		if r.code != 2 || r.stdout != "" || !strings.Contains(r.stderr, c.want) || strings.Contains(r.stderr, "goroutine") {
			t.Errorf("slackline %s: exit code %d, want 2\nstdout %q\nstderr %s\nwant   %s", c.args, r.code, r.stdout, r.stderr, c.want)
		}
	}
	if diff := cmp.Diff(before, s.files()); diff != "" {
		t.Errorf("bad input left something behind: %s", diff)
	}
}

// Every example of every command's help works as it is pasted, in a folder with the examples and
// some text. Those of demo read less text here than they would. Of lines that stand in the help
// twice one is run, and those that stand in a document are run there, by TestDocuments, where it
// needs no tools.
func TestHelpExamples(t *testing.T) {
	done := map[string]bool{}
	if _, err := exec.LookPath("sh"); err == nil && !testing.Short() {
		for page, tools := range pages(t) {
			for _, c := range readDocument(t, page).commands {
				done[c.text] = done[c.text] || tools == nil && untried[c.text] == "" && c.code == 0
			}
		}
	}
	text, _ := corpus()
	files := map[string]string{"internal/a/a.txt": text + "deadline\n", "b.txt": text, "README.md": text + "deadline\n"}
	examples, err := filepath.Glob("../../examples/*.yaml")
	if err != nil || len(examples) == 0 {
		t.Fatal("no examples", err)
	}
	traces, err := filepath.Glob("../../examples/traces/*")
	if err != nil || len(traces) == 0 {
		t.Fatal("no traces", err)
	}
	weather, err := filepath.Glob("../../examples/*.csv")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range slices.Concat(examples, traces, weather) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimPrefix(filepath.ToSlash(file), "../../")] = string(src)
	}
	s := newShell(t, files)                 // one for all of them, as for somebody who pastes one after the other
	s.must(0, "run", "examples/words.yaml") // some ask for what ran before
	s.again()
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		if cmd.HasParent() && cmd.Example == "" {
			t.Errorf("%s has no example", cmd.CommandPath())
		}
		// They need a run in another terminal, see TestSubmitCancelWait, go on until they are stopped: TestYarnServe,
		// or ask, change or have watched a Hadoop cluster: TestLearnFromHadoop, TestYarnInstall, TestYarnCompare,
		// TestYarnCapacity, TestYarnModes, TestYarnWhatIf.
		if slices.Contains([]string{"submit", "cancel", "close", "yarn serve", "yarn dev up", "profile learn", "yarn install",
			"yarn compare", "yarn whatif", "yarn capacity", "yarn take-over", "yarn yield", "yarn watch"}, strings.TrimPrefix(cmd.CommandPath(), "slackline ")) {
			return
		}
		for line := range strings.Lines(cmd.Example) {
			line = strings.TrimSpace(line)
			if done[line] {
				continue
			}
			done[line] = true
			t.Run(strings.ReplaceAll(line, "/", "-"), func(t *testing.T) {
				s.t = t
				if testing.Short() && strings.HasPrefix(line, "slackline reproduce 00") {
					t.Skip("whole experiments are played where -short is not asked for")
				}
				if strings.ContainsAny(line, "<|") {
					s.pasted(line)
					return
				}
				for part := range strings.SplitSeq(line, "&&") {
					args := strings.Fields(part)
					if strings.Join(args, " ") == "rm -rf out" {
						if err := os.RemoveAll(s.path("out")); err != nil {
							t.Fatal(err)
						}
						continue
					}
					if len(args) == 0 || args[0] != "slackline" {
						t.Fatalf("%q does not call slackline", part)
					}
					if len(args) > 1 && args[1] == "demo" && !slices.Contains(args, "--size") {
						args = append(args, "--size", "1MB")
					}
					if out := s.must(0, args[1:]...); out == "" {
						t.Errorf("%s prints nothing", part)
					}
				}
			})
		}
		for _, c := range cmd.Commands() {
			visit(c)
		}
	}
	visit(newRoot())
}

// pasted runs a line that needs a shell.
func (s *shell) pasted(line string) {
	s.t.Helper()
	need(s.t, "sh")
	cmd := exec.Command("sh", "-ec", "slackline() { '"+os.Args[0]+"' \"$@\"; }\n"+line)
	cmd.Dir, cmd.Env = s.dir, s.env
	if out, err := cmd.CombinedOutput(); err != nil || len(out) == 0 {
		s.t.Errorf("%s: %v\n%s", line, err, out)
	}
}

// What lists are printed as.
func TestLists(t *testing.T) {
	s := newShell(t, nil)
	for _, c := range []struct{ args, want string }{
		{"apps", "wordcount"}, {"apps -o json", `"name": "grep"`}, {"policies", "edf-p"}, {"policies -o json", `"name": "edf-p"`},
		{"schema job", `"$schema"`}, {"schema scenario", `"heartbeat"`}, {"version", "slackline "}, {"--help", "Available Commands"},
		{"completion bash", "__start_slackline"}, {"__complete run --policy ", "edf-p"},
	} {
		if out := s.must(0, strings.Fields(c.args)...); !strings.Contains(out, c.want) && !strings.HasPrefix(c.args, "__") {
			t.Errorf("slackline %s:\n%s\nlacks %q", c.args, out, c.want)
		}
	}
}

// With --strict a missed deadline is an answer that nobody hoped for.
func TestStrict(t *testing.T) {
	s := newShell(t, map[string]string{"late.yaml": strings.Replace(twoJobs, "deadline: 10m", "deadline: 30s", 1)})
	if r := parse(t, s.must(0, "simulate", "late.yaml", "--policy", "fifo", "--seed", "1", "-o", "json")); r.Runs[0].Summary["late"] == 0.0 {
		t.Error("no deadline is missed")
	}
	s.must(3, "simulate", "late.yaml", "--policy", "fifo", "--seed", "1", "--strict")
}

// A job that fails by the chance of a scenario is a result: the report has it and says why, and the exit code is 0.
func TestFailedJob(t *testing.T) {
	s := newShell(t, map[string]string{"bad.yaml": strings.Replace(twoJobs, "block: 64MB", "block: 64MB, failure_rate: 0.9", 1)})
	r := s.run("simulate", "bad.yaml", "--policy", "fifo", "--seed", "1")
	if r.code != 0 || !strings.Contains(r.stdout, `job "j1" failed`) || !strings.Contains(r.stdout, `job "j2" was killed: it waited for job "j1"`) || r.stderr != "" {
		t.Errorf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	r = s.run("simulate", "bad.yaml", "--policy", "fifo", "--seed", "1", "--strict")
	if r.code != 3 || !strings.HasPrefix(r.stderr, "slackline: job \"j1\" failed: ") || strings.Count(r.stderr, "\n") != 1 {
		t.Errorf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
}

// Without a toolchain, or without text, the demo says what it needs.
func TestDemoWithoutText(t *testing.T) {
	t.Parallel()
	s := newShell(t, map[string]string{"empty/x.bin": "\x00\x01"})
	s.env = append(s.env, "PATH=")
	for _, c := range []struct{ args, want string }{
		{"demo", "name a folder with text with --input DIR"}, {"demo --input empty", "there is no text in it"},
	} {
		if r := s.run(strings.Fields(c.args)...); r.code != 2 || !strings.Contains(r.stderr, c.want) {
			t.Errorf("%s: exit code %d, %s", c.args, r.code, r.stderr)
		}
	}
}

// Several runs are recorded to a folder, one file each.
func TestJournals(t *testing.T) {
	s := newShell(t, map[string]string{"two.yaml": twoJobs})
	s.must(0, "simulate", "two.yaml", "--policy", "fifo,edf-p", "--seed", "1..2", "--journal", "all")
	for _, name := range []string{"two-jobs-fifo-1", "two-jobs-fifo-2", "two-jobs-edf-p-1", "two-jobs-edf-p-2"} {
		s.must(0, "replay", "all/"+name+".journal")
	}
}

// Names of files differ where the texts do, and are of a length and of letters that any system takes.
func TestFileName(t *testing.T) {
	long := strings.Repeat("job+", 100)
	for text, want := range map[string]string{
		"edf-p":                 "edf-p",
		"words+find":            "words+find",
		"fair(preemption=true)": "fair_preemption=true_-9835c00c",
	} {
		if got := fileName(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if a, b := fileName(long+"a"), fileName(long+"b"); a == b || len(a) > 100 {
		t.Errorf("%q and %q", a, b)
	}
}

// A sweep that is killed in the middle goes on where it was, and comes to the same bytes as one that was not.
func TestKilledSweepGoesOn(t *testing.T) {
	t.Parallel()
	seeds := 10 // 20 runs for each
	if testing.Short() {
		seeds = 3
	}
	runs := 20 * seeds
	text := fmt.Sprintf(`name: many
cluster: {nodes: 40, racks: 4, heartbeat: 1s}
workload:
  jobs:
    - {id: a, maps: 500, reduces: 20, map_time: 20s, shuffle_time: 5s, reduce_time: 30s, deadline: 30m}
    - {id: b, arrive: 1m, maps: 250, reduces: 10, map_time: 10s, shuffle_time: 5s, reduce_time: 20s, deadline: 20m}
policies: [fifo, edf-p]
seeds: 1..%d
sweep:
  cluster.nodes: [30, 40, 50, 60, 70]
  cluster.task_times.law: [constant, exponential]
`, seeds)
	files := map[string]string{"many.yaml": text}
	whole := newShell(t, files)
	want := whole.must(0, "compare", "many.yaml", "-o", "json", "--no-timing")
	if strings.Count(want, `"world"`) != runs {
		t.Fatalf("%d runs", strings.Count(want, `"world"`))
	}

	s := newShell(t, files)
	cmd := s.command("compare", "many.yaml", "-o", "json", "--no-timing")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kept := func() int {
		list, err := filepath.Glob(s.path("data/results/*/*.json"))
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	for kept() < 20 {
		time.Sleep(time.Millisecond)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if n := kept(); n >= runs {
		t.Fatalf("it was over before it was killed: %d results", n)
	}
	r := s.run("compare", "many.yaml", "-o", "json", "--no-timing")
	if r.code != 0 || !strings.Contains(r.stderr, "results were kept from before") {
		t.Fatalf("exit code %d: %s", r.code, r.stderr)
	}
	if r.stdout != want {
		t.Error("the resumed sweep differs")
	}
	// What changed is run, and nothing else.
	s.write("many.yaml", strings.Replace(text, "[30, 40, 50, 60, 70]", "[30, 40, 50, 60, 80]", 1))
	if r = s.run("compare", "many.yaml", "-o", "csv"); !strings.Contains(r.stderr, fmt.Sprintf("\n%d of %d results were kept", runs-runs/5, runs)) {
		t.Error(r.stderr)
	}
	if r = s.run("compare", "many.yaml", "-o", "csv", "--seed", "1"); !strings.Contains(r.stderr, "\n20 of 20 results were kept") {
		t.Error(r.stderr)
	}
	if r = s.run("compare", "many.yaml", "-o", "csv", "--seed", "1", "--fresh"); strings.Contains(r.stderr, "were kept") {
		t.Error(r.stderr)
	}
	// A result that is damaged counts as none.
	list, err := filepath.Glob(s.path("data/results/*/*.json"))
	if err != nil || len(list) != runs+runs/5 {
		t.Fatal(len(list), err)
	}
	if err := os.WriteFile(list[0], []byte(`{"world": "sim", "poli`), 0o666); err != nil {
		t.Fatal(err)
	}
	s.write("many.yaml", text)
	if got := s.must(0, "compare", "many.yaml", "-o", "json", "--no-timing"); got != want {
		t.Error("a damaged result was believed")
	}
}

// A result is known only as long as all files that it follows from are the same.
func TestChangedArrivals(t *testing.T) {
	s := newShell(t, map[string]string{
		"t.tsv":  "a\t1\t1\t1\t1\t1\nb\t2\t1\t1\t1\t1\n",
		"s.yaml": "cluster: {nodes: 3}\nworkload:\n  streams: [{id: a, maps: 1, map_time: 0s, arrivals: {process: trace, format: swim, file: t.tsv}}]\n",
	})
	jobs := func() int { return len(parse(t, s.must(0, "compare", "s.yaml", "-o", "json")).Runs[0].Jobs) }
	if n := jobs(); n != 2 {
		t.Fatal(n)
	}
	s.write("t.tsv", "a\t1\t1\t1\t1\t1\n")
	if n := jobs(); n != 1 {
		t.Errorf("%d jobs of a trace of one", n)
	}
	s.write("dup.yaml", "cluster: {nodes: 3}\nworkload:\n  trace: {format: swim, file: dup.tsv}\n")
	s.write("dup.tsv", "a\t1\t1\t1\t1\t1\na\t2\t1\t1\t1\t1\n")
	if r := s.run("simulate", "dup.yaml"); r.code != 2 || !strings.Contains(r.stderr, `dup.tsv:2: job "a" was already listed`) {
		t.Errorf("%d: %s", r.code, r.stderr)
	}
}

// What a lenient trace leaves out is counted and told.
func TestLenientTrace(t *testing.T) {
	s := newShell(t, map[string]string{
		"t.tsv":      "a\t1\t1\t1\t1\t1\nb\tx\t1\t1\t1\t1\nc\t2\t1\t1\t-2\t1\nd\t3\t1\t1\t1\t1\n",
		"trace.yaml": "cluster: {nodes: 3}\nworkload:\n  trace: {format: swim, file: t.tsv, lenient: true, map_time: 30s}\n",
	})
	r := s.run("simulate", "trace.yaml", "-o", "json")
	if want := "warning: left out of the trace: records that cannot be read (2), the first: t.tsv:2: submit time: \"x\" is not a time in seconds\n" +
		"filled in: jobs whose tasks are not listed; they follow from the rule (2), the first: t.tsv:1: job \"a\"\n"; r.code != 0 || r.stderr != want {
		t.Errorf("%d: %s", r.code, r.stderr)
	}
	if got := parse(t, r.stdout); len(got.Runs[0].Jobs) != 2 {
		t.Errorf("%d jobs", len(got.Runs[0].Jobs))
	}
}

// A trace that comes to no job at all, and a job of one whose queue is not described, are told with their place.
func TestTraceWithoutJobs(t *testing.T) {
	s := newShell(t, map[string]string{
		"bad.tsv":      "a\tx\t1\t1\t1\t1\nb\tx\t1\t1\t1\t1\n",
		"late.tsv":     "a\t7200\t1\t1\t1\t1\n",
		"lenient.yaml": "cluster: {nodes: 3}\nworkload:\n  trace: {format: swim, file: bad.tsv, lenient: true}\n",
		"first.yaml":   "cluster: {nodes: 3, masters: {}}\nworkload:\n  trace: {format: swim, file: late.tsv, first: 1h, map_time: 30s}\n",
		"q.jsonl":      `{"slackline_trace":1}` + "\n" + `{"id":"a","submit":0,"queue":"prd","input":1,"shuffle":1}` + "\n",
		"queue.yaml":   "cluster: {nodes: 3}\nqueues: [{name: prod}]\nworkload:\n  trace: {format: slackline, file: q.jsonl}\n",
	})
	for file, want := range map[string]string{
		"lenient.yaml": `slackline: bad.tsv:1: submit time: "x" is not a time in seconds; and none of its 2 records can be read`,
		"first.yaml":   `slackline: late.tsv:1: its first job comes at 2h, so there is none in the first 1h`,
		"queue.yaml":   `slackline: q.jsonl:2: there is no queue "prd"; did you mean "prod"?`,
	} {
		r := s.run("simulate", file)
		_, said, filled := strings.Cut(r.stderr, "\nslackline: ")
		if filled { // what was filled in until then stands before it
			said = "slackline: " + said
		} else {
			said = r.stderr
		}
		if r.code != 2 || !strings.HasPrefix(said, want) || r.stdout != "" || strings.Count(said, "\n") != 1 {
			t.Errorf("%s: %d: %s", file, r.code, r.stderr)
		}
	}
}
