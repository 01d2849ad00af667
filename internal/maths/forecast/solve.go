package forecast

import (
	"math"
	"slices"

	"github.com/slackline/slackline/internal/maths/dense"
)

// normal is the normal equations of a linear regression, which rows are added to.
type normal struct {
	k    int
	rows int
	a    []float64 // k × k, of which the lower triangle is used
	beta []float64 // the right side, and then the solution
	row  []float64 // room for the row that is added next
}

func (n *normal) reset(k int) {
	n.k, n.rows = k, 0
	n.a, n.beta, n.row = zeros(n.a, k*k), zeros(n.beta, k), zeros(n.row, k)
}

// add takes the row that stands in n.row, and what it should explain. It leaves rows out that miss
// something.
func (n *normal) add(y float64) {
	if math.IsNaN(y) || slices.ContainsFunc(n.row, math.IsNaN) {
		return
	}
	n.rows++
	for i, x := range n.row {
		n.beta[i] += float64(x * y)
		for j := range i + 1 {
			n.a[i*n.k+j] += float64(x * n.row[j])
		}
	}
}

// solve puts the solution into beta. Columns that follow from those before them, as those of a
// constant series do, explain nothing.
func (n *normal) solve() {
	dense.Cholesky(n.a, n.k, 1e-13)
	dense.Solve(n.a, n.k, n.beta)
}

func zeros(xs []float64, n int) []float64 {
	xs = slices.Grow(xs[:0], n)[:n]
	clear(xs)
	return xs
}
