package rtmr

import (
	"fmt"
	"os"
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/worlds/conform"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Every job ends, and to save and load at any event changes nothing: with costs that are known and unknown, on nodes that last and on
// nodes that go, in all variants.
func TestMemory(t *testing.T) {
	seeds := 15
	if os.Getenv("SLACKLINE_LONG") != "" {
		seeds = 1000
	}
	patient, fifo, blind, measures := usual, usual, usual, usual
	patient.Preempt, fifo.FIFO, blind.Feedback = false, true, false
	measures.BestEffort, measures.Sample = false, 2
	both := measures
	both.Preempt = false
	gen := streams(true, 0, 3*units.Second)
	for name, c := range map[string]Config{"usual": usual, "patient": patient, "fifo": fifo, "blind": blind, "measures": measures, "measures, patient": both} {
		for seed := range seeds {
			s := gen.Example(seed)
			subject := conform.Subject{Name: "sim", Jobs: len(s.Jobs), Binds: true, Exact: true, Seeds: 1, Fails: true, New: func(t *testing.T, _ uint64) drive.World {
				cfg := s.config()
				if !c.BestEffort && seed%3 > 0 {
					cfg.Profiles = nil
				}
				if seed%2 > 0 {
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
				conform.Policy(t, subject, func() sched.Policy {
					recipe := compose.Recipe{Name: "rtmr"}
					assemble(&recipe, newScheduler(c))
					p, err := compose.New(recipe)
					if err != nil {
						t.Fatal(err)
					}
					return p
				})
			})
		}
	}
}
