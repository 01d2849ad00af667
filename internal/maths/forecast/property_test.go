package forecast

import (
	"math"
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/maths/draw"
	"pgregory.net/rapid"
)

// Any numbers become a stationary process, and come back from it.
func TestTransform(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		us := rapid.SliceOfN(rapid.Float64Range(-1.2, 1.2), 1, 4).Draw(t, "numbers")
		p := len(us)
		ar, back := make([]float64, p), make([]float64, p)
		stationary(us, ar, make([]float64, p))
		// The weights of past shocks of a stationary process die out.
		var psi []float64
		weights(ar, nil, 0, &psi, 20_000)
		if tail := psi[len(psi)-p:]; slices.ContainsFunc(tail,
			func(x float64) bool { return math.Abs(x) > 1e-3 }) {
			t.Fatalf("%v give %v, whose weights end in %v", us, ar, tail)
		}
		numbers(ar, back)
		for i := range us {
			if math.Abs(math.Tanh(us[i])) < edge-1e-6 && math.Abs(us[i]-back[i]) > 1e-4*(1+math.Abs(us[i])) {
				t.Fatalf("%v, and back %v", us, back)
			}
		}
	})
}

// Coefficients outside the stationary region are drawn into it.
func TestNumbersOfExplosive(t *testing.T) {
	us, ar := make([]float64, 2), make([]float64, 2)
	numbers([]float64{2.5, 0.3}, us)
	stationary(us, ar, make([]float64, 2))
	if ar[0]+ar[1] >= 1 || ar[1]-ar[0] >= 1 || ar[1] <= -1 || ar[0] < 0.5 {
		t.Error(ar)
	}
}

// A model is the same in another unit, and its likelihood is that of the unit.
func TestUnits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		o := Order{rapid.IntRange(0, 2).Draw(t, "p"), rapid.IntRange(0, 2).Draw(t, "d"), rapid.IntRange(0,
			1).Draw(t, "q"), rapid.Bool().Draw(t, "mean")}
		unit := math.Ldexp(1, rapid.IntRange(-40, 40).Draw(t, "unit"))
		xs, scaled := make([]float64, 60), make([]float64, 60)
		next := series(seed)
		for i := range xs {
			xs[i] = next()
			scaled[i] = xs[i] * unit
		}
		a, err := Fit(xs, o)
		b, err2 := Fit(scaled, o)
		if err != nil || err2 != nil {
			t.Skip()
		}
		if !slices.Equal(a.AR, b.AR) || !slices.Equal(a.MA, b.MA) || a.Mean*unit != b.Mean ||
			a.Variance*unit*unit != b.Variance ||
			math.Abs(a.LogLikelihood-b.LogLikelihood-float64(a.N)*math.Log(unit)) > 1e-6 {
			t.Fatalf("%+v\n%+v", a, b)
		}
		sa, sb := make([]Step, 5), make([]Step, 5)
		_, _ = a.Predict(xs, sa), b.Predict(scaled, sb)
		for h := range sa {
			if sa[h].Mid*unit != sb[h].Mid || sa[h].Deviation*unit != sb[h].Deviation {
				t.Fatalf("%+v\n%+v", sa, sb)
			}
		}
	})
}

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

// Orders that cannot be fitted say why; a constant series needs no parameters.
func TestFitsThatCannotBe(t *testing.T) {
	gone := slices.Repeat([]float64{math.NaN()}, 100)
	sparse := slices.Clone(gone)
	for i := 0; i < 100; i += 2 {
		sparse[i] = float64(i)
	}
	for _, c := range []struct {
		xs   []float64
		o    Order
		want string
	}{
		{gone, Order{P: 1}, "ARIMA(1,0,0) needs at least 8 values, but the series has 0"},
		{nil, Order{Q: 1, Mean: true}, "ARIMA(0,0,1) with a mean needs at least 10 values, but the series has 0"},
		{sparse, Order{D: 2}, "ARIMA(0,2,0) needs 3 values in a row, but the series has gaps between all"},
		{sparse, Order{D: 3}, "ARIMA(0,3,0): p and q must be from 0 to 24, d from 0 to 2"},
		{sparse, Order{P: -1}, "ARIMA(-1,0,0): p and q must be from 0 to 24, d from 0 to 2"},
	} {
		if _, err := Fit(c.xs, c.o); err == nil || err.Error() != c.want {
			t.Errorf("%v: %v\nwant %s", c.o, err, c.want)
		}
	}
	if _, err := Best(gone, 2, 2); err == nil ||
		err.Error() != "no order fits: ARIMA(2,0,2) with a mean needs at least 16 values, but the series has 0" {
		t.Error(err)
	}
	for _, o := range []Order{{P: 2, Mean: true}, {P: 1, D: 1}, {Q: 1, D: 2}} {
		m, err := Fit(slices.Repeat([]float64{7}, 40), o)
		steps := make([]Step, 3)
		if err != nil || m.Variance != 0 || m.Predict(slices.Repeat([]float64{7}, 40), steps) != nil ||
			steps[2].Mid != 7 || steps[2].Deviation != 0 {
			t.Errorf("%v: %+v, %v, %+v", o, m, err, steps)
		}
	}
	// A gap keeps what lies before it: half of the values tell what all told.
	if m, err := Fit(sparse, Order{P: 1, Mean: true}); err != nil || m.N != 50 {
		t.Error(m, err)
	}
}

// simulated is an AR(2) process around 10, or its sums.
func simulated(seed uint64, n, d int) []float64 {
	xs := make([]float64, n)
	a, b := 0.0, 0.0
	for i := range xs {
		a, b = 0.5*a-0.3*b+draw.Of(seed, "ar").Number(uint64(i)).Normal(0, 1), a
		xs[i] = a
		if d == 0 {
			xs[i] += 10
		}
	}
	for range d {
		for i := 1; i < n; i++ {
			xs[i] += xs[i-1]
		}
	}
	return xs
}

// The order by AICc has the right number of differences, and is no worse than any other.
func TestBest(t *testing.T) {
	for d := range 2 {
		xs := simulated(3, 300, d)
		best, err := Best(xs, 3, 1)
		if err != nil || best.Order.D != d {
			t.Fatalf("%+v, %v; it was differenced %d times", best, err, d)
		}
		for p := range 4 {
			for q := range 2 {
				m, err := Fit(xs, Order{p, d, q, d == 0})
				if err != nil || m.AICc() < best.AICc()-1e-6 {
					t.Errorf("%v has %v, the best, %v, %v: %v", m.Order, m.AICc(), best.Order, best.AICc(),
						err)
				}
			}
		}
	}
}

// Nine in ten values of a series that is as the model says lie in the band, any number of steps
// ahead.
func TestCoverage(t *testing.T) {
	for _, f := range []Forecaster{&AR{Order: 2, Constant: true, Past: Window{Size: 300}},
		&ARIMA{Order: Order{P: 2, Mean: true}, Every: 100, First: 100, Past: Window{Size: 300}}} {
		c := NewTracked(f, 6, math.Inf(-1), math.Inf(1))
		for _, x := range simulated(9, 4000, 0) {
			c.Observe(x)
		}
		steps := make([]Step, 6)
		c.Predict(steps)
		for h, s := range steps {
			if s.Judged < 3900 || math.Abs(s.Covered-0.9) > 0.03 {
				t.Errorf("%T, %d ahead: %d of %d", f, h+1, int(s.Covered*float64(s.Judged)), s.Judged)
			}
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

// The variance is that of what one shock changes in each forecast behind it.
func TestSmoothingVariance(t *testing.T) {
	for _, period := range []int{1, 4} {
		xs := simulated(4, 60, 1)
		after := func(shock float64) []float64 {
			w := HoltWinters{Period: period, ready: true, smooth: smooth{alpha: 0.4, beta: 0.3, gamma: 0.2}}
			w.Past.Values = slices.Clone(xs)
			w.smooth.begin(xs, period)
			w.smooth.run(xs, period, make([]float64, 60))
			s := &w.smooth
			next := s.level + s.trend + s.season[60%period] + shock
			w.Past.Values = append(w.Past.Values, next)
			w.smooth.begin(w.Past.Values, period)
			w.smooth.run(w.Past.Values, period, make([]float64, 61))
			return mids(t, &w, 9)
		}
		calm, shaken := after(0), after(1)
		w := HoltWinters{Period: period, ready: true, smooth: smooth{alpha: 0.4, beta: 0.3, gamma: 0.2}}
		w.Past.Values = xs
		w.smooth.begin(xs, period)
		w.smooth.run(xs, period, make([]float64, 60))
		steps := make([]Step, 10)
		w.Predict(steps)
		sum := 1.0
		for h := range 9 {
			sum += math.Pow(shaken[h]-calm[h], 2)
			near(t, "variance", []float64{math.Pow(steps[h+1].Deviation/steps[0].Deviation, 2)}, []float64{sum}, 1e-9)
		}
	}
}

// The start of the search is near the process that made a long series.
func TestHannan(t *testing.T) {
	z := make([]float64, 5000)
	a, e := 0.0, 0.0
	for i := range z {
		shock := draw.Of(5, "shocks").Number(uint64(i)).Normal(0, 1)
		a, e = 0.7*a+shock+0.4*e, shock
		z[i] = a
	}
	if ar, ma := hannan(z, 1, 1); math.Abs(ar[0]-0.7) > 0.05 || math.Abs(ma[0]-0.4) > 0.05 {
		t.Error(ar, ma)
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
	xs := simulated(1, 500, 0)
	observe(a, xs...)
	steps := make([]Step, 3)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		a.Observe(xs[i%500])
		a.Predict(steps)
	}
}

func BenchmarkExact(b *testing.B) {
	xs := oracle(b).Exact[7].Values
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Fit(xs, Order{P: 3, D: 1, Q: 1}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkConditional(b *testing.B) {
	xs := oracle(b).Exact[7].Values
	m, _ := Fit(xs, Order{P: 3, D: 1, Q: 1})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := FitConditional(xs, m.Order, m); err != nil {
			b.Fatal(err)
		}
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
