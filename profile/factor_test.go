package profile

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// drawnFactor is any factor that a file may have.
func drawnFactor(t *rapid.T) (f Factor) {
	step := rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(0, 1))
	for i := middleKnot + 1; i < factorKnots; i++ {
		f.Log[i] = f.Log[i-1] + step.Draw(t, "up")
	}
	for i := middleKnot - 1; i >= 0; i-- {
		f.Log[i] = f.Log[i+1] - step.Draw(t, "down")
	}
	f.Tail = rapid.Float64Range(0, heaviest).Draw(t, "tail")
	return f
}

// A lognormal factor has the quantiles, the mean and the distribution function that textbooks give it,
// far into its tail.
func TestLogNormalFactor(t *testing.T) {
	for _, sigma := range []float64{0, 0.05, 0.2, 0.5, 1} {
		f := LogNormal(sigma)
		for _, c := range []struct{ p, z float64 }{{0.5, 0}, {0.8413447460685429, 1}, {0.0227501319481792, -2}, {0.99, 2.3263478740408408},
			{0.999, 3.090232306167813}, {1e-4, -3.719016485455681}} {
			if got, want := f.Quantile(c.p), math.Exp(sigma*c.z); math.Abs(got/want-1) > 1e-9 {
				t.Errorf("deviation %v: quantile %v is %v, want %v", sigma, c.p, got, want)
			}
		}
		if got, want := f.Mean(), math.Exp(sigma*sigma/2); math.Abs(got/want-1) > 1e-3 {
			t.Errorf("deviation %v: mean %v, want %v", sigma, got, want)
		}
		if sigma > 0 {
			if got := f.CDF(math.Exp(sigma * 1.5)); math.Abs(got-0.9331927987311419) > 1e-12 {
				t.Errorf("deviation %v: CDF %v", sigma, got)
			}
			// one in a million is in the tail: 4.7534 deviations
			if got := math.Log(f.Quantile(1-1e-6)) / sigma; math.Abs(got-4.7534) > 0.1 {
				t.Errorf("deviation %v: one in a million lies %v deviations out", sigma, got)
			}
		}
		wide := f.Widen(0.3)
		if want := LogNormal(math.Hypot(sigma, 0.3)); math.Abs(wide.Quantile(0.99)-want.Quantile(0.99)) > 1e-9 || math.Abs(wide.Tail-want.Tail) > 1e-9 {
			t.Errorf("deviation %v: widened it is %v", sigma, wide)
		}
	}
}

// Quantile and CDF are inverse to each other wherever the distribution rises, quantiles never fall, and the mean
// is that of a sum over many quantiles.
func TestFactorIsADistribution(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawnFactor(t)
		if what, why := f.wrong(); why != "" {
			t.Fatal(what, why)
		}
		p, q := rapid.Float64Range(1e-7, 1-1e-7).Draw(t, "p"), rapid.Float64Range(1e-7, 1-1e-7).Draw(t, "q")
		p, q = min(p, q), max(p, q)
		x, y := f.Quantile(p), f.Quantile(q)
		if x > y {
			t.Fatalf("quantile %v is %v, quantile %v is %v", p, x, q, y)
		}
		if got := f.CDF(x * (1 + 1e-9)); got < p-1e-6 {
			t.Fatalf("quantile %v is %v, below which lies %v", p, x, got)
		}
		if got := f.CDF(x * (1 - 1e-9)); got > p+1e-6 {
			t.Fatalf("quantile %v is %v, and %v lies below it", p, x, got)
		}
		if f.CDF(0) != 0 || f.CDF(-1) != 0 || f.CDF(math.NaN()) != 0 {
			t.Fatal("something lies at 0 or below")
		}
		w := f.Widen(rapid.Float64Range(0, 2).Draw(t, "sigma"))
		if what, why := w.wrong(); why != "" || w.Quantile(0.99) < f.Quantile(0.99) || w.Quantile(0.01) > f.Quantile(0.01) {
			t.Fatalf("widened: %+v, %s %s", w, what, why)
		}
		r := w.rounded()
		if what, why := r.wrong(); why != "" {
			t.Fatalf("rounded: %+v, %s %s", r, what, why)
		}
		if f.Log[factorKnots-1] < 3 && f.Tail < 0.3 && f.Log[0] > -3 {
			const n = 200_000
			sum := 0.0
			for i := range n {
				sum += f.Quantile((float64(i) + 0.5) / n)
			}
			if mean := sum / n; math.Abs(f.Mean()/mean-1) > 2e-2 {
				t.Fatalf("mean %v, of quantiles %v", f.Mean(), mean)
			}
		}
	})
}
