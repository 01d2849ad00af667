package profile

import (
	"math"
	"testing"
)

// Runs of a class change for good: what is predicted from their mean, times the factor, soon is near to what they take,
// though the first ones still count in that mean, and then stays there.
func TestChangedClass(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, after float64
		runs          int // before the change
	}{
		{"shorter by far", 3, 0.06, 3},
		{"longer", 0.06, 0.31, 4},
		{"longer, after many", 1, 2, 40},
	} {
		class, cost := New("x"), Estimate{}
		for run := range c.runs + 40 {
			took := c.after
			if run < c.runs {
				took = c.before
			}
			if cost.N > 0 {
				told := cost.Mean * class.Bias()
				if run >= c.runs+16 && math.Abs(told/took-1) > 0.12 {
					t.Errorf("%s: after %d runs as they are now: predicted %.4f, took %.4f", c.name, run-c.runs, told, took)
				}
				class.Predicted(took / cost.Mean)
			}
			cost.Add(took)
		}
		if off, _ := class.Off(3); off > 0.12 {
			t.Errorf("%s: predictions are said to be off by %.2f", c.name, off)
		}
		// A run on a busy machine is not a change.
		before := class.Bias()
		if class.Predicted(50); math.Abs(class.Bias()/before-1) > 0.3 {
			t.Errorf("%s: one run has changed the factor from %.3f to %.3f", c.name, before, class.Bias())
		}
	}
}
