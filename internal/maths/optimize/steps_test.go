package optimize

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A corrected step of a soft side aims at products of the size mu, less what the predicted step makes of them, and
// leads to where the value, its slack and what it misses fit together. The equations are written out again here.
func TestCorrectedStepOfASoftSide(t *testing.T) {
	for seed := range uint64(300) {
		dice := rand.New(rand.NewPCG(seed, 11))
		positive := func() float64 { return 0.05 + 2*dice.Float64() }
		h := soft{hard: hard{sign: float64(1 - 2*dice.IntN(2)), s: positive(), z: positive(), t: dice.NormFloat64()}, e: positive(), w: positive()}
		h.d = 1 / (h.s/h.z + h.e/h.w)
		s := sides{soft: []soft{h}}
		step, push, mu := []float64{dice.NormFloat64()}, []float64{0}, dice.Float64()
		s.along(step, &reach{alpha: 1})
		was := s.soft[0] // the predicted step
		s.aim(mu, step, push)
		step[0] = dice.NormFloat64() // which the whole system answers with
		s.along(step, &reach{alpha: 1})
		is := s.soft[0]
		for name, miss := range map[string]float64{
			"s z":   h.s*is.dz + h.z*is.ds - (mu - h.s*h.z - was.ds*was.dz),
			"e w":   -h.e*is.dz + h.w*is.de - (mu - h.e*h.w + was.de*was.dz),
			"value": h.sign*step[0] + h.t + h.s + is.ds - h.e - is.de,
			"push":  push[0] + h.sign*(h.d*h.t+is.q),
		} {
			if math.Abs(miss) > 1e-9 {
				t.Fatalf("seed %d: %s is missed by %v", seed, name, miss)
			}
		}
	}
}

// Rows that contradict each other by little are told from those that do not: by a hundred thousandth, but not by
// what rounding makes of numbers.
func TestLeastContradiction(t *testing.T) {
	var w Interior
	for _, by := range []float64{1e-3, 1e-5, 1e-6} {
		o := w.Solve(one(-1, 5, Limit{Lower: 1, Upper: 2}, Limit{Lower: 2 + by, Upper: 4}))
		if o.Status != Infeasible || o.Missed < by/10 || o.Missed > 10*by {
			t.Errorf("contradicting by %v: %s, missed by %v", by, o.Status, o.Missed)
		}
	}
	for _, by := range []float64{0, 1e-12, 1e-10} {
		if o := w.Solve(one(-1, 5, Limit{Lower: 1, Upper: 2}, Limit{Lower: 2 + by, Upper: 4})); o.Status == Infeasible {
			t.Errorf("contradicting by %v: %s, missed by %v", by, o.Status, o.Missed)
		}
	}
}

// What goes far is not unbounded for that: a bound or an equation may hold it later.
func TestFarBounds(t *testing.T) {
	var w Interior
	inf := math.Inf(1)
	for _, far := range []float64{1e3, 1e9, 1e11, 1e12, 1e14} {
		for name, b := range map[string]Block{
			"bound":    {Lower: []float64{0}, Upper: []float64{far}},
			"equation": {Lower: []float64{-inf}, Upper: []float64{inf}, Rows: []float64{1}, Limits: []Limit{{Lower: far, Upper: far}}},
		} {
			b.Hessian, b.Cost = []float64{0}, []float64{-1}
			if o := w.Solve(&Quadratic{Blocks: []Block{b}}); o.Status != Optimal || math.Abs(o.X[0][0]-far) > 1e-6*far {
				t.Errorf("%s at %v: %s, %v", name, far, o.Status, o.X)
			}
		}
		// The least at a row alone may be too far to be reached, but there is a point.
		o := w.Solve(&Quadratic{Blocks: []Block{{Hessian: []float64{0}, Cost: []float64{-1}, Rows: []float64{2}, Limits: []Limit{{Lower: -inf, Upper: 2 * far}}}}})
		if !(o.Status == Feasible && o.X[0][0] <= far*(1+1e-6)) && (o.Status != Optimal || math.Abs(o.X[0][0]-far) > 1e-6*far) {
			t.Errorf("row at %v: %s, %v", far, o.Status, o.X)
		}
	}
}

// Where the least lies in a flat valley rounding allows no better than some point, and steps behind it are no
// numbers. ½(x - 10 y)² + c (x + y) is least at the bound of x, with y = (x - c/10) / 10.
func TestReturnsToTheBestPoint(t *testing.T) {
	var w Interior
	inf := math.Inf(1)
	for _, x := range []float64{-1e4, -1e5} {
		for _, c := range []float64{1e-4, 1e-3} {
			o := w.Solve(&Quadratic{Blocks: []Block{{Hessian: []float64{1, -10, -10, 100}, Cost: []float64{c, c}, Lower: []float64{x, -inf}, Upper: []float64{inf, 1}}}})
			if y := (x - c/10) / 10; o.Status != Optimal || !(math.Abs(o.X[0][0]/x-1)+math.Abs(o.X[0][1]/y-1) < 1e-6) {
				t.Errorf("%v, %v: %s, %v", x, c, o.Status, o.X)
			}
		}
	}
}
