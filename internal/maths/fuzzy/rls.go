package fuzzy

import (
	"math"
	"slices"
)

// A Learner adapts the consequents of a model to samples as they come, by recursive least squares
// with exponential forgetting. It saves as JSON.
type Learner struct {
	Model
	// Forgetting is λ: a sample counts λ times as much as the next one. From 0 to 1, 1 forgets
	// nothing.
	Forgetting float64 `json:"forgetting"`
	// Most bounds the mean of the covariance's diagonal.
	Most float64 `json:"most"`
	// Covariance is that of the consequents, but for Noise, as a matrix by rows.
	Covariance []float64 `json:"covariance"`
	// Noise is the variance of the error, by samples that count as they do in the fit.
	Noise float64 `json:"noise"`
	// Seen is how many samples there were, and Weight how much they count together.
	Seen   int     `json:"seen"`
	Weight float64 `json:"weight"`

	s, x, k []float64
}

// Learn makes a learner of a model. doubt is the variance of each coefficient, in units of the
// noise: large if the first samples are to replace what the model says.
func Learn(m Model, forgetting, doubt float64) *Learner {
	n := len(m.Rules) * (m.Inputs + 1)
	l := &Learner{Model: m, Forgetting: forgetting, Most: doubt, Covariance: make([]float64, n*n)}
	for i := range n {
		l.Covariance[i*n+i] = doubt
	}
	return l
}

// Clone copies the learner.
func (l *Learner) Clone() *Learner {
	c := *l
	c.Model, c.Covariance, c.s, c.x, c.k = l.Model.Clone(), slices.Clone(l.Covariance), nil, nil, nil
	return &c
}

// room makes room for the strengths, regressors and gains.
func (l *Learner) room() int {
	n := len(l.Rules) * (l.Inputs + 1)
	if len(l.x) != n {
		l.s, l.x, l.k = make([]float64, len(l.Rules)), make([]float64, n), make([]float64, n)
	}
	return n
}

// Predict returns the value at x and the standard deviation of what a sample there would be. Until
// there are two samples nothing is known of the latter, which is NaN.
func (l *Learner) Predict(x []float64) (y, sd float64) {
	n := l.room()
	y = l.Value(x, l.s)
	if l.Seen < 2 {
		return y, math.NaN()
	}
	regressors(x, l.s, l.x)
	spread := 1.0
	for i := range n {
		s := 0.0
		for j, p := range l.Covariance[i*n : i*n+n] {
			s += float64(p * l.x[j])
		}
		spread += float64(s * l.x[i])
	}
	return y, math.Sqrt(l.Noise * spread)
}

// Add learns from a sample. What is no number, or infinite, teaches nothing. It returns by how much
// the sample was above the prediction.
func (l *Learner) Add(x []float64, y float64) (miss float64) {
	n := l.room()
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return 0
		}
	}
	miss = y - l.Value(x, l.s)
	if math.IsNaN(miss) || math.IsInf(miss, 0) {
		return 0
	}
	regressors(x, l.s, l.x)
	spread := l.Forgetting
	for i := range n {
		s := 0.0
		for j, p := range l.Covariance[i*n : i*n+n] {
			s += float64(p * l.x[j])
		}
		l.k[i] = s
		spread += float64(s * l.x[i])
	}
	l.Seen++
	l.Weight = float64(l.Forgetting*l.Weight) + 1
	l.Noise += (float64(miss*miss)*l.Forgetting/spread - l.Noise) / l.Weight
	trace := 0.0
	for i := range n {
		gain := l.k[i] / spread
		l.Rules[i/(l.Inputs+1)].Then[i%(l.Inputs+1)] += float64(gain * miss)
		for j := range i + 1 {
			p := (l.Covariance[i*n+j] - float64(gain*l.k[j])) / l.Forgetting
			l.Covariance[i*n+j], l.Covariance[j*n+i] = p, p
		}
		trace += l.Covariance[i*n+i]
	}
	// What is forgotten and not seen again must not make it sure of nothing at all.
	if limit := l.Most * float64(n); trace > limit {
		for i := range l.Covariance {
			l.Covariance[i] *= limit / trace
		}
	}
	return miss
}
