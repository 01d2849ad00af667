package units

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestRounded(t *testing.T) {
	for _, x := range []float64{0, 1, -1, 0.5, 3.25, 1 << 31, 1<<32 - 1, math.Inf(1), math.Inf(-1), math.MaxFloat64} {
		if got := Rounded(x); got != x {
			t.Errorf("%g becomes %g", x, got)
		}
	}
	if !math.IsNaN(Rounded(math.NaN())) {
		t.Error("no number becomes one")
	}
	tenth := 0.1
	if a, b := tenth+0.2, 0.3; a == b || Rounded(a) != Rounded(b) {
		t.Errorf("%v and %v differ", Rounded(a), Rounded(b))
	}
	if Rounded(1+1.0/(1<<31)) == 1 {
		t.Error("what differs in the 32nd bit is one")
	}
	// It keeps the order, is near, and rounds once.
	rapid.Check(t, func(t *rapid.T) {
		x, y := rapid.Float64Range(-1e18, 1e18).Draw(t, "x"), rapid.Float64Range(-1e18, 1e18).Draw(t, "y")
		if a, b := Rounded(x), Rounded(y); x < y && a > b || Rounded(a) != a || math.Abs(a-x) > math.Abs(x)/(1<<32) {
			t.Fatalf("%g becomes %g, %g becomes %g", x, a, y, b)
		}
	})
}
