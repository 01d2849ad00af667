package rtmr

import (
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/worlds/conform"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"pgregory.net/rapid"
)

// Every job ends, and to save and load at any event changes nothing: with costs that are known and
// unknown, on nodes that last and on nodes that go, in all variants.
func TestMemory(t *testing.T) {
	seeds := 15
	switch {
	case testing.Short():
		seeds = 4
	case os.Getenv("SLACKLINE_LONG") != "":
		seeds = 300
	}
	blind, measures := usual, usual
	blind.Feedback = false
	measures.BestEffort, measures.Sample = false, 2
	plain := streams(true, 9, 0, 3*units.Second)
	gens := []*rapid.Generator[stream]{plain, mastered(plain, noMaster, outside, inMapSlot)}
	for name, c := range map[string]config{"usual": usual, "blind": blind, "measures": measures} {
		for seed := range seeds {
			s := gens[seed%2].Example(seed)
			subject := conform.Subject{Name: "sim", Jobs: len(s.Jobs), Binds: true, Exact: true, Seeds: 1, Fails: true, New: func(t *testing.T, _ uint64) drive.World {
				cfg := s.simulation()
				if !c.BestEffort && seed%3 > 0 {
					cfg.Profiles = nil
				}
				if seed%4 > 1 {
					at := func(s int) units.Time { return units.Time(0).Add(units.Duration(s) * units.Second) }
					cfg.Seed, cfg.Failures = uint64(seed), sim.Failures{Rate: 0.1}
					cfg.Outages = []sim.Outage{{Node: 1, Down: at(seed), Up: at(seed + 7)}, {Node: 1, Down: at(seed + 20), Up: at(seed + 22)}}
				}
				w, err := sim.New(cfg)
				if err != nil {
					t.Fatal(err)
				}
				return w
			}}
			t.Run(fmt.Sprint(name, " ", seed), func(t *testing.T) {
				var again func() (*compose.Policy, error)
				again = func() (*compose.Policy, error) {
					recipe := compose.Recipe{Name: "rtmr", Again: again}
					assemble(&recipe, newScheduler(c))
					return compose.New(recipe)
				}
				conform.Policy(t, subject, func() sched.Policy {
					p, err := again()
					if err != nil {
						t.Fatal(err)
					}
					return p
				})
			})
		}
	}
}

// remembers is a sink that compares what a scheduler knows with what is left of it when it is saved and loaded.
type remembers struct {
	t *testing.T
	s *scheduler
}

func (r remembers) Batch(int64, units.Time, []sched.Event) error {
	text, err := r.s.save()
	if err != nil {
		return err
	}
	loaded := newScheduler(r.s.conf)
	if err := loaded.load(text); err != nil {
		return err
	}
	for what, pair := range map[string][2]any{"queue": {r.s.queue, loaded.queue}, "others": {r.s.others, loaded.others}, "samples": {r.s.samples, loaded.samples}, "mastered": {r.s.mastered, loaded.mastered}, "starts": {r.s.starts, loaded.starts}, "slots": {r.s.slots, loaded.slots}} {
		if d := cmp.Diff(pair[0], pair[1], cmpopts.EquateEmpty()); d != "" {
			r.t.Errorf("%s: %s", what, d)
		}
	}
	for j := range r.s.jobs {
		was, is := r.s.of(sched.JobID(j)), loaded.of(sched.JobID(j))
		if d := cmp.Diff(was, is, cmpopts.EquateEmpty()); d != "" {
			r.t.Errorf("job %d: %s", j, d)
		}
	}
	return nil
}

func (remembers) Plan(int64, units.Time, *sched.Plan) error { return nil }

// All of a record is saved.
func TestNothingIsForgotten(t *testing.T) {
	measures := config{Sample: 2, Skew: 1}
	for seed := range 20 {
		for _, c := range []config{usual, measures} {
			s := mastered(streams(true, 9, 0, 3*units.Second), noMaster, outside, inMapSlot).Example(seed)
			for i := range s.Jobs {
				s.Jobs[i].Known = i%2 > 0
			}
			r := remembers{t: t}
			if _, err := play(s, c, func(s *scheduler, _ *compose.Recipe) { r.s = s }, &r); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A damaged state is an error.
func TestDamagedState(t *testing.T) {
	for _, text := range []string{`{`, `{"plan":{}, "queue":[3]}`, `{"plan":{}, "jobs":[{"job":0,"standing":1}]}`, `{"plan":{}, "jobs":[{"job":1,"standing":9}]}`, `{"plan":3}`} {
		if err := newScheduler(usual).load([]byte(text)); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}
