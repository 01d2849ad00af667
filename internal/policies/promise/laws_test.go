package promise

import (
	"math"
	"testing"

	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/units"
)

// What one or two jobs say of a class, or jobs of other sizes, leaves no more open than if nothing were known
// of it; what says more stands as it is.
func TestBoundedLaws(t *testing.T) {
	for _, c := range []struct {
		deviation, bounded float64
	}{{0.2, 0.2}, {1.4, 1.4}, {3, 1.5}, {20, 1.5}} {
		shared := finish.LogNormal(c.deviation)
		for i := range shared {
			shared[i] *= 2 // half of such jobs take twice of what is typical
		}
		l := estimate.Law{Typical: 10, Own: finish.LogNormal(0.1), Shared: shared}
		bound(&l)
		half, most := l.Typical*l.Shared.Quantile(0.5), l.Typical*l.Shared.Quantile(0.99)
		if want := 20 * math.Exp(c.bounded*2.3263479); math.Abs(half-20) > 1e-6 || math.Abs(most/want-1) > 0.02 {
			t.Errorf("of a deviation of %v: half take %v, one in a hundred more than %v, want 20 and %v", c.deviation, half, most, want)
		}
	}
	none := estimate.Law{}
	if bound(&none); units.Rounded(none.Typical) != 0 || units.Rounded(none.Shared[0]) != 0 {
		t.Errorf("a stage that a job does not have: %+v", none)
	}
}
