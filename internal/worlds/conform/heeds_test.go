package conform

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/worlds/adverse"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// holds is Policy for one of the catalogue, and more entries, and holds each of its parts to what
// it says that it heeds.
func holds(t *testing.T, s Subject, text string, more ...compose.Entry) {
	fresh := fromCatalogue(t, text, more...)
	Policy(t, s, func() sched.Policy { return fresh() })
	plain := s.New
	s.New = func(t *testing.T, seed uint64) drive.World { return &school{World: plain(t, seed), early: seed%2 == 0} }
	for seed := uint64(0); s.Exact && seed < uint64(s.Seeds); seed++ {
		heeds(t, s, seed, fresh)
	}
}

// fromCatalogue makes a policy of the catalogue, and more entries, again and again.
func fromCatalogue(t *testing.T, text string, more ...compose.Entry) func() *compose.Policy {
	return func() *compose.Policy {
		p, err := catalog.Of(append(catalog.All(), more...), text, pools())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Clone(); err != nil {
			t.Fatal(err)
		}
		return p
	}
}

// mind is a tape that keeps, with each batch, what the policy remembered until then.
type mind struct {
	tape
	policy *compose.Policy
}

func (m *mind) Batch(round int64, at units.Time, events []sched.Event) error {
	var text bytes.Buffer
	if err := m.policy.Save(&text); err != nil {
		return err
	}
	m.lines = append(m.lines, text.String())
	return m.tape.Batch(round, at, events)
}

// Plan finds reasons of which no part has declared the cause.
func (m *mind) Plan(round int64, at units.Time, p *sched.Plan) error {
	for i := range p.Items {
		if c := p.Items[i].Reason.Cause; c != nil && !slices.Contains(m.policy.About().Causes, c) {
			return fmt.Errorf("no part declares the cause %q", c.Name)
		}
	}
	return m.tape.Plan(round, at, p)
}

// heeds compares a run with one in which every part of the policy has its turn in every round,
// whatever it heeds: a part that was passed over would have planned nothing and changed nothing
// that it saves, or that shows later.
func heeds(t *testing.T, s Subject, seed uint64, fresh func() *compose.Policy) {
	t.Helper()
	awake := heeding(t, fresh(), func(compose.Entry) sched.Events { return sched.AnyEvent })
	minded(t, s, seed, fresh()).compare(t, minded(t, s, seed, awake), fmt.Sprintf("seed %d: to give every part its turn in every round", seed))
}

// heeding is a policy whose parts heed other events than they say.
func heeding(t *testing.T, p *compose.Policy, other func(part compose.Entry) sched.Events) *compose.Policy {
	r := p.Recipe()
	r.Parts = maps.Clone(r.Parts)
	for kind, part := range r.Parts {
		part.Heeds = other(part)
		r.Parts[kind] = part
	}
	p, err := compose.New(r)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// minded is the tape of a run.
func minded(t *testing.T, s Subject, seed uint64, p *compose.Policy) *tape {
	m := mind{policy: p}
	switch err := drive.New(s.New(t, seed), p, &m).Run(context.Background()); {
	case err != nil && strings.Contains(err.Error(), "jobs still run"):
		// A part that has too few turns may leave jobs waiting for ever.
		m.lines = append(m.lines, err.Error())
	case err != nil:
		t.Fatalf("seed %d: %v", seed, err)
	}
	return &m.tape
}

// blind is the tape of a run of a policy that may go astray, as it is not told what it has to know.
func blind(t *testing.T, s Subject, seed uint64, p *compose.Policy) (lines []string) {
	defer func() {
		if r := recover(); r != nil {
			lines = []string{fmt.Sprint("panic: ", r)}
		}
	}()
	return minded(t, s, seed, p).lines
}

// apart is a world that tells what happened at one time kind by kind, in a batch for each: no event
// that a part heeds comes in the wake of another one. A resync comes whole.
type apart struct {
	drive.World
	at   units.Time
	rest []sched.Event
}

func (w *apart) Next(ctx context.Context) (drive.Batch, error) {
	if len(w.rest) == 0 {
		b, err := w.World.Next(ctx)
		if err != nil || len(b.Events) == 0 || b.Events[0].Kind == sched.Resync {
			return b, err
		}
		w.at, w.rest = b.At, slices.Clone(b.Events)
	}
	n := 1
	for n < len(w.rest) && w.rest[n].Kind == w.rest[0].Kind {
		n++
	}
	b := drive.Batch{At: w.at, Events: w.rest[:n:n]}
	w.rest = w.rest[n:]
	return b, nil
}

// unsettled is the unkind world in which users cancel jobs, deadlines are near, and all jobs have
// ApplicationMasters, each in some runs.
func unsettled(seeds int) Subject {
	s := unkind(seeds)
	s.Name, s.New = "adverse, unsettled", func(_ *testing.T, seed uint64) drive.World { return stir(seed) }
	return s
}

func stir(seed uint64) drive.World {
	cfg := twinned(seed)
	cfg.Cancels, cfg.Limit = seed%2 == 1, 2000
	for i, j := range cfg.Jobs {
		if seed%4 >= 2 && j.Stages[0].Kind != sched.Master {
			j.Stages = append([]workload.StageSpec{{Kind: workload.Master, Tasks: make([]workload.Task, 1)}}, j.Stages...)
		}
		if (i+int(seed))%3 < int(seed%8)-4 {
			j.Deadline = units.Never
		} else if seed/8%2 == 1 {
			j.Deadline = j.Arrive.Add(units.Duration(40+20*i) * units.Second)
		}
	}
	return &apart{World: &school{World: adverse.New(cfg), early: true}}
}

// heeders are all policies, some of which are not as usual, so that a part heeds more.
func heeders() []string {
	return append(everyone(), "edf+all(masters=38)", "fair-share+all(masters=60)", "edf+limit(running=3,masters=38)",
		"edf+limit(per_queue=1)", "edf+serial", "dc(masters=38)")
}

// chooses tells whether a part heeds some events and not others, and more than one kind of them.
func chooses(part compose.Entry) bool {
	return part.Heeds != sched.AnyEvent && bits.OnesCount64(uint64(part.Heeds)) > 1
}

// Each part has its turn whenever it would do something, also where nothing else gives it one.
func TestHeeds(t *testing.T) {
	t.Parallel()
	for _, text := range heeders() {
		t.Run(text, func(t *testing.T) {
			n := 25
			if text == "dc" {
				// It rarely hangs on a demand, or on a node of another size, alone.
				n = 300
			}
			s := unsettled(runs(n))
			for seed := range s.Seeds {
				heeds(t, s, uint64(seed), fromCatalogue(t, text))
			}
		})
	}
}

// Each kind of event that a part says it heeds makes a difference: a part that did not heed it is
// found out by the test above.
func TestEachHeedMatters(t *testing.T) {
	t.Parallel()
	if !fuller() {
		t.Skip("it needs all seeds")
	}
	type heed struct {
		part string
		kind sched.EventKind
	}
	matters := map[heed]bool{}
	for _, text := range heeders() {
		if text == "promise" {
			continue // it heeds nearly all, and says what it does not
		}
		fresh, s := fromCatalogue(t, text), unsettled(300)
		plain := make([]*tape, s.Seeds)
		for _, part := range fresh().Parts() {
			for k := range sched.EventKinds {
				h := heed{part.Name, k}
				if !chooses(part) || !part.Heeds.Has(k) || matters[h] {
					continue
				}
				narrowed := func(p compose.Entry) sched.Events {
					if p.Name == part.Name {
						return p.Heeds &^ sched.EventsOf(k)
					}
					return p.Heeds
				}
				matters[h] = false
				for seed := range plain {
					if plain[seed] == nil {
						plain[seed] = minded(t, s, uint64(seed), fresh())
					}
					if other := blind(t, s, uint64(seed), heeding(t, fresh(), narrowed)); !slices.Equal(other, plain[seed].lines) {
						matters[h] = true
						break
					}
				}
			}
		}
	}
	for h, is := range matters {
		if !is {
			t.Errorf("that %s heeds %v makes no difference", h.part, h.kind)
		}
	}
}
