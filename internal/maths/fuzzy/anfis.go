package fuzzy

import "math"

// Train adapts the conditions of the rules to samples by gradient descent, and fits the consequents
// again each time (ANFIS: Jang 1993, the hybrid rule). Steps have the length of the gradient's
// direction times a size that grows by a tenth after four falls of the error and shrinks by a tenth
// after two ups and downs. It leaves the best model that it met, and returns its RMSE.
func (m *Model) Train(xs, ys []float64, epochs int) float64 {
	var w workspace
	w.fit(m, xs, ys)
	best, least := m.Clone(), m.RMSE(xs, ys)
	_, scale := ranges(xs, m.Inputs)
	size, errors := 0.1, []float64{least}
	for range epochs {
		w.descend(m, xs, ys, scale, size)
		w.fit(m, xs, ys)
		e := m.RMSE(xs, ys)
		if e < least {
			best, least = m.Clone(), e
		}
		errors = append(errors, e)
		if k := len(errors); k > 4 {
			e := errors[k-5:]
			switch {
			case e[4] < e[3] && e[3] < e[2] && e[2] < e[1] && e[1] < e[0]:
				size *= 1.1
			case e[4] < e[3] && e[3] > e[2] && e[2] < e[1] && e[1] > e[0]:
				size *= 0.9
			}
		}
	}
	*m = best
	return least
}

// Gradient puts into g the derivatives of the sum of squared errors for each rule: by its centers,
// then by its widths.
func (m *Model) Gradient(xs, ys, g []float64) {
	n := m.Inputs
	s, f := make([]float64, len(m.Rules)), make([]float64, len(m.Rules))
	clear(g)
	for t, want := range ys {
		x := xs[t*n : t*n+n]
		m.Strengths(x, s)
		y := 0.0
		for j := range m.Rules {
			f[j] = m.Rules[j].at(x)
			y += float64(s[j] * f[j])
		}
		for j := range m.Rules {
			r := &m.Rules[j]
			by := 2 * (y - want) * s[j] * (f[j] - y)
			for i, c := range r.Center {
				u := (x[i] - c) / r.Width[i]
				g[j*2*n+i] += float64(by * u / r.Width[i])
				g[j*2*n+n+i] += float64(by * u * u / r.Width[i])
			}
		}
	}
}

// descend moves centers and widths, in units of the range of their input.
func (w *workspace) descend(m *Model, xs, ys, scale []float64, size float64) {
	n := m.Inputs
	if k := len(m.Rules) * 2 * n; len(w.gradients) < k {
		w.gradients = make([]float64, k)
	}
	g := w.gradients[:len(m.Rules)*2*n]
	m.Gradient(xs, ys, g)
	sum := 0.0
	for k := range g {
		g[k] *= scale[k%n]
		sum += float64(g[k] * g[k])
	}
	if sum == 0 {
		return
	}
	step := size * math.Sqrt(float64(len(g))/sum) / math.Sqrt(float64(len(g)))
	for j := range m.Rules {
		r := &m.Rules[j]
		for i := range n {
			r.Center[i] -= float64(step * g[j*2*n+i] * scale[i])
			r.Width[i] = max(0.01*scale[i], r.Width[i]-float64(step*g[j*2*n+n+i]*scale[i]))
		}
	}
}
