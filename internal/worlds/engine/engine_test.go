package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/apps"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/worlds/conform"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/internal/worlds/engine/process/commandtest"
	"github.com/slackline/slackline/internal/worlds/engine/worker"
	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
	"go.uber.org/goleak"
)

// The test binary is a worker, too.
func TestMain(m *testing.M) {
	commandtest.Run()
	if os.Getenv(worker.Variable) != "" {
		if err := work(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// stopwatch starts at 0.
func stopwatch() func() units.Time {
	began := time.Now()
	return func() units.Time { return units.Time(time.Since(began)) }
}

func workers(nodes, maps, reduces int) *cluster.Cluster {
	return cluster.Uniform(nodes, min(nodes, 2), cluster.Class{Name: "local", Speed: 1, Capacity: units.Slots(maps, reduces)})
}

// text writes a file of so many lines of words and returns its path with the count of each word.
func text(t *testing.T, lines int) (string, map[string]int) {
	t.Helper()
	var b strings.Builder
	count := map[string]int{}
	for i := range lines {
		for k := range 5 {
			w := fmt.Sprintf("w%d", (i*7+k*k)%41)
			count[w]++
			b.WriteString(w + " ")
		}
		b.WriteByte('\n')
	}
	path := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return path, count
}

func program(t *testing.T, app string) *mapreduce.Program {
	t.Helper()
	p, err := apps.New(app, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func spec(id string, after ...string) workload.Job {
	return workload.Job{ID: id, Class: id, Weight: 1, Soft: units.Never, Deadline: units.Never, After: after, SlowStart: 0.05}
}

// counted reads the output of a wordcount: every line in byte order within its part.
func counted(t *testing.T, dir string) map[string]int {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, "_SUCCESS")); err != nil {
		t.Fatal(err)
	}
	parts, err := filepath.Glob(filepath.Join(dir, "part-r-*"))
	if err != nil || len(parts) == 0 {
		t.Fatalf("no parts in %s: %v", dir, err)
	}
	got := map[string]int{}
	for _, p := range parts {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
		if !sort.StringsAreSorted(lines) {
			t.Errorf("%s is not in byte order", p)
		}
		for _, l := range lines {
			w, n, ok := strings.Cut(l, "\t")
			c, err := strconv.Atoi(n)
			if !ok || err != nil || got[w] != 0 {
				t.Fatalf("%s: line %q", p, l)
			}
			got[w] = c
		}
	}
	return got
}

func same(t *testing.T, got, want map[string]int) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("counts %v, want %v", got, want)
	}
}

// run drives the engine to its end under a policy and returns what was watched.
func run(t *testing.T, cfg engine.Config, p sched.Policy, sinks ...drive.Sink) (*conform.Watch, *ends) {
	t.Helper()
	if cfg.Clock == nil {
		cfg.Clock = stopwatch()
	}
	w, err := engine.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	watch, e := conform.NewWatch(true), &ends{jobs: map[string]string{}}
	if err := drive.New(audited{w, t}, p, append(sinks, watch, e)...).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, b := range watch.Close(len(cfg.Jobs)) {
		t.Error(b)
	}
	for _, j := range cfg.Jobs {
		// What is left of a job tells another run of the same jobs, as one failed, that it is done.
		if _, err := os.Stat(filepath.Join(j.Output, "_temporary")); err == nil && watch.Jobs[sched.Failed] == 0 {
			t.Errorf("left behind: _temporary in %s", j.Output)
		}
	}
	return watch, e
}

// ends notes how jobs and attempts ended.
type ends struct {
	ids      [100]string
	jobs     map[string]string
	attempts []sched.Event
	accounts []*sched.Account // of jobs
	counters map[string]map[string]int64
}

func (e *ends) Batch(round int64, _ units.Time, events []sched.Event) error {
	for i := range events {
		switch ev := events[i]; ev.Kind {
		case sched.JobArrived:
			e.ids[ev.Job] = ev.Detail.Job.ID
		case sched.JobEnded:
			e.accounts = append(e.accounts, ev.Detail.Account)
			if e.counters == nil {
				e.counters = map[string]map[string]int64{}
			}
			e.counters[e.ids[ev.Job]] = ev.Detail.Account.Counters
			e.jobs[e.ids[ev.Job]] = strings.TrimSpace(ev.Outcome.String() + " " + ev.Text)
		case sched.Ended:
			e.attempts = append(e.attempts, ev)
		}
	}
	return nil
}

func (e *ends) Plan(int64, units.Time, *sched.Plan) error { return nil }

func TestWordcountAtAnyNumberOfWorkers(t *testing.T) {
	in, want := text(t, 3000)
	var first string
	for _, nodes := range []int{1, 2, 4} {
		out := filepath.Join(t.TempDir(), "out")
		cfg := engine.Config{Cluster: workers(nodes, 2, 1), Block: 8 * units.KB, Replicas: 1,
			Jobs: []engine.Job{{Spec: spec("words"), Program: program(t, "wordcount"), Input: []string{in}, Output: out, Reduces: 3}}}
		watch, _ := run(t, cfg, conform.Friendly{})
		same(t, counted(t, out), want)
		if watch.Ends[sched.Committed] < 10 || len(watch.Ends) != 1 {
			t.Errorf("%d nodes: attempts ended %v", nodes, watch.Ends)
		}
		all := ""
		for i := range 3 {
			b, err := os.ReadFile(filepath.Join(out, fmt.Sprintf("part-r-%05d", i)))
			if err != nil {
				t.Fatal(err)
			}
			all += string(b) + "--\n"
		}
		if first == "" {
			first = all
		} else if all != first {
			t.Errorf("%d nodes give other bytes", nodes)
		}
	}
}

// brittle is a wordcount whose maps break as the function says.
func brittle(t *testing.T, breaks func(task, try int) error) *mapreduce.Program {
	p := *program(t, "wordcount")
	inner := p.NewMapper
	p.NewMapper = func(c *mapreduce.Context) (mapreduce.Mapper, error) {
		if err := breaks(c.Task(), c.Attempt()); err != nil {
			return nil, err
		}
		return inner(c)
	}
	return &p
}

func TestFailedTasksRunAgain(t *testing.T) {
	in, want := text(t, 500)
	out := filepath.Join(t.TempDir(), "out")
	p := brittle(t, func(_, try int) error {
		if try < 3 {
			return errors.New("not yet")
		}
		return nil
	})
	watch, _ := run(t, engine.Config{Cluster: workers(2, 1, 1), Block: 8 * units.KB,
		Jobs: []engine.Job{{Spec: spec("words"), Program: p, Input: []string{in}, Output: out, Reduces: 1}}}, conform.Friendly{})
	same(t, counted(t, out), want)
	if watch.Ends[sched.Failed] == 0 || watch.Ends[sched.Failed]%3 != 0 {
		t.Errorf("attempts ended %v", watch.Ends)
	}
}

// A job that cannot finish fails with one sentence and leaves nothing; one that waits for it is
// killed; others are unharmed.
func TestBrokenJobs(t *testing.T) {
	in, want := text(t, 500)
	dir := t.TempDir()
	job := func(id string, p *mapreduce.Program, after ...string) engine.Job {
		return engine.Job{Spec: spec(id, after...), Program: p, Input: []string{in}, Output: filepath.Join(dir, id), Reduces: 1}
	}
	panics := brittle(t, func(int, int) error { panic("boom") })
	_, e := run(t, engine.Config{Cluster: workers(2, 2, 1), Block: 8 * units.KB, Jobs: []engine.Job{
		job("errs", brittle(t, func(int, int) error { return errors.New("never") })), job("panics", panics), job("good", program(t, "wordcount")),
		job("behind", program(t, "wordcount"), "errs")}}, conform.Friendly{})
	same(t, counted(t, filepath.Join(dir, "good")), want)
	for id, end := range map[string]string{"errs": "failed map task ", "panics": "failed map task ", "behind": "killed its predecessor did not finish", "good": "committed"} {
		if !strings.HasPrefix(e.jobs[id], end) || strings.Contains(e.jobs[id], "\n") || strings.Contains(e.jobs[id], "goroutine") {
			t.Errorf("job %s: %q, want %q…", id, e.jobs[id], end)
		}
		if _, err := os.Stat(filepath.Join(dir, id)); (err == nil) != (id == "good") {
			t.Errorf("output of %s: %v", id, err)
		}
	}
	for id, why := range map[string]string{"errs": "never", "panics": "boom"} {
		if !strings.Contains(e.jobs[id], why) {
			t.Errorf("job %s does not say why: %s", id, e.jobs[id])
		}
	}
}

// A job that reads what another writes arrives when that is there.
func TestChain(t *testing.T) {
	in, want := text(t, 500)
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first"), filepath.Join(dir, "second")
	_, e := run(t, engine.Config{Cluster: workers(2, 1, 1), Block: 8 * units.KB, Jobs: []engine.Job{
		{Spec: spec("first"), Program: program(t, "sort"), Input: []string{in}, Output: first, Reduces: 2},
		{Spec: spec("second", "first"), Program: program(t, "wordcount"), Input: []string{first}, Output: second, Reduces: 1}}}, conform.Friendly{})
	if e.jobs["second"] != "committed" {
		t.Fatal(e.jobs)
	}
	same(t, counted(t, second), want)
}

// An attempt that neither gets on nor listens is given up, and its task runs again.
func TestTimeout(t *testing.T) {
	in, want := text(t, 50)
	out := filepath.Join(t.TempDir(), "out")
	release := make(chan struct{})
	p := brittle(t, func(_, try int) error {
		if try == 0 {
			<-release
		}
		return nil
	})
	time.AfterFunc(1500*time.Millisecond, func() { close(release) })
	watch, e := run(t, engine.Config{Cluster: workers(1, 2, 1), Timeout: 200 * units.Millisecond, Grace: 200 * units.Millisecond,
		Jobs: []engine.Job{{Spec: spec("words"), Program: p, Input: []string{in}, Output: out, Reduces: 1}}}, conform.Friendly{})
	same(t, counted(t, out), want)
	if watch.Ends[sched.Failed] != 1 || !strings.Contains(e.attempts[0].Text, "made no progress for 200ms") {
		t.Errorf("%v %+v", watch.Ends, e.attempts[0])
	}
	<-release
	time.Sleep(50 * time.Millisecond) // the stray ends before goroutines are counted
}

// turner takes a worker down in one round and up in another.
type turner struct {
	w    *engine.World
	down []int64
	up   int64
}

func (t *turner) Batch(round int64, _ units.Time, events []sched.Event) error {
	for _, r := range t.down {
		if round == r {
			t.w.Down(1)
		}
		if round == r+t.up {
			t.w.Up(1)
		}
	}
	return nil
}

func (t *turner) Plan(int64, units.Time, *sched.Plan) error { return nil }

// Nodes go and come while a job runs: what they held runs again, and the output is the same.
func TestLostNodes(t *testing.T) {
	in, want := text(t, 4000)
	lost := 0
	for first := int64(4); first < 40; first += 5 {
		out := filepath.Join(t.TempDir(), "out")
		cfg := engine.Config{Cluster: workers(2, 1, 1), Block: 8 * units.KB, Clock: stopwatch(),
			Jobs: []engine.Job{{Spec: spec("words"), Program: program(t, "wordcount"), Input: []string{in}, Output: out, Reduces: 2}}}
		w, err := engine.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		watch := conform.NewWatch(true)
		if err := drive.New(w, conform.Friendly{}, &turner{w, []int64{first, first + 12}, 6}, watch).Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		for _, b := range watch.Close(1) {
			t.Error(b)
		}
		same(t, counted(t, out), want)
		lost += watch.Ends[sched.Lost]
	}
	if lost == 0 {
		t.Error("no attempt was lost: this tests nothing")
	}
}

// While nothing can be served no worker beats: an idle engine costs nothing.
func TestIdleEngineIsSilent(t *testing.T) {
	in, _ := text(t, 1)
	s := spec("later")
	s.Arrive = units.Time(300 * units.Millisecond)
	_, e := run(t, engine.Config{Cluster: workers(2, 1, 1),
		Jobs: []engine.Job{{Spec: s, Program: program(t, "wordcount"), Input: []string{in}, Output: filepath.Join(t.TempDir(), "o"), Reduces: 1}}},
		conform.Friendly{}, &silence{t: t, until: s.Arrive})
	if e.jobs["later"] != "committed" {
		t.Error(e.jobs)
	}
}

type silence struct {
	t     *testing.T
	until units.Time
}

func (s *silence) Batch(round int64, at units.Time, _ []sched.Event) error {
	if round > 1 && at < s.until {
		s.t.Errorf("round %d at %v, before anything can happen", round, at)
	}
	return nil
}

func (s *silence) Plan(int64, units.Time, *sched.Plan) error { return nil }
