package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/worlds/conform"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/internal/worlds/engine/outdir"
	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// choosy passes lines on and breaks at some.
type choosy struct {
	bad    func(line string) bool
	panics bool
}

func (c choosy) Map(_, line []byte, out mapreduce.Emitter) error {
	if c.bad(string(line)) {
		if c.panics {
			panic("I do not like this line")
		}
		return errors.New("I do not like this line")
	}
	return out.Emit(line, nil)
}

// blocks is choosy about many lines at once.
type blocks struct{ choosy }

func (b blocks) MapBlock(block []byte, _ int64, out mapreduce.Emitter) error {
	for line := range strings.Lines(string(block)) {
		if err := b.Map(nil, []byte(strings.TrimSuffix(line, "\n")), out); err != nil {
			return err
		}
	}
	return nil
}

// numbered writes so many lines with their numbers.
func numbered(t *testing.T, lines int) string {
	t.Helper()
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "line %04d\n", i)
	}
	path := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// Bad records are passed over and counted, in maps of lines, of blocks, and in reduces, whether the
// code fails or panics; one more than are allowed fails the job.
func TestSkipBadRecords(t *testing.T) {
	in := numbered(t, 1000)
	// 20 lines, 6 in a split at most
	bad := func(line string) bool { return strings.HasSuffix(line, "77") || strings.HasSuffix(line, "78") }
	mapper := func(m mapreduce.Mapper) func(*mapreduce.Context) (mapreduce.Mapper, error) {
		return func(*mapreduce.Context) (mapreduce.Mapper, error) { return m, nil }
	}
	same := func(*mapreduce.Context) (mapreduce.Mapper, error) {
		return choosy{bad: func(string) bool { return false }}, nil
	}
	reducer := func(*mapreduce.Context) (mapreduce.Reducer, error) { return choosyReducer{choosy{bad: bad}}, nil }
	for name, c := range map[string]struct {
		program mapreduce.Program
		reduces int
		skip    int
		fails   bool
		hint    string
	}{
		"map fails":           {mapreduce.Program{NewMapper: mapper(choosy{bad, false})}, 2, 8, false, ""},
		"map panics":          {mapreduce.Program{NewMapper: mapper(choosy{bad, true})}, 0, 8, false, ""},
		"block fails":         {mapreduce.Program{NewMapper: mapper(blocks{choosy{bad, false}})}, 2, 8, false, ""},
		"block panics":        {mapreduce.Program{NewMapper: mapper(blocks{choosy{bad, true}})}, 1, 8, false, ""},
		"reduce fails":        {mapreduce.Program{NewMapper: same, NewReducer: reducer}, 1, 20, false, ""},
		"too many for a map":  {mapreduce.Program{NewMapper: mapper(choosy{bad, false})}, 1, 2, true, "that is one more than skip_bad_records allows, 2"},
		"too many for reduce": {mapreduce.Program{NewMapper: same, NewReducer: reducer}, 1, 19, true, "that is one more than skip_bad_records allows, 19"},
		"none allowed":        {mapreduce.Program{NewMapper: mapper(choosy{bad, false})}, 1, 0, true, "skip_bad_records: 1 in the job file would skip it"},
	} {
		t.Run(name, func(t *testing.T) {
			c.program.Name = "choosy"
			out := filepath.Join(t.TempDir(), "out")
			cfg := engine.Config{Cluster: workers(2, 2, 1), Block: 3 * units.KB, Heartbeat: units.Millisecond, Clock: stopwatch(),
				Jobs: []engine.Job{{Spec: spec("j"), Program: &c.program, Input: []string{in}, Output: out, Reduces: c.reduces, SkipBad: c.skip}}}
			w, err := engine.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			e := ran(t, w)
			if c.fails {
				if !strings.HasPrefix(e.jobs["j"], "failed ") || !strings.Contains(e.jobs["j"], "failed: I do not like this line; "+c.hint) {
					t.Errorf("the job ended so: %s", e.jobs["j"])
				}
				return
			}
			if e.jobs["j"] != "committed" {
				t.Fatalf("the job ended so: %s", e.jobs["j"])
			}
			lines := 0
			written := files(t, out)
			delete(written, outdir.SuccessFile)
			for name, text := range written {
				for line := range strings.Lines(text) {
					if lines++; bad(strings.TrimSuffix(line, "\n")) {
						t.Errorf("%s holds %q", name, line)
					}
				}
			}
			if skipped := e.counters["j"][mapreduce.TaskGroup+"."+mapreduce.SkippedRecords]; lines != 980 || skipped != 20 {
				t.Errorf("%d lines are left and %d were skipped, want 980 and 20", lines, skipped)
			}
		})
	}
}

type choosyReducer struct{ choosy }

func (c choosyReducer) Reduce(key []byte, _ mapreduce.Values, out mapreduce.Emitter) error {
	return c.Map(nil, key, out)
}

// A combiner that fails is not a bad record: no record is passed over for it.
func TestCombinerIsNoBadRecord(t *testing.T) {
	in := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(in, []byte(strings.Repeat("a line\n", 100)), 0o666); err != nil {
		t.Fatal(err)
	}
	p := &mapreduce.Program{Name: "choosy", NewMapper: func(*mapreduce.Context) (mapreduce.Mapper, error) {
		return choosy{bad: func(string) bool { return false }}, nil
	}, NewCombiner: func(*mapreduce.Context) (mapreduce.Reducer, error) {
		return choosyReducer{choosy{bad: func(line string) bool { return line == "a line" }}}, nil
	}}
	w, err := engine.New(engine.Config{Cluster: workers(1, 1, 1), Clock: stopwatch(), Jobs: []engine.Job{{Spec: spec("j"), Program: p,
		Input: []string{in}, Output: filepath.Join(t.TempDir(), "out"), Reduces: 1, SkipBad: 100}}})
	if err != nil {
		t.Fatal(err)
	}
	e := ran(t, w)
	if !strings.Contains(e.jobs["j"], "combine at key") || len(e.attempts) != 4 {
		t.Errorf("%d attempts, the job ended so: %s", len(e.attempts), e.jobs["j"])
	}
}

// Nor is a fold, whose records wait for others: whatever record is at hand when it fails has nothing to do with it.
func TestFoldIsNoBadRecord(t *testing.T) {
	typed := mapreduce.Typed[string, string, int64, int64]{
		Map: func(_ *mapreduce.Context, line string, emit func(string, int64)) error {
			key, value, _ := strings.Cut(line, " ")
			n, err := strconv.ParseInt(value, 10, 64)
			emit(key, n)
			return err
		},
		Combine: func(a, b int64) int64 {
			if b == 666 {
				panic("evil")
			}
			return a + b
		},
	}.Program()
	sum := mapreduce.Program{Fold: mapreduce.Sum, NewReducer: mapreduce.Sum.Reducer, NewMapper: func(*mapreduce.Context) (mapreduce.Mapper, error) { return pairs{}, nil }}
	parts := mapreduce.Program{Fold: mapreduce.Sum, NewReducer: mapreduce.Sum.Reducer, NewMapper: sum.NewMapper, Partition: func(key []byte, _ int) int {
		if string(key) == "bad" {
			panic("bad")
		}
		return 0
	}}
	good := strings.Repeat("good 1\nfine 1\n", 150)
	for name, c := range map[string]struct {
		program mapreduce.Program
		text    string
		want    string
		tries   int
	}{
		"number":    {typed, "bad 1\nbad 666\n" + good, `combine at key "bad" panicked: evil`, 4},
		"long key":  {typed, "a_key_that_is_longer_than_a_slot 1\na_key_that_is_longer_than_a_slot 666\n" + good, `combine at key "a_key_that_is_longer_than_a_slot" panicked: evil`, 4},
		"sum":       {sum, "bad 9223372036854775807\nbad 1\n" + good, `combine at key "bad" failed: the count is beyond 9223372036854775807`, 1},
		"partition": {parts, "bad 1\n" + good, `what was emitted with key "bad" panicked: bad`, 4},
	} {
		t.Run(name, func(t *testing.T) {
			in := filepath.Join(t.TempDir(), "in")
			if err := os.WriteFile(in, []byte(c.text), 0o666); err != nil {
				t.Fatal(err)
			}
			c.program.Name = "fold"
			w, err := engine.New(engine.Config{Cluster: workers(1, 1, 1), Clock: stopwatch(), Jobs: []engine.Job{{Spec: spec("j"), Program: &c.program,
				Input: []string{in}, Output: filepath.Join(t.TempDir(), "out"), Reduces: 2, SkipBad: 100}}})
			if err != nil {
				t.Fatal(err)
			}
			e := ran(t, w)
			if !strings.Contains(e.jobs["j"], c.want) || len(e.attempts) != c.tries {
				t.Errorf("%d attempts, the job ended so: %s", len(e.attempts), e.jobs["j"])
			}
		})
	}
}

// pairs emits a line as key and value.
type pairs struct{}

func (pairs) Map(_, line []byte, out mapreduce.Emitter) error {
	key, value, _ := bytes.Cut(line, []byte(" "))
	return out.Emit(key, value)
}

// Input that vanishes or cannot be read fails attempts with the reason, and the job after as many
// as are allowed; others go on.
func TestInputVanishes(t *testing.T) {
	in, want := text(t, 500)
	gone, _ := text(t, 500)
	closed, _ := text(t, 500)
	dir := t.TempDir()
	job := func(id, in string) engine.Job {
		return engine.Job{Spec: spec(id), Program: program(t, "wordcount"), Input: []string{in}, Output: filepath.Join(dir, id), Reduces: 1}
	}
	jobs := []engine.Job{job("gone", gone), job("good", in)}
	if os.Getuid() != 0 { // whom nothing is closed to
		jobs = append(jobs, job("closed", closed))
	}
	w, err := engine.New(engine.Config{Cluster: workers(2, 1, 1), Block: 4 * units.KB, Heartbeat: units.Millisecond, Clock: stopwatch(), Jobs: jobs})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(gone), os.Chmod(closed, 0)); err != nil {
		t.Fatal(err)
	}
	e := ran(t, w)
	if !strings.HasPrefix(e.jobs["gone"], "failed map task ") || !strings.HasSuffix(e.jobs["gone"], fmt.Sprintf("input %q: no such file or directory", gone)) {
		t.Errorf("%s", e.jobs["gone"])
	}
	if c := e.jobs["closed"]; c != "" && !strings.HasSuffix(c, fmt.Sprintf("input %q: permission denied", closed)) {
		t.Errorf("%s", c)
	}
	same(t, counted(t, filepath.Join(dir, "good")), want)
	if _, err := os.Stat(filepath.Join(dir, "gone")); err == nil {
		t.Error("the failed job has left something")
	}
}

// Of two attempts of a task the first to commit counts, and the other leaves no trace.
func TestSecondAttempt(t *testing.T) {
	in, want := text(t, 300)
	release := make(chan struct{})
	p := brittle(t, func(_, try int) error {
		if try == 0 {
			<-release // until the second has committed
		}
		return nil
	})
	out := filepath.Join(t.TempDir(), "out")
	w, err := engine.New(engine.Config{Cluster: workers(2, 1, 1), Progress: 5 * units.Millisecond, Clock: stopwatch(),
		Jobs: []engine.Job{{Spec: spec("words"), Program: p, Input: []string{in}, Output: out, Reduces: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	c := &copier{release: release}
	e := &ends{jobs: map[string]string{}}
	watch := conform.NewWatch(true)
	runs(t, w, c, watch, watch, e, c)
	same(t, counted(t, out), want)
	if watch.Ends[sched.Superseded] != 1 || watch.Ends[sched.Committed] != 2 || watch.Ends[sched.Failed] != 0 {
		t.Errorf("attempts ended %v", watch.Ends)
	}
}

// copier is Friendly, and starts a second attempt of every map once. When one commits it lets the other go on.
type copier struct {
	conform.Friendly
	copied  bool
	release chan struct{}
}

func (c *copier) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	c.Friendly.Decide(v, batch, p)
	if a := v.Attempt(v.Youngest(1, sched.Map, 0)); a != nil && !c.copied {
		other := 3 - a.Node
		c.copied = p.Add(sched.Item{Verb: sched.Speculate, Job: 1, Stage: sched.Map, Task: a.Task, Node: other, Count: 1})
	}
	if !c.copied {
		p.WakeMe(v.Now().Add(units.Millisecond), sched.Because(sched.Wakeup, 0))
	}
}

func (c *copier) Batch(_ int64, _ units.Time, events []sched.Event) error {
	for i := range events {
		if e := &events[i]; e.Kind == sched.Ended && e.Outcome == sched.Committed && c.release != nil {
			close(c.release)
			c.release = nil
		}
	}
	return nil
}

func (c *copier) Plan(int64, units.Time, *sched.Plan) error { return nil }

// ran drives a world to its end by Friendly.
func ran(t *testing.T, w *engine.World) *ends {
	t.Helper()
	e := &ends{jobs: map[string]string{}}
	watch := conform.NewWatch(true)
	runs(t, w, conform.Friendly{}, watch, watch, e)
	return e
}

// runs drives a world to its end.
func runs(t *testing.T, w *engine.World, p sched.Policy, watch *conform.Watch, sinks ...drive.Sink) {
	t.Helper()
	if err := drive.New(w, p, sinks...).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, b := range watch.Broken {
		t.Error(b)
	}
}
