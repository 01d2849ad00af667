package engine_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/fault"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/worlds/conform"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/internal/worlds/engine/task"
)

// refuser fails all attempts.
type refuser struct{}

func (refuser) Map(context.Context, task.MapConfig) (*task.Output, task.Stats, error) {
	return nil, task.Stats{}, errors.New("no")
}

func (refuser) Reduce(context.Context, task.ReduceConfig) (task.Stats, error) {
	return task.Stats{}, errors.New("no")
}

func (refuser) Close() {}

// fails runs the job, which fails, and returns why.
func fails(t *testing.T, cfg engine.Config) string {
	t.Helper()
	cfg.Clock = stopwatch()
	w, err := engine.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	e := &ends{jobs: map[string]string{}}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := drive.New(w, conform.Friendly{}, e).Run(ctx); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(e.jobs["words"], "failed ") {
		t.Errorf("it ended so: %v", e.jobs)
	}
	return strings.TrimPrefix(e.jobs["words"], "failed ")
}

// A job that fails behind the death of a process takes away what both wrote, and the directory if the first made it.
func TestAbortBehindADeath(t *testing.T) {
	in, _ := text(t, 900)
	for _, there := range []string{"nothing", "a folder", "a file of the user's"} {
		for _, fresh := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, fresh %v", there, fresh), func(t *testing.T) {
				out := filepath.Join(t.TempDir(), "deep", "out")
				if there == "a folder" {
					if err := os.MkdirAll(out, 0o777); err != nil {
						t.Fatal(err)
					}
				}
				cfg := config(t, in, out)
				killed(t, cfg, 2) // as more may commit before it is dead, and some are to be left
				killed(t, cfg, 2) // what the first knew is handed on
				if _, err := os.Stat(filepath.Join(out, "_temporary", "1", "local")); err != nil {
					t.Fatal("the second writes where what the first left may still write: ", err)
				}
				if there == "a file of the user's" {
					if err := os.WriteFile(filepath.Join(out, "notes.txt"), []byte("mine"), 0o666); err != nil {
						t.Fatal(err)
					}
				}
				cfg.Fresh, cfg.Jobs[0].Executor = fresh, refuser{}
				fails(t, cfg)
				if _, err := os.Stat(out); (err == nil) != (there != "nothing") {
					t.Fatalf("the directory: %v", err)
				}
				var left map[string]string
				if there != "nothing" {
					left = files(t, out)
				}
				if want := map[string]string{"notes.txt": "mine"}; there == "a file of the user's" && !maps.Equal(left, want) || there == "a folder" && len(left) > 0 {
					t.Errorf("left: %v", slices.Sorted(maps.Keys(left)))
				}
			})
		}
	}
}

// What Slackline did not leave is refused, with Fresh too, and stays as it is.
func TestForeignRemains(t *testing.T) {
	in, _ := text(t, 100)
	for name, make := range map[string]func(out, precious string) error{
		`output %q: it exists already`: func(out, _ string) error {
			return errors.Join(os.MkdirAll(filepath.Join(out, "_temporary", "0"), 0o777), os.WriteFile(filepath.Join(out, "_temporary", "0", "x"), nil, 0o666),
				os.WriteFile(filepath.Join(out, "notes.txt"), []byte("mine"), 0o666))
		},
		`output %q: _temporary in it is a link, and links are not followed there`: func(out, precious string) error {
			return errors.Join(os.MkdirAll(out, 0o777), os.Symlink(precious, filepath.Join(out, "_temporary")))
		},
	} {
		for _, fresh := range []bool{false, true} {
			out, precious := filepath.Join(t.TempDir(), "out"), t.TempDir()
			if err := os.WriteFile(filepath.Join(precious, "keep.txt"), []byte("p"), 0o666); err != nil {
				t.Fatal(err)
			}
			if err := make(out, precious); err != nil {
				t.Skip("NOT CHECKED:", err)
			}
			before := files(t, filepath.Join(precious))
			cfg := config(t, in, out)
			cfg.Fresh = fresh
			if _, err := engine.New(cfg); err == nil || err.Error() != `job "words": `+fmt.Sprintf(name, out) {
				t.Errorf("fresh %v: %v", fresh, err)
			}
			if after := files(t, precious); !maps.Equal(before, after) {
				t.Errorf("left: %v", after)
			}
			if _, err := os.Lstat(filepath.Join(out, "_temporary")); err != nil {
				t.Error(err)
			}
		}
	}
}

// Map output that a log claims lies elsewhere, or over a link, is not taken over: it would be removed there one day.
func TestResumeFollowsNoLinks(t *testing.T) {
	in, _ := text(t, 900)
	want, _ := plain(t, in)
	out, outside := filepath.Join(t.TempDir(), "out"), t.TempDir()
	killed(t, config(t, in, out), 9)
	local := filepath.Join(out, "_temporary", "0", "local")
	moved := filepath.Join(outside, "local")
	if err := os.Rename(local, moved); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(moved, local); err != nil {
		t.Skip("NOT CHECKED:", err)
	}
	before := files(t, outside)
	_, r := finish(t, config(t, in, out))
	if len(r) != 1 || r[0].MapsAgain < 9 {
		t.Errorf("it went on from %+v", r)
	}
	if got := files(t, out); !maps.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if after := files(t, outside); len(before) < 9 || !maps.Equal(before, after) {
		t.Errorf("outside were %d files and are %d", len(before), len(after))
	}
}

// A commit that cannot be written to the log is taken back, and the next attempt commits.
func TestCommitThatCannotBeTold(t *testing.T) {
	in, _ := text(t, 900)
	want, _ := plain(t, in)
	out := filepath.Join(t.TempDir(), "out")
	defer fault.Use(nil)
	s := &fault.Schedule{Fail: 1, Most: 2, Grant: func(what string) bool {
		parts, _ := filepath.Glob(filepath.Join(out, "_temporary", "0", "task_r_*"))
		return len(parts) > 0 && strings.HasPrefix(what, "failed: write") && strings.HasSuffix(what, "log")
	}}
	fault.Use(s)
	finish(t, config(t, in, out))
	fault.Use(nil)
	if len(s.Struck()) != 2 {
		t.Fatalf("struck: %v", s.Struck())
	}
	if got := files(t, out); !maps.Equal(got, want) {
		t.Errorf("%v", got)
	}
}

// A run that starts again leaves nothing in the log of what was before.
func TestFreshClearsTheLog(t *testing.T) {
	in, _ := text(t, 900)
	cfg := config(t, in, filepath.Join(t.TempDir(), "out"))
	killed(t, cfg, 9)
	cfg.Fresh = true
	killed(t, cfg, 2)
	b, err := os.ReadFile(filepath.Join(cfg.Jobs[0].Output, "_temporary", "log"))
	if err != nil {
		t.Fatal(err)
	}
	if jobs, done := strings.Count(string(b), `{"job":`), strings.Count(string(b), `{"done":`); jobs != 1 || done < 2 || done > 8 {
		t.Errorf("the log has %d jobs and %d commits:\n%s", jobs, done, b)
	}
}

// errOdd is an error of the system that is neither of the machine nor for good.
var errOdd = errors.New("an odd error")

// A commit of the job that fails again and again fails the job, and half of it is not left.
func TestHalfACommitIsNoOutput(t *testing.T) {
	in, _ := text(t, 900)
	out := filepath.Join(t.TempDir(), "out")
	defer fault.Use(nil)
	s := &fault.Schedule{Fail: 1, Most: 100, Error: errOdd, Grant: func(what string) bool {
		return strings.HasSuffix(what, "part-r-00001") && strings.HasPrefix(what, "failed: rename")
	}}
	fault.Use(s)
	fails(t, config(t, in, out))
	if len(s.Struck()) != 4 {
		t.Errorf("struck: %v", s.Struck())
	}
	if _, err := os.Stat(out); err == nil {
		t.Errorf("left: %v", slices.Sorted(maps.Keys(files(t, out))))
	}
}

// mapper counts maps, and with spoils damages what the first of them writes.
type mapper struct {
	refuser
	ran    atomic.Int32
	spoils *testing.T
}

func (m *mapper) Map(ctx context.Context, c task.MapConfig) (*task.Output, task.Stats, error) {
	m.ran.Add(1)
	out, stats, err := task.Map(ctx, c)
	if err == nil && m.spoils != nil && c.Task == 0 {
		damage(m.spoils, out.Path)
	}
	return out, stats, err
}

func (m *mapper) Reduce(ctx context.Context, c task.ReduceConfig) (task.Stats, error) {
	return task.Reduce(ctx, c)
}

// Map output that is taken over is not swept away: no map that is done runs again.
func TestResumeKeepsMapOutput(t *testing.T) {
	in, _ := text(t, 900)
	cfg := config(t, in, filepath.Join(t.TempDir(), "out"))
	killed(t, cfg, 5)
	m := &mapper{}
	cfg.Jobs[0].Executor = m
	if _, r := finish(t, cfg); len(r) != 1 || int(m.ran.Load()) != r[0].AllMaps-r[0].Maps {
		t.Errorf("%d maps ran behind %+v", m.ran.Load(), r)
	}
}

// A map whose output is damaged each time fails its job in the end, though reduces find it out.
func TestDamagedMapOutputFailsAtLast(t *testing.T) {
	in, _ := text(t, 900)
	cfg := config(t, in, filepath.Join(t.TempDir(), "out"))
	m := &mapper{spoils: t}
	cfg.Jobs[0].Executor = m
	fails(t, cfg)
	if n := m.ran.Load(); n != 9+3 {
		t.Errorf("%d maps ran", n)
	}
}
