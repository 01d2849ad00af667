package dense

import "math"

// A QR solves least squares. The zero value is ready to use; what it has allocated for one problem
// it uses for the next.
type QR struct {
	order []int
	norms []float64
	x     []float64
}

// LeastSquares finds x that makes ‖A x - b‖ least. A is m×n by rows; it and b are used up. Columns
// that depend on others, by tolerance as a part of the largest, get 0 (1e-12 suits most). The
// result is good until the next call. It also returns the rank, and ‖A x - b‖².
func (q *QR) LeastSquares(a []float64, m, n int, b []float64, tolerance float64) (x []float64, rank int, rest float64) {
	if cap(q.x) < n {
		q.order, q.norms, q.x = make([]int, n), make([]float64, n), make([]float64, n)
	}
	order, norms, x := q.order[:n], q.norms[:n], q.x[:n]
	for j := range n {
		order[j], x[j] = j, 0
	}
	first := 0.0
	for rank < min(m, n) {
		// The column that has the most left goes next.
		best := rank
		for j := rank; j < n; j++ {
			norms[j] = length(a, m, n, rank, j)
			if norms[j] > norms[best] {
				best = j
			}
		}
		if rank == 0 {
			first = norms[best]
		}
		if !(norms[best] > tolerance*first) {
			break
		}
		swap(a, m, n, rank, best)
		order[rank], order[best] = order[best], order[rank]
		reflect(a, m, n, rank, norms[best], b)
		rank++
	}
	for i := rank - 1; i >= 0; i-- {
		s := b[i]
		for j := i + 1; j < rank; j++ {
			s -= float64(a[i*n+j] * x[order[j]])
		}
		x[order[i]] = s / a[i*n+i]
	}
	for i := rank; i < m; i++ {
		rest += float64(b[i] * b[i])
	}
	return x, rank, rest
}

// length is that of column j from row k on. It does not overflow.
func length(a []float64, m, n, k, j int) float64 {
	most := 0.0
	for i := k; i < m; i++ {
		most = max(most, math.Abs(a[i*n+j]))
	}
	if most == 0 {
		return 0
	}
	s := 0.0
	for i := k; i < m; i++ {
		x := a[i*n+j] / most
		s += float64(x * x)
	}
	return most * math.Sqrt(s)
}

func swap(a []float64, m, n, j, k int) {
	for i := 0; i < m && j != k; i++ {
		a[i*n+j], a[i*n+k] = a[i*n+k], a[i*n+j]
	}
}

// reflect makes column k zero below row k, and takes the other columns and b along.
func reflect(a []float64, m, n, k int, norm float64, b []float64) {
	if a[k*n+k] > 0 {
		norm = -norm
	}
	// v = column - norm e, scaled so that its first entry is 1.
	head := a[k*n+k] - norm
	beta := -head / norm // 2 / vᵀv
	for i := k + 1; i < m; i++ {
		a[i*n+k] /= head
	}
	a[k*n+k] = norm
	for j := k + 1; j < n; j++ {
		s := a[k*n+j]
		for i := k + 1; i < m; i++ {
			s += float64(a[i*n+k] * a[i*n+j])
		}
		s *= beta
		a[k*n+j] -= s
		for i := k + 1; i < m; i++ {
			a[i*n+j] -= float64(s * a[i*n+k])
		}
	}
	s := b[k]
	for i := k + 1; i < m; i++ {
		s += float64(a[i*n+k] * b[i])
	}
	s *= beta
	b[k] -= s
	for i := k + 1; i < m; i++ {
		b[i] -= float64(s * a[i*n+k])
	}
}
