package conform

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/journal"
	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/worlds/adverse"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// successor is a sink behind a policy that begins with watching. When that ends, it lets a fresh policy
// decide the rest of the run beside it, with a book of its own that is void as well, and compares the
// plans.
type successor struct {
	fresh func() sched.Policy
	loop  *drive.Loop

	watched bool
	before  []byte // the book as the last step left it
	book    *ledger.Ledger
	policy  sched.Policy
	events  []sched.Event
	plan    sched.Plan
	plans   int
	differs string
}

func (s *successor) Batch(round int64, at units.Time, events []sched.Event) error {
	var told []sched.Event
	watches := s.watched
	for i := range events {
		if e := &events[i]; !e.Derived {
			told = append(told, *e)
		}
		switch e := &events[i]; {
		case e.Kind == sched.Resync:
			watches = false
		case e.Kind == sched.Control && e.Control == sched.Watch:
			watches = true
		}
	}
	if s.book == nil && s.watched && !watches {
		s.policy = s.fresh()
		order := s.policy.About().Order
		s.book = ledger.New(*s.loop.Ledger.World(), order)
		if err := s.book.Load(bytes.NewReader(s.before)); err != nil {
			return err
		}
	}
	if s.watched = watches; s.book != nil {
		s.events = append(s.events[:0], s.book.Apply(at, round, told)...)
		return nil
	}
	return s.keep()
}

// keep notes what the book is.
func (s *successor) keep() error {
	var text bytes.Buffer
	err := s.loop.Ledger.Save(&text)
	s.before = text.Bytes()
	return err
}

func (s *successor) Plan(_ int64, _ units.Time, p *sched.Plan) error {
	if s.book == nil {
		return s.keep()
	}
	s.plans++
	s.book.Begin(&s.plan)
	s.policy.Decide(s.book, s.events, &s.plan)
	s.book.Check(&s.plan)
	if has, fresh := lines(p), lines(&s.plan); has != fresh && s.differs == "" {
		s.differs = has + "a fresh one:\n" + fresh
	}
	return nil
}

// lines is a plan in the text of journals.
func lines(p *sched.Plan) (text string) {
	for i := range p.Items {
		text += string(journal.AppendItem(nil, p, &p.Items[i])) + "\n"
	}
	return text
}

// every calls do with each policy of the catalogue, or one with each part of it, and some more.
func every(t *testing.T, do func(t *testing.T, fresh func() sched.Policy)) {
	for _, text := range append(everyone(), "fifo+matchmaking", "fair+delay(D=2s,rack=1s)") {
		t.Run(text, func(t *testing.T) {
			do(t, func() sched.Policy {
				p, err := catalog.New(text, pools())
				if err != nil {
					t.Fatal(err)
				}
				return p
			})
		})
	}
}

// Who has watched remembers nothing of what it would have done: from the resync on that ends it, it decides
// as a fresh policy.
func TestWatchingLeavesNoTrace(t *testing.T) {
	t.Parallel()
	every(t, func(t *testing.T, fresh func() sched.Policy) {
		plans := 0
		for seed := range uint64(runs(20)) {
			for _, class := range []bool{false, true} {
				cfg := twinned(seed)
				cfg.Watching = true
				var w drive.World = adverse.New(cfg)
				if class {
					w = &taught{World: w}
				}
				s := &successor{fresh: fresh}
				s.loop = drive.New(w, fresh(), s)
				if err := s.loop.Run(context.Background()); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if plans += s.plans; s.differs != "" {
					t.Fatalf("seed %d, taught: %v: who has watched plans\n%s", seed, class, s.differs)
				}
			}
		}
		if plans == 0 {
			t.Error("nothing was left to decide: this tests nothing")
		}
	})
}

// stillBeats is how long a world stands still, in seconds.
const stillBeats = 600

// still is a world in which nothing happens but that nodes beat and ticks come, while the scheduler watches.
type still struct {
	can   sched.Capabilities
	beats int
	at    units.Time
	wake  units.Time
	given []sched.Event
	rings int // ticks
}

func (w *still) Can() sched.Capabilities { return w.can }

func (w *still) WakeAt(at units.Time) { w.wake = at }

func (w *still) Enact(p *sched.Plan) error {
	for i := range p.Items {
		if it := &p.Items[i]; it.Refused == sched.OK && !it.Held && it.Verb != sched.Foretell && it.Verb != sched.Rank && it.Verb != sched.WakeMe {
			return errors.New("an item is to be done")
		}
	}
	return nil
}

// Next is a beat of all nodes each second, or what was asked for to wake up. What jobs ask for is told once.
func (w *still) Next(context.Context) (drive.Batch, error) {
	w.given = w.given[:0]
	tell := func(e sched.Event) { w.given = append(w.given, e) }
	if w.beats == 0 {
		tell(sched.Event{Kind: sched.Resync})
		tell(sched.Event{Kind: sched.Control, Control: sched.Watch})
		for i, n := range machines().Nodes {
			tell(sched.Event{Kind: sched.NodeUp, Node: sched.NodeID(i + 1), Detail: &sched.Detail{Node: n}})
		}
		for i, j := range work() {
			tell(sched.Event{Kind: sched.JobArrived, Job: sched.JobID(i + 1), Detail: &sched.Detail{Job: j}})
			for k := range j.Stages {
				if s := &j.Stages[k]; !w.can.Bind && j.After == nil {
					tell(sched.Event{Kind: sched.Demand, Job: sched.JobID(i + 1), Stage: s.Kind, Count: int32(len(s.Tasks))})
				}
			}
		}
	}
	next := units.Time(0).Add(units.Duration(w.beats) * units.Second)
	if w.wake < next {
		w.at, w.wake = max(w.at, w.wake), units.Never
		w.rings++
		tell(sched.Event{Kind: sched.Tick})
		return drive.Batch{At: w.at, Events: w.given}, nil
	}
	if w.beats++; w.beats > stillBeats {
		return drive.Batch{}, io.EOF
	}
	w.at = next
	for n := range machines().Nodes {
		tell(sched.Event{Kind: sched.Heartbeat, Node: sched.NodeID(n + 1)})
	}
	return drive.Batch{At: w.at, Events: w.given}, nil
}

// size notes how large plans and memory are.
type size struct {
	loop  *drive.Loop
	items int
	plans int
	most  [2]int // items of a plan, in the first half of the run and in the second
	bytes [2]int // that the policy and the book save
}

func (s *size) Batch(int64, units.Time, []sched.Event) error { return nil }

func (s *size) Plan(_ int64, at units.Time, p *sched.Plan) error {
	half := 0
	if at > units.Time(0).Add(stillBeats/2*units.Second) {
		half = 1
	}
	s.items += len(p.Items)
	s.most[half] = max(s.most[half], len(p.Items))
	if s.plans++; s.plans%10 > 0 {
		return nil
	}
	var text bytes.Buffer
	if err := errors.Join(s.loop.Policy.Save(&text), s.loop.Ledger.Save(&text)); err != nil {
		return err
	}
	s.bytes[half] = max(s.bytes[half], text.Len())
	return nil
}

// later counts the lines of a journal that tell of advice to act, or of its refusal, in the second half of a still run.
func later(t *testing.T, text []byte) (lines int, first string) {
	late := false
	for line := range strings.Lines(string(text)) {
		_, line, _ = strings.Cut(line, " ")
		var round, at int64
		if n, _ := fmt.Sscanf(line, "round %d at=%d", &round, &at); n == 2 {
			late = units.Time(at) > units.Time(0).Add(stillBeats/2*units.Second)
		}
		acts := strings.HasPrefix(line, "item ") && strings.Contains(line, " refused=watched") || strings.HasPrefix(line, "event refused ")
		if acts && late {
			if lines++; lines == 1 {
				first = strings.TrimSpace(line)
			}
		}
	}
	return lines, first
}

// A policy that watches a world in which nothing happens neither spins nor grows, and gives each piece of
// advice once: verdicts in its plans, what would act in the journal.
func TestWatchingStandsStill(t *testing.T) {
	t.Parallel()
	every(t, func(t *testing.T, fresh func() sched.Policy) {
		for _, can := range []sched.Capabilities{{Bind: true, Kill: true, Speculate: true, Power: true, Heartbeat: units.Second}, {Bind: true, Kill: true, Speculate: true, Power: true},
			{Kill: true, Power: true, Heartbeat: units.Second}} {
			w, s, watch := &still{can: can, wake: units.Never}, &size{}, NewWatch(can.Bind)
			var text bytes.Buffer
			record, err := journal.NewWriter(&text, journal.Header{World: can})
			if err != nil {
				t.Fatal(err)
			}
			s.loop = drive.New(w, fresh(), s, watch, record)
			if err := errors.Join(s.loop.Run(context.Background()), record.Close()); err != nil {
				t.Fatal(err)
			}
			if lines, first := later(t, text.Bytes()); lines > 0 {
				t.Errorf("%+v: nothing happens, and the journal has %d more lines of advice, such as: %s", can, lines, first)
			}
			for _, b := range watch.Broken {
				t.Error(b)
			}
			if s.most[1] > s.most[0] || s.bytes[1] > s.bytes[0]+64 { // numbers get more digits
				t.Errorf("%+v: plans of %v items at most, %v bytes: it grows", can, s.most, s.bytes)
			}
			if most := 2 * len(work()); watch.Advised > most {
				t.Errorf("%+v: %d verdicts on %d jobs", can, watch.Advised, len(work()))
			}
			if w.rings > 4*stillBeats {
				t.Errorf("%+v: %d ticks in %d s", can, w.rings, stillBeats)
			}
			if watch.Advised == 0 || s.items == 0 {
				t.Errorf("%+v: %d verdicts, %d items: this tests nothing", can, watch.Advised, s.items)
			}
		}
	})
}
