package engine_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/fault"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/worlds/conform"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/internal/worlds/engine/outdir"
)

// What an interrupted run has left is thrown away, with the directory if Slackline made it; what
// others put there stays.
func TestDiscard(t *testing.T) {
	in, _ := text(t, 900)
	for _, there := range []string{"nothing", "a folder", "a file of the user's"} {
		for _, how := range []string{"stopped", "killed"} {
			t.Run(there+", "+how, func(t *testing.T) {
				out := filepath.Join(t.TempDir(), "out")
				if there == "a folder" {
					if err := os.Mkdir(out, 0o777); err != nil {
						t.Fatal(err)
					}
				}
				commits := 4
				if how == "killed" {
					killed(t, config(t, in, out), commits)
				} else {
					commits = stopped(t, config(t, in, out), commits)
				}
				if there == "a file of the user's" {
					if err := os.WriteFile(filepath.Join(out, "part-r-00001"), []byte("mine"), 0o666); err != nil {
						t.Fatal(err)
					}
				}
				before := files(t, out)
				d, err := outdir.Discard(out, true)
				if err != nil || !maps.Equal(files(t, out), before) {
					t.Fatalf("a dry one: %v, left %v", err, slices.Sorted(maps.Keys(files(t, out))))
				}
				if d.Maps+d.Reduces < commits || d.Files < 3 || d.Size < 1000 || d.Finished || d.Whole != (there == "nothing") {
					t.Errorf("it would discard %+v behind %d commits", d, commits)
				}
				again, err := outdir.Discard(out, false)
				if err != nil || again != d {
					t.Errorf("%+v, %v; a dry one said %+v", again, err, d)
				}
				if _, err := os.Stat(out); (err == nil) != (there != "nothing") {
					t.Fatalf("the directory: %v", err)
				}
				want := map[string]string{}
				if there == "a file of the user's" {
					want["part-r-00001"] = "mine"
				}
				if there != "nothing" && !maps.Equal(files(t, out), want) {
					t.Errorf("left: %v", slices.Sorted(maps.Keys(files(t, out))))
				}
				var nothing *outdir.NothingLeftError
				if _, err = outdir.Discard(out, false); !errors.As(err, &nothing) {
					t.Errorf("once more: %v", err)
				}
			})
		}
	}
}

// What the commit of the job had moved into place goes too, and not what others put beside it.
func TestDiscardInTheCommit(t *testing.T) {
	in, _ := text(t, 900)
	out := filepath.Join(t.TempDir(), "out")
	cfg := config(t, in, out)
	cfg.Clock = stopwatch()
	fault.Use(&fault.Schedule{DieAll: true, After: 2, Counts: func(op fault.Op, path string) bool {
		return op == fault.Rename && strings.Contains(filepath.ToSlash(path), "/task_r_")
	}})
	w, err := engine.New(cfg)
	if err == nil {
		err = drive.New(w, conform.Friendly{}).Run(context.Background())
	}
	fault.Use(nil)
	if !errors.Is(err, fault.ErrDead) {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(out, "notes.txt"), []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	moved, _ := filepath.Glob(filepath.Join(out, "part-*"))
	if len(moved) == 0 {
		t.Fatal("nothing is in place: this tests nothing")
	}
	if _, err := outdir.Discard(out, false); err != nil {
		t.Fatal(err)
	}
	if left := files(t, out); !maps.Equal(left, map[string]string{"notes.txt": "mine"}) {
		t.Errorf("left: %v", slices.Sorted(maps.Keys(left)))
	}
}

// What is not what an interrupted run left, or is at work, is refused and stays. Links are not followed.
func TestDiscardRefuses(t *testing.T) {
	in, _ := text(t, 100)
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	stopped(t, config(t, in, out), 1)
	lock, err := outdir.Take(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, dry := range []bool{false, true} {
		if _, err := outdir.Discard(out, dry); err == nil || !strings.Contains(err.Error(), "is writing there") {
			t.Errorf("at work, dry %v: %v", dry, err)
		}
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	before := files(t, dir)
	refuses := func(path, want string) {
		t.Helper()
		if _, err := outdir.Discard(path, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
		if left := files(t, dir); !maps.Equal(left, before) {
			t.Errorf("%s: left %v", path, slices.Sorted(maps.Keys(left)))
		}
	}
	refuses(filepath.Join(dir, "none"), "there is nothing left of an interrupted run")
	refuses(in, "there is nothing left of an interrupted run")
	if err := os.Symlink(out, filepath.Join(dir, "link")); err != nil {
		t.Skip("NOT CHECKED: links:", err)
	}
	before = files(t, out)
	if _, err := outdir.Discard(filepath.Join(dir, "link"), false); err == nil || !strings.Contains(err.Error(), "it is a link") {
		t.Errorf("a link: %v", err)
	}
	foreign := filepath.Join(dir, "foreign")
	if err := errors.Join(os.Mkdir(foreign, 0o777), os.Symlink(filepath.Join(out, "_temporary"), filepath.Join(foreign, "_temporary"))); err != nil {
		t.Fatal(err)
	}
	if _, err := outdir.Discard(foreign, false); err == nil || !strings.Contains(err.Error(), "links are not followed there") {
		t.Errorf("a folder that is a link: %v", err)
	}
	if left := files(t, out); !maps.Equal(left, before) {
		t.Errorf("left: %v", slices.Sorted(maps.Keys(left)))
	}
	// A job that has finished keeps its output.
	done := filepath.Join(dir, "done")
	cfg := config(t, in, done)
	cfg.Keep = true
	finish(t, cfg)
	d, err := outdir.Discard(done, false)
	if err != nil || !d.Finished {
		t.Errorf("finished: %+v, %v", d, err)
	}
	if left := files(t, done); len(left) != 4 || !strings.HasPrefix(left["_SUCCESS"], "slackline output 1\n") {
		t.Errorf("left of the job that has finished: %v", slices.Sorted(maps.Keys(left)))
	}
}
