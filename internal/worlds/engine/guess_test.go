package engine_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/worlds/conform"
	"github.com/slackline/slackline/internal/worlds/engine"
	"github.com/slackline/slackline/internal/worlds/engine/input"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// chain is the job of config and two behind it, each of which reads what the one before it writes, guessed to be so
// many splits.
func chain(t *testing.T, in, dir string, guess int) engine.Config {
	t.Helper()
	out := func(id string) string { return filepath.Join(dir, id) }
	cfg := config(t, in, out("words"))
	cfg.Block = 200
	for i, id := range []string{"second", "third"} {
		before := cfg.Jobs[i].Spec.ID
		cfg.Jobs = append(cfg.Jobs, engine.Job{Spec: spec(id, before), Program: program(t, "wordcount"), Input: []string{out(before)}, Output: out(id), Reduces: 2,
			Guess: make([]input.Split, guess)})
	}
	return cfg
}

// come plays jobs by a policy and tells of each with how many maps it came, in which round, and how it ended.
func come(t *testing.T, cfg engine.Config, p sched.Policy) map[string]string {
	t.Helper()
	cfg.Clock = stopwatch()
	w, err := engine.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	seen, watch := &comings{of: map[sched.JobID]string{}, told: map[string]string{}}, conform.NewWatch(true)
	if err := drive.New(w, p, watch, seen).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, b := range watch.Close(len(cfg.Jobs)) {
		t.Error(b)
	}
	if bad := w.Miscounted(); bad != "" {
		t.Error(bad)
	}
	return seen.told
}

type comings struct {
	of   map[sched.JobID]string
	told map[string]string
}

func (c *comings) Batch(round int64, _ units.Time, events []sched.Event) error {
	for i := range events {
		switch e := &events[i]; e.Kind {
		case sched.JobArrived:
			c.of[e.Job] = e.Detail.Job.ID
			c.told[c.of[e.Job]] = fmt.Sprintf("%d maps", e.Detail.Job.Tasks(sched.Map))
			if round > 1 {
				c.told[c.of[e.Job]] += " late"
			}
			for _, before := range e.Detail.Job.After {
				if c.told[before] == "" {
					c.told[c.of[e.Job]] += " before " + before
				}
			}
		case sched.JobAmended:
			c.told[c.of[e.Job]] += fmt.Sprintf(", %d", e.Detail.Job.Tasks(sched.Map))
		case sched.JobEnded:
			c.told[c.of[e.Job]] += fmt.Sprintf(", %v %s", e.Outcome, e.Text)
		}
	}
	return nil
}

func (c *comings) Plan(int64, units.Time, *sched.Plan) error { return nil }

// Jobs that read what others write are told at once, as they are guessed to be, and as they are when that is there.
// They write what they would without a guess.
func TestGuess(t *testing.T) {
	in, _ := text(t, 1000)
	dir := t.TempDir()
	for _, j := range chain(t, in, dir, 0).Jobs {
		if got := come(t, chain(t, in, filepath.Join(dir, j.Spec.ID), 0), conform.Friendly{})["third"]; got != "2 maps late, committed " {
			t.Errorf("without a guess: %s", got)
		}
	}
	want := counted(t, filepath.Join(dir, "words", "third"))
	for _, guess := range []int{1, 2, 9} {
		dir := t.TempDir()
		told := come(t, chain(t, in, dir, guess), conform.Friendly{})
		same(t, counted(t, filepath.Join(dir, "third")), want)
		for id, maps := range map[string]int{"second": 2, "third": 2} {
			if text := fmt.Sprintf("%d maps, %d, committed ", guess, maps); told[id] != text {
				t.Errorf("%s: %s, want %s", id, told[id], text)
			}
		}
	}
}

// A job that comes as a guess is cut as it is asked to be when what it reads is there.
func TestGuessIsCut(t *testing.T) {
	in, _ := text(t, 1000)
	dir := t.TempDir()
	cfg := chain(t, in, dir, 4)
	for i := range cfg.Jobs {
		cfg.Jobs[i].MinMaps, cfg.Jobs[i].MaxMaps = 1, 40
	}
	told := come(t, cfg, &molder{maps: 1})
	if told["second"] != "4 maps, 2, 1, committed " || told["third"] != "4 maps, 2, 1, committed " {
		t.Errorf("%v", told)
	}
}

// unwilling is Friendly, but rejects a job as soon as it comes.
type unwilling struct {
	conform.Friendly
	id    string
	cause sched.Cause
}

func (r *unwilling) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	for i := range batch {
		if e := &batch[i]; e.Kind == sched.JobArrived && v.Job(e.Job).Spec.ID == r.id {
			p.Reject(e.Job, sched.Outlook{}, sched.Because(&r.cause))
		}
	}
	r.Friendly.Decide(v, batch, p)
}

// A job that comes as a guess ends as one that comes late does, where what it waits for fails, it is not wanted, or
// what it reads is not there.
func TestGuessWithoutEnd(t *testing.T) {
	in, _ := text(t, 100)
	fails := func(cfg *engine.Config) sched.Policy {
		cfg.Jobs[0].Program = brittle(t, func(int, int) error { return errors.New("broken") })
		return conform.Friendly{}
	}
	rejects := func(cfg *engine.Config) sched.Policy { return &unwilling{id: "second"} }
	misses := func(cfg *engine.Config) sched.Policy {
		cfg.Jobs[1].Input = []string{filepath.Join(cfg.Jobs[0].Output, "nothing*")}
		return conform.Friendly{}
	}
	later := func(cfg *engine.Config) sched.Policy { // it has not come when what it reads cannot be read
		cfg.Jobs[1].Spec.Arrive = units.Time(700 * units.Millisecond)
		return misses(cfg)
	}
	behind := ", killed its predecessor did not finish"
	for name, c := range map[string]struct {
		is            func(*engine.Config) sched.Policy
		second, third string
	}{
		"fails":   {fails, "2 maps" + behind, "2 maps" + behind},
		"rejects": {rejects, "2 maps, killed ", "2 maps" + behind},
		"misses":  {misses, "2 maps, failed ", "2 maps" + behind},
		"later":   {later, " maps late, failed ", "2 maps late" + behind},
	} {
		cfg := chain(t, in, t.TempDir(), 2)
		told := come(t, cfg, c.is(&cfg))
		if !strings.Contains(told["second"], c.second) || told["third"] != c.third {
			t.Errorf("%s: %q, %q, want %q, %q", name, told["second"], told["third"], c.second, c.third)
		}
	}
}

// A chain whose process dies goes on where it was.
func TestGuessGoesOn(t *testing.T) {
	in, _ := text(t, 1000)
	dir := t.TempDir()
	come(t, chain(t, in, filepath.Join(dir, "plain"), 2), conform.Friendly{})
	want := counted(t, filepath.Join(dir, "plain", "third"))
	for _, tasks := range []int{2, 50, 101, 103, 106} {
		at := filepath.Join(dir, fmt.Sprint(tasks))
		dies(t, chain(t, in, at, 2), conform.Friendly{}, &killer{left: tasks})
		cfg := chain(t, in, at, 2)
		if e, _ := finish(t, cfg); e.jobs["third"] != "committed" {
			t.Errorf("after %d tasks: %v", tasks, e.jobs)
		}
		same(t, counted(t, filepath.Join(at, "third")), want)
	}
}

// A job does not come before those that it reads from: whoever promises something to it counts with these.
func TestGuessBehindLateOne(t *testing.T) {
	in, _ := text(t, 1000)
	dir := t.TempDir()
	for name, late := range map[string]func() engine.Config{
		"arrives": func() engine.Config {
			cfg := chain(t, in, filepath.Join(dir, "arrives"), 2)
			cfg.Jobs[1].Spec.Arrive = units.Time(700 * units.Millisecond)
			return cfg
		},
		"resumes": func() engine.Config {
			at := filepath.Join(dir, "resumes")
			dies(t, chain(t, in, at, 2), conform.Friendly{}, &killer{left: 103})
			return chain(t, in, at, 2)
		},
	} {
		if told := come(t, late(), conform.Friendly{}); strings.Contains(fmt.Sprint(told), "before") || !strings.Contains(told["second"], "late") {
			t.Errorf("%s: %v", name, told)
		}
	}
}
