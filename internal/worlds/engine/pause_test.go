package engine_test

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slackline/slackline/internal/fault"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/worlds/conform"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/internal/worlds/engine/outdir"
	"github.com/slackline/slackline/internal/worlds/engine/task"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// stopper ends the context of a run once so many tasks have committed, and counts those that have when the run ends.
type stopper struct {
	at, commits int
	stop        func()
}

func (s *stopper) Batch(_ int64, _ units.Time, events []sched.Event) error {
	for i := range events {
		if events[i].Kind == sched.Ended && events[i].Outcome == sched.Committed {
			s.commits++
		}
	}
	if s.commits >= s.at {
		s.stop()
	}
	return nil
}

func (s *stopper) Plan(int64, units.Time, *sched.Plan) error { return nil }

// stopped runs the jobs until so many tasks have committed and stops them then. It returns how many had at the end, -1
// if these were all, as they committed together.
func stopped(t *testing.T, cfg engine.Config, at int) int {
	t.Helper()
	cfg.Clock = stopwatch()
	w, err := engine.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s, watch := &stopper{at: at, stop: cancel}, conform.NewWatch(true)
	if s.at == 0 {
		cancel()
	}
	switch err := drive.New(w, conform.Friendly{}, s, watch).Run(ctx); {
	case err == nil && s.commits > s.at:
		return -1
	case !errors.Is(err, context.Canceled):
		t.Fatalf("stopped after %d commits: %v", at, err)
	}
	if watch.Ends[sched.Failed] > 0 {
		t.Errorf("%d attempts failed as the run was stopped", watch.Ends[sched.Failed])
	}
	return s.commits
}

// onlyCommitted fails if a stopped job has left more than its log, its lock, map output and parts
// of tasks, or if somebody holds the lock.
func onlyCommitted(t *testing.T, out string) {
	t.Helper()
	if left, err := outdir.Left(out); err != nil || left.Finished {
		t.Errorf("left: %+v, %v", left, err)
	}
	for name := range files(t, out) {
		base, dir := filepath.Base(name), filepath.ToSlash(filepath.Dir(name))
		if !(dir == "_temporary" && (base == "log" || base == "lock") || strings.Contains(dir, "/task_") || strings.Contains(dir, "/local/") && base == "run-0") {
			t.Errorf("%s is left", name)
		}
	}
}

// A run that is stopped keeps what its tasks have committed and nothing else, whenever that is, and
// the next one does the rest and no more.
func TestStopIsAPause(t *testing.T) {
	in, _ := text(t, 900)
	want, counted := plain(t, in)
	for at := 1; at < 12; at++ {
		out := filepath.Join(t.TempDir(), "out")
		commits := stopped(t, config(t, in, out), at)
		if commits < 0 && at > 8 { // it may happen to the last ones
			continue
		}
		onlyCommitted(t, out)
		if at < 9 { // and once more, in the next run
			commits += stopped(t, config(t, in, out), 1)
			onlyCommitted(t, out)
		}
		e, r := finish(t, config(t, in, out))
		if got := files(t, out); !maps.Equal(got, want) {
			t.Errorf("after %d commits: %v", at, slices.Sorted(maps.Keys(got)))
		}
		if len(r) != 1 || r[0].Maps+r[0].Reduces != commits || r[0].MapsAgain+r[0].PartsAgain != 0 {
			t.Errorf("after %d commits, and %d when it had stopped: it went on from %+v", at, commits, r)
		}
		if d := cmp.Diff(counted, e.counters["words"]); d != "" {
			t.Errorf("after %d commits it counts otherwise than undisturbed: %s", at, d)
		}
	}
}

// One that is stopped before it has begun writes nothing.
func TestStopAtOnce(t *testing.T) {
	in, _ := text(t, 100)
	out := filepath.Join(t.TempDir(), "out")
	stopped(t, config(t, in, out), 0)
	if _, err := os.Stat(out); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the output directory: %v", err)
	}
}

// watcher looks at every batch.
type watcher func()

func (w watcher) Batch(int64, units.Time, []sched.Event) error { w(); return nil }

func (w watcher) Plan(int64, units.Time, *sched.Plan) error { return nil }

// Of several jobs those that have finished are not run again, though another had not even begun
// when the run was stopped.
func TestStopBetweenJobs(t *testing.T) {
	in, _ := text(t, 100)
	dir := t.TempDir()
	cfg := config(t, in, filepath.Join(dir, "first"))
	cfg.Jobs[0].Command = []byte(`"here"`)
	second := cfg.Jobs[0]
	second.Spec, second.Output = spec("second", "words"), filepath.Join(dir, "second")
	second.Spec.Arrive = units.Time(units.Hour)
	cfg.Jobs = append(cfg.Jobs, second)
	cfg.Clock = stopwatch()
	w, err := engine.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	e := &ends{jobs: map[string]string{}}
	err = drive.New(w, conform.Friendly{}, e, watcher(func() {
		if e.jobs["words"] != "" {
			cancel()
		}
	})).Run(ctx)
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if left, err := outdir.Left(cfg.Jobs[0].Output); err != nil || !left.Finished || left.Command == nil {
		t.Fatalf("the first job: %+v, %v", left, err)
	}
	if _, err := os.Stat(second.Output); err == nil {
		t.Fatal("the second job had begun: this tests nothing")
	}
	cfg.Jobs[1].Spec.Arrive = 0
	e, _ = finish(t, cfg)
	if len(e.counters["second"]) == 0 {
		t.Error("the second job did not run")
	}
}

// When the disk is full, or no more files can be opened, the run stops in the same way, wherever
// that shows: what is committed stays, and another run goes on. It is told at the first time, with
// the operation and the reason.
func TestNoRoom(t *testing.T) {
	in, _ := text(t, 900)
	want, _ := plain(t, in)
	defer fault.Use(nil)
	for _, where := range []string{"mkdir out/_temporary", "create out/_temporary/log", "run-0", "part-r-00001", "write out/_temporary/log", "rename", "create out/_temporary/_SUCCESS", "rename out/_temporary/_SUCCESS", "open"} {
		for _, reason := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EMFILE, syscall.ENFILE} {
			dir := t.TempDir()
			out := filepath.Join(dir, "out")
			cfg := config(t, in, out)
			cfg.Clock = stopwatch()
			w, err := engine.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			s := &fault.Schedule{Root: dir, Fail: 1, Most: 1, Error: reason, Grant: func(what string) bool { return strings.Contains(what, where) }}
			fault.Use(s)
			err = drive.New(w, conform.Friendly{}).Run(context.Background())
			fault.Use(nil)
			var full *engine.MachineError
			if len(s.Struck()) != 1 || !errors.As(err, &full) || !errors.Is(err, reason) || full.Job != "words" {
				t.Errorf("%v at %s: %v, struck %v", reason, where, err, s.Struck())
				continue
			}
			if _, err := os.Stat(out); err == nil {
				if left, err := outdir.Left(out); err != nil || left.Finished {
					t.Errorf("%v at %s: left: %+v, %v", reason, where, left, err)
				}
			}
			finish(t, config(t, in, out))
			if got := files(t, out); !maps.Equal(got, want) {
				t.Errorf("%v at %s: %v", reason, where, slices.Sorted(maps.Keys(got)))
			}
		}
	}
}

// A disk that fails, or a server that does not answer, gets as many attempts as a task has. If it
// still fails then, the run stops as it does when the disk is full, wherever that shows.
func TestNoDisk(t *testing.T) {
	in, _ := text(t, 900)
	want, _ := plain(t, in)
	defer fault.Use(nil)
	for _, where := range []string{"open .*/text$", "read .*/text$", "mkdir out/_temporary", "create out/_temporary/log", "write out/_temporary/log",
		"create .*/run-", "write .*/run-", "open .*/run-", "read .*/run-", "write .*/attempt_r_000001_", "rename .*/attempt_r_000001_", "read out/.*/task_r_000001/",
		"sync out/.*/task_r_000001/", "rename out/.*/task_r_000001/", "create out/_temporary/_SUCCESS", "sync out$"} {
		struck := regexp.MustCompile("^failed: " + where)
		for i, reason := range []error{syscall.EIO, syscall.ESTALE, syscall.ETIMEDOUT} {
			for _, most := range []int{1, 1000} {
				dir := t.TempDir()
				out := filepath.Join(dir, "out")
				cfg := config(t, in, out)
				cfg.Clock = stopwatch()
				w, err := engine.New(cfg)
				if err != nil {
					t.Fatal(err)
				}
				s := &fault.Schedule{Root: dir, Fail: 1, Most: most, Error: reason, Grant: func(what string) bool { return struck.MatchString(what) }}
				fault.Use(s)
				err = drive.New(w, conform.Friendly{}).Run(context.Background())
				fault.Use(nil)
				if testing.Verbose() && i == 0 {
					t.Logf("%s, %d: %v", where, most, err)
				}
				var machine *engine.MachineError
				if stopped := errors.As(err, &machine); len(s.Struck()) == 0 || stopped != (most > 1) || stopped && (!errors.Is(err, reason) || machine.Job != "words") {
					t.Errorf("%v at %s: %v, struck %v", reason, where, err, s.Struck())
					continue
				}
				if most > 1 {
					// A part that was only not read is as good as before; one that was not synced is not.
					if _, r := finish(t, config(t, in, out)); strings.HasPrefix(where, "read out/") && (len(r) != 1 || r[0].Reduces != 3 || r[0].PartsAgain != 0) {
						t.Errorf("%v at %s: it went on from %+v", reason, where, r)
					}
				}
				if got := files(t, out); !maps.Equal(got, want) {
					t.Errorf("%v at %s: %v", reason, where, slices.Sorted(maps.Keys(got)))
				}
			}
		}
	}
}

// Parts that cannot be opened for want of room are not damaged: no task runs again for that.
func TestNoRoomToVerify(t *testing.T) {
	in, _ := text(t, 900)
	defer fault.Use(nil)
	dir := t.TempDir()
	cfg := config(t, in, filepath.Join(dir, "out"))
	w, err := engine.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	s := &fault.Schedule{Root: dir, Fail: 1, Most: 4, Error: syscall.EMFILE, Grant: func(what string) bool {
		return strings.HasPrefix(what, "failed: open out/_temporary/0/task_r_000001/")
	}}
	fault.Use(s)
	err = drive.New(w, conform.Friendly{}).Run(context.Background())
	fault.Use(nil)
	if full := (*engine.MachineError)(nil); len(s.Struck()) != 4 || !errors.As(err, &full) {
		t.Fatalf("%v, struck %v", err, s.Struck())
	}
	if _, r := finish(t, config(t, in, cfg.Jobs[0].Output)); len(r) != 1 || r[0].Reduces != 3 || r[0].PartsAgain != 0 {
		t.Errorf("it went on from %+v", r)
	}
}

// litterer writes what no task will commit, as a program does that is ended, until it is stopped.
type litterer struct {
	mapper
	began chan string
}

func (l *litterer) Map(ctx context.Context, c task.MapConfig) (*task.Output, task.Stats, error) {
	if c.Task == 0 {
		return l.mapper.Map(ctx, c)
	}
	err := errors.Join(os.MkdirAll(c.Local, 0o777), os.WriteFile(filepath.Join(c.Local, "half"), make([]byte, 1000), 0o666))
	l.began <- c.Local
	<-ctx.Done()
	return nil, task.Stats{}, errors.Join(err, ctx.Err())
}

// What attempts were writing goes when a run is stopped: it may be what has filled the disk.
func TestStopSweeps(t *testing.T) {
	in, _ := text(t, 900)
	out := filepath.Join(t.TempDir(), "out")
	cfg := config(t, in, out)
	l := &litterer{began: make(chan string, 100)}
	cfg.Jobs[0].Executor = l
	if commits := stopped(t, cfg, 1); commits != 1 || len(l.began) == 0 {
		t.Fatalf("%d commits, %d attempts under way", commits, len(l.began))
	}
	onlyCommitted(t, out)
}

// A commit that has begun when a run is stopped comes to its end, and is told.
func TestStopInTheCommit(t *testing.T) {
	in, _ := text(t, 900)
	want, _ := plain(t, in)
	cfg := config(t, in, filepath.Join(t.TempDir(), "out"))
	w, err := engine.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer fault.Use(nil)
	fault.Use(&fault.Schedule{Counts: func(op fault.Op, path string) bool {
		if op == fault.Rename && strings.Contains(filepath.ToSlash(path), "/task_r_000000/") && ctx.Err() == nil {
			cancel()
			time.Sleep(100 * time.Millisecond) // in which the run stops
		}
		return false
	}})
	e := &ends{jobs: map[string]string{}}
	if err := drive.New(w, conform.Friendly{}, e).Run(ctx); err != nil || e.jobs["words"] != "committed" || ctx.Err() == nil {
		t.Errorf("%v, jobs %v", err, e.jobs)
	}
	if got := files(t, cfg.Jobs[0].Output); !maps.Equal(got, want) {
		t.Errorf("left: %v", slices.Sorted(maps.Keys(got)))
	}
}
