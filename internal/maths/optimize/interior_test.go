package optimize

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A step that something stops early takes little of the residuals away. That is no sign of rounding: nothing is mended
// in problems of a good scale.
//
// A worse first point or worse aims make more steps of it: there were 1,153, and 426 where bounds are far away.
func TestShortStepsAreNotMended(t *testing.T) {
	steps, far := 0, 0
	defer func() {
		if t.Logf("%d and %d steps", steps, far); steps > 1200 || far > 440 {
			t.Errorf("%d and %d steps altogether", steps, far)
		}
	}()
	for seed := range uint64(40) {
		var w Interior
		q := horizon(rand.New(rand.NewPCG(seed, 8)), 30, 3)
		for k := range q.Blocks {
			for i := range q.Blocks[k].Upper {
				q.Blocks[k].Upper[i] *= 1000
			}
		}
		far += w.Solve(q).Steps
		for _, jobs := range []int{3, 30, 300} {
			o := w.Solve(horizon(rand.New(rand.NewPCG(seed, 8)), jobs, 3))
			if steps += o.Steps; o.Status != Optimal || w.mends > 0 || o.Steps > 25 {
				t.Errorf("seed %d, %d jobs: %s after %d steps, each mended %d times", seed, jobs, o.Status, o.Steps, w.mends)
			}
		}
	}
}

// In which order shared rows stand makes no difference, also where later ones are of earlier variables.
func TestRowsInAnyOrder(t *testing.T) {
	var one, other Interior
	q := horizon(rand.New(rand.NewPCG(3, 9)), 20, 8)
	turned := &Quadratic{Blocks: slices.Clone(q.Blocks), Shared: slices.Clone(q.Shared)}
	slices.Reverse(turned.Shared)
	for k := range turned.Blocks {
		b := &turned.Blocks[k]
		n := len(b.Cost)
		b.Shares = nil
		for row := 7; row >= 0; row-- {
			b.Shares = append(b.Shares, q.Blocks[k].Shares[row*n:row*n+n]...)
		}
	}
	a, b := one.Solve(q), other.Solve(turned)
	optimal(t, "turned round", turned, b, 1e-6)
	for k := range a.X {
		for i, x := range a.X[k] {
			if math.Abs(x-b.X[k][i]) > 1e-5 {
				t.Errorf("x%d%d is %v, turned round %v", k, i, x, b.X[k][i])
			}
		}
	}
	for i, price := range a.Prices {
		if math.Abs(price-b.Prices[7-i]) > 1e-6 {
			t.Errorf("row %d has the price %v, turned round %v", i, price, b.Prices[7-i])
		}
	}
}

// By how much a side is missed is what its value and its slack are off by.
func TestWhatSidesMiss(t *testing.T) {
	var got tally
	sides{{sign: -1, rhs: 1, s: 2, z: 3}}.advance(0, []float64{0}, []float64{4}, make([]pull, 1), &got) // -x + s = 1
	if want := (tally{products: 6, worst: 3, size: 4, steep: 3}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestInteriorAllocatesNothing(t *testing.T) {
	var w Interior
	q := horizon(rand.New(rand.NewPCG(1, 6)), 40, 3)
	w.Solve(q)
	w.Solve(q)
	if n := testing.AllocsPerRun(5, func() { w.Solve(q) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkInterior(b *testing.B) {
	for _, jobs := range []int{9, 100, 1000} {
		b.Run(fmt.Sprint(jobs, " jobs"), func(b *testing.B) {
			var w Interior
			q := horizon(rand.New(rand.NewPCG(1, 7)), jobs, 3)
			b.ReportAllocs()
			for b.Loop() {
				if o := w.Solve(q); o.Status != Optimal {
					b.Fatal(o.Status)
				}
			}
			b.ReportMetric(float64(w.out.Steps), "steps")
		})
	}
}
