package forecast

import (
	"encoding/json"
	"math"
)

// HoltWinters is additive exponential smoothing of level, trend and, where Period is above 1,
// season (Hyndman and others, "Forecasting with exponential smoothing", 2008, chapter 3). Its three
// factors are those with the least sum of squared errors of one step in the window. Until there are
// two periods it repeats the last value, or period.
type HoltWinters struct {
	Period int    `json:"period"`
	Past   Window `json:"past"`

	ready  bool
	smooth smooth
	search descent
}

// smooth is a smoothing with its factors, and where it stands.
type smooth struct {
	alpha, beta, gamma float64
	level, trend       float64
	season             []float64 // of the phase of the next value, and so on
	sum                float64   // of squared errors
	n                  int
}

// NewHoltWinters smooths so many values, two periods at least. A period of 1 has no season.
func NewHoltWinters(period, window int) *HoltWinters {
	return &HoltWinters{Period: max(period, 1), Past: Window{Size: max(window, 2*period+1)}}
}

// Observe takes the next value.
func (w *HoltWinters) Observe(x float64) {
	w.Past.add(x)
	w.ready = false
}

// UnmarshalJSON reads parameters and state, and forgets what was fitted to others.
func (w *HoltWinters) UnmarshalJSON(text []byte) error {
	type plain HoltWinters
	w.ready = false
	return json.Unmarshal(text, (*plain)(w))
}

// Clone returns a copy that shares nothing.
func (w *HoltWinters) Clone() Forecaster {
	return &HoltWinters{Period: w.Period, Past: w.Past.clone()}
}

// begin takes level, trend and season from the first two periods.
func (s *smooth) begin(xs []float64, period int) bool {
	m0, _ := moments(xs[:period])
	m1, _ := moments(xs[period : 2*period])
	if _, _, ok := first(xs[:period]); !ok {
		return false
	}
	if _, _, ok := first(xs[period : 2*period]); !ok {
		return false
	}
	s.level, s.trend, s.sum, s.n = m0, (m1-m0)/float64(period), 0, 0
	s.season = zeros(s.season, period)
	if period > 1 {
		for i := range period {
			if d := xs[i] - m0; !math.IsNaN(d) {
				s.season[i] = d
			}
		}
	}
	return true
}

// run smooths the values behind the first period, and writes the errors.
func (s *smooth) run(xs []float64, period int, to []float64) {
	for t := period; t < len(xs); t++ {
		phase := t % period
		e := xs[t] - s.level - s.trend - s.season[phase]
		if math.IsNaN(e) {
			e = 0
		} else {
			s.n++
		}
		s.level += s.trend + float64(s.alpha*e)
		s.trend += float64(s.alpha * s.beta * e)
		if period > 1 {
			s.season[phase] += float64(s.gamma * (1 - s.alpha) * e)
		}
		s.sum += float64(e * e)
		to[t] = e
	}
}

// set takes factors from any three numbers.
func (s *smooth) set(us []float64) {
	part := func(u float64) float64 { return 0.5 * (1 + math.Tanh(u)) }
	s.alpha, s.beta, s.gamma = part(us[0]), part(us[1]), part(us[2])
}

// refit finds the factors, and smooths with them.
func (w *HoltWinters) refit() bool {
	if w.ready {
		return true
	}
	xs, period := w.Past.Values, w.Period
	if len(xs) < 2*period+1 || !w.smooth.begin(xs, period) {
		return false
	}
	unit := scale(xs)
	w.search.residuals = func(us, to []float64) {
		w.smooth.set(us)
		w.smooth.begin(xs, period)
		clear(to)
		w.smooth.run(xs, period, to)
		for i := range to {
			to[i] /= unit
		}
	}
	us := [3]float64{-0.5, -1.5, -1}
	w.search.minimise(us[:], len(xs))
	w.search.residuals(us[:], w.search.trial)
	w.ready = true
	return true
}

// Predict continues level, trend and season.
func (w *HoltWinters) Predict(steps []Step) bool {
	if !w.refit() {
		return seasonal(steps, &w.Past, w.Period)
	}
	if _, _, ok := w.Past.last(); !ok {
		return false
	}
	s := &w.smooth
	one := s.sum / float64(max(s.n-3, 1))
	total := one
	for h := range steps {
		phase := (len(w.Past.Values) + h) % w.Period
		steps[h] = Normal(s.level+float64(float64(h+1)*s.trend)+s.season[phase], math.Sqrt(total))
		weight := s.alpha + float64(s.alpha*s.beta*float64(h+1))
		if w.Period > 1 && (h+1)%w.Period == 0 {
			weight += s.gamma * (1 - s.alpha)
		}
		total += float64(weight * weight * one)
	}
	return true
}
