package stat

import (
	"math"
	"testing"
)

// Values of published tables (Clopper and Pearson), and what follows from the formula where nothing
// or all was seen: 1 - 0.025^(1/n).
func TestExact95(t *testing.T) {
	for _, c := range []struct {
		k, n      int
		low, high float64
	}{
		{0, 10, 0, 1 - math.Pow(0.025, 0.1)}, {10, 10, math.Pow(0.025, 0.1), 1}, {5, 10, 0.18709, 0.81291}, {1, 10, 0.002529, 0.445016},
		{0, 0, 0, 1}, {90, 100, 0.82378, 0.95099}, {1, 1, 0.025, 1},
	} {
		low, high := Exact95(c.k, c.n)
		if math.Abs(low-c.low) > 1e-5 || math.Abs(high-c.high) > 1e-5 {
			t.Errorf("%d of %d: %.6f to %.6f, want %.6f to %.6f", c.k, c.n, low, high, c.low, c.high)
		}
	}
	if low, high := Exact95(3000, 10000); low < 0.29 || high > 0.31 {
		t.Errorf("of many: %v to %v", low, high)
	}
}

// By hand: of 24 tosses all are heads or all are tails in 2 of 2²⁴ cases; of ten, two or fewer, or as
// many tails, in 2·(1+10+45) of 1024.
func TestSignTest(t *testing.T) {
	for _, c := range []struct {
		k, n int
		want float64
	}{{24, 24, math.Ldexp(2, -24)}, {0, 24, math.Ldexp(2, -24)}, {2, 10, 112. / 1024}, {8, 10, 112. / 1024}, {5, 10, 1}, {0, 0, 1}} {
		if got := SignTest(c.k, c.n); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%d of %d: %v, want %v", c.k, c.n, got, c.want)
		}
	}
}
