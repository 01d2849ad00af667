package forecast

import "math"

// Persistence expects the last value for ever: the baseline that every forecast stands beside. Its
// errors are those of a random walk, whose steps it measures in its window.
type Persistence struct {
	Past Window `json:"past"`
}

// NewPersistence measures errors over so many values.
func NewPersistence(window int) *Persistence { return &Persistence{Past: Window{Size: window}} }

// Observe takes the next value.
func (p *Persistence) Observe(x float64) { p.Past.add(x) }

// Predict repeats the last value.
func (p *Persistence) Predict(steps []Step) bool { return seasonal(steps, &p.Past, 1) }

// Seasonal expects the value of the same phase of the last period (seasonal naive).
type Seasonal struct {
	Period int    `json:"period"`
	Past   Window `json:"past"`
}

// NewSeasonal has periods of so many intervals, and looks back over so many values, two periods at
// least.
func NewSeasonal(period, window int) *Seasonal {
	return &Seasonal{Period: max(period, 1), Past: Window{Size: max(window, 2*period)}}
}

// Observe takes the next value.
func (s *Seasonal) Observe(x float64) { s.Past.add(x) }

// Predict repeats the last period.
func (s *Seasonal) Predict(steps []Step) bool { return seasonal(steps, &s.Past, s.Period) }

// seasonal repeats what was a period ago. Where that is missing it goes back further by whole
// periods, and in the end takes the last value there is. The variance grows with each period.
func seasonal(steps []Step, past *Window, period int) bool {
	last, _, ok := past.last()
	if !ok {
		return false
	}
	xs := past.Values
	of := scale(xs)
	sum, n := 0.0, 0
	for i := period; i < len(xs); i++ {
		if d := (xs[i] - xs[i-period]) / of; !math.IsNaN(d) {
			sum += float64(d * d)
			n++
		}
	}
	variance := sum / float64(max(n, 1))
	for h := range steps {
		mid, at, periods := last, len(xs)+h, 0
		for at >= len(xs) || at >= 0 && math.IsNaN(xs[at]) {
			at -= period
			periods++
		}
		if at >= 0 {
			mid = xs[at]
		}
		steps[h] = Normal(mid, of*math.Sqrt(float64(float64(periods)*variance)))
	}
	return true
}
