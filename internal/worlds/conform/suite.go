package conform

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Subject is a world to be tested.
type Subject struct {
	Name  string
	Jobs  int  // that a run has, all of which can finish
	Binds bool // attempts name their tasks
	Exact bool // equal seeds and plans give equal runs, so that two runs can be compared
	// New makes a world before its first batch.
	New func(t *testing.T, seed uint64) drive.World
	// Output compares what the last world wrote with a naive reference; nil if it writes nothing.
	Output func(t *testing.T)
	// Seeds is how many runs of each kind are made.
	Seeds int
}

// Suite holds a world to all promises.
func Suite(t *testing.T, s Subject) {
	t.Run("friendly", func(t *testing.T) {
		for seed := range s.Seeds {
			w := s.run(t, uint64(seed), func() sched.Policy { return Friendly{} }, false)
			s.finished(t, w)
		}
	})
	t.Run("brutal", func(t *testing.T) {
		killed, refused := 0, 0
		for seed := range s.Seeds {
			w := s.run(t, uint64(seed), func() sched.Policy { return &Brutal{Seed: uint64(seed), Calm: 60} }, false)
			killed += w.Ends[sched.Killed] + w.Ends[sched.Preempted]
			refused += w.Refused[true]
		}
		if killed == 0 || refused == 0 {
			t.Errorf("the brutal policy killed %d attempts and was refused %d items: this run tests nothing", killed, refused)
		}
	})
	t.Run("memory", func(t *testing.T) {
		for seed := range s.Seeds {
			s.memory(t, uint64(seed))
		}
	})
}

// Policy holds a policy to the promises on this world: every job ends, whatever the world does, and memory changes nothing.
func Policy(t *testing.T, s Subject, fresh func() sched.Policy) {
	for seed := range s.Seeds {
		w := s.run(t, uint64(seed), fresh, false)
		s.finished(t, w)
		if s.Exact {
			s.same(t, uint64(seed), fresh)
		}
	}
}

func (s *Subject) finished(t *testing.T, w *Watch) {
	t.Helper()
	if got := w.Jobs[sched.Committed]; got != s.Jobs {
		t.Errorf("%d of %d jobs finished", got, s.Jobs)
	}
	if s.Output != nil {
		s.Output(t)
	}
}

// run drives one world to its end. With amnesia, book and policy are saved, thrown away and loaded between all batches.
func (s *Subject) run(t *testing.T, seed uint64, fresh func() sched.Policy, amnesia bool, sinks ...drive.Sink) *Watch {
	t.Helper()
	watch := NewWatch(s.Binds)
	l := drive.New(s.New(t, seed), fresh(), append(sinks, watch)...)
	for {
		err := l.Step(context.Background())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("seed %d, round %d: %v", seed, l.Round, err)
		}
		if amnesia {
			forget(t, l, fresh())
		}
	}
	for _, b := range watch.Close(s.Jobs) {
		t.Errorf("seed %d: %s", seed, b)
	}
	return watch
}

// forget replaces the loop's book and policy by new ones that know only what the old ones saved.
func forget(t *testing.T, l *drive.Loop, p sched.Policy) {
	t.Helper()
	var mind, book, again bytes.Buffer
	if err := errors.Join(l.Policy.Save(&mind), l.Ledger.Save(&book)); err != nil {
		t.Fatal(err)
	}
	var order sched.Order
	if r, ok := p.(sched.Ranker); ok {
		order = r.Order()
	}
	fresh := ledger.New(*l.Ledger.World(), order)
	was := bytes.Clone(book.Bytes())
	if err := errors.Join(p.Load(&mind), fresh.Load(&book), fresh.Save(&again)); err != nil {
		t.Fatalf("round %d: %v", l.Round, err)
	}
	if !bytes.Equal(was, again.Bytes()) {
		t.Fatalf("round %d: a loaded book saves itself differently:\n%s\n%s", l.Round, was, again.Bytes())
	}
	l.Policy, l.Ledger = p, fresh
}

// memory runs the brutal policy with amnesia. In an exact world that changes no plan.
func (s *Subject) memory(t *testing.T, seed uint64) {
	fresh := func() sched.Policy { return &Brutal{Seed: seed, Calm: 60} }
	if s.Exact {
		s.same(t, seed, fresh)
		return
	}
	s.run(t, seed, fresh, true)
}

// same compares a run with one that has amnesia, plan by plan.
func (s *Subject) same(t *testing.T, seed uint64, fresh func() sched.Policy) {
	t.Helper()
	var plain, forgetful tape
	s.run(t, seed, fresh, false, &plain)
	s.run(t, seed, fresh, true, &forgetful)
	for i := range plain.lines {
		if i >= len(forgetful.lines) || plain.lines[i] != forgetful.lines[i] {
			t.Fatalf("seed %d: to save and load changed the run, first here:\n%s\n%s", seed, plain.lines[i], append(forgetful.lines, "(the end)")[i])
		}
	}
	if len(forgetful.lines) != len(plain.lines) {
		t.Fatalf("seed %d: to save and load made the run longer, %d instead of %d lines", seed, len(forgetful.lines), len(plain.lines))
	}
}

// tape keeps all that a run said, as text.
type tape struct{ lines []string }

func (p *tape) Batch(round int64, at units.Time, events []sched.Event) error {
	for i := range events {
		e := events[i]
		e.Detail = nil
		p.lines = append(p.lines, fmt.Sprintf("%d %v %+v", round, at, e))
	}
	return nil
}

func (p *tape) Plan(round int64, at units.Time, plan *sched.Plan) error {
	for i := range plan.Items {
		it := &plan.Items[i]
		p.lines = append(p.lines, fmt.Sprintf("%d %v %+v %v %v", round, at, *it, plan.Bound[it.Tasks.From:it.Tasks.To],
			plan.Victims[it.Attempts.From:it.Attempts.To]))
	}
	return nil
}
