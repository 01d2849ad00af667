package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// wordsShell is a shell with a job of words over some text.
func wordsShell(t *testing.T) *shell {
	t.Helper()
	text, _ := corpus()
	return newShell(t, map[string]string{"words.yaml": wordsJob, "corpus/a.txt": text, "corpus/b.txt": text})
}

// again removes what the last run wrote.
func (s *shell) again() {
	s.t.Helper()
	if err := os.RemoveAll(s.path("out")); err != nil {
		s.t.Fatal(err)
	}
}

// warm runs a command that teaches class wordcount until so many runs of it were warm. The first never is, and a system
// that is short of memory may have to fetch again what a run has just used.
func (s *shell) warm(runs int, args ...string) {
	s.t.Helper()
	for range runs + 10 {
		s.must(0, args...)
		var known struct{ Profiles []struct{ Runs int } }
		if err := json.Unmarshal([]byte(s.must(0, "profile", "show", "wordcount", "-o", "json")), &known); err != nil {
			s.t.Fatal(err)
		}
		if known.Profiles[0].Runs == runs {
			return
		}
		s.again()
	}
	s.t.Fatalf("of %d runs less than %d were warm", runs+10, runs)
}

// listed is what tests look at of jobs -o json.
type listed struct {
	Schema string
	Jobs   []struct {
		ID                  int
		Name, State, Reason string
		Class, Policy       string
		Attempts            int
		Failures            int
		Expected            *float64 `json:"expected_s"`
		Took                *float64 `json:"took_s"`
		Counters            map[string]int
		Promised            bool
		Maps                struct{ Done int }
	}
}

func (s *shell) jobs(args ...string) (l listed) {
	s.t.Helper()
	text := s.must(0, append([]string{"jobs", "-o", "json"}, args...)...)
	if err := json.Unmarshal([]byte(text), &l); err != nil || l.Schema != "slackline/jobs/v2" {
		s.t.Fatalf("%v\n%s", err, text)
	}
	return l
}

// What ran is listed, shown and told attempt by attempt; the second run says before what the first
// taught, and after how wrong it was.
func TestHistory(t *testing.T) {
	t.Parallel()
	s := wordsShell(t)
	if out := s.must(0, "jobs"); out != "no such jobs\n" {
		t.Errorf("%q", out)
	}
	first := s.run("run", "words.yaml")
	if first.code != 0 || !strings.Contains(first.stderr, "; nothing is known of its class yet, so this is a guess\n") {
		t.Errorf("%d: %s", first.code, first.stderr)
	}
	s.again()
	second := s.run("run", "words.yaml", "--policy", "fifo")
	if !regexp.MustCompile(`job "words": done at \S+, in \S+ m?s.*; by \S+ with \S+ (s|min) to spare; only cold runs of its class are known, so it may take less\n`).MatchString(second.stderr) {
		t.Error(second.stderr)
	}
	for _, want := range []string{"off by", " % \n", "of processor time", "J (", "words  "} {
		if !strings.Contains(strings.ReplaceAll(second.stdout, " %\n", " % \n"), want) {
			t.Errorf("%q is not in\n%s", want, second.stdout)
		}
	}
	l := s.jobs()
	if len(l.Jobs) != 2 || l.Jobs[0].ID != 2 || l.Jobs[0].Policy != "fifo" || l.Jobs[1].Policy != "promise" || l.Jobs[1].Expected != nil || l.Jobs[0].Expected == nil ||
		l.Jobs[0].State != "finished" || l.Jobs[0].Counters["TaskCounter.MAP_INPUT_RECORDS"] != 4000 {
		t.Errorf("%+v", l)
	}
	for args, want := range map[string]int{"--limit 1": 1, "--state failed,killed": 0, "--state finished --since 1h": 2, "--since 2999-01-01": 0, "--policy fifo": 1,
		"--name words": 2, "--name word": 0, "--class wordcount --limit 0": 2} {
		if l := s.jobs(strings.Fields(args)...); len(l.Jobs) != want {
			t.Errorf("%s: %d jobs, want %d", args, len(l.Jobs), want)
		}
	}
	for _, key := range []string{"words", "2"} {
		out := s.must(0, "show", key)
		for _, want := range []string{"job 2: words, finished", "by fifo", "met by", "off by", "isolation  none: a built-in application", "TaskCounter.MAP_INPUT_RECORDS", "4000"} {
			if !strings.Contains(out, want) {
				t.Errorf("show %s: %q is not in\n%s", key, want, out)
			}
		}
	}
	if out := s.must(0, "show", "1"); !strings.Contains(out, "job 1: words, finished") || strings.Contains(out, "expected") {
		t.Error(out)
	}
	logs := s.must(0, "logs", "words")
	if n := strings.Count(logs, "committed"); n != l.Jobs[0].Attempts || !strings.Contains(logs, "reduce-4") {
		t.Errorf("%d attempts, want %d\n%s", n, l.Jobs[0].Attempts, logs)
	}
	if out := s.must(0, "logs", "words", "reduce-2"); strings.Count(out, "committed") != 1 || strings.Contains(out, "map-1") {
		t.Error(out)
	}
	if out := s.must(0, "logs", "1", "map", "--outcome", "failed"); out != "no such attempts\n" {
		t.Error(out)
	}
	// The report of a run is there for simulate as before.
	if out := s.must(0, "simulate", "words.yaml", "--policy", "fifo", "-o", "json"); len(parse(t, out).Runs) != 2 {
		t.Error(out)
	}
	for _, c := range []struct{ args, want string }{
		{"show word", `there is no job "word"; did you mean "words"?`},
		{"logs 17", `there is no job 17; the newest is 2`},
		{"show", `slackline show takes the number or name of a job, not 0 arguments`},
		{"logs words map-9", `job "words" has no map 9; its maps are numbered from 1 to`},
		{"logs words mop-1", `there is no task "mop-1"; write a stage and a number, such as map-1 or reduce-1`},
		{"logs words --outcome fail", `--outcome "fail": there is no such outcome; did you mean "failed"?`},
		{"jobs --state ended", `--state "ended": there is no such state`},
		{"jobs --limit -1", `--limit is -1, it must be 0, for all, or more`},
		{"jobs --since yesterday", `--since "yesterday": write a span such as 2h`},
		{"jobs --since 99999999h", `--since: "99999999h" is longer than 292 years; leave out --since for all jobs`},
		{"jobs --store words.yaml", `--store "words.yaml": it is not a folder; name a folder for the history of runs`},
		{"profile list --store words.yaml", `--store "words.yaml": it is not a folder`},
		{"jobs words", `slackline jobs takes no arguments`},
		{"run words.yaml --power 10W", `--power "10W": write the watts that the machine draws when idle, and those that each busy core adds, such as 10W,8W`},
		{"profile lst", `unknown command "lst"; did you mean "list"?`},
		{"profile show word", `nothing is known of a class "word"; did you mean "wordcount"?`},
	} {
		r := s.run(strings.Fields(c.args)...)
		if r.code != 2 || r.stdout != "" || !strings.Contains(r.stderr, c.want) {
			t.Errorf("%s: exit code %d\n%s%s\nwant %s", c.args, r.code, r.stdout, r.stderr, c.want)
		}
	}
}

// Why attempts failed is told once while the job runs, once in its summary, and later.
func TestFailuresAreTold(t *testing.T) {
	t.Parallel()
	s := wordsShell(t)
	s.write("bad.yaml", "name: bad\nmap: sh -c 'echo lost >&2; exit 3'\ninput: [corpus/]\noutput: out/bad\n")
	r := s.run("run", "bad.yaml")
	const why = "it ended with exit code 3; it said: lost\n"
	if r.code != 1 || strings.Count(r.stdout, why) != 1 || strings.Count(r.stderr, why) != 1 || !strings.Contains(r.stdout, "failed 4 times in the same way") ||
		!strings.Contains(r.stdout, "slackline logs bad map-1 ") {
		t.Errorf("%d\n%s%s", r.code, r.stdout, r.stderr)
	}
	if l := s.jobs("--state", "failed"); len(l.Jobs) != 1 || l.Jobs[0].Failures < 4 || l.Jobs[0].Reason == "" {
		t.Errorf("%+v", l)
	}
	if out := s.must(0, "show", "bad"); strings.Count(out, "map-1, try ") != 4 {
		t.Error(out)
	}
	if out := s.must(0, "logs", "bad", "map-1"); strings.Count(out, "failed") < 4 || strings.Count(out, "\nlost\n") != 4 {
		t.Error(out)
	}
	if out := s.must(0, "logs", "bad", "map", "--text", "--limit", "1"); out != "map-1, try 1:\nlost\n" {
		t.Errorf("%q", out)
	}
}

// Two runs at once: each says that the other is there, both are listed, and nothing that they teach is lost.
func TestRunsBesideEachOther(t *testing.T) {
	t.Parallel()
	s := wordsShell(t)
	s.write("slow.yaml", "name: slow\napp: loadgen\nparams: {map_cpu: 5ms}\ninput: [corpus/]\noutput: out/slow\n")
	slow := s.command("run", "slow.yaml")
	if err := slow.Start(); err != nil {
		t.Fatal(err)
	}
	killed := false
	defer func() {
		if !killed {
			_ = slow.Process.Kill()
			_ = slow.Wait()
		}
	}()
	for len(s.jobs("--state", "running", "--name", "slow").Jobs) == 0 {
		if len(s.jobs("--state", "finished,failed,killed").Jobs) > 0 {
			t.Fatal("it is over already")
		}
	}
	r := s.run("run", "words.yaml")
	if r.code != 0 || !strings.Contains(r.stderr, fmt.Sprintf("process %d has been running slow here since ", slow.Process.Pid)) {
		t.Errorf("%d: %s", r.code, r.stderr)
	}
	if out := s.must(0, "show", "slow"); !strings.Contains(out, "slow, running") {
		t.Error(out)
	}
	killed = true
	_ = slow.Process.Kill()
	_ = slow.Wait()
	if l := s.jobs("--state", "interrupted"); len(l.Jobs) != 1 || l.Jobs[0].Name != "slow" {
		t.Errorf("%+v", l)
	}
	// Runs that end at the same time learn all.
	var runs []*exec.Cmd
	for i := range 4 {
		s.write(fmt.Sprintf("w%d.yaml", i), strings.Replace(wordsJob, "out/words", fmt.Sprintf("out/w%d", i), 1))
		cmd := s.command("run", "-q", fmt.Sprintf("w%d.yaml", i))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		runs = append(runs, cmd)
	}
	for _, cmd := range runs {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	var known struct {
		Profiles []struct {
			Runs int
			Cold struct{ Runs int }
		}
	}
	if err := json.Unmarshal([]byte(s.must(0, "profile", "show", "wordcount", "-o", "json")), &known); err != nil || known.Profiles[0].Runs+known.Profiles[0].Cold.Runs != 5 {
		t.Errorf("%+v, %v", known, err)
	}
}

// What is forgotten is gone, and said to be; a name that is not known forgets nothing.
func TestProfileForget(t *testing.T) {
	s := wordsShell(t)
	s.must(0, "run", "words.yaml")
	s.must(0, "profile", "export", "--to", "p.json")
	for args, want := range map[string]string{
		"profile forget":                  "name the classes to forget, or give --all",
		"profile forget --all wordcount":  "--all and names of classes contradict each other; leave one out",
		"profile forget wordcount wrdcnt": `nothing is known of a class "wrdcnt"`,
	} {
		if r := s.run(strings.Fields(args)...); r.code != 2 || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: %d: %s", args, r.code, r.stderr)
		}
	}
	if out := s.must(0, "profile", "list"); !strings.Contains(out, "1 cold") {
		t.Errorf("before: %s", out)
	}
	if out := s.must(0, "__complete", "profile", "forget", ""); !strings.HasPrefix(out, "wordcount\n") {
		t.Errorf("completion: %s", out)
	}
	if out := s.must(0, "profile", "forget", "wordcount", "wordcount"); out != "forgot wordcount, learned from 1 job\n" {
		t.Error(out)
	}
	if out := s.must(0, "profile", "list"); strings.Contains(out, "wordcount") {
		t.Errorf("after: %s", out)
	}
	if out := s.must(0, "jobs"); !strings.Contains(out, "words") {
		t.Errorf("what ran is gone as well: %s", out)
	}
	s.must(0, "profile", "import", "p.json")
	if out := s.must(0, "profile", "forget", "--all"); out != "forgot wordcount, learned from 1 job\n" {
		t.Error(out)
	}
	if out := s.must(0, "profile", "forget", "--all"); out != "nothing is known, so nothing was forgotten\n" {
		t.Error(out)
	}
}

// What is exported is imported as it was; what cannot be read changes nothing.
func TestProfileFiles(t *testing.T) {
	s := wordsShell(t)
	s.must(0, "run", "words.yaml")
	s.must(0, "profile", "export", "--to", "p.json")
	other := newShell(t, map[string]string{"p.json": s.read("p.json")})
	if out := other.must(0, "profile", "import", "p.json"); out != "1 class imported from p.json\n" {
		t.Error(out)
	}
	if d := cmp.Diff(s.read("p.json"), other.must(0, "profile", "export")); d != "" {
		t.Error(d)
	}
	before := other.must(0, "profile", "export")
	other.write("bad.json", strings.Replace(before, `"runs": 0`, `"runs": -1`, 1)) // the one run was cold
	for _, c := range []struct{ args, want string }{
		{"profile import p.json", `there are profiles of "wordcount" already; --merge adds to them, --replace replaces them`},
		{"profile import bad.json --replace", `bad.json:6: profiles[0].runs: it is negative`},
		{"profile import p.json --merge --replace", `--merge and --replace contradict each other`},
		{"profile import none.json", `none.json: there is no such file`},
		{"profile export --to p.json", `--to: p.json exists already; name another file, or replace it with --overwrite`},
		{"profile export wrdcount", `nothing is known of a class "wrdcount"; did you mean "wordcount"?`},
	} {
		if r := other.run(strings.Fields(c.args)...); r.code != 2 || !strings.Contains(r.stderr, c.want) {
			t.Errorf("%s: %d, %s\nwant %s", c.args, r.code, r.stderr, c.want)
		}
	}
	if d := cmp.Diff(before, other.must(0, "profile", "export")); d != "" {
		t.Error(d)
	}
	other.must(0, "profile", "import", "p.json", "--replace")
	if d := cmp.Diff(before, other.must(0, "profile", "export")); d != "" {
		t.Error(d)
	}
	other.must(0, "profile", "import", "p.json", "--merge")
	if out := other.must(0, "profile", "list", "-o", "json"); !strings.Contains(out, `"runs": 2`) {
		t.Error(out)
	}
	// With what another machine taught, a job is estimated before it ever ran here.
	other.write("words.yaml", wordsJob)
	other.write("corpus/a.txt", s.read("corpus/a.txt"))
	if r := other.run("run", "words.yaml"); !strings.Contains(r.stderr, `job "words": done at `) || strings.Contains(r.stderr, "a guess") {
		t.Error(r.stderr)
	}
}

// Who asks where nothing ran is told so, and nothing is made; a job without a name is none.
func TestAskingMakesNothing(t *testing.T) {
	s := wordsShell(t)
	for args, code := range map[string]int{"jobs": 0, "jobs -o json": 0, "show words": 2, "logs words": 2, "profile list": 0, "profile show words": 2, "profile export": 0} {
		r := s.run(append(strings.Fields(args), "--store", "new/er")...)
		if r.code != code || !strings.HasPrefix(r.stderr, "nothing has been kept in new/er yet\n") {
			t.Errorf("%s: exit code %d\n%s%s", args, r.code, r.stdout, r.stderr)
		}
		if _, err := os.Stat(s.path("new")); err == nil {
			t.Fatalf("%s: there is a folder", args)
		}
	}
	s.must(2, "resume")
	if out := s.must(0, "profile", "forget", "--all"); out != "nothing is known, so nothing was forgotten\n" {
		t.Error(out)
	}
	s.must(0, "__complete", "show", "")
	if _, err := os.Stat(s.path("data")); err == nil {
		t.Error("resume, forget, or completion, made a folder")
	}
	s.must(0, "run", "words.yaml")
	for _, args := range [][]string{{"show", ""}, {"logs", ""}, {"logs", "", "map-1"}} {
		if r := s.run(args...); r.code != 2 || r.stdout != "" || r.stderr != "slackline: \"\" names no job; write its number or its name\n" {
			t.Errorf("%q: exit code %d\n%s%s", args, r.code, r.stdout, r.stderr)
		}
	}
	before, _ := filepath.Glob(s.path("data/*"))
	s.must(0, "jobs")
	s.must(0, "profile", "list")
	if after, _ := filepath.Glob(s.path("data/*")); len(before) == 0 || !slices.Equal(before, after) {
		t.Errorf("who only asks has made %v of %v", after, before)
	}
}

// A folder in which nothing can be kept breaks neither run nor simulate: each warns once.
func TestNothingCanBeKept(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("NOT CHECKED: there is no folder here in which nobody can write")
	}
	s := wordsShell(t)
	const none = "/proc/slackline"
	r := s.run("run", "words.yaml", "--store", none)
	if r.code != 0 || strings.Count(r.stderr, "warning: ") != 1 || !strings.Contains(r.stderr, "warning: no history can be kept") {
		t.Errorf("%d: %s", r.code, r.stderr)
	}
	s.output("out/words")
	if r := s.run("simulate", "words.yaml", "--store", none); r.code != 2 || !strings.Contains(r.stderr, "nothing is known of jobs of class") {
		t.Errorf("%d: %s", r.code, r.stderr)
	}
	if out := s.must(0, "jobs", "--store", none); out != "no such jobs\n" {
		t.Error(out)
	}
	if os.Getuid() == 0 {
		return // who may do all finds no folder of his own that he cannot write to
	}
	s.again()
	s.must(0, "run", "words.yaml")
	s.again()
	if err := os.Chmod(s.path("data"), 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(s.path("data"), 0o755)
	r = s.run("run", "words.yaml")
	if r.code != 0 || strings.Count(r.stderr, "warning: ") != 1 || !strings.Contains(r.stderr, "should take") {
		t.Errorf("%d: %s", r.code, r.stderr)
	}
	if r := s.run("simulate", "words.yaml"); r.code != 0 || strings.Count(r.stderr, "warning: ") != 1 {
		t.Errorf("%d: %s", r.code, r.stderr)
	}
	if l := s.jobs(); len(l.Jobs) != 1 {
		t.Errorf("%+v", l)
	}
}

// A quiet run tells nothing but its result, and a real run can be looked at in a browser.
func TestQuietAndDrawn(t *testing.T) {
	t.Parallel()
	s := wordsShell(t)
	if r := s.run("run", "words.yaml", "-q", "--html", "p.html"); r.code != 0 || r.stderr != "" || r.stdout == "" {
		t.Errorf("%d: %s", r.code, r.stderr)
	}
	if page := s.read("p.html"); !strings.Contains(page, "words") {
		t.Error("the page knows nothing of the job")
	}
	if left, err := filepath.Glob(s.path("data/running/*")); err != nil || len(left) > 0 {
		t.Error("locks are left behind:", left, err)
	}
}
