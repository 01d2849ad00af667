package stat

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A quantile of a sketch is within one part in a hundred of that of the sorted list, in whatever order they come.
func TestSketchAgainstSorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := rapid.SliceOfN(rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(1e-9, 1e-3), rapid.Float64Range(1, 1e9)), 1, 300).Draw(t, "numbers")
		var s, turned Sketch
		for i := range xs {
			s.Add(xs[i])
			turned.Add(xs[len(xs)-1-i])
		}
		slices.Sort(xs)
		for _, q := range []float64{0, 0.01, 0.25, 0.5, 0.9, 0.95, 0.99, 1} {
			want, got := Quantile(xs, q), s.Quantile(q)
			if math.Abs(got-want) > 0.0100001*want {
				t.Fatalf("the quantile %v of %v is %v, the sketch says %v", q, xs, want, got)
			}
			if other := turned.Quantile(q); other != got {
				t.Fatalf("the quantile %v is %v in one order and %v in the other", q, got, other)
			}
		}
	})
}

// Its size does not follow the number of what is counted.
func TestSketchStaysSmall(t *testing.T) {
	var s Sketch
	for i := range 1_000_000 {
		s.Add(float64(1 + i%86_400))
	}
	if s.N() != 1_000_000 || len(s.bins) > 1000 {
		t.Errorf("%d numbers in %d bins", s.N(), len(s.bins))
	}
	if empty := new(Sketch); empty.Quantile(0.5) != 0 {
		t.Error("there is a median of nothing")
	}
}
