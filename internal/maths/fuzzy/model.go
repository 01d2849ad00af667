package fuzzy

import (
	"math"
	"slices"
)

// A Model is a set of rules over some inputs. Its value is Σ σ_j f_j(x) / Σ σ_j.
type Model struct {
	Inputs int    `json:"inputs"`
	Rules  []Rule `json:"rules"`
}

// A Rule says what the value is near a point.
type Rule struct {
	Center []float64 `json:"center"`
	Width  []float64 `json:"width"` // of the bell around it, in each direction, above 0
	// Then has the coefficients of the inputs, and behind them the constant.
	Then []float64 `json:"then"`
}

// Clone copies the model.
func (m *Model) Clone() Model {
	c := Model{m.Inputs, slices.Clone(m.Rules)}
	for i, r := range m.Rules {
		c.Rules[i] = Rule{slices.Clone(r.Center), slices.Clone(r.Width), slices.Clone(r.Then)}
	}
	return c
}

// Strengths puts the normalised firing strength of each rule at x into s. Far from all rules the
// nearest one still fires.
func (m *Model) Strengths(x, s []float64) {
	most := math.Inf(-1)
	for j := range m.Rules {
		r := &m.Rules[j]
		d := 0.0
		for i, c := range r.Center {
			u := (x[i] - c) / r.Width[i]
			d -= float64(u * u)
		}
		s[j] = d / 2
		most = max(most, s[j])
	}
	sum := 0.0
	for j := range m.Rules {
		s[j] = math.Exp(s[j] - most)
		sum += s[j]
	}
	for j := range m.Rules {
		s[j] /= sum
	}
}

// at is the value of the consequent.
func (r *Rule) at(x []float64) float64 {
	n := len(r.Then) - 1
	y := r.Then[n]
	for i, a := range r.Then[:n] {
		y += float64(a * x[i])
	}
	return y
}

// Value is the value at x. s is room for the strengths.
func (m *Model) Value(x, s []float64) (y float64) {
	m.Strengths(x, s)
	return m.blend(x, s)
}

// blend is the value where the rules have these strengths.
func (m *Model) blend(x, s []float64) (y float64) {
	for j := range m.Rules {
		y += float64(s[j] * m.Rules[j].at(x))
	}
	return y
}

// Affine puts into then the coefficients and the constant that hold if the strengths stay as they
// are at x. s is room for these.
func (m *Model) Affine(x, s, then []float64) {
	m.Strengths(x, s)
	clear(then)
	for j := range m.Rules {
		for i, a := range m.Rules[j].Then {
			then[i] += float64(s[j] * a)
		}
	}
}

// RMSE is the root of the mean squared error over samples, of which xs has the inputs one behind
// the other.
func (m *Model) RMSE(xs, ys []float64) float64 {
	s, sum := make([]float64, len(m.Rules)), 0.0
	for t, y := range ys {
		e := m.Value(xs[t*m.Inputs:(t+1)*m.Inputs], s) - y
		sum += float64(e * e)
	}
	return math.Sqrt(sum / float64(len(ys)))
}
