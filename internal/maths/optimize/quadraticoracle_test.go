package optimize

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// All sets of bounds that may hold, one by one: the optimum is the cheapest point where one of them
// makes the gradient vanish and nothing is broken.
func TestAgainstAllActiveSets(t *testing.T) {
	var w Interior
	for seed := range uint64(400) {
		dice := rand.New(rand.NewPCG(seed, 3))
		q := horizon(dice, 1+dice.IntN(2), 1)
		for k := range q.Blocks {
			q.Blocks[k].Hessian[0] += 1e-3
			q.Blocks[k].Hessian[3] += 2e-3
		}
		q.Shared[0] *= dice.Float64()
		want := allActive(q)
		o := w.Solve(q)
		if cost := quadraticCost(q, o.X); o.Status != Optimal || math.Abs(cost-want) > 1e-7*(1+math.Abs(want)) {
			t.Errorf("seed %d: %s at %v, the cheapest is %v", seed, o.Status, cost, want)
		}
	}
}

// allActive tries each variable free, at its lower and at its upper bound, with the one shared row
// slack and tight.
func allActive(q *Quadratic) float64 {
	n := 2 * len(q.Blocks)
	sets := 2
	for range n {
		sets *= 3
	}
	best := math.Inf(1)
	for set := range sets {
		a := make([][]float64, n+1) // the conditions, and the price of the row as variable n
		code := set / 2
		for i := range n {
			b, j := &q.Blocks[i/2], i%2
			a[i] = make([]float64, n+2)
			switch code % 3 {
			case 0:
				for m := range 2 {
					a[i][i-j+m] = b.Hessian[j*2+m]
				}
				a[i][n], a[i][n+1] = b.Shares[j], -b.Cost[j]
			case 1:
				a[i][i] = 1
			case 2:
				a[i][i], a[i][n+1] = 1, b.Upper[j]
			}
			code /= 3
		}
		a[n] = make([]float64, n+2)
		if set%2 == 0 {
			a[n][n] = 1
		} else {
			for i := range n {
				a[n][i] = q.Blocks[i/2].Shares[i%2]
			}
			a[n][n+1] = q.Shared[0]
		}
		x, ok := gauss(a)
		if !ok {
			continue
		}
		cost, sum := 0.0, 0.0
		for i := range n {
			b, j := &q.Blocks[i/2], i%2
			ok = ok && x[i] >= -1e-9 && x[i] <= b.Upper[j]+1e-9
			sum += b.Shares[j] * x[i]
			cost += x[i] * (b.Cost[j] + 0.5*(b.Hessian[j*2]*x[i-j]+b.Hessian[j*2+1]*x[i-j+1]))
		}
		if ok && sum <= q.Shared[0]+1e-9 {
			best = min(best, cost)
		}
	}
	return best
}

// gauss solves by elimination.
func gauss(a [][]float64) ([]float64, bool) {
	n := len(a)
	for c := range n {
		p := c
		for r := c; r < n; r++ {
			if math.Abs(a[r][c]) > math.Abs(a[p][c]) {
				p = r
			}
		}
		if math.Abs(a[p][c]) < 1e-12 {
			return nil, false
		}
		a[c], a[p] = a[p], a[c]
		for r := range n {
			if f := a[r][c] / a[c][c]; r != c {
				for k := c; k <= n; k++ {
					a[r][k] -= f * a[c][k]
				}
			}
		}
	}
	x := make([]float64, n)
	for i := range x {
		x[i] = a[i][n] / a[i][i]
	}
	return x, true
}

// Results of Clarabel, with which OSQP agrees; testdata/quadratic.py makes them.
func TestClarabel(t *testing.T) {
	text, err := os.ReadFile("testdata/quadratic.json")
	if err != nil {
		t.Fatal(err)
	}
	var problems []struct {
		Name   string
		Blocks []struct {
			Hessian, Shares [][]float64
			Cost, Upper     []float64
		}
		Upper, Prices []float64
		Optimum       float64
	}
	if err := json.Unmarshal(text, &problems); err != nil {
		t.Fatal(err)
	}
	var w Interior
	for _, c := range problems {
		q := &Quadratic{Shared: c.Upper}
		for _, b := range c.Blocks {
			q.Blocks = append(q.Blocks, Block{Hessian: slices.Concat(b.Hessian...), Cost: b.Cost, Upper: b.Upper, Shares: slices.Concat(b.Shares...)})
		}
		o := w.Solve(q)
		if cost := quadraticCost(q, o.X); o.Status != Optimal || math.Abs(cost-c.Optimum) > 1e-7*(1+math.Abs(c.Optimum)) {
			t.Errorf("%s: %s at %v, Clarabel says %v", c.Name, o.Status, cost, c.Optimum)
		}
		for i, p := range o.Prices {
			if math.Abs(p-c.Prices[i])*c.Upper[i] > 1e-5*(1+math.Abs(c.Optimum)) {
				t.Errorf("%s: the price of step %d is %v, Clarabel says %v", c.Name, i, p, c.Prices[i])
			}
		}
	}
}
