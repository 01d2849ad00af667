package conform

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/journal"
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
	Fails bool // jobs may fail, and with them those that wait for them
	Races bool // tasks may have second attempts
	// New makes a world before its first batch.
	New func(t *testing.T, seed uint64) drive.World
	// Output compares what the last world wrote with a naive reference; nil if it writes nothing.
	Output func(t *testing.T)
	// Delay is what a policy may take to admit a job, so that a while passes in which it must not run.
	Delay units.Duration
	// Refuses is why the world refuses what no book has checked.
	Refuses []sched.Code
	// Unkind tells that the world does what package adverse does: a suite that meets none of it tests nothing.
	Unkind bool
	// Cut tells that nodes are cut into slots of which only we know: what others start there, and what
	// was on its way when a node changed, may take more.
	Cut bool
	// Seeds is how many runs of each kind are made.
	Seeds int

	sinks []drive.Sink // that follow each run besides
	firm  bool         // the policy stands by its verdicts, whatever becomes of the book
}

// Suite holds a world to all promises.
func Suite(t *testing.T, s Subject) {
	t.Run("friendly", func(t *testing.T) {
		failed, behind, old, grown, guessed, yields, watches, advised := 0, 0, 0, 0, 0, 0, 0, 0
		for seed := range s.Seeds {
			w := s.run(t, uint64(seed), func() sched.Policy { return Friendly{} }, nil)
			s.finished(t, w)
			failed += w.Jobs[sched.Failed]
			behind += w.Jobs[sched.Killed]
			old, grown, guessed, yields = old+w.Old, grown+w.Grown, guessed+w.Guessed, yields+w.Yields
			watches, advised = watches+w.Watches, advised+w.Advised
		}
		if s.Unkind && (old == 0 || grown == 0 || guessed == 0 || yields == 0 || watches == 0 || advised == 0) {
			t.Errorf("%d facts were told with their age, %d stages grew, %d beyond what was all, the world yielded %d times and let watch %d times, with %d pieces of advice: this run tests nothing",
				old, grown, guessed, yields, watches, advised)
		}
		if s.Fails && (failed == 0 || behind == 0) {
			t.Errorf("%d jobs failed and %d ended behind them: this run tests nothing", failed, behind)
		}
	})
	t.Run("brutal", func(t *testing.T) {
		killed, refused, races := 0, 0, 0
		// Which attempts meet in a world with real time depends on the machine: it gets more runs until some have.
		for seed := 0; seed < s.Seeds || !s.Exact && seed < 20*s.Seeds && (s.Races && races == 0 || killed == 0 || refused == 0); seed++ {
			w := s.run(t, uint64(seed), brutal(uint64(seed)), nil)
			s.finished(t, w)
			killed += w.Ends[sched.Killed] + w.Ends[sched.Preempted]
			refused += w.Refused[true]
			races += w.Ends[sched.Superseded]
		}
		if s.Races && races == 0 {
			t.Error("no attempt was superseded by another one: this run tests nothing")
		}
		if killed == 0 || refused == 0 {
			t.Errorf("the brutal policy killed %d attempts and was refused %d items: this run tests nothing", killed, refused)
		}
	})
	t.Run("meddled", func(t *testing.T) {
		whys := make(map[sched.Code]int)
		lacks := func(why sched.Code) bool { return whys[why] == 0 }
		// What a plan finds in a world with real time depends on the machine: such a world gets
		// more runs until it has refused all.
		for seed := 0; seed < s.Seeds || !s.Exact && seed < 20*s.Seeds && slices.ContainsFunc(s.Refuses, lacks); seed++ {
			m := s
			m.New = func(t *testing.T, seed uint64) drive.World {
				w := &meddler{World: s.New(t, seed), binds: s.Binds, seed: seed, calm: 80}
				if s.Binds {
					w.next = 1 << 24
				}
				if !s.Exact {
					w.calm = 2000 // it has real time, and each refusal is a turn of its own
				}
				return w
			}
			w := m.run(t, uint64(seed), func() sched.Policy { return hesitant{delay: s.Delay} }, nil)
			s.finished(t, w)
			for why, n := range w.Whys {
				whys[why] += n
			}
		}
		for _, why := range s.Refuses {
			if lacks(why) {
				t.Errorf("the world never refused anything as %v, but %v: this run tests nothing", why, whys)
			}
		}
	})
	t.Run("memory", func(t *testing.T) {
		for seed := range s.Seeds {
			s.memory(t, uint64(seed))
		}
	})
}

// Policy holds a policy to the promises on this world: every job ends, whatever the world does, and
// memory changes nothing.
func Policy(t *testing.T, s Subject, fresh func() sched.Policy) {
	s.firm = true
	for seed := range s.Seeds {
		if s.Exact {
			s.same(t, uint64(seed), fresh)
			continue
		}
		s.finished(t, s.run(t, uint64(seed), fresh, nil))
	}
}

// brutal makes the brutal policy; with every second seed it rejects jobs.
func brutal(seed uint64) func() sched.Policy {
	return func() sched.Policy { return &Brutal{Seed: seed, Calm: 60, Gentle: seed%2 == 0} }
}

// finished checks that all jobs finished whose end was not asked for, and what they wrote.
func (s *Subject) finished(t *testing.T, w *Watch) {
	t.Helper()
	if w.Rejects > 0 || w.Cancels > 0 || s.Fails {
		return // that all have ended the watch has seen, and that none starts behind one that failed
	}
	if got := w.Jobs[sched.Committed] + w.Untold; got != s.Jobs {
		t.Errorf("%d of %d jobs finished", got, s.Jobs)
	}
	if s.Output != nil {
		s.Output(t)
	}
}

// run drives one world to its end. Between all batches it does something to book and policy that is
// to change nothing, if there is such a thing.
func (s *Subject) run(t *testing.T, seed uint64, fresh func() sched.Policy, between mischief, sinks ...drive.Sink) *Watch {
	t.Helper()
	watch, said, ranks := NewWatch(s.Binds), verdicts{make(map[string]bool), make(map[string]bool)}, &earlier{}
	watch.cut = s.Cut
	world := s.New(t, seed)
	var l *drive.Loop
	words := newListener(world.Can(), watch, func() *ledger.Ledger { return l.Ledger })
	l = drive.New(world, fresh(), append(slices.Concat(sinks, s.sinks), watch, ranks, words)...)
	if m, ok := world.(*meddler); ok {
		m.view, m.watch = func() sched.View { return l.Ledger }, watch
	}
	for {
		err := l.Step(context.Background())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("seed %d, round %d: %v", seed, l.Round, err)
		}
		watch.Believes(l.Ledger)
		if s.firm {
			said.follow(l.Ledger, watch.Resynced(), watch.Taken(), watch.Runs, watch.broken)
		}
		if j, s := l.Ledger.Misranked(ranks.look(l.Ledger)...); j != 0 {
			t.Fatalf("seed %d, round %d: job %d does not stand where the order's key for its %v puts it", seed, l.Round, j, s)
		}
		words.look()
		if between != nil {
			between(t, l, fresh)
		}
	}
	for _, b := range watch.Close(s.Jobs) {
		t.Errorf("seed %d: %s", seed, b)
	}
	return watch
}

// mischief is what is done to book and policy between two batches.
type mischief func(t *testing.T, l *drive.Loop, fresh func() sched.Policy)

// amnesia saves and loads book and policy, and lets copies go on for them: both after each batch in the long
// tier and under -short, else each after a sixth of the batches, which ones depends on the seed. That is most
// of what this suite takes.
func amnesia(seed uint64) mischief {
	each := testing.Short() || os.Getenv("SLACKLINE_LONG") != ""
	return func(t *testing.T, l *drive.Loop, fresh func() sched.Policy) {
		t.Helper()
		turn := (uint64(l.Round) + seed) % 6
		if each || turn == 0 {
			forget(t, l, fresh)
		}
		if each || turn == 3 {
			twin(t, l, fresh)
		}
	}
}

// fuller tells whether this is the long tier; the README's test command is to end soon.
func fuller() bool {
	return os.Getenv("SLACKLINE_LONG") != ""
}

// forget replaces the loop's book and policy by new ones that know only what the old ones saved.
func forget(t *testing.T, l *drive.Loop, makes func() sched.Policy) {
	t.Helper()
	p := makes()
	var mind, book, again bytes.Buffer
	if err := errors.Join(l.Policy.Save(&mind), l.Ledger.Save(&book)); err != nil {
		t.Fatal(err)
	}
	order := p.About().Order
	fresh := ledger.New(*l.Ledger.World(), order)
	was := bytes.Clone(book.Bytes())
	if err := errors.Join(p.Load(&mind), fresh.Load(&book, p.About().Causes...), fresh.Save(&again)); err != nil {
		t.Fatalf("round %d: %v", l.Round, err)
	}
	if !bytes.Equal(was, again.Bytes()) {
		t.Fatalf("round %d: a loaded book saves itself differently:\n%s\n%s", l.Round, was, again.Bytes())
	}
	l.Policy, l.Ledger = p, fresh
}

// memory runs the brutal policy with amnesia. In an exact world that changes no plan.
func (s *Subject) memory(t *testing.T, seed uint64) {
	if s.Exact {
		s.same(t, seed, brutal(seed))
		return
	}
	s.finished(t, s.run(t, seed, brutal(seed), amnesia(seed)))
}

// same compares a run with one that has amnesia, plan by plan.
func (s *Subject) same(t *testing.T, seed uint64, fresh func() sched.Policy) {
	t.Helper()
	var plain, other tape
	s.finished(t, s.run(t, seed, fresh, nil, &plain))
	s.finished(t, s.run(t, seed, fresh, amnesia(seed), &other))
	plain.compare(t, &other, fmt.Sprintf("seed %d: to save, load and copy", seed))
}

// tape keeps all that a run said, in the text of journals, which leaves nothing out
// (TestEventsRoundTrip, TestItemsRoundTrip).
type tape struct{ lines []string }

// compare tells where what was done changed the run.
func (p *tape) compare(t *testing.T, o *tape, done string) {
	t.Helper()
	for i := range p.lines {
		if i >= len(o.lines) || p.lines[i] != o.lines[i] {
			t.Fatalf("%s changed the run, first here:\n%s\n%s", done, p.lines[i], append(o.lines, "(the end)")[i])
		}
	}
	if len(o.lines) != len(p.lines) {
		t.Fatalf("%s made the run longer, %d instead of %d lines", done, len(o.lines), len(p.lines))
	}
}

func (p *tape) Batch(round int64, at units.Time, events []sched.Event) error {
	for i := range events {
		e := events[i]
		e.Detail = nil
		p.lines = append(p.lines, string(journal.AppendEvent(moment(round, at), &e)))
	}
	return nil
}

func (p *tape) Plan(round int64, at units.Time, plan *sched.Plan) error {
	for i := range plan.Items {
		p.lines = append(p.lines, string(journal.AppendItem(moment(round, at), plan, &plan.Items[i])))
	}
	return nil
}

func moment(round int64, at units.Time) []byte { return fmt.Appendf(nil, "%d %d ", round, at) }
