package forecast

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/maths/draw"
)

func observe(f Forecaster, xs ...float64) Forecaster {
	for _, x := range xs {
		f.Observe(x)
	}
	return f
}

func mids(t *testing.T, f Forecaster, n int) []float64 {
	t.Helper()
	steps := make([]Step, n)
	if !f.Predict(steps) {
		t.Fatalf("%T predicts nothing", f)
	}
	var mid []float64
	for _, s := range steps {
		if math.IsNaN(s.Mid) || !(s.Low <= s.Mid && s.Mid <= s.High) || !(s.Deviation >= 0) {
			t.Fatalf("%T: %+v", f, s)
		}
		mid = append(mid, s.Mid)
	}
	return mid
}

func near(t *testing.T, what string, got, want []float64, part float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
	for i := range got {
		if math.Abs(got[i]-want[i]) > part*max(math.Abs(want[i]), 1e-12) {
			t.Errorf("%s, place %d: %v, want %v", what, i, got[i], want[i])
		}
	}
}

// A process without noise is found, and goes on as it was: a cosine needs two lags, a trend two.
func TestARFollowsWhatHasNoNoise(t *testing.T) {
	wave := func(i int) float64 { return 5 * math.Cos(float64(i)/7) }
	trend := func(i int) float64 { return 3 + 2*float64(i) }
	for name, x := range map[string]func(int) float64{"wave": wave, "trend": trend,
		"constant": func(int) float64 { return 4 }} {
		for _, unit := range []float64{1, 1e12, 1e-12} {
			a := NewAR(2, 0)
			var want []float64
			for i := range 60 {
				a.Observe(unit * x(i))
			}
			for i := 60; i < 66; i++ {
				want = append(want, unit*x(i))
			}
			near(t, name, mids(t, a, 6), want, 1e-6)
		}
	}
}

// What is missing at the end is predicted first: the forecast is as far ahead as it is from the last value.
func TestARAfterMissingValues(t *testing.T) {
	xs := simulated(2, 100)
	a, b := observe(NewAR(2, 0), xs...), observe(NewAR(2, 0), append(xs, math.NaN(), math.NaN())...)
	far, near := make([]Step, 5), make([]Step, 3)
	if !a.Predict(far) || !b.Predict(near) || !slices.Equal(far[2:], near) {
		t.Errorf("%+v\n%+v", far[2:], near)
	}
}

func TestPersistenceByHand(t *testing.T) {
	steps := make([]Step, 2)
	if NewPersistence(4).Predict(steps) {
		t.Error("it knows nothing")
	}
	p := observe(NewPersistence(4), 9, 1, 2, math.NaN(), 4, 6) // in the window 2, missing, 4, 6: a step of 2
	if !p.Predict(steps) || steps[0] != Normal(6, 2) || steps[1] != Normal(6, math.Sqrt(8)) {
		t.Errorf("%+v", steps)
	}
	s := observe(NewSeasonal(3, 0), 1, 2, 3, 2, 3, math.NaN())
	near(t, "seasonal", mids(t, s, 6), []float64{2, 3, 3, 2, 3, 3}, 0)
}

// What has been saved and loaded, or copied, predicts the same for ever; neither disturbs the
// other.
func TestSaveLoadClone(t *testing.T) {
	for _, f := range []*AR{NewAR(3, 48), {Order: 2, Constant: true, Past: Window{Size: 40}}} {
		x := series(7)
		for range 70 {
			f.Observe(x())
		}
		f.Predict(make([]Step, 2))
		text, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		loaded := f.Clone()
		for range 5 {
			loaded.Observe(1) // another state, which loading replaces
		}
		loaded.Predict(make([]Step, 2))
		if err := json.Unmarshal(text, loaded); err != nil {
			t.Fatal(err)
		}
		clone := f.Clone()
		for range 3 {
			f.Observe(100)
		}
		for i := range 40 {
			if i > 0 {
				v := x()
				loaded.Observe(v)
				clone.Observe(v)
			}
			a, b := make([]Step, 4), make([]Step, 4)
			if loaded.Predict(a) != clone.Predict(b) || !slices.Equal(a, b) {
				t.Fatalf("AR(%d), after %d: %+v, %+v", f.Order, i, a, b)
			}
		}
	}
}

func everyForecaster() []Forecaster {
	return []Forecaster{NewPersistence(30), NewSeasonal(6, 30), NewAR(3, 48), &AR{Order: 2, Constant: true, Past: Window{Size: 40}},
		NewTracked(Default(), 4, 0, 50),
		&Combined{Of: []*Tracked{NewTracked(Default(), 4, 0, 50), NewTracked(NewPersistence(20), 4, 0, 50)}}}
}

// series is one with gaps.
func series(seed uint64) func() float64 {
	at, x := uint64(0), 10.0
	return func() float64 {
		at++
		n := draw.Of(seed, "series").Number(at)
		if x += n.Normal(0, 1); n.Float64() < 0.1 {
			return math.NaN()
		}
		return x
	}
}

// The paper's forecaster asks for no memory once it has run.
func TestNoAllocation(t *testing.T) {
	a, x, steps := NewTracked(Default(), 3, 0, 100), series(1), make([]Step, 3)
	for range 400 {
		a.Observe(x())
	}
	if n := testing.AllocsPerRun(300, func() { a.Observe(x()); a.Predict(steps) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
