package forecast

import (
	"math"
	"slices"

	"github.com/slackline/slackline/units"
)

func zeros(xs []float64, n int) []float64 {
	xs = slices.Grow(xs[:0], n)[:n]
	clear(xs)
	return xs
}

// solve solves the symmetric system of which a holds the lower triangle, by Cholesky. The solution
// replaces b. A ridge of 1e-13 of the trace is added, so that columns that depend on each other, as
// those of a constant series do, share what they explain.
func solve(a, b []float64, k int) bool {
	trace := 0.0
	for i := range k {
		trace += a[i*k+i]
	}
	ridge := 1e-13 * trace
	for i := range k {
		for j := range i + 1 {
			sum := a[i*k+j]
			for m := range j {
				sum -= float64(a[i*k+m] * a[j*k+m])
			}
			if i > j {
				a[i*k+j] = sum / a[j*k+j]
				continue
			}
			if units.Rounded(sum+ridge) <= 0 {
				return false
			}
			a[i*k+i] = math.Sqrt(sum + ridge)
		}
	}
	for i := range k {
		for m := range i {
			b[i] -= float64(a[i*k+m] * b[m])
		}
		b[i] /= a[i*k+i]
	}
	for i := k - 1; i >= 0; i-- {
		for m := i + 1; m < k; m++ {
			b[i] -= float64(a[m*k+i] * b[m])
		}
		b[i] /= a[i*k+i]
	}
	return true
}
