package profile

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/slackline/slackline/workload"
)

// Most shuffles on one machine take less than the millisecond that counts as the shortest, and a few
// take longer. A distribution whose middle is one value says nothing of how wide its ends are, so a
// class that borrows from such a one must not have its own stretched by the ratio of the two middles.
func TestBorrowedFromMostlyOneValue(t *testing.T) {
	later := Key{Stage: workload.Reduce, Node: "n", Part: Later}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 11))
		var classes []*Class
		longest := 0.0
		for _, name := range []string{"a", "b", "c"} {
			c, slow := New(name), 0.02+0.2*r.Float64()
			var g Gather
			for range 5 + r.IntN(40) {
				for range 2 {
					took := shortest
					if r.Float64() < slow {
						took *= math.Exp(4 * r.Float64())
					} else if r.IntN(10) == 0 {
						took *= 1 + 0.001*r.Float64()
					}
					longest = max(longest, took)
					g.Add(later, 3e7, -1, took)
				}
				c.Learn(&g, nil)
			}
			classes = append(classes, c)
		}
		for range 3 { // each time they borrow from what the last fit made
			Fit(classes)
		}
		for _, c := range classes {
			m := c.Model(workload.Reduce, "n", Later)
			for what, f := range map[string]*Factor{"own": &m.Own, "shared": &m.Shared, "total": &m.Total} {
				if got := m.Typical(3e7, -1) * f.Quantile(0.999); got > 100*longest {
					t.Errorf("seed %d, class %s: of 1000 shuffles one takes %.3g s (%s), and the longest yet took %.3g s", seed, c.Name, got, what, longest)
				}
			}
		}
	}
}
