package engine_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/worlds/conform"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/internal/worlds/engine/task"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// damager changes a byte of the part of the first task behind its attempt, so many times.
type damager struct {
	t     *testing.T
	times int
	lost  []string // what is told of it
}

func (d *damager) Map(ctx context.Context, c task.MapConfig) (*task.Output, task.Stats, error) {
	out, stats, err := task.Map(ctx, c)
	d.behind(&c.Config, c.Parts == 0)
	return out, stats, err
}

func (d *damager) Reduce(ctx context.Context, c task.ReduceConfig) (task.Stats, error) {
	stats, err := task.Reduce(ctx, c)
	d.behind(&c.Config, true)
	return stats, err
}

func (d *damager) Close() {}

func (d *damager) behind(c *task.Config, last bool) {
	if last && c.Task == 0 && d.times > 0 && damage(d.t, filepath.Join(c.Out, "part-*")) {
		d.times--
	}
}

func (d *damager) Batch(_ int64, _ units.Time, events []sched.Event) error {
	for i := range events {
		if e := &events[i]; e.Kind == sched.OutputLost {
			d.lost = append(d.lost, fmt.Sprintf("%v %s", e.Stage, e.Text))
		}
	}
	return nil
}

func (d *damager) Plan(int64, units.Time, *sched.Plan) error { return nil }

// damage changes a byte of a file, if there is one.
func damage(t *testing.T, pattern string) bool {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		return false
	}
	b, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	if err := os.WriteFile(paths[0], b, 0o666); err != nil {
		t.Fatal(err)
	}
	return true
}

// A byte of a committed part that changes before the job is committed is found: the task runs
// again, as often as a task may.
func TestDamagedPartsRunAgain(t *testing.T) {
	in, _ := text(t, 900)
	for name, reduces := range map[string]int{"reduces": 3, "maps": 0} {
		for _, times := range []int{1, 3, 4} {
			t.Run(fmt.Sprintf("%s, %d times", name, times), func(t *testing.T) {
				cfg := config(t, in, filepath.Join(t.TempDir(), "plain"))
				stage := sched.Reduce
				if reduces == 0 {
					cfg.Jobs[0].Program, cfg.Jobs[0].Reduces, stage = program(t, "sort"), 0, sched.Map
				}
				finish(t, cfg)
				want := files(t, cfg.Jobs[0].Output)
				out, d := filepath.Join(t.TempDir(), "out"), &damager{t: t, times: times}
				cfg.Jobs[0].Output, cfg.Jobs[0].Executor, cfg.Clock = out, d, stopwatch()
				w, err := engine.New(cfg)
				if err != nil {
					t.Fatal(err)
				}
				watch, e := conform.NewWatch(true), &ends{jobs: map[string]string{}}
				if err := drive.New(w, conform.Friendly{}, watch, e, d).Run(context.Background()); err != nil {
					t.Fatal(err)
				}
				for _, b := range watch.Close(1) {
					t.Error(b)
				}
				if len(d.lost) != times || d.lost[0] != fmt.Sprintf("%v part-%c-00000: the checksum does not match", stage, stage.String()[0]) {
					t.Errorf("lost %q", d.lost)
				}
				if times == 4 {
					if says := fmt.Sprintf("failed %v task 1 failed 4 times in the same way: part-%c-00000: the checksum does not match", stage, stage.String()[0]); e.jobs["words"] != says {
						t.Errorf("%v, want %s", e.jobs, says)
					}
					if _, err := os.Stat(out); err == nil {
						t.Error("its output is left")
					}
					return
				}
				if got := files(t, out); !maps.Equal(got, want) || e.jobs["words"] != "committed" {
					t.Errorf("%v: %v", e.jobs, got)
				}
			})
		}
	}
}

// A run that goes on where all reduces had committed needs no map output, unless a part turns out
// to be damaged after all.
func TestDamagedPartWithoutMapOutput(t *testing.T) {
	in, _ := text(t, 900)
	want, _ := plain(t, in)
	out := filepath.Join(t.TempDir(), "out")
	part := filepath.Join(out, "_temporary", "0", "task_r_000001", "part-*")
	for { // the commit of the job may be faster than the death
		killed(t, config(t, in, out), 12)
		if found, _ := filepath.Glob(part); len(found) > 0 {
			break
		}
		if err := os.RemoveAll(out); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(filepath.Join(out, "_temporary", "0", "local")); err != nil {
		t.Fatal(err)
	}
	cfg := config(t, in, out)
	cfg.Clock = stopwatch()
	w, err := engine.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if !damage(t, part) {
		t.Fatal("there is no part")
	}
	watch := conform.NewWatch(true)
	d := &damager{t: t}
	if err := drive.New(w, conform.Friendly{}, watch, d).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, b := range watch.Close(1) {
		t.Error(b)
	}
	if got := files(t, out); !maps.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if len(d.lost) != 10 || !strings.Contains(strings.Join(d.lost, "\n"), "reduce part-r-00001: the checksum does not match") {
		t.Errorf("lost: %q", d.lost)
	}
}
