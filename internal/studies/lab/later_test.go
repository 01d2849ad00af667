package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/studies/page"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// A run whose sinks have a processor of their own tells the same by report, page and journal as one
// that shows them each round at once.
func TestLater(t *testing.T) {
	dir := t.TempDir()
	texts := everyPolicy()
	for seed := range uint64(scenarios(60, 600)) {
		p := randomRun(seed, []func(dice, *played){plain, shared}[seed%2])
		p.cfg.Until = 2000 * units.Time(units.Second)
		play := func(spare bool) (all []byte) {
			c := Cell{Scenario: "aside", Policy: texts[seed%uint64(len(texts))], Seed: seed, World: Simulated(p.cfg), spare: spare}
			if seed%3 > 0 {
				c.Journal = filepath.Join(dir, fmt.Sprint(spare))
			}
			drawn := page.New([]page.Head{{Scenario: c.Scenario, Policy: c.Policy, Seed: seed}})
			c.Sinks = drawn.Watch(0)
			run, err := Run(context.Background(), c)
			all = fmt.Append(nil, err)
			if run == nil {
				return all
			}
			run.Summary.Time(1)
			text := bytes.NewBuffer(all)
			if err := errors.Join(json.NewEncoder(text).Encode(run), drawn.Write(text, report.New(run))); err != nil {
				t.Fatal(err)
			}
			if c.Journal != "" {
				lines, err := os.ReadFile(c.Journal)
				if err != nil {
					t.Fatal(err)
				}
				text.Write(lines)
			}
			return text.Bytes()
		}
		if at, aside := play(false), play(true); !bytes.Equal(at, aside) {
			i := 0
			for i < min(len(at), len(aside)) && at[i] == aside[i] {
				i++
			}
			t.Fatalf("seed %d: %d bytes, and aside %d, which differ here: %s\n%s", seed, len(at), len(aside), at[i:min(i+200, len(at))], aside[i:min(i+200, len(aside))])
		}
	}
}

// failing is a sink that fails once, at a time.
type failing struct {
	follow.Single
	at     units.Time
	failed bool
}

var errSink = errors.New("the sink is full")

func (f *failing) Batch(at units.Time, _ []follow.Record) error {
	if at >= f.at && !f.failed {
		f.failed = true
		return errSink
	}
	return nil
}

// A sink that fails ends the run with its own error, and nobody is shown anything behind it.
func TestLaterFails(t *testing.T) {
	for i := range 4 {
		at, spare := units.Time(i/2)*100*units.Time(units.Second), i%2 == 1
		p := randomRun(2, plain)
		behind := &shownTill{last: -1}
		_, err := Run(context.Background(), Cell{Policy: "fifo", World: Simulated(p.cfg), Sinks: []follow.Sink{&failing{at: at}, behind}, spare: spare})
		if !errors.Is(err, errSink) || behind.last >= at {
			t.Errorf("failing at %v, aside %v: %v; the sink behind was shown %v", at, spare, err, behind.last)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, Cell{Policy: "fifo", World: Simulated(randomRun(2, plain).cfg), spare: true}); !errors.Is(err, context.Canceled) {
		t.Errorf("a run that was cancelled: %v", err)
	}
}

// Nor if blocks are full after that.
func TestLaterHasFailed(t *testing.T) {
	for _, spare := range []bool{false, true} {
		behind := &shownTill{last: -1}
		l := newLater(follow.New(&failing{at: 3}, behind))
		if spare {
			l.aside(context.Background(), nil)
		}
		l.size = 1
		for at := range units.Time(10) {
			if err := l.Batch(int64(at), at, []sched.Event{{Kind: sched.Tick}}); !spare && (err != nil) != (at >= 3) {
				t.Errorf("batch %d: %v", at, err)
			}
		}
		if err := l.close(); !errors.Is(err, errSink) || behind.last != 2 {
			t.Errorf("aside %v: %v; the sink behind was shown %v", spare, err, behind.last)
		}
	}
}

// shownTill notes the last time that it was shown.
type shownTill struct {
	follow.Single
	last units.Time
}

func (s *shownTill) Batch(at units.Time, _ []follow.Record) error {
	s.last = at
	return nil
}
