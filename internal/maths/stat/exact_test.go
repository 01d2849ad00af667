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
