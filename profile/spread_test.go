package profile

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Quantiles of a spread are those of its values up to a bin's width, however they were taken in.
func TestSpread(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := rapid.SliceOfN(rapid.Float64Range(1e-9, 1e9), 1, 60).Draw(t, "times")
		cut := rapid.IntRange(0, len(xs)).Draw(t, "cut")
		var all, a, b Spread
		for i, x := range xs {
			all.Add(x)
			if i < cut {
				b.Add(x)
			} else {
				a.Add(x)
			}
		}
		a.Merge(b)
		if diff := cmp.Diff(all, a); diff != "" {
			t.Fatal(diff)
		}
		slices.Sort(xs)
		got := all.Values(len(xs))
		for i, x := range xs {
			if ratio := got[i] / x; math.Abs(math.Log2(ratio)) > 1./perOctave {
				t.Fatalf("quantile %d is %v, the value %v", i, got[i], x)
			}
		}
	})
	var none Spread
	none.Add(0)
	none.Add(-1)
	none.Add(math.Inf(1))
	none.Add(math.NaN())
	if len(none) != 0 || none.Values(3) != nil {
		t.Error(none)
	}
}
