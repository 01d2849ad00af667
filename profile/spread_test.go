package profile

import (
	"math"
	"math/big"
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

// Bins begin where powers of 2 by sixteenths lie: the last number below such a power is in the bin before it, by
// integers of any length.
func TestBins(t *testing.T) {
	one := func(x float64) int {
		var s Spread
		s.Add(x)
		return s[0].At
	}
	for k := range perOctave {
		least := bounds[k]
		power := func(fraction uint64) *big.Int {
			return new(big.Int).Exp(new(big.Int).SetUint64(1<<52+fraction), big.NewInt(perOctave), nil)
		}
		if goal := new(big.Int).Lsh(big.NewInt(1), uint(52*perOctave+k)); power(least).Cmp(goal) < 0 || k > 0 && power(least-1).Cmp(goal) >= 0 {
			t.Errorf("bin %d does not begin at %#x", k, least)
		}
		for _, octave := range []int{-1022, -30, 0, 17, 1023} {
			x := math.Ldexp(1+float64(least)*0x1p-52, octave)
			if at := one(x); at != octave*perOctave+k {
				t.Errorf("%v is in bin %d of octave %d", x, at, octave)
			}
			if below := math.Nextafter(x, 0); below >= 0x1p-1022 && one(below) != octave*perOctave+k-1 {
				t.Errorf("%v is in bin %d of octave %d", below, one(below), octave)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(1e-12, 1e12).Draw(t, "time")
		if at, exact := one(x), math.Log2(x)*perOctave; float64(at) > exact+1e-9 || float64(at+1) < exact-1e-9 {
			t.Fatalf("%v is in bin %d, its logarithm is %v", x, at, exact)
		}
	})
}
