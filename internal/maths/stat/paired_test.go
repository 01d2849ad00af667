package stat

import (
	"math"
	"testing"

	"github.com/slackline/slackline/internal/maths/draw"
)

// By hand: of the 8 signs of 1, 2, 3 two give a sum of 6 or -6.
func TestComparePairsByHand(t *testing.T) {
	p := ComparePairs([]float64{1, 2, 3})
	if p.N != 3 || p.Mean != 2 || p.P != 0.25 || p.Effect != 2 {
		t.Errorf("%+v", p)
	}
	if p := ComparePairs([]float64{1, -1}); p.Mean != 0 || p.P != 1 || p.Effect != 0 || p.Enough != 0 {
		t.Errorf("%+v", p)
	}
	if p := ComparePairs([]float64{5, 5, 5, 5, 5, 5}); p.P != 2./64 || !math.IsInf(p.Effect, 1) || p.Enough != 6 {
		t.Errorf("%+v", p)
	}
	if p := ComparePairs(nil); p.P != 1 || p.N != 0 {
		t.Errorf("%+v", p)
	}
	if p := ComparePairs([]float64{0, 0, 0}); p.P != 1 || p.Enough != 0 {
		t.Errorf("%+v", p)
	}
}

// Exact and drawn signs agree, and signs by counting up in place of the Gray code.
func TestSignFlips(t *testing.T) {
	for series := range uint64(4) {
		var d []float64
		for i := range uint64(exactPairs) {
			d = append(d, draw.Of(series, "pairs").Number(i).Normal(0.3, 1))
		}
		sum := 0.0
		for _, x := range d {
			sum += x
		}
		far := 0
		for signs := range 1 << len(d) {
			s := 0.0
			for i, x := range d {
				if signs>>i&1 == 1 {
					x = -x
				}
				s += x
			}
			if math.Abs(s) >= math.Abs(sum)-1e-9 {
				far++
			}
		}
		exact := float64(far) / (1 << exactPairs)
		if got := signFlips(d); got != exact {
			t.Errorf("series %d: %v, counted %v", series, got, exact)
		}
		if drawn := signFlips(append(d, 0)); math.Abs(drawn-exact) > 5*math.Sqrt(exact*(1-exact)/65536)+1e-4 { // a 0 has no sign
			t.Errorf("series %d: drawn %v, exact %v", series, drawn, exact)
		}
	}
}

// Where neither is better, P is below 0.05 in about one of twenty series; where one is, nearly always with so many pairs as Enough
// says; a little less than four of five at the least.
func TestPIsHonest(t *testing.T) {
	reject := func(name string, n, series int, mean float64) float64 {
		hits := 0
		for s := range uint64(series) {
			var d []float64
			for i := range uint64(n) {
				d = append(d, draw.Of(s, name).Number(i).Normal(mean, 1))
			}
			if ComparePairs(d).P < 0.05 {
				hits++
			}
		}
		return float64(hits) / float64(series)
	}
	if r := reject("null", 10, 2000, 0); r < 0.03 || r > 0.07 {
		t.Errorf("without a difference %.3f of the series show one", r)
	}
	if r := reject("null", 5, 500, 0); r > 0 {
		t.Errorf("with five pairs something was found: %.3f", r)
	}
	enough := ComparePairs([]float64{0, 2}).Enough // mean 1, deviation √2
	if r := reject("effect", enough, 200, 1/math.Sqrt2); enough < 16 || enough > 20 || r < 0.68 || r > 0.94 {
		t.Errorf("with %d pairs a difference of d = 0.71 is found in %.3f of the series", enough, r)
	}
}

func TestHolm(t *testing.T) {
	got := Holm([]float64{0.04, 0.01, 0.03, 0.5})
	for i, want := range []float64{0.09, 0.04, 0.09, 0.5} {
		if math.Abs(got[i]-want) > 1e-12 {
			t.Errorf("%v, want %v at %d", got, want, i)
		}
	}
	if len(Holm(nil)) != 0 {
		t.Error("something from nothing")
	}
}
