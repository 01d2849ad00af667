package fuzzy

import (
	"math"
	"slices"

	"github.com/slackline/slackline/internal/maths/dense"
)

// jang is the model as it was published: two generalised bells for each of four inputs, which rules
// share, 1 / (1 + |(x-c)/a|^2b), and a rule for each of their 16 combinations: 24 and 80 parameters.
type jang struct {
	a, b, c [8]float64 // of bell 2i and 2i+1 of input i
	rules   []Rule     // consequents alone
}

// grid makes one whose bells lie at the ends of what each input is and meet at a half.
func grid(xs, ys []float64) *jang {
	m := &jang{rules: make([]Rule, 16)}
	low, scale := ranges(xs, 4)
	for i := range 8 {
		m.a[i], m.b[i], m.c[i] = scale[i/2]/2, 2, low[i/2]+float64(i%2)*scale[i/2]
	}
	m.fit(xs, ys)
	return m
}

// bell is which bell of an input a rule has.
func bell(rule, input int) int { return 2*input + rule>>input&1 }

func (m *jang) strengths(x []float64) (s [16]float64) {
	sum := 0.0
	for k := range s {
		s[k] = 1
		for i := range x {
			j := bell(k, i)
			s[k] /= 1 + math.Pow(math.Abs((x[i]-m.c[j])/m.a[j]), 2*m.b[j])
		}
		sum += s[k]
	}
	for k := range s {
		s[k] /= sum
	}
	return s
}

// value is the value at x, and that of each rule.
func (m *jang) value(x []float64, s *[16]float64) (y float64, f [16]float64) {
	for k := range f {
		f[k] = m.rules[k].at(x)
		y += s[k] * f[k]
	}
	return y, f
}

func (m *jang) rmse(xs, ys []float64) float64 {
	sum := 0.0
	for t, want := range ys {
		s := m.strengths(xs[t*4 : t*4+4])
		y, _ := m.value(xs[t*4:t*4+4], &s)
		sum += (y - want) * (y - want)
	}
	return math.Sqrt(sum / float64(len(ys)))
}

// fit finds the consequents by least squares.
func (m *jang) fit(xs, ys []float64) {
	var q dense.QR
	a := make([]float64, len(ys)*80)
	for t := range ys {
		s := m.strengths(xs[t*4 : t*4+4])
		regressors(xs[t*4:t*4+4], s[:], a[t*80:])
	}
	then, _, _ := q.LeastSquares(a, len(ys), 80, slices.Clone(ys), 1e-10)
	for k := range m.rules {
		m.rules[k].Then = slices.Clone(then[k*5 : k*5+5])
	}
}

// gradient is that of the squared error by a, b and c.
func (m *jang) gradient(xs, ys []float64) (g [24]float64) {
	for t, want := range ys {
		x := xs[t*4 : t*4+4]
		s := m.strengths(x)
		y, f := m.value(x, &s)
		for k := range s {
			by := 2 * (y - want) * s[k] * (f[k] - y)
			for i := range x {
				j := bell(k, i)
				u := math.Abs((x[i] - m.c[j]) / m.a[j])
				if u == 0 {
					continue
				}
				p := math.Pow(u, 2*m.b[j])
				p /= 1 + p
				g[j] += by * p * 2 * m.b[j] / m.a[j]
				g[8+j] -= by * p * 2 * math.Log(u)
				g[16+j] += by * p * 2 * m.b[j] / (x[i] - m.c[j])
			}
		}
	}
	return g
}

// train is the hybrid rule by batches, with steps of 0.1 at first: a tenth longer after four falls of
// the error in a row, a tenth shorter after two ups and downs. It returns the last error.
func (m *jang) train(xs, ys []float64, epochs int) float64 {
	size, errors := 0.1, []float64{m.rmse(xs, ys)}
	for range epochs {
		g := m.gradient(xs, ys)
		step := size / math.Sqrt(dot(g[:], g[:]))
		for i := range 8 {
			m.a[i] -= step * g[i]
			m.b[i] -= step * g[8+i]
			m.c[i] -= step * g[16+i]
		}
		m.fit(xs, ys)
		errors = append(errors, m.rmse(xs, ys))
		if k := len(errors); k > 4 {
			e := errors[k-5:]
			switch {
			case e[4] < e[3] && e[3] < e[2] && e[2] < e[1] && e[1] < e[0]:
				size *= 1.1
				errors = errors[k-1:]
			case e[4] < e[3] && e[3] > e[2] && e[2] < e[1] && e[1] > e[0]:
				size *= 0.9
				errors = errors[k-1:]
			}
		}
	}
	return errors[len(errors)-1]
}

// dot is the inner product of two vectors.
func dot(a, b []float64) (sum float64) {
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}
