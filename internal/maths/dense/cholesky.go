package dense

import "math"

// Cholesky puts the factor L of A = L Lᵀ into the lower triangle of a, an n×n matrix of which it
// reads that triangle alone. The upper triangle stays as it is. A pivot that is not above the part
// least of its diagonal entry counts as 0: its direction is left out, and Solve finds 0 there.
// It returns how many there were; 0 says that a is positive definite. For a singular matrix this
// makes Solve find one of the solutions, if there is one. The diagonal has the reciprocals of that
// of L, as those who solve multiply where they would divide.
func Cholesky(a []float64, n int, least float64) (lost int) {
	for j := range n {
		row := a[j*n : j*n+j+1]
		d := row[j]
		for _, x := range row[:j] {
			d -= float64(x * x)
		}
		if !(d > least*a[j*n+j]) {
			lost++
			row[j] = 0
			for i := j + 1; i < n; i++ {
				a[i*n+j] = 0
			}
			continue
		}
		d = 1 / math.Sqrt(d)
		row[j] = d
		for i := j + 1; i < n; i++ {
			below := a[i*n : i*n+j+1]
			s := below[j]
			for k, x := range row[:j] {
				s -= float64(below[k] * x)
			}
			below[j] = s * d
		}
	}
	return lost
}

// Solve puts A⁻¹ b in place of b, where l has the factor of A from Cholesky.
func Solve(l []float64, n int, b []float64) {
	Forward(l, n, b)
	Backward(l, n, b)
}

// Backward puts L⁻ᵀ b in place of b: the second half of Solve.
func Backward(l []float64, n int, b []float64) {
	for i := n - 1; i >= 0; i-- {
		x := b[i] * l[i*n+i]
		b[i] = x
		for k, f := range l[i*n : i*n+i] {
			b[k] -= float64(f * x)
		}
	}
}

// Forward puts L⁻¹ b in place of b: the first half of Solve. Zeroes at the start of b cost nothing.
func Forward(l []float64, n int, b []float64) {
	first := 0
	for first < n && b[first] == 0 {
		first++
	}
	for i := first; i < n; i++ {
		row := l[i*n : i*n+i+1]
		s := b[i]
		known := b[first:i]
		for k, f := range row[first:i] {
			s -= float64(f * known[k])
		}
		b[i] = s * row[i]
	}
}
