package finish

import (
	"math"
	"testing"
)

// A risk is rounded up, and one that nobody knows is certain.
func TestRisk(t *testing.T) {
	for chance, want := range map[float64]Risk{0: 0, 0.004: 4000, 0.0100001: 10_001, 1: Certain, 2: Certain, -1: 0} {
		if got := RiskOf(chance); got != want {
			t.Errorf("%v: %d, want %d", chance, got, want)
		}
	}
	if got := RiskOf(math.NaN()); got != Certain {
		t.Errorf("nobody knows a risk, and it is %d", got)
	}
}
