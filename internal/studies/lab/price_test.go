package lab

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// A price below 0, and a forecast of such, is told to each policy as any other: none is confused by it, and as none
// buys by the price, each decides as it does where prices are above 0. The report is the same too.
func TestPricesBelowZero(t *testing.T) {
	texts := patience()
	for i, text := range texts {
		p := randomRun(uint64(i), plain)
		p.cfg.Until, p.cfg.Profiles = 2000*units.Time(units.Second), taughtOf(p.cfg.Cluster)
		play := func(sign float64) ([]string, report.Summary) {
			cfg := p.cfg
			cfg.Supply = append(slices.Clip(cfg.Supply), sim.SupplyStep{Of: sched.Price, Amount: sign * 0.3},
				sim.SupplyStep{At: units.Time(20 * units.Second), Of: sched.Price, Amount: sign * 0.05})
			mid := []float64{sign * 0.3, sign * 0.05}
			cfg.Expect = append(slices.Clip(cfg.Expect), sim.Outlook{Of: sched.Price, Forecast: &sched.Forecast{Interval: 20 * units.Second, Mid: mid, Low: mid, High: mid}})
			w, err := sim.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			policy, err := catalog.New(text, NoQueues)
			if err != nil {
				t.Fatal(err)
			}
			told, kept := &tale{}, report.NewBuilder("sim", "price", policy.Name(), 1)
			follower := follow.New(told, kept)
			err = errors.Join(drive.New(w, policy, drive.Sink(follower)).Run(context.Background()), follower.Flush())
			if err != nil && !errors.Is(err, sim.ErrStuck) {
				t.Fatal(text, err)
			}
			return told.lines, kept.Run().Summary
		}
		up, above := play(1)
		down, below := play(-1)
		if len(up) == 0 || !slices.Equal(up, down) || above.Makespan != below.Makespan {
			t.Errorf("%s decides otherwise where prices are below 0: %d and %d decisions", text, len(up), len(down))
		}
	}
}
