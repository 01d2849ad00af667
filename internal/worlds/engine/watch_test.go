package engine_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/slackline/slackline/internal/worlds/conform"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/mapreduce"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// far notes the progress of attempts, and whether it ever went back or came for nobody.
type far struct {
	t    *testing.T
	runs map[sched.AttemptID]float64
	told int
}

func (f *far) Batch(_ int64, _ units.Time, events []sched.Event) error {
	for _, e := range events {
		switch e.Kind {
		case sched.Started:
			f.runs[e.Attempt] = 0
		case sched.Ended:
			delete(f.runs, e.Attempt)
		case sched.Progress:
			if before, runs := f.runs[e.Attempt]; !runs || e.X < before || e.X > 1 {
				f.t.Errorf("%v of attempt %d, %v before", e.X, e.Attempt, before)
			}
			f.runs[e.Attempt] = e.X
			f.told++
		}
	}
	return nil
}

func (f *far) Plan(int64, units.Time, *sched.Plan) error { return nil }

// The end of each attempt, and of the job, says what it counted, which try it was, and the stack of a panic.
func TestAccountsAndProgress(t *testing.T) {
	in, _ := text(t, 60_000)
	p := brittle(t, func(task, try int) error {
		switch {
		case task == 0 && try == 0:
			return errors.New("it breaks")
		case task == 1 && try == 0:
			panic("it breaks badly")
		}
		return nil
	})
	cfg := engine.Config{Cluster: workers(2, 1, 1), Block: 100 * units.KB, Progress: units.Microsecond,
		Jobs: []engine.Job{{Spec: spec("words"), Program: p, Input: []string{in}, Output: filepath.Join(t.TempDir(), "out"), Reduces: 1}}}
	f := &far{t: t, runs: map[sched.AttemptID]float64{}}
	watch, e := run(t, cfg, conform.Friendly{}, f)
	if watch.Ends[sched.Failed] != 2 {
		t.Fatalf("ended %v", watch.Ends)
	}
	const inputs = mapreduce.TaskGroup + "." + mapreduce.MapInputRecords
	var records int64
	stacks, second := 0, 0
	for _, ended := range e.attempts {
		a := ended.Detail.Account
		if a.Try < 1 || (ended.Outcome == sched.Committed) != (a.Counters != nil) {
			t.Errorf("%+v of %+v", a, ended)
		}
		records += a.Counters[inputs]
		if strings.Contains(a.Said, "goroutine ") {
			stacks++
		}
		if a.Try == 2 {
			second++
		}
	}
	if len(e.accounts) != 1 || e.accounts[0].Counters[inputs] != 60_000 {
		t.Errorf("%+v", e.accounts)
	}
	if records != 60_000 || stacks != 1 || second != 2 {
		t.Errorf("%d records, %d stacks, %d second tries", records, stacks, second)
	}
	if f.told == 0 {
		t.Error("nobody told how far an attempt is")
	}
}

// What user code warns of is told once for each job, however many of its attempts do.
func TestWarnings(t *testing.T) {
	in, _ := text(t, 5_000)
	p := *program(t, "wordcount")
	inner := p.NewMapper
	p.NewMapper = func(c *mapreduce.Context) (mapreduce.Mapper, error) {
		c.Warn("it is slow")
		c.Warn("it is large")
		return inner(c)
	}
	var lock sync.Mutex
	var told []string
	cfg := engine.Config{Cluster: workers(2, 2, 1), Block: 10 * units.KB, Warn: func(job, text string) {
		lock.Lock()
		defer lock.Unlock()
		told = append(told, job+": "+text)
	}}
	for _, name := range []string{"a", "b"} {
		cfg.Jobs = append(cfg.Jobs, engine.Job{Spec: spec(name), Program: &p, Input: []string{in}, Output: filepath.Join(t.TempDir(), name), Reduces: 1})
	}
	run(t, cfg, conform.Friendly{})
	slices.Sort(told)
	if want := []string{"a: it is large", "a: it is slow", "b: it is large", "b: it is slow"}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}
