package forecast

import (
	"math"
	"slices"

	"github.com/slackline/slackline/internal/maths/dense"
	"github.com/slackline/slackline/units"
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

// A descent minimises a sum of squares by Levenberg and Marquardt's method, with central
// differences. Sums that agree in what units.Rounded keeps are equal to it.
type descent struct {
	// residuals writes those of the parameters.
	residuals func(params, to []float64)

	r, trial, low, high, jacobian, a, g, gradient, curve, at []float64
}

// minimise improves the parameters in place, whose residuals are n, and returns the sum of squares.
func (d *descent) minimise(params []float64, n int) float64 {
	k := len(params)
	d.r, d.trial, d.low, d.high = zeros(d.r, n), zeros(d.trial, n), zeros(d.low, n), zeros(d.high, n)
	d.jacobian, d.a, d.g, d.at = zeros(d.jacobian, n*k), zeros(d.a, k*k), zeros(d.g, k), zeros(d.at, k)
	d.gradient, d.curve = zeros(d.gradient, k), zeros(d.curve, k)
	d.residuals(params, d.r)
	best, damping, ties := dense.Dot(d.r, d.r), 1e-4, 0
	if k == 0 {
		return best
	}
	for range 60 {
		d.differentiate(params)
		moved := false
		for ; damping < 1e8; damping *= 10 {
			if !d.step(params, damping) {
				continue
			}
			d.residuals(d.at, d.trial)
			sum := dense.Dot(d.trial, d.trial)
			was, is := units.Rounded(best), units.Rounded(sum)
			if !(is <= was) {
				continue
			}
			moved = true
			if is == was {
				ties++
			} else {
				ties = 0
			}
			// Nielsen's rule: less damping where the sum falls as foreseen, more where the step
			// went too far.
			gain := 2*(best-sum)/max(d.foreseen(params, damping), 1e-300) - 1
			damping = max(damping*min(max(1-float64(gain*gain*gain), 1./10), 2), 1e-10)
			best, d.r, d.trial = sum, d.trial, d.r
			copy(params, d.at)
			break
		}
		if !moved || ties >= 3 {
			break
		}
	}
	return best
}

// differentiate finds the Jacobian, a row for each parameter.
func (d *descent) differentiate(params []float64) {
	n := len(d.r)
	copy(d.at, params)
	for i, x := range params {
		h := 1e-5 * (1 + math.Abs(x))
		d.at[i] = x - h
		d.residuals(d.at, d.low)
		d.at[i] = x + h
		d.residuals(d.at, d.high)
		d.at[i] = x
		for t := range n {
			d.jacobian[i*n+t] = (d.high[t] - d.low[t]) / (2 * h)
		}
	}
}

// step puts into at where the damped step leads.
func (d *descent) step(params []float64, damping float64) bool {
	n, k := len(d.r), len(params)
	for i := range k {
		row := d.jacobian[i*n : (i+1)*n]
		d.g[i] = -dense.Dot(row, d.r)
		for j := range i + 1 {
			d.a[i*k+j] = dense.Dot(row, d.jacobian[j*n:(j+1)*n])
		}
		d.gradient[i], d.curve[i] = d.g[i], d.a[i*k+i]
		d.a[i*k+i] += float64(damping*d.a[i*k+i]) + 1e-300
	}
	if dense.Cholesky(d.a, k, 0) > 0 {
		return false
	}
	dense.Solve(d.a, k, d.g)
	for i := range k {
		// A longer step leaves the region that the transformed parameters can tell apart.
		d.at[i] = params[i] + min(max(d.g[i], -2), 2)
	}
	return true
}

// foreseen is by how much the sum would fall by the last step if residuals were linear.
func (d *descent) foreseen(params []float64, damping float64) float64 {
	sum := 0.0
	for i := range params {
		by := d.at[i] - params[i]
		sum += by * (float64(damping*d.curve[i]*by) + d.gradient[i])
	}
	return sum
}
