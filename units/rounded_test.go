package units

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// least is the smallest number with 53 significant bits.
const least = 0x1p-1022

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
	// It keeps the order, is near, and rounds once. Numbers below least have fewer bits than others.
	rapid.Check(t, func(t *rapid.T) {
		x, y := rapid.Float64Range(-1e18, 1e18).Draw(t, "x"), rapid.Float64Range(-1e18, 1e18).Draw(t, "y")
		if a, b := Rounded(x), Rounded(y); x < y && a > b || Rounded(a) != a || math.Abs(a-x) > max(math.Abs(x), least)/(1<<32) {
			t.Fatalf("%g becomes %g, %g becomes %g", x, a, y, b)
		}
	})
}

func TestRoundedUp(t *testing.T) {
	for x, want := range map[float64]float64{0: 0, 1: 1, 1e10: 1e10, 1e10 + 1e-6: 1e10, 1e10 + 1: 1e10 + 4, 1 << 40: 1 << 40, 1<<40 + 1: 1<<40 + 1<<9, math.Inf(1): math.Inf(1), 0.1 + 0.2: Rounded(0.3)} {
		if got := RoundedUp(x); got != want && !(x < 1 && got-want <= 1.0/(1<<33)) {
			t.Errorf("%v becomes %v", x, got)
		}
	}
	// It keeps the order, is not less but for noise, and no farther away than the next.
	rapid.Check(t, func(t *rapid.T) {
		x, y := rapid.Float64Range(0, 1e18).Draw(t, "x"), rapid.Float64Range(0, 1e18).Draw(t, "y")
		a, b := RoundedUp(x), RoundedUp(y)
		if x < y && a > b || RoundedUp(a) != a || a < x-x/(1<<42) || a > x+max(x, least)/(1<<31) || Rounded(a) != a {
			t.Fatalf("%g becomes %g, %g becomes %g", x, a, y, b)
		}
	})
}
