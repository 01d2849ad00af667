package forecast

import (
	"math"
	"testing"

	"github.com/slackline/slackline/internal/maths/draw"
)

// Whatever is observed, what is predicted is finite, lies in its band, and bands get no narrower.
func TestWhateverIsObserved(t *testing.T) {
	kinds := map[string]func(draw.Draw, int) float64{
		"constant":    func(draw.Draw, int) float64 { return 3 },
		"zero":        func(draw.Draw, int) float64 { return 0 },
		"trend":       func(_ draw.Draw, i int) float64 { return float64(2*i) - 7 },
		"noisy trend": func(d draw.Draw, i int) float64 { return float64(i) + d.Normal(0, 1) },
		"steps":       func(_ draw.Draw, i int) float64 { return float64(i / 20 % 2) },
		"one value": func(_ draw.Draw, i int) float64 {
			return map[bool]float64{true: 5,
				false: math.NaN()}[i == 4]
		},
		"alternating": func(_ draw.Draw, i int) float64 { return float64(i % 2) },
		"half gone": func(d draw.Draw, i int) float64 {
			return [2]float64{d.Normal(5, 1),
				math.NaN()}[i%2]
		},
		"huge":   func(d draw.Draw, i int) float64 { return 1e12 * d.Normal(5, 1) },
		"tiny":   func(d draw.Draw, i int) float64 { return 1e-12 * d.Normal(5, 1) },
		"offset": func(d draw.Draw, i int) float64 { return 1e9 + d.Normal(0, 1) },
		"infinite": func(d draw.Draw, i int) float64 {
			return [2]float64{d.Normal(5, 1),
				math.Inf(1)}[i/30%2]
		},
	}
	for name, kind := range kinds {
		for _, f := range everyForecaster() {
			for i := range 100 {
				f.Observe(kind(draw.Of(1, name).Number(uint64(i)), i))
				steps := make([]Step, 6)
				if !f.Predict(steps) {
					if name != "one value" && name != "infinite" {
						t.Errorf("%T, %s: nothing predicted after %d", f, name, i)
					}
					continue
				}
				for h, s := range steps {
					if math.IsNaN(s.Mid+s.Deviation) || math.IsInf(s.Mid+s.Deviation, 0) ||
						!(s.Low <= s.Mid && s.Mid <= s.High) {
						t.Fatalf("%T, %s, after %d: %d ahead %+v", f, name, i, h+1, s)
					}
				}
			}
		}
	}
}

// simulated is an AR(2) process around 10.
func simulated(seed uint64, n int) []float64 {
	xs := make([]float64, n)
	a, b := 0.0, 0.0
	for i := range xs {
		a, b = 0.5*a-0.3*b+draw.Of(seed, "ar").Number(uint64(i)).Normal(0, 1), a
		xs[i] = a + 10
	}
	return xs
}

// Nine in ten values of a series that is as the model says lie in the band, any number of steps
// ahead.
func TestCoverage(t *testing.T) {
	c := NewTracked(&AR{Order: 2, Constant: true, Past: Window{Size: 300}}, 6, math.Inf(-1), math.Inf(1))
	for _, x := range simulated(9, 4000) {
		c.Observe(x)
	}
	steps := make([]Step, 6)
	c.Predict(steps)
	for h, s := range steps {
		if s.Judged < 3900 || math.Abs(s.Covered-0.9) > 0.03 {
			t.Errorf("%d ahead: %d of %d", h+1, int(s.Covered*float64(s.Judged)), s.Judged)
		}
	}
}

// What is tracked stays within its limits, and counts what it has to, here by hand.
func TestTrackedByHand(t *testing.T) {
	c := NewTracked(NewPersistence(0), 2, 0, 10)
	observe(c, 4, 4, math.NaN(), 30)
	// One ahead: 4 of 4 (in its band), then none, then 4 for 30; two ahead: 4 for 30.
	if s := c.Scores; s[0].Judged != 2 || s[0].Covered != 1 || s[0].Squares != 26*26 || s[1].Judged != 1 ||
		s[1].Squares != 26*26 {
		t.Errorf("%+v", s)
	}
	if r := c.Scores[0].Recent; math.Abs(r-26*26/1.95) > 1e-9 {
		t.Error(r)
	}
	steps := make([]Step, 3)
	if c.Predict(steps); steps[0].Mid != 10 || steps[0].High != 10 || steps[0].Judged != 2 ||
		steps[0].Covered != 0.5 || steps[2].Judged != 0 {
		t.Errorf("%+v", steps)
	}
}

// Predictions from before all that is remembered was lost are not judged.
func TestTrackedForgets(t *testing.T) {
	c, gone := NewTracked(NewPersistence(3), 2, 0, 10), math.NaN()
	observe(c, 1, gone, gone, gone, 5, 6)
	if s := c.Scores; s[0].Judged != 1 || s[0].Squares != 1 || s[1].Judged != 0 {
		t.Errorf("%+v", s)
	}
}

// Whoever was nearer lately has more to say, and who was right all the time everything.
func TestCombined(t *testing.T) {
	c := &Combined{Of: []*Tracked{NewTracked(NewAR(2, 0), 3, -99, 99), NewTracked(NewPersistence(0), 3, -99,
		99)}}
	wave := func(i int) float64 { return 5 * math.Cos(float64(i)/3) }
	for i := range 200 {
		c.Observe(wave(i))
	}
	near(t, "wave", mids(t, c, 3), []float64{wave(200), wave(201), wave(202)}, 1e-3)
	if (&Combined{}).Predict(make([]Step, 1)) {
		t.Error("nobody predicts")
	}
	even := &Combined{Of: []*Tracked{NewTracked(NewPersistence(0), 1, -99, 99), NewTracked(NewSeasonal(2, 0),
		1, -99, 99)}}
	observe(even, 1, 2, 4)
	// Persistence was off by 1 and 2; the other, which had no period yet, was so for 2, and by 3
	// for 4.
	was, other := (0.95+4)/1.95, (0.95+9)/1.95
	mid := (4/was + 2/other) / (1/was + 1/other)
	near(t, "even", mids(t, even, 1), []float64{mid}, 1e-12)
	// The variance is that of the mixture: its own of each, and how far each is from the middle.
	steps, a, b := make([]Step, 1), make([]Step, 1), make([]Step, 1)
	if even.Predict(steps); !even.Of[0].Predict(a) || !even.Of[1].Predict(b) {
		t.Fatal("nothing predicted")
	}
	variance := ((a[0].Deviation*a[0].Deviation+(4-mid)*(4-mid))/was +
		(b[0].Deviation*b[0].Deviation+(2-mid)*(2-mid))/other) / (1/was + 1/other)
	near(t, "even's deviation", []float64{steps[0].Deviation}, []float64{math.Sqrt(variance)}, 1e-12)
}

func BenchmarkAR(b *testing.B) {
	a := Default()
	xs := simulated(1, 500)
	observe(a, xs...)
	steps := make([]Step, 3)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		a.Observe(xs[i%500])
		a.Predict(steps)
	}
}

// A night, and the first minutes of a day: what is fitted to them explodes, and is drawn in.
func TestExplosive(t *testing.T) {
	for _, a := range []*AR{NewAR(3, 144), {Order: 1, Constant: true}} {
		for range 60 {
			a.Observe(0)
		}
		observe(a, 1, 4, 9, 16, 25, 36, 49, 64)
		if m := mids(t, a, 24); m[23] > 640 {
			t.Error(a.Coefficients(), m)
		}
	}
}
