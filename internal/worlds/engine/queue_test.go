package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/apps"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/worlds/conform"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// What an event costs does not depend on how many jobs wait: the loop looks at two at most.
func TestQueuedJobsCostNothing(t *testing.T) {
	for _, queued := range []int{10, 10_000} {
		w, done := crowd(t, queued)
		before := w.Looks()
		events := done(8)
		if n := w.Looks() - before; n == 0 || n > 2*events {
			t.Errorf("%d jobs are queued: the loop looks at %d of them for %d events", queued, n, events)
		}
	}
	// Looks counts what is looked at one by one; nothing may go through all jobs but what does so
	// at the end of a run.
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	all := regexp.MustCompile(`range w\.(jobs|known|outputs|waiting|gone)\b|w\.jobs\[1:\]`)
	found := 0
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(all.FindAll(src, -1)); !strings.HasSuffix(f, "_test.go") {
			found += n
		}
	}
	if found != 1 {
		t.Errorf("%d places go through all jobs, want one, World.all", found)
	}
}

// crowd is an engine with one slot and so many jobs that have arrived, of which one runs. done
// plays it until so many have ended, and returns how many events that were.
func crowd(t testing.TB, queued int) (w *engine.World, done func(int) int) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	if err := os.WriteFile(in, []byte("a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := apps.New("wordcount", nil)
	if err != nil {
		t.Fatal(err)
	}
	jobs := make([]engine.Job, queued)
	for i := range jobs {
		id := fmt.Sprint("j", i)
		jobs[i] = engine.Job{Spec: spec(id), Program: p, Input: []string{in}, Output: filepath.Join(dir, id)}
	}
	w, err = engine.New(engine.Config{Cluster: workers(1, 1, 1), Jobs: jobs, Clock: stopwatch()})
	if err != nil {
		t.Fatal(err)
	}
	left, events := 0, 0
	ctx, stop := context.WithCancel(context.Background())
	l := drive.New(w, conform.Friendly{}, watcherOf(func(e *sched.Event) {
		events++
		if e.Kind == sched.JobEnded {
			left--
		}
	}))
	t.Cleanup(func() {
		stop()
		if err := l.Run(ctx); err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	if err := l.Step(ctx); err != nil {
		t.Fatal(err)
	}
	return w, func(n int) int {
		for left, events = n, 0; left > 0; {
			if err := l.Step(ctx); err != nil {
				t.Fatal(err)
			}
		}
		return events
	}
}

// watcherOf is a sink that shows each event.
type watcherOf func(*sched.Event)

func (w watcherOf) Batch(_ int64, _ units.Time, events []sched.Event) error {
	for i := range events {
		w(&events[i])
	}
	return nil
}

func (w watcherOf) Plan(int64, units.Time, *sched.Plan) error { return nil }

// BenchmarkQueue plays jobs of one task while so many others wait.
func BenchmarkQueue(b *testing.B) {
	for _, queued := range []int{10, 10_000} {
		b.Run(fmt.Sprint(queued), func(b *testing.B) {
			for left := 0; left < b.N; left += queued / 2 {
				b.StopTimer()
				_, done := crowd(b, queued)
				b.StartTimer()
				done(min(queued/2, b.N-left))
				b.StopTimer()
			}
		})
	}
}
