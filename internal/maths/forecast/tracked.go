package forecast

import (
	"math"

	"github.com/slackline/slackline/units"
)

// Tracked holds a forecaster's predictions to the values that came, so that each step says how many
// of the earlier ones, as far ahead, lay in their bands. It keeps mid and band between Least and
// Most.
type Tracked struct {
	Of    Forecaster `json:"of"`
	Least float64    `json:"least"`
	Most  float64    `json:"most"`
	// Scores are of predictions one interval ahead, two, and so on.
	Scores []Score `json:"scores"`
	// Open are predictions from before the next interval, each with a step for each score. The one
	// made last is the last.
	Open [][]Step `json:"open"`
}

// A Score is how predictions turned out.
type Score struct {
	Judged  int     `json:"judged"`  // how many
	Covered int     `json:"covered"` // how many values lay in their bands
	Squares float64 `json:"squares"` // sum of squared errors
	// Recent is the mean of squared errors in which each counts a twentieth less than the one after
	// it.
	Recent float64 `json:"recent"`
	// Weight is the sum of what errors count in Recent.
	Weight float64 `json:"weight"`
}

// fading is what an error counts in Score.Recent, as part of what the one after it counts.
const fading = 0.95

// RMSE is the root of the mean squared error, 0 where nothing was judged.
func (s *Score) RMSE() float64 { return math.Sqrt(s.Squares / float64(max(s.Judged, 1))) }

// NewTracked judges predictions of up to so many intervals ahead, of values from least to most.
func NewTracked(of Forecaster, horizon int, least, most float64) *Tracked {
	least, most = max(least, -math.MaxFloat64), min(most, math.MaxFloat64) // JSON has no infinity
	return &Tracked{Of: of, Least: least, Most: most, Scores: make([]Score, max(horizon, 1))}
}

// Observe judges the predictions of the value, takes it, and predicts those after it.
func (t *Tracked) Observe(x float64) {
	if !math.IsInf(x, 0) && !math.IsNaN(x) {
		for i, open := range t.Open {
			h := len(t.Open) - 1 - i
			s, of := &t.Scores[h], &open[h]
			s.Judged++
			square := float64((x - of.Mid) * (x - of.Mid))
			s.Squares += square
			s.Weight = float64(fading*s.Weight) + 1
			s.Recent += float64((square - s.Recent) / s.Weight)
			if at := units.Rounded(x); at >= units.Rounded(of.Low) && at <= units.Rounded(of.High) {
				s.Covered++
			}
		}
	}
	t.Of.Observe(x)
	var next []Step
	if len(t.Open) > 0 && len(t.Open) == len(t.Scores) {
		next = t.Open[0]
		copy(t.Open, t.Open[1:])
		t.Open = t.Open[:len(t.Open)-1]
	} else {
		next = make([]Step, len(t.Scores))
	}
	if !t.predict(next) {
		t.Open = t.Open[:0]
		return
	}
	t.Open = append(t.Open, next)
}

// predict is that of the forecaster, kept between Least and Most.
func (t *Tracked) predict(steps []Step) bool {
	if !t.Of.Predict(steps) {
		return false
	}
	for i := range steps {
		s := &steps[i]
		s.Mid, s.Low, s.High = t.within(s.Mid), t.within(s.Low), t.within(s.High)
	}
	return true
}

func (t *Tracked) within(x float64) float64 { return min(max(x, t.Least), t.Most) }

// Predict adds to each step how earlier ones turned out.
func (t *Tracked) Predict(steps []Step) bool {
	if !t.predict(steps) {
		return false
	}
	for i := range min(len(steps), len(t.Scores)) {
		if s := &t.Scores[i]; s.Judged > 0 {
			steps[i].Judged, steps[i].Covered = s.Judged, float64(s.Covered)/float64(s.Judged)
		}
	}
	return true
}
