package conform

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// holds is Policy for one of the catalogue, and more entries, and holds each of its parts to what it says that it heeds.
func holds(t *testing.T, s Subject, text string, more ...compose.Entry) {
	fresh := func() *compose.Policy {
		p, err := catalog.Of(append(catalog.All(), more...), text, pools())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Clone(); err != nil {
			t.Fatal(err)
		}
		return p
	}
	Policy(t, s, func() sched.Policy { return fresh() })
	plain := s.New
	s.New = func(t *testing.T, seed uint64) drive.World { return &school{World: plain(t, seed), early: seed%2 == 0} }
	for seed := uint64(0); s.Exact && seed < uint64(s.Seeds); seed++ {
		heeds(t, s, seed, fresh)
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
		if c := p.Items[i].Reason.Cause; c != nil && !slices.Contains(m.policy.Causes(), c) {
			return fmt.Errorf("no part declares the cause %q", c.Name)
		}
	}
	return m.tape.Plan(round, at, p)
}

// heeds compares a run with one in which every part of the policy has its turn in every round, whatever it heeds: a part that was passed over
// would have planned nothing and changed nothing that it saves, or that shows later.
func heeds(t *testing.T, s Subject, seed uint64, fresh func() *compose.Policy) {
	t.Helper()
	awake := func() *compose.Policy {
		r := fresh().Recipe()
		r.Parts = maps.Clone(r.Parts)
		for kind, part := range r.Parts {
			part.Heeds = sched.AnyEvent
			r.Parts[kind] = part
		}
		p, err := compose.New(r)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	plain, sleepless := mind{policy: fresh()}, mind{policy: awake()}
	s.run(t, seed, func() sched.Policy { return plain.policy }, nil, &plain)
	s.run(t, seed, func() sched.Policy { return sleepless.policy }, nil, &sleepless)
	plain.compare(t, &sleepless.tape, fmt.Sprintf("seed %d: to give every part its turn in every round", seed))
}
