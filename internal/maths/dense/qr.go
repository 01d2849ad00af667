package dense

import "math"

// A QR solves least squares. The zero value is ready to use; what it has allocated for one problem
// it uses for the next.
type QR struct {
	order              []int
	norms, scale, x, s []float64
}

// LeastSquares finds x that makes ‖A x - b‖ least. A is m×n by rows; it and b are used up. Columns
// that depend on others, but for the part tolerance of the largest, get 0 (1e-12 suits most);
// columns are scaled before. The result is good until the next call. It also returns the rank, and
// ‖A x - b‖².
func (q *QR) LeastSquares(a []float64, m, n int, b []float64, tolerance float64) (x []float64, rank int, rest float64) {
	if cap(q.x) < n {
		q.order, q.norms, q.scale = make([]int, n), make([]float64, n), make([]float64, n)
		q.x, q.s = make([]float64, n), make([]float64, n)
	}
	order, norms, scale, x := q.order[:n], q.norms[:n], q.scale[:n], q.x[:n]
	clear(x)
	clear(scale)
	clear(norms)
	for j := range n {
		order[j] = j
	}
	for i := range m {
		for j, v := range a[i*n : i*n+n] {
			scale[j] = max(scale[j], math.Abs(v))
		}
	}
	for i := range m {
		for j, f := range scale {
			if f > 0 {
				a[i*n+j] /= f
				norms[j] += float64(a[i*n+j] * a[i*n+j])
			}
		}
	}
	first := 0.0
	for rank < min(m, n) {
		best := rank // the column that has the most left goes next
		for j := rank; j < n; j++ {
			if norms[j] > norms[best] {
				best = j
			}
		}
		norm := math.Sqrt(norms[best])
		first = max(first, norm)
		if !(norm > tolerance*first) {
			break
		}
		for i := 0; i < m && best != rank; i++ {
			a[i*n+rank], a[i*n+best] = a[i*n+best], a[i*n+rank]
		}
		order[rank], order[best] = order[best], order[rank]
		q.reflect(a, m, n, rank, norm, b)
		rank++
	}
	for i := rank - 1; i >= 0; i-- {
		s := b[i]
		for j := i + 1; j < rank; j++ {
			s -= float64(a[i*n+j] * x[order[j]])
		}
		x[order[i]] = s / a[i*n+i]
	}
	for j, f := range scale {
		if f > 0 {
			x[j] /= f
		}
	}
	for i := rank; i < m; i++ {
		rest += float64(b[i] * b[i])
	}
	return x, rank, rest
}

// reflect makes column k zero below row k, takes the columns behind it and b along, and sums up the squares of what
// is left of them.
func (q *QR) reflect(a []float64, m, n, k int, norm float64, b []float64) {
	if a[k*n+k] > 0 {
		norm = -norm
	}
	// v = column - norm e, scaled so that its first entry is 1; beta = 2 / vᵀv.
	head := a[k*n+k] - norm
	beta := -head / norm
	a[k*n+k] = 1
	s, norms := q.s[:n], q.norms[:n]
	clear(s)
	clear(norms)
	sb := 0.0
	for i := k; i < m; i++ {
		row := a[i*n : i*n+n]
		if i > k {
			row[k] /= head
		}
		v := row[k]
		for j := k + 1; j < n; j++ {
			s[j] += float64(v * row[j])
		}
		sb += float64(v * b[i])
	}
	for i := k; i < m; i++ {
		row := a[i*n : i*n+n]
		v := beta * row[k]
		for j := k + 1; j < n; j++ {
			row[j] -= float64(v * s[j])
		}
		b[i] -= float64(v * sb)
		for j := k + 1; i > k && j < n; j++ {
			norms[j] += float64(row[j] * row[j])
		}
	}
	a[k*n+k] = norm
}
