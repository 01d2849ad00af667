package optimize

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// optimal checks the conditions of an optimum from the problem alone: the bounds hold, the gradient
// is what the prices say, and a price is 0 unless its bound holds.
func optimal(t testing.TB, name string, q *Quadratic, o *QuadraticSolution, tolerance float64) {
	t.Helper()
	if o.Status != Optimal {
		t.Errorf("%s: %s after %d steps", name, o.Status, o.Steps)
		return
	}
	bad := func(format string, args ...any) { t.Errorf("%s: %s", name, fmt.Sprintf(format, args...)) }
	row := func(what string, l Limit, value, dual, size float64) {
		off := tolerance * (1 + size)
		switch {
		case l.Penalty == 0 && (value > l.Upper+off || value < l.Lower-off):
			bad("%s is %v, not from %v to %v", what, value, l.Lower, l.Upper)
		case l.Penalty > 0 && math.Abs(dual) > l.Penalty*(1+tolerance)+tolerance:
			bad("%s: a price of %v, and each unit costs %v", what, dual, l.Penalty)
		case l.Lower == l.Upper:
		case dual < -tolerance && math.Abs(dual)*min(1e9, max(0, l.Upper-value)) > tolerance*(1+size+math.Abs(o.Cost)):
			bad("%s: the price is %v with %v of %v", what, dual, value, l.Upper)
		case dual > tolerance && math.Abs(dual)*min(1e9, max(0, value-l.Lower)) > tolerance*(1+size+math.Abs(o.Cost)):
			bad("%s: the price is %v with %v of %v", what, dual, value, l.Lower)
		}
	}
	sums, sizes := make([]float64, len(q.Shared)), make([]float64, len(q.Shared))
	for k := range q.Blocks {
		b, x := &q.Blocks[k], o.X[k]
		n := len(x)
		grad, size := make([]float64, n), 1.0
		for i := range n {
			grad[i] = b.Cost[i]
			for j := range n {
				grad[i] += b.Hessian[i*n+j] * x[j]
				size = max(size, math.Abs(b.Hessian[i*n+j]*x[j]), math.Abs(b.Cost[i]))
			}
			if b.Lower != nil {
				if !(x[i] >= b.Lower[i] && x[i] <= b.Upper[i]) {
					bad("x%d%d is %v, not from %v to %v", k, i, x[i], b.Lower[i], b.Upper[i])
				}
				row(fmt.Sprint("x", k, i), Limit{Lower: b.Lower[i], Upper: b.Upper[i]}, x[i], o.Bounds[k][i], math.Abs(x[i]))
				grad[i] -= o.Bounds[k][i]
			}
		}
		for r, l := range b.Limits {
			v, s := 0.0, 0.0
			for j := range n {
				v += b.Rows[r*n+j] * x[j]
				s = max(s, math.Abs(b.Rows[r*n+j]*x[j]))
				grad[j] -= o.Duals[k][r] * b.Rows[r*n+j]
			}
			row(fmt.Sprint("row ", k, r), l, v, o.Duals[k][r], s)
		}
		for r := range q.Shared {
			if b.Shares == nil {
				continue
			}
			for j := range n {
				sums[r] += b.Shares[r*n+j] * x[j]
				sizes[r] = max(sizes[r], math.Abs(b.Shares[r*n+j]*x[j]))
				grad[j] -= o.Prices[r] * b.Shares[r*n+j]
			}
		}
		for i := range grad {
			if math.Abs(grad[i]) > tolerance*size {
				bad("the gradient of x%d%d is %v of %v", k, i, grad[i], size)
			}
		}
	}
	for r, l := range q.Shared {
		row(fmt.Sprint("shared row ", r), l, sums[r], o.Prices[r], sizes[r])
	}
}

// horizon makes a problem like those of a receding horizon: steps slots for maps and reduces of
// each job.
func horizon(dice *rand.Rand, jobs, steps int) *Quadratic {
	q := &Quadratic{}
	for range steps {
		q.Shared = append(q.Shared, Limit{Lower: math.Inf(-1), Upper: float64(jobs) * (2 + 6*dice.Float64())})
	}
	n := 2 * steps
	for range jobs {
		b := Block{Hessian: make([]float64, n*n), Cost: make([]float64, n), Lower: make([]float64, n), Upper: make([]float64, n), Shares: make([]float64, steps*n)}
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

// drawn is any problem, with blocks of all sizes, flat directions, equations, soft rows and bounds
// on one side. A point is drawn first, so that there is one.
func drawn(dice *rand.Rand, scale float64) *Quadratic {
	q := &Quadratic{}
	shared := dice.IntN(4)
	sums := make([]float64, shared)
	stretch := func() float64 { return math.Pow(scale, dice.Float64()*2-1) }
	limit := func(at, stretched float64) Limit {
		switch dice.IntN(5) {
		case 0:
			return Limit{Lower: at, Upper: at}
		case 1:
			return Limit{Lower: math.Inf(-1), Upper: at + dice.Float64()*stretched}
		case 2:
			return Limit{Lower: at - dice.Float64()*stretched, Upper: math.Inf(1)}
		case 3:
			return Limit{Lower: at - dice.Float64()*stretched, Upper: at + dice.Float64()*stretched}
		}
		at += stretched * dice.NormFloat64()
		return Limit{Lower: at - dice.Float64()*stretched, Upper: at, Penalty: dice.Float64() * 3 / stretched}
	}
	for range 1 + dice.IntN(6) {
		n := 1 + dice.IntN(6)
		b := Block{Hessian: make([]float64, n*n), Cost: make([]float64, n), Lower: make([]float64, n), Upper: make([]float64, n), Shares: make([]float64, shared*n)}
		unit, x := make([]float64, n), make([]float64, n)
		for i := range n {
			unit[i] = stretch()
			x[i] = dice.NormFloat64() * unit[i]
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
		for i := range n {
			b.Cost[i] = dice.NormFloat64() / unit[i]
			b.Lower[i], b.Upper[i] = x[i]-unit[i]*dice.Float64(), x[i]+unit[i]*dice.Float64()
			if b.Hessian[i*n+i] > 0.01 && dice.IntN(4) == 0 && n == 1 {
				b.Lower[i] = math.Inf(-1)
			}
		}
		for range dice.IntN(4) {
			v, u := 0.0, stretch()
			for j := range n {
				a := dice.NormFloat64() * u / unit[j]
				b.Rows = append(b.Rows, a)
				v += a * x[j]
			}
			b.Limits = append(b.Limits, limit(v, u))
		}
		for r := range shared {
			for j := range n {
				b.Shares[r*n+j] = dice.NormFloat64() / unit[j]
				sums[r] += b.Shares[r*n+j] * x[j]
			}
		}
		q.Blocks = append(q.Blocks, b)
	}
	for r := range shared {
		q.Shared = append(q.Shared, limit(sums[r], 1))
	}
	return q
}

func TestDrawnProblems(t *testing.T) {
	var w Interior
	for seed := range uint64(2000) {
		for _, scale := range []float64{1, 1e4} {
			dice := rand.New(rand.NewPCG(seed, 2))
			q := drawn(dice, scale)
			optimal(t, fmt.Sprintf("seed %d, scale %v", seed, scale), q, w.Solve(q), 1e-5*math.Sqrt(scale))
		}
	}
}

// one is a single variable whose optimum without bounds is 3.
func one(lower, upper float64, limits ...Limit) *Quadratic {
	b := Block{Hessian: []float64{2}, Cost: []float64{-6}, Lower: []float64{lower}, Upper: []float64{upper}, Limits: limits, Shares: nil}
	for range limits {
		b.Rows = append(b.Rows, 1)
	}
	return &Quadratic{Blocks: []Block{b}}
}

func TestQuadraticByHand(t *testing.T) {
	inf := math.Inf(1)
	var w Interior
	for _, c := range []struct {
		name   string
		q      *Quadratic
		status Status
		x      float64
	}{
		{"free", one(-inf, inf), Optimal, 3},
		{"upper bound", one(0, 2), Optimal, 2},
		{"lower bound", one(4, 9), Optimal, 4},
		{"no room between", one(1, 1), Optimal, 1},
		{"equation", one(-inf, inf, Limit{Lower: 7, Upper: 7}), Optimal, 7},
		{"equation twice", one(-inf, inf, Limit{Lower: 7, Upper: 7}, Limit{Lower: 7, Upper: 7}), Optimal, 7},
		{"soft and cheap", one(-inf, inf, Limit{Lower: -inf, Upper: 1, Penalty: 1}), Optimal, 2.5},
		{"soft and dear", one(-inf, inf, Limit{Lower: -inf, Upper: 1, Penalty: 9}), Optimal, 1},
		{"soft equation", one(-inf, inf, Limit{Lower: 7, Upper: 7, Penalty: 2}), Optimal, 4},
		{"two soft ones that no point keeps", one(-inf, inf, Limit{Lower: 5, Upper: inf, Penalty: 2}, Limit{Lower: -inf, Upper: 1, Penalty: 4}), Optimal, 2},
		{"crossed bounds", one(2, 1), Infeasible, 0},
		{"no number", one(math.NaN(), 1), Infeasible, 0},
		{"row against bound", one(0, 1, Limit{Lower: 2, Upper: inf}), Infeasible, 0},
		{"two equations", one(-inf, inf, Limit{Lower: 1, Upper: 1}, Limit{Lower: 2, Upper: 2}), Infeasible, 0},
	} {
		o := w.Solve(c.q)
		if o.Status != c.status || c.status == Optimal && math.Abs(o.X[0][0]-c.x) > 1e-6 {
			t.Errorf("%s: %s at %v, want %s at %v", c.name, o.Status, o.X, c.status, c.x)
		}
		if c.status == Infeasible && !(o.Missed > 0.5) {
			t.Errorf("%s: missed by %v only", c.name, o.Missed)
		}
	}
	nothing := one(-inf, inf, Limit{Lower: -1, Upper: 1})
	clear(nothing.Blocks[0].Rows)
	if o := w.Solve(nothing); o.Status != Optimal || math.Abs(o.X[0][0]-3) > 1e-6 {
		t.Errorf("a row of nothing: %s at %v", o.Status, o.X)
	}
	// Only what must hold counts as missed.
	if o := w.Solve(one(0, 1, Limit{Lower: 2, Upper: inf}, Limit{Lower: -inf, Upper: -5, Penalty: 3})); o.Status != Infeasible || math.Abs(o.Missed-1) > 0.01 {
		t.Errorf("beside a soft row: %s, missed by %v", o.Status, o.Missed)
	}
	down := &Quadratic{Blocks: []Block{{Hessian: make([]float64, 4), Cost: []float64{1, 0}, Lower: []float64{-inf, 0}, Upper: []float64{inf, 1}}}}
	if o := w.Solve(down); o.Status != Unbounded {
		t.Errorf("a cost that falls for ever: %s", o.Status)
	}
	if o := w.Solve(&Quadratic{}); o.Status != Optimal || o.Cost != 0 {
		t.Errorf("nothing at all: %s at %v", o.Status, o.Cost)
	}
}

// A shared row with too little for what blocks need at least.
func TestInfeasibleShares(t *testing.T) {
	var w Interior
	for seed := range uint64(40) {
		dice := rand.New(rand.NewPCG(seed, 4))
		q := horizon(dice, 1+dice.IntN(30), 1+dice.IntN(5))
		least := 0.0
		for k := range q.Blocks {
			for i := range q.Blocks[k].Lower {
				q.Blocks[k].Lower[i] = 0.5 * q.Blocks[k].Upper[i]
			}
			least += q.Blocks[k].Lower[0] + q.Blocks[k].Lower[1]
		}
		for i := range q.Shared {
			q.Shared[i].Upper = 1e9
		}
		if o := w.Solve(q); o.Status != Optimal {
			t.Errorf("seed %d: %s with plenty", seed, o.Status)
		}
		q.Shared[0].Upper = 0.9 * least
		if o := w.Solve(q); o.Status != Infeasible || o.Missed <= 0 {
			t.Errorf("seed %d: %s, missed by %v", seed, o.Status, o.Missed)
		}
		q.Shared[0].Penalty = 10
		optimal(t, fmt.Sprint("soft, seed ", seed), q, w.Solve(q), 1e-6)
	}
}

// A variable that only a row on one side bounds is found if that row is not too far away. Beyond that the search
// may stop early, with a point that keeps to the row. It never says that there is no point, also where rows contradict
// each other by no more than rounding.
func TestFarRows(t *testing.T) {
	inf := math.Inf(1)
	far := func(at float64) Block {
		return Block{Hessian: []float64{0}, Cost: []float64{-1}, Lower: []float64{-inf}, Upper: []float64{inf}, Rows: []float64{1}, Limits: []Limit{{Lower: -inf, Upper: at}}}
	}
	var w Interior
	for at := 1.0; at <= 1e12; at *= 10 {
		o := w.Solve(&Quadratic{Blocks: []Block{far(at)}})
		if at <= 1e5 && (o.Status != Optimal || math.Abs(o.X[0][0]/at-1) > 1e-6) || at > 1e5 && (o.Status != Optimal && o.Status != Feasible || o.X[0][0] > at*(1+1e-6)) {
			t.Errorf("a row at %g: %s, %v", at, o.Status, o.X)
		}
	}
	stopped := 0
	for seed := range uint64(10) {
		q := horizon(rand.New(rand.NewPCG(seed, 4)), 6, 3)
		for k := range q.Blocks {
			b := &q.Blocks[k]
			b.Limits = []Limit{{Lower: 0.5, Upper: 0.5}, {Lower: 0.5 + 1e-10, Upper: 2}}
			b.Rows = slices.Repeat([]float64{1}, 2*len(b.Cost))
		}
		b := far(1e9)
		b.Shares = make([]float64, len(q.Shared))
		q.Blocks = append(q.Blocks, b)
		switch o := w.Solve(q); o.Status {
		case Feasible:
			stopped++
			for k, x := range o.X[:6] {
				sum := 0.0
				for _, one := range x {
					sum += one
				}
				if math.Abs(sum-0.5) > 1e-7 || o.X[6][0] > 1e9*(1+1e-6) {
					t.Errorf("seed %d: block %d comes to %v, the last one to %v", seed, k, sum, o.X[6])
				}
			}
		case Optimal:
		default:
			t.Errorf("seed %d: %s, missed by %v", seed, o.Status, o.Missed)
		}
	}
	if stopped == 0 {
		t.Error("none was stopped")
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
			q.Shared[i].Upper += d
			up := w.Solve(q).Cost
			q.Shared[i].Upper -= 2 * d
			down := w.Solve(q).Cost
			q.Shared[i].Upper += d
			if got := (up - down) / (2 * d); math.Abs(got-price[i]) > 1e-4 || price[i] > 1e-6 {
				t.Errorf("seed %d, step %d: the cost changes by %v, the price is %v", seed, i, got, price[i])
			}
		}
	}
}
