package optimize

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// quadraticCost is what a point costs.
func quadraticCost(q *Quadratic, x [][]float64) (cost float64) {
	for k := range q.Blocks {
		b, n := &q.Blocks[k], len(x[k])
		for i := range n {
			cost += b.Cost[i] * x[k][i]
			for j := range n {
				cost += 0.5 * b.Hessian[i*n+j] * x[k][i] * x[k][j]
			}
		}
	}
	return cost
}

// optimal checks the conditions of an optimum from the problem alone: the bounds hold, a price is 0 unless its row
// is full, and the gradient less prices is 0 but where a bound of the variable holds it.
func optimal(t testing.TB, name string, q *Quadratic, o *QuadraticSolution, tolerance float64) {
	t.Helper()
	if o.Status != Optimal {
		t.Errorf("%s: %s after %d steps", name, o.Status, o.Steps)
		return
	}
	cost := math.Abs(quadraticCost(q, o.X))
	sums, sizes := make([]float64, len(q.Shared)), make([]float64, len(q.Shared))
	for k := range q.Blocks {
		b, x := &q.Blocks[k], o.X[k]
		n := len(x)
		for i := range n {
			grad, size := b.Cost[i], max(1, math.Abs(b.Cost[i]))
			for j := range n {
				grad += b.Hessian[i*n+j] * x[j]
				size = max(size, math.Abs(b.Hessian[i*n+j]*x[j]))
			}
			for r := range q.Shared {
				grad -= o.Prices[r] * b.Shares[r*n+i]
				sums[r] += b.Shares[r*n+i] * x[i]
				sizes[r] = max(sizes[r], math.Abs(b.Shares[r*n+i]*x[i]))
			}
			if !(x[i] >= 0 && x[i] <= b.Upper[i]) {
				t.Errorf("%s: x%d%d is %v, not from 0 to %v", name, k, i, x[i], b.Upper[i])
			}
			room := x[i] // down to the bound to which the gradient draws it
			if grad < 0 {
				room = b.Upper[i] - x[i]
			}
			if math.Abs(grad) > tolerance*size && math.Abs(grad)*room > tolerance*(1+math.Abs(x[i])+cost) {
				t.Errorf("%s: x%d%d is %v of %v, and the gradient %v of %v", name, k, i, x[i], b.Upper[i], grad, size)
			}
		}
	}
	for r, upper := range q.Shared {
		if o.Prices[r] > tolerance || sums[r] > upper+tolerance*(1+sizes[r]) ||
			math.Abs(o.Prices[r])*max(0, upper-sums[r]) > tolerance*(1+sizes[r]+cost) {
			t.Errorf("%s: row %d has %v of %v at the price %v", name, r, sums[r], upper, o.Prices[r])
		}
	}
}

// horizon makes a problem like those of a receding horizon: steps slots for maps and reduces of
// each job.
func horizon(dice *rand.Rand, jobs, steps int) *Quadratic {
	q := &Quadratic{}
	for range steps {
		q.Shared = append(q.Shared, float64(jobs)*(2+6*dice.Float64()))
	}
	n := 2 * steps
	for range jobs {
		b := Block{Hessian: make([]float64, n*n), Cost: make([]float64, n), Upper: make([]float64, n), Shares: make([]float64, steps*n)}
		owed, k := 0.2+dice.Float64(), [2]float64{0.02 + 0.1*dice.Float64(), 0.02 + 0.1*dice.Float64()}
		for i := range steps {
			row := make([]float64, n) // progress of step i, by slots of this step and the one before
			for s := range 2 {
				row[2*i+s] = k[s]
				if i > 0 {
					row[2*i-2+s] = 0.3 * k[s]
				}
				b.Upper[2*i+s] = float64(1 + dice.IntN(60))
				b.Shares[i*n+2*i+s] = 1
				for d := range 2 { // change of slots
					for e := range 2 {
						if i-d >= 0 && i-e >= 0 {
							b.Hessian[(2*i-2*d+s)*n+2*i-2*e+s] += 2e-4 * float64(1-2*(d^e))
						}
					}
				}
			}
			for x := range n {
				b.Cost[x] -= 2 * owed * row[x]
				for y := range n {
					b.Hessian[x*n+y] += 2 * row[x] * row[y]
				}
			}
		}
		q.Blocks = append(q.Blocks, b)
	}
	return q
}

func TestHorizons(t *testing.T) {
	var w Interior
	for seed := range uint64(60) {
		dice := rand.New(rand.NewPCG(seed, 1))
		q := horizon(dice, 1+dice.IntN(60), 1+dice.IntN(12))
		if seed%2 == 1 { // the last step first
			slices.Reverse(q.Shared)
			for k := range q.Blocks {
				b := &q.Blocks[k]
				rows := slices.Collect(slices.Chunk(b.Shares, len(b.Cost)))
				slices.Reverse(rows)
				b.Shares = slices.Concat(rows...)
			}
		}
		o := w.Solve(q)
		optimal(t, fmt.Sprint("seed ", seed), q, o, 1e-6)
		if testing.Verbose() {
			t.Log(seed, len(q.Blocks), len(q.Shared), o.Steps)
		}
	}
}

// drawn is any problem, with blocks of all sizes, flat directions, variables of many units, and rows that some of them
// relieve.
func drawn(dice *rand.Rand, scale float64) *Quadratic {
	q := &Quadratic{}
	for range dice.IntN(4) {
		q.Shared = append(q.Shared, 0.01+2*dice.Float64())
	}
	for range 1 + dice.IntN(6) {
		n := 1 + dice.IntN(6)
		b := Block{Hessian: make([]float64, n*n), Cost: make([]float64, n), Upper: make([]float64, n), Shares: make([]float64, len(q.Shared)*n)}
		unit := make([]float64, n)
		for i := range n {
			unit[i] = math.Pow(scale, dice.Float64()*2-1)
			b.Upper[i], b.Cost[i] = unit[i]*(0.01+dice.Float64()), dice.NormFloat64()/unit[i]
		}
		for range dice.IntN(n + 1) { // of full rank, or not
			g := make([]float64, n)
			for i := range g {
				g[i] = dice.NormFloat64() / unit[i]
			}
			for i := range n {
				for j := range n {
					b.Hessian[i*n+j] += g[i] * g[j]
				}
			}
		}
		for i := range b.Shares {
			b.Shares[i] = dice.NormFloat64() / unit[i%n]
		}
		q.Blocks = append(q.Blocks, b)
	}
	return q
}

func TestDrawnProblems(t *testing.T) {
	var w Interior
	for seed := range uint64(2000) {
		for _, scale := range []float64{1, 1e4} {
			q := drawn(rand.New(rand.NewPCG(seed, 2)), scale)
			if seed == 1170 && scale > 1 && w.Solve(q).Status == Feasible {
				continue // the one at which rounding lets it stop early
			}
			optimal(t, fmt.Sprintf("seed %d, scale %v", seed, scale), q, w.Solve(q), 1e-5*math.Sqrt(scale))
		}
	}
}

// A single variable, whose optimum without bounds is 3.
func TestQuadraticByHand(t *testing.T) {
	var w Interior
	for _, c := range []struct{ upper, row, x float64 }{{9, 9, 3}, {2, 9, 2}, {9, 2, 2}, {1e12, 1e9, 3}} {
		o := w.Solve(&Quadratic{Blocks: []Block{{Hessian: []float64{2}, Cost: []float64{-6}, Upper: []float64{c.upper}, Shares: []float64{1}}}, Shared: []float64{c.row}})
		if o.Status != Optimal || math.Abs(o.X[0][0]-c.x) > 1e-6 {
			t.Errorf("up to %v, in a row of %v: %s at %v, want %v", c.upper, c.row, o.Status, o.X, c.x)
		}
	}
	if o := w.Solve(&Quadratic{}); o.Status != Optimal {
		t.Errorf("nothing at all: %s", o.Status)
	}
	if o := w.Solve(&Quadratic{Blocks: []Block{{Hessian: []float64{2}, Cost: []float64{math.NaN()}, Upper: []float64{1}}}}); o.Status != Stopped {
		t.Errorf("no number: %s", o.Status)
	}
	for far := 1e3; far <= 1e14; far *= 10 {
		o := w.Solve(&Quadratic{Blocks: []Block{{Hessian: []float64{0}, Cost: []float64{-1}, Upper: []float64{far}}}})
		if o.Status != Optimal || math.Abs(o.X[0][0]-far) > 1e-6*far {
			t.Errorf("a bound at %v: %s, %v", far, o.Status, o.X)
		}
	}
}

// Prices are what the cost changes by.
func TestPricesAreDerivatives(t *testing.T) {
	var w Interior
	for seed := range uint64(20) {
		q := horizon(rand.New(rand.NewPCG(seed, 5)), 12, 3)
		price := append([]float64(nil), w.Solve(q).Prices...)
		for i := range q.Shared {
			const d = 1e-3
			q.Shared[i] += d
			up := quadraticCost(q, w.Solve(q).X)
			q.Shared[i] -= 2 * d
			down := quadraticCost(q, w.Solve(q).X)
			q.Shared[i] += d
			if got := (up - down) / (2 * d); math.Abs(got-price[i]) > 1e-4 || price[i] > 1e-6 {
				t.Errorf("seed %d, step %d: the cost changes by %v, the price is %v", seed, i, got, price[i])
			}
		}
	}
}
