package profile

import "math"

// point is one task in the fit of a line: its sizes, each in units of their mean, the logarithm of
// what it cost, and its weight.
type point struct {
	x      [3]float64 // 1, bytes, records
	y      float64
	weight float64
	// as the last line had it, for which the objective was asked: what it says, and how far off y is
	says, off float64
}

// softness is how far off, in logarithms, an amount may be before it pulls at the line like an
// outlier: with its sign alone, as for a median.
const softness = 0.25

// loss is the soft absolute value of a residual in units of softness.
func loss(r float64) float64 {
	z := r / softness
	return 2 * (math.Sqrt(1+z*z) - 1)
}

func dot(a, b *[3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

// objective is the sum that the best line has least of.
func objective(points []point, p *[3]float64) (sum float64) {
	for i := range points {
		q := &points[i]
		q.says = max(dot(p, &q.x), least)
		q.off = q.y - math.Log(q.says)
		sum += q.weight * loss(q.off)
	}
	return sum
}

// least is the least amount that is told from none: a nanosecond, or a billionth of a byte.
const least = 1e-9

// fitLine returns the three coefficients, none below 0, with the least sum of soft absolute
// differences of logarithms. Those that are not used stay 0. It steps as Gauss and Newton do, each
// time to the best non-negative coefficients for the weights that the last residuals give.
func fitLine(points []point, p [3]float64, used int) [3]float64 {
	const steps = 60
	at := objective(points, &p)
	for range steps {
		var a [3][3]float64
		var b [3]float64
		for i := range points {
			q := &points[i]
			m, r := q.says, q.off // of p, which is the last one that was asked for
			z := r / softness
			w := q.weight / math.Sqrt(1+z*z) / (m * m)
			x, y, wx, wy := q.x[1], q.x[2], w*q.x[1], w*q.x[2] // and q.x[0] is 1
			a[0][0] += w
			a[0][1] += w * x
			a[0][2] += w * y
			a[1][1] += wx * x
			a[1][2] += wx * y
			a[2][2] += wy * y
			// The line through p is m, so its linear part is the whole of it.
			b[0] += w * m * (r + 1)
			b[1] += wx * m * (r + 1)
			b[2] += wy * m * (r + 1)
		}
		next, ok := nonNegative(&a, &b, used)
		if !ok {
			return p
		}
		step, to, better := 1.0, p, at
		for range 30 {
			for j := range p {
				to[j] = p[j] + step*(next[j]-p[j])
			}
			if better = objective(points, &to); better < at {
				break
			}
			step /= 2
		}
		if !(better < at) {
			return p
		}
		done := at-better <= 1e-9*at
		if p, at = to, better; done {
			return p
		}
	}
	return p
}

// nonNegative solves the normal equations for the best coefficients that are not below 0: of each
// choice of coefficients that are not 0, the solution, if it is above 0; of those the best.
func nonNegative(a *[3][3]float64, b *[3]float64, used int) (best [3]float64, ok bool) {
	lowest := math.Inf(1)
	for set := 1; set < 1<<used; set++ {
		var at [3]int
		n := 0
		for j := range used {
			if set&(1<<j) != 0 {
				at[n] = j
				n++
			}
		}
		var m [3][4]float64
		for i := range n {
			for j := range n {
				m[i][j] = a[min(at[i], at[j])][max(at[i], at[j])]
			}
			m[i][3] = b[at[i]]
		}
		x, solved := solve(&m, n)
		if !solved {
			continue
		}
		var p [3]float64
		valid, value := true, 0.0
		for i := range n {
			valid = valid && x[i] > 0
			p[at[i]] = x[i]
			value -= b[at[i]] * x[i] // half of the quadratic form, at its least
		}
		if valid && value < lowest {
			lowest, best, ok = value, p, true
		}
	}
	return best, ok
}

// solve solves n linear equations, whose right sides stand in the last column, by elimination.
func solve(m *[3][4]float64, n int) (x [3]float64, ok bool) {
	for c := range n {
		pivot := c
		for r := c + 1; r < n; r++ {
			if math.Abs(m[r][c]) > math.Abs(m[pivot][c]) {
				pivot = r
			}
		}
		if m[c], m[pivot] = m[pivot], m[c]; !(math.Abs(m[c][c]) > 1e-300) {
			return x, false
		}
		for r := range n {
			if f := m[r][c] / m[c][c]; r != c {
				for k := c; k < 4; k++ {
					m[r][k] -= f * m[c][k]
				}
			}
		}
	}
	for i := range n {
		x[i] = m[i][3] / m[i][i]
	}
	return x, true
}

// covariance is the inverse of the information that the points hold about the coefficients, where
// the logarithm of a point of weight 1 has this variance.
func covariance(points []point, p *[3]float64, used int, variance float64) (c [6]float64) {
	var a [3][3]float64
	for i := range points {
		q := &points[i]
		m := max(dot(p, &q.x), least)
		w := q.weight / (variance * m * m)
		for j := range used {
			for k := range used {
				a[j][k] += w * q.x[j] * q.x[k]
			}
		}
	}
	var inverse [3][3]float64
	for j := range used {
		var m [3][4]float64
		for i := range used {
			copy(m[i][:3], a[i][:])
			m[i][i] *= 1 + 1e-9
		}
		m[j][3] = 1
		x, ok := solve(&m, used)
		if !ok {
			return c
		}
		inverse[j] = x
	}
	return [6]float64{inverse[0][0], inverse[0][1], inverse[0][2], inverse[1][1], inverse[1][2], inverse[2][2]}
}
