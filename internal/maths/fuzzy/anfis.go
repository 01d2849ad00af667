package fuzzy

import (
	"math"
	"slices"

	"github.com/slackline/slackline/internal/maths/dense"
)

// A Trainer fits models to samples off line. The zero value is ready to use; what it has allocated for
// one model it uses for the next.
type Trainer struct {
	qr      dense.QR
	a, b, g []float64
	s       []float64 // strengths of all rules at each sample
	best    []float64 // the conditions and consequents of the best model that was met
}

// Train fits the consequents of the rules to samples, adapts the conditions by gradient descent, and
// fits the consequents again each time (ANFIS: Jang 1993, the hybrid rule). Steps have the length of the gradient's
// direction times a size that grows by a tenth after four falls of the error and shrinks by a tenth
// after two ups and downs. It leaves the best model that it met, and returns its RMSE.
func (w *Trainer) Train(m *Model, xs, ys []float64, epochs int) float64 {
	_, scale := ranges(xs, m.Inputs)
	least := w.fit(m, xs, ys)
	w.keep(m)
	size, last := 0.1, [5]float64{4: least}
	for epoch := range epochs {
		w.descend(m, xs, ys, scale, size)
		copy(last[:], last[1:])
		last[4] = w.fit(m, xs, ys)
		if last[4] < least {
			least = last[4]
			w.keep(m)
		}
		if epoch < 3 {
			continue
		}
		switch e := last; {
		case e[4] < e[3] && e[3] < e[2] && e[2] < e[1] && e[1] < e[0]:
			size *= 1.1
		case e[4] < e[3] && e[3] > e[2] && e[2] < e[1] && e[1] > e[0]:
			size *= 0.9
		}
	}
	best := w.best
	for j := range m.Rules {
		r := &m.Rules[j]
		for _, list := range [...][]float64{r.Center, r.Width, r.Then} {
			best = best[copy(list, best):]
		}
	}
	return least
}

// keep notes a model as the best.
func (w *Trainer) keep(m *Model) {
	w.best = w.best[:0]
	for j := range m.Rules {
		r := &m.Rules[j]
		w.best = append(append(append(w.best, r.Center...), r.Width...), r.Then...)
	}
}

// fire finds the strengths of all rules at each sample.
func (w *Trainer) fire(m *Model, xs []float64) {
	n, rules := m.Inputs, len(m.Rules)
	w.s = slices.Grow(w.s[:0], len(xs)/n*rules)[:len(xs)/n*rules]
	for t := range len(xs) / n {
		m.Strengths(xs[t*n:t*n+n], w.s[t*rules:t*rules+rules])
	}
}

// fit gives all rules the consequents that make the squared error least, and returns the RMSE.
func (w *Trainer) fit(m *Model, xs, ys []float64) float64 {
	n, rules := m.Inputs, len(m.Rules)
	w.fire(m, xs)
	columns := rules * (n + 1)
	w.a = slices.Grow(w.a[:0], len(ys)*columns)[:len(ys)*columns]
	w.b = append(w.b[:0], ys...)
	for t := range ys {
		regressors(xs[t*n:t*n+n], w.s[t*rules:t*rules+rules], w.a[t*columns:])
	}
	then, _, _ := w.qr.LeastSquares(w.a, len(ys), columns, w.b, 1e-10)
	for j := range m.Rules {
		copy(m.Rules[j].Then, then[j*(n+1):])
	}
	sum := 0.0
	for t, y := range ys {
		e := m.blend(xs[t*n:t*n+n], w.s[t*rules:]) - y
		sum += float64(e * e)
	}
	return math.Sqrt(sum / float64(len(ys)))
}

// regressors are σ_j x and σ_j for each rule (X of equation 9).
func regressors(x, s, into []float64) {
	k := 0
	for _, f := range s {
		for _, v := range x {
			into[k] = f * v
			k++
		}
		into[k] = f
		k++
	}
}

// gradient returns the derivatives of the sum of squared errors for each rule: by its centers, then by
// its widths. The strengths are known. The result is good until the next call.
func (w *Trainer) gradient(m *Model, xs, ys []float64) []float64 {
	n, rules := m.Inputs, len(m.Rules)
	w.g = slices.Grow(w.g[:0], rules*2*n)[:rules*2*n]
	clear(w.g)
	for t, want := range ys {
		x, s := xs[t*n:t*n+n], w.s[t*rules:t*rules+rules]
		y := m.blend(x, s)
		for j := range m.Rules {
			r := &m.Rules[j]
			by := 2 * (y - want) * s[j] * (r.at(x) - y)
			g := w.g[j*2*n : (j+1)*2*n]
			for i, c := range r.Center {
				u := (x[i] - c) / r.Width[i]
				g[i] += float64(by * u / r.Width[i])
				g[n+i] += float64(by * u * u / r.Width[i])
			}
		}
	}
	return w.g
}

// descend moves centers and widths, in units of the range of their input.
func (w *Trainer) descend(m *Model, xs, ys, scale []float64, size float64) {
	n := m.Inputs
	g := w.gradient(m, xs, ys)
	sum := 0.0
	for k := range g {
		g[k] *= scale[k%n]
		sum += float64(g[k] * g[k])
	}
	if sum == 0 {
		return
	}
	step := size / math.Sqrt(sum)
	for j := range m.Rules {
		r := &m.Rules[j]
		for i := range n {
			r.Center[i] -= float64(step * g[j*2*n+i] * scale[i])
			r.Width[i] = max(0.01*scale[i], r.Width[i]-float64(step*g[j*2*n+n+i]*scale[i]))
		}
	}
}
