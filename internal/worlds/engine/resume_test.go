package engine_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slackline/slackline/internal/fault"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/worlds/conform"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/internal/worlds/engine/outdir"
	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// config is a job with 9 maps and 3 reduces.
func config(t *testing.T, in, out string) engine.Config {
	s := spec("words")
	s.SlowStart = 1
	return engine.Config{Cluster: workers(2, 2, 1), Block: 2 * units.KB, Buffer: 8 * units.KB, Clock: stopwatch(), Seed: 1, Heartbeat: units.Millisecond,
		Jobs: []engine.Job{{Spec: s, Program: program(t, "wordcount"), Input: []string{in}, Output: out, Reduces: 3,
			Facts: []outdir.Fact{{Name: "app", Value: "wordcount"}, {Name: "the parameter x", Value: "1"}}}}}
}

// finish runs the jobs to their end and returns how they ended, and what they went on from.
func finish(t *testing.T, cfg engine.Config) (e *ends, r []engine.Resumption) {
	t.Helper()
	cfg.Clock, cfg.Resumed = stopwatch(), func(one engine.Resumption) { r = append(r, one) }
	w, err := engine.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	e = &ends{jobs: map[string]string{}}
	watch := conform.NewWatch(true)
	if err := drive.New(w, conform.Friendly{}, watch, e).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, b := range watch.Close(len(cfg.Jobs)) {
		t.Error(b)
	}
	if watch.Jobs[sched.Committed] != len(cfg.Jobs) {
		t.Errorf("jobs ended %v", watch.Jobs)
	}
	return e, r
}

// killed runs the job until so many tasks have committed, and lets the process die then.
func killed(t *testing.T, cfg engine.Config, commits int) {
	t.Helper()
	dies(t, cfg, conform.Friendly{}, &killer{left: commits})
}

// dies runs the job until the process is dead.
func dies(t *testing.T, cfg engine.Config, policy sched.Policy, sinks ...drive.Sink) {
	t.Helper()
	defer fault.Use(nil)
	cfg.Clock = stopwatch()
	w, err := engine.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	err = drive.New(w, policy, sinks...).Run(context.Background())
	if !errors.Is(err, fault.ErrDead) {
		t.Fatalf("it did not die: %v", err)
	}
}

// killer lets the process die at the next operation once so many tasks have committed.
type killer struct{ left int }

func (k *killer) Batch(_ int64, _ units.Time, events []sched.Event) error {
	for i := range events {
		if events[i].Kind == sched.Ended && events[i].Outcome == sched.Committed {
			if k.left--; k.left == 0 {
				fault.Use(&fault.Schedule{DieAll: true})
				_, _ = fault.OpenFile("nothing")
			}
		}
	}
	return nil
}

func (k *killer) Plan(int64, units.Time, *sched.Plan) error { return nil }

// plain returns the undisturbed output and counters of the job.
func plain(t *testing.T, in string) (map[string]string, map[string]int64) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	e, r := finish(t, config(t, in, out))
	if len(r) != 0 {
		t.Errorf("it went on from %v", r)
	}
	return files(t, out), e.counters["words"]
}

// Whenever a process dies, the next one does what is left and no more.
func TestResume(t *testing.T) {
	in, _ := text(t, 900)
	want, counted := plain(t, in)
	for commits := 1; commits <= 12; commits++ {
		out := filepath.Join(t.TempDir(), "out")
		killed(t, config(t, in, out), commits)
		// The job's own commit may be faster than the death that follows the last task's.
		if _, err := os.Stat(filepath.Join(out, "_SUCCESS")); err == nil && commits == 12 {
			if got := files(t, out); !maps.Equal(got, want) {
				t.Errorf("after all commits: %v", got)
			}
			continue
		}
		e, r := finish(t, config(t, in, out))
		if got := files(t, out); !maps.Equal(got, want) {
			t.Errorf("after %d commits: %v", commits, got)
		}
		if len(r) != 1 || r[0].Maps+r[0].Reduces < commits || r[0].AllMaps != 9 || r[0].AllReduces != 3 || r[0].MapsAgain+r[0].PartsAgain != 0 {
			t.Errorf("after %d commits: it went on from %+v", commits, r)
		}
		if d := cmp.Diff(counted, e.counters["words"]); d != "" {
			t.Errorf("after %d commits it counts otherwise than undisturbed: %s", commits, d)
		}
	}
}

// Wherever the commit of the job breaks off, the next process ends it, and one that starts again
// leaves no part of before.
func TestResumeInTheCommit(t *testing.T) {
	in, _ := text(t, 900)
	want, _ := plain(t, in)
	other := filepath.Join(t.TempDir(), "out")
	fewer := config(t, in, other)
	fewer.Jobs[0].Reduces = 2
	finish(t, fewer)
	for operations := range 5 { // 3 parts, the folder of what was, _SUCCESS
		for _, fresh := range []bool{false, true} {
			out := filepath.Join(t.TempDir(), "out")
			cfg := config(t, in, out)
			fault.Use(&fault.Schedule{DieAll: true, After: operations, Counts: func(op fault.Op, path string) bool {
				return op == fault.Rename && strings.Contains(path, "task_r_") || filepath.Base(path) == "_SUCCESS" ||
					op == fault.Remove && path == filepath.Join(out, "_temporary", "0")
			}})
			dies(t, cfg, conform.Friendly{})
			moved, _ := filepath.Glob(filepath.Join(out, "part-r-*"))
			if len(moved) != min(operations, 3) {
				t.Fatalf("%d operations have moved %v", operations, moved)
			}
			expect := want
			if fresh {
				cfg.Fresh, cfg.Jobs[0].Reduces, expect = true, 2, files(t, other)
			}
			finish(t, cfg)
			if got := files(t, out); !maps.Equal(got, expect) {
				t.Errorf("%d operations, fresh %v: %v", operations, fresh, slices.Sorted(maps.Keys(got)))
			}
		}
	}
}

// What is damaged is found, and done again: it is not trusted because the log speaks of it.
func TestResumeFindsDamage(t *testing.T) {
	in, _ := text(t, 900)
	want, _ := plain(t, in)
	flip := func(b []byte) []byte { b[len(b)/2] ^= 4; return b }
	for name, c := range map[string]struct {
		commits int
		file    string
		damage  func([]byte) []byte // nil = the file is removed
		maps    int                 // that are seen to be gone at once; the others when they are read
		parts   int
	}{
		"a bit of map output":    {9, "_temporary/0/local/*/map-3-0/run-0", flip, 0, 0},
		"the end of map output":  {9, "_temporary/0/local/*/map-3-0/run-0", func(b []byte) []byte { return b[:len(b)-1] }, 1, 0},
		"map output is gone":     {9, "_temporary/0/local/*/map-3-0/run-0", nil, 1, 0},
		"a bit of a part":        {10, "_temporary/0/task_r_*/part-r-*", flip, 0, 1},
		"a part is longer":       {10, "_temporary/0/task_r_*/part-r-*", func(b []byte) []byte { return append(b, 'x') }, 0, 1},
		"a part is gone":         {10, "_temporary/0/task_r_*/part-r-*", nil, 0, 1},
		"a line of the log":      {9, "_temporary/log", func(b []byte) []byte { b[len(b)-20] ^= 1; return b }, 0, 0},
		"the end of the log":     {9, "_temporary/log", func(b []byte) []byte { return b[:len(b)-7] }, 0, 0},
		"all of the log":         {9, "_temporary/log", nil, 0, 0},
		"the first of the log":   {9, "_temporary/log", flip0, 0, 0},
		"the lock is gone":       {9, "_temporary/lock", nil, 0, 0},
		"something else is left": {9, "_temporary/0/_temporary/attempt_r_000000_0/part-r-00000", nil, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			killed(t, config(t, in, out), c.commits)
			paths, err := filepath.Glob(filepath.Join(out, c.file))
			if err != nil || len(paths) == 0 && c.commits == 10 {
				t.Fatal(paths, err)
			}
			for _, path := range paths[:min(1, len(paths))] {
				if c.damage == nil {
					err = os.Remove(path)
				} else if b, e := os.ReadFile(path); e == nil {
					err = os.WriteFile(path, c.damage(b), 0o666)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			_, r := finish(t, config(t, in, out))
			if got := files(t, out); !maps.Equal(got, want) {
				t.Errorf("%v", got)
			}
			if len(r) > 0 && (r[0].MapsAgain != c.maps || r[0].PartsAgain != c.parts) {
				t.Errorf("it went on from %+v", r)
			}
		})
	}
}

func flip0(b []byte) []byte { b[12] ^= 1; return b }

// The name of an input may be any bytes; the log keeps them.
func TestResumeWithOddNames(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("NOT CHECKED: names are text on this system")
	}
	plainly, _ := text(t, 900)
	in := filepath.Join(t.TempDir(), "\xff\n\xfe")
	if err := os.Rename(plainly, in); err != nil {
		t.Fatal(err)
	}
	want, _ := plain(t, in)
	out := filepath.Join(t.TempDir(), "out")
	killed(t, config(t, in, out), 5)
	_, r := finish(t, config(t, in, out))
	if got := files(t, out); !maps.Equal(got, want) || len(r) != 1 || r[0].Maps < 5 {
		t.Errorf("%v, from %+v", got, r)
	}
}

// A run is not resumed by another job, nor with other input; each refusal says what is
// different, and Fresh starts again.
func TestResumeRefuses(t *testing.T) {
	in, _ := text(t, 900)
	want, _ := plain(t, in)
	for says, change := range map[string]func(*engine.Config){
		`reduces is "2" now, and was "3" before`:                                          func(c *engine.Config) { c.Jobs[0].Reduces = 2 },
		`block is "4KB" now, and was "2KB" before; that --block cuts its input as before`: func(c *engine.Config) { c.Block = 4 * units.KB },
		`block is "8KB" now, and was "2KB" before; that --block cuts its input as before`: func(c *engine.Config) { c.Block, c.Jobs[0].MinMaps, c.Jobs[0].MaxMaps = 8*units.KB, 1, 9 },
		`seed is "2" now, and was "1" before`:                                             func(c *engine.Config) { c.Seed = 2 },
		`program is "sort" now, and was "wordcount" before`:                               func(c *engine.Config) { c.Jobs[0].Program = program(t, "sort") },
		`the parameter x is "2" now, and was "1" before`:                                  func(c *engine.Config) { c.Jobs[0].Facts[1].Value = "2" },
		`the parameter x is not given now, and was "1" before`:                            func(c *engine.Config) { c.Jobs[0].Facts = c.Jobs[0].Facts[:1] },
		`the parameter y is "3" now, and was not given before`: func(c *engine.Config) {
			c.Jobs[0].Facts = append(c.Jobs[0].Facts, outdir.Fact{Name: "the parameter y", Value: "3"})
		},
		"its input is split into tasks in another way": func(c *engine.Config) {
			p := *program(t, "wordcount")
			p.Input = mapreduce.WholeFile{}
			c.Jobs[0].Program = &p
		},
		`input "` + in + `" has changed: it has 17804 bytes now, and had 17803`: nil,
	} {
		t.Run(says, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			killed(t, config(t, in, out), 5)
			before := files(t, out)
			cfg := config(t, in, out)
			if change != nil {
				change(&cfg)
			} else {
				b, err := os.ReadFile(in)
				if err != nil {
					t.Fatal(err)
				}
				info, _ := os.Stat(in)
				defer func() { _ = errors.Join(os.WriteFile(in, b, 0o666), os.Chtimes(in, info.ModTime(), info.ModTime())) }()
				if err := os.WriteFile(in, append(b, '\n'), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			_, err := engine.New(cfg)
			full := fmt.Sprintf("job \"words\": output %q: an interrupted run left it, but cannot be resumed: %s", out, says)
			if err == nil || err.Error() != full {
				t.Fatalf("it says %v\nwant    %s", err, full)
			}
			if after := files(t, out); !maps.Equal(before, after) {
				t.Error("the refusal has changed something")
			}
			if change == nil {
				return
			}
			cfg = config(t, in, out)
			cfg.Fresh = true
			if _, r := finish(t, cfg); len(r) > 0 {
				t.Errorf("it did not start again, but went on from %v", r)
			}
			if got := files(t, out); !maps.Equal(got, want) {
				t.Errorf("%v", got)
			}
		})
	}
}

// A block counts by how it cuts the input: a run goes on under another that cuts it alike. A run
// that names none goes on by that of the log.
func TestResumeWithAnotherBlock(t *testing.T) {
	in, _ := text(t, 900)
	for _, c := range []struct {
		was, now units.Bytes
		maps     int
	}{{32 * units.MB, 64 * units.MB, 1}, {2 * units.KB, 0, 9}, {0, 0, 1}} {
		out := filepath.Join(t.TempDir(), "out")
		cfg := config(t, in, out)
		cfg.Block, cfg.Jobs[0].Reduces = c.was, 2
		killed(t, cfg, 2)
		cfg.Block, cfg.Keep, cfg.Cluster = c.now, true, workers(2, 1, 1)
		if _, r := finish(t, cfg); len(r) != 1 || r[0].AllMaps != c.maps || r[0].Maps == 0 {
			t.Errorf("%v, %v: it went on from %+v", c.was, c.now, r)
		}
		if done, err := engine.Complete(cfg); !done || err != nil {
			t.Errorf("%v, %v: %v, %v", c.was, c.now, done, err)
		}
	}
}

// An input whose time alone has changed is not trusted either.
func TestResumeLooksAtTimes(t *testing.T) {
	in, _ := text(t, 900)
	out := filepath.Join(t.TempDir(), "out")
	killed(t, config(t, in, out), 5)
	if err := os.Chtimes(in, time.Now(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, err := engine.New(config(t, in, out)); err == nil || !strings.Contains(err.Error(), "has changed: it was written at") {
		t.Error(err)
	}
}

// Of two processes with one output directory the second is refused, before it begins and in its middle.
func TestOneOutputTwoRuns(t *testing.T) {
	in, _ := text(t, 900)
	out := filepath.Join(t.TempDir(), "out")
	late, err := engine.New(config(t, in, out))
	if err != nil {
		t.Fatal(err)
	}
	first, err := engine.New(config(t, in, out))
	if err != nil {
		t.Fatal(err)
	}
	l := drive.New(first, conform.Friendly{})
	for range 10 {
		if err := l.Step(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	busy := fmt.Sprintf("output %q: process %d is writing there", out, os.Getpid())
	if _, err := engine.New(config(t, in, out)); err == nil || err.Error() != `job "words": `+busy {
		t.Errorf("%v, want %s", err, busy)
	}
	e := &ends{jobs: map[string]string{}}
	if err := drive.New(late, conform.Friendly{}, e).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if e.jobs["words"] != "failed "+busy {
		t.Errorf("%v", e.jobs)
	}
	if err := l.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	want, _ := plain(t, in)
	if got := files(t, out); !maps.Equal(got, want) {
		t.Errorf("%v", got)
	}
}

// A directory that is removed under a job, or replaced, fails the job, and what stands there then is left alone.
func TestOutputIsRemoved(t *testing.T) {
	in, _ := text(t, 900)
	out := filepath.Join(t.TempDir(), "out")
	w, err := engine.New(config(t, in, out))
	if err != nil {
		t.Fatal(err)
	}
	e := &ends{jobs: map[string]string{}}
	l := drive.New(w, conform.Friendly{}, e)
	for range 10 {
		if err := l.Step(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	// Moved away first: attempts still write, so that what is removed name by name may be there again.
	gone := out + "-gone"
	if err := errors.Join(os.Rename(out, gone), os.MkdirAll(out, 0o777), os.WriteFile(filepath.Join(out, "mine"), []byte("x"), 0o666)); err != nil {
		t.Fatal(err)
	}
	theirs := []string{"mine", "part-r-00000", "_temporary/log", "_temporary/lock"} // another process's, by now
	for _, name := range theirs {
		path := filepath.Join(out, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte("x"), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("failed output %q: the directory was removed or replaced while the job ran", out); e.jobs["words"] != want {
		t.Errorf("%v, want %s", e.jobs, want)
	}
	for _, name := range theirs {
		if _, err := os.Stat(filepath.Join(out, name)); err != nil {
			t.Error(err)
		}
	}
}

// With Keep a run that has finished is known to have, until it is forgotten; not so if it was
// another, or is not as it was written.
func TestComplete(t *testing.T) {
	in, _ := text(t, 900)
	out := filepath.Join(t.TempDir(), "out")
	cfg := config(t, in, out)
	cfg.Keep = true
	says := func(want bool, why string) {
		t.Helper()
		switch done, err := engine.Complete(cfg); {
		case why == "" && err != nil, why != "" && (err == nil || !strings.Contains(err.Error(), why)), done != want:
			t.Errorf("%v, %v; want %v, %q", done, err, want, why)
		}
	}
	says(false, "")
	killed(t, cfg, 5)
	says(false, "")
	finish(t, cfg)
	says(true, "")
	cfg.Seed = 2
	says(false, `it is finished, but the job would write something else: seed is "2" now, and was "1" before`)
	cfg.Seed = 1
	part := filepath.Join(out, "part-r-00001")
	b, err := os.ReadFile(part)
	if err != nil {
		t.Fatal(err)
	}
	b[7] ^= 1
	if err := os.WriteFile(part, b, 0o666); err != nil {
		t.Fatal(err)
	}
	says(false, "it is finished, but its files have changed: ")
	outdir.Forget([]string{out})
	says(false, "")
	if left := files(t, out); len(left) != 4 {
		t.Errorf("left: %v", slices.Sorted(maps.Keys(left)))
	}
}
