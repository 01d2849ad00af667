package profile

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/slackline/slackline/workload"
)

// After a jump the model is that of the last jobs, says by how much they differ, and is wide as one of few jobs. Where
// nothing has jumped, nothing is said.
func TestJumps(t *testing.T) {
	learn := func(c *Class, seed uint64, jobs int, times float64) *Model {
		r, g := rand.New(rand.NewPCG(seed, 1)), Gather{}
		for range jobs {
			shared := math.Exp(0.1 * r.NormFloat64())
			for range 5 {
				bytes := 1e8 * (0.5 + r.Float64())
				g.Add(mapsOnN, bytes, -1, times*(5+1e-7*bytes)*shared*math.Exp(0.1*r.NormFloat64()))
			}
			c.Learn(&g, nil)
		}
		Fit([]*Class{c})
		return c.Model(workload.Map, "n", Run)
	}
	for seed := range uint64(40) {
		c := New("x")
		steady := learn(c, seed, 50, 1)
		if steady.Jump != nil {
			t.Errorf("seed %d: a jump that never was: %+v", seed, *steady.Jump)
		}
		slower := learn(c, seed+100, 6, 2)
		if j := slower.Jump; j == nil || j.Jobs != 6 || math.Abs(j.Ratio-2) > 0.3 {
			t.Errorf("seed %d: the last 6 jobs took twice as long: %+v", seed, j)
			continue
		}
		if got := slower.Typical(1e8, -1) / 15; math.Abs(got-2) > 0.35 {
			t.Errorf("seed %d: after the jump it foretells %v times the time before", seed, got)
		}
		a, b := steady.TotalAt(1e8, -1), slower.TotalAt(1e8, -1)
		if a.Quantile(0.99) >= b.Quantile(0.99) {
			t.Errorf("seed %d: it knows no less after the jump", seed)
		}
	}
}

// What differs by less than a fifth is no jump, however sure it is.
func TestSmallStepsAreNoJumps(t *testing.T) {
	for ratio, jumps := range map[float64]bool{1.1: false, 1.3: true, 0.9: false, 0.7: true} {
		c, g, r := New("x"), Gather{}, rand.New(rand.NewPCG(1, 7))
		for i := range 40 {
			seconds := 10 * math.Exp(0.01*r.NormFloat64())
			if i >= 30 {
				seconds *= ratio
			}
			g.Add(mapsOnN, 1e8, -1, seconds)
			c.Learn(&g, nil)
		}
		Fit([]*Class{c})
		if j := c.Model(workload.Map, "n", Run).Jump; (j != nil) != jumps {
			t.Errorf("ten jobs took %v times what thirty before did: %+v", ratio, j)
		}
	}
}
