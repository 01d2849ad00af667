package finish

import (
	"math"
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/maths/draw"
)

// A delayed time is more than x as often as drawn ones are: one between two quantiles, each as likely, and a
// normal delay.
func TestDelaysAgainstDraws(t *testing.T) {
	const draws = 200_000
	d := Of(logNormal(0.5))
	for _, deviation := range []float64{0.001, 0.1, 1, 10} {
		all := make([]float64, draws)
		for i := range all {
			from := draw.Of(5, "delays").Number(uint64(i))
			p := from.At(0, 0, 0).Float64()
			k := 0
			for k+1 < knots && p >= grid.p[k+1] {
				k++
			}
			all[i] = d[k]
			if k+1 < knots && p >= grid.p[0] {
				all[i] += (d[k+1] - d[k]) * (p - grid.p[k]) / (grid.p[k+1] - grid.p[k])
			}
			all[i] += deviation * score(from.At(1, 0, 0).Float64())
		}
		slices.Sort(all)
		for _, p := range []float64{0.5, 0.9, 0.99, 0.999} {
			x := all[int(p*draws)]
			if got, near := d.Above(x, deviation), 4*math.Sqrt(p*(1-p)/draws); math.Abs(got-(1-p)) > near {
				t.Errorf("a deviation of %v: more than %v with %.6f, drawn %.6f", deviation, x, got, 1-p)
			}
		}
	}
}

// A delay of next to nothing changes next to nothing, also between two quantiles; and the later, the less is above.
func TestDelaysOfNextToNothing(t *testing.T) {
	d := Of(logNormal(0.5))
	last := 1.0
	for z := -2.9; z < 3.9; z += 0.01 {
		x := d.Quantile(normal(z))
		without, with := d.Above(x, 0), d.Above(x, 1e-4)
		if math.Abs(with-without) > 0.09*without+1e-4 {
			t.Errorf("more than the quantile at %.2f is it with %.5f, and with %.5f if it is delayed by hardly anything", z, without, with)
		}
		if with > last {
			t.Errorf("at a score of %.2f the risk rises from %v to %v", z, last, with)
		}
		last = with
	}
}
