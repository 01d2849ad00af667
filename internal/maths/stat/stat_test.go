package stat_test

import (
	"math"
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/maths/stat"
	"pgregory.net/rapid"
)

func near(t *testing.T, name string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance {
		t.Errorf("%s = %v, want %v", name, got, want)
	}
}

func TestGolden(t *testing.T) {
	var s stat.Sum
	for _, x := range []float64{2, 4, 4, 4, 5, 5, 7, 9} {
		s.Add(x)
	}
	near(t, "mean", s.Mean(), 5, 1e-12)
	near(t, "variance", s.Variance(), 32.0/7, 1e-12)
	near(t, "deviation", s.Deviation(), math.Sqrt(32.0/7), 1e-12)
	near(t, "interval", s.Interval95(), 2.365*math.Sqrt(32.0/7/8), 1e-12)
	near(t, "interval of the next", s.Next95(), 2.365*math.Sqrt(32.0/7*(1+1.0/8)), 1e-12)
	if s.N() != 8 {
		t.Errorf("N = %d", s.N())
	}
}

// The figures of R: quantile(c(1, 2, 4, 8, 16), c(…)).
func TestQuantile(t *testing.T) {
	xs := []float64{16, 1, 4, 2, 8}
	for _, tc := range []struct{ q, want float64 }{{0, 1}, {0.25, 2}, {0.5, 4}, {0.75, 8}, {0.9, 12.8}, {0.95, 14.4}, {1, 16}, {-1, 1}, {2, 16}} {
		near(t, "quantile", stat.Quantile(xs, tc.q), tc.want, 1e-12)
	}
	if !slices.Equal(xs, []float64{16, 1, 4, 2, 8}) {
		t.Errorf("the values were moved: %v", xs)
	}
	near(t, "of one", stat.Quantile([]float64{3}, 0.95), 3, 0)
}

func TestEmpty(t *testing.T) {
	var s stat.Sum
	if stat.Mean(nil) != 0 || stat.Quantile(nil, 0.5) != 0 || s.Mean() != 0 || s.Variance() != 0 || s.Interval95() != 0 || s.Next95() != 0 {
		t.Error("an empty sample has figures other than 0")
	}
	s.Add(4)
	if s.Variance() != 0 || s.Interval95() != 0 || s.Mean() != 4 {
		t.Error("one value has a variance")
	}
}

// Student's table narrows towards the normal distribution.
func TestIntervalNarrows(t *testing.T) {
	last := math.Inf(1)
	var s stat.Sum
	for n := 1; n <= 200_000; n++ {
		s.Add(float64(n % 2))
		if n < 3 || n%2 == 1 {
			continue
		}
		factor := s.Interval95() / math.Sqrt(s.Variance()/float64(n))
		if factor > last+1e-9 || factor < 1.9599 {
			t.Fatalf("n = %d: factor %v after %v", n, factor, last)
		}
		last = factor
	}
}

// Against the definitions, in two passes.
func TestAgainstTwoPasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), 2, 50).Draw(t, "xs")
		var s stat.Sum
		mean := 0.0
		for _, x := range xs {
			s.Add(x)
			mean += x
		}
		mean /= float64(len(xs))
		ss := 0.0
		for _, x := range xs {
			ss += (x - mean) * (x - mean)
		}
		if math.Abs(s.Mean()-mean) > 1e-6 || math.Abs(s.Variance()-ss/float64(len(xs)-1)) > 1e-6*(1+ss) || s.Mean() != stat.Mean(xs) {
			t.Fatalf("mean %v, variance %v; two passes give %v, %v", s.Mean(), s.Variance(), mean, ss/float64(len(xs)-1))
		}
		q := rapid.Float64Range(0, 1).Draw(t, "q")
		x := stat.Quantile(xs, q)
		under, over := 0, 0
		for _, y := range xs {
			if y < x-1e-9 {
				under++
			}
			if y > x+1e-9 {
				over++
			}
		}
		if n := float64(len(xs) - 1); float64(under) > math.Ceil(q*n) || float64(over) > math.Ceil((1-q)*n) {
			t.Fatalf("%d of %d values lie below the %v-quantile %v, %d above", under, len(xs), q, x, over)
		}
	})
}
