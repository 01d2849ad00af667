package optimize

import (
	"math"
	"testing"
)

// all tries all whole numbers within the bounds, which are finite.
func all(p *Linear) float64 {
	best := inf
	x := make([]float64, len(p.Cost))
	var try func(j int)
	try = func(j int) {
		if j < len(x) {
			for x[j] = p.Lower[j]; x[j] <= p.Upper[j]; x[j]++ {
				try(j + 1)
			}
			return
		}
		for _, r := range p.Rows {
			sum := 0.0
			for _, t := range r.Terms {
				sum += t.Coefficient * x[t.Variable]
			}
			if sum < r.Lower || sum > r.Upper {
				return
			}
		}
		best = min(best, p.cost(x))
	}
	try(0)
	return best
}

func TestMixedIsOptimal(t *testing.T) {
	none := 0
	for seed := range uint64(1500) {
		p := random(seed, 1+int(seed%5), int(seed/5%4))
		for j := range p.Cost {
			p.Lower[j] = max(p.Lower[j], -3)
			p.Upper[j] = min(p.Upper[j], p.Lower[j]+4)
			p.Whole = append(p.Whole, true)
		}
		got, want := p.Mixed(10000, 0, math.Inf(1)), all(p)
		switch {
		case math.IsInf(want, 1):
			none++
			if got.Status != Infeasible {
				t.Fatalf("seed %d: it is %s: %+v", seed, got.Status, *p)
			}
		case got.Status != Optimal || got.Cost != want || got.LowerBound < want-1e-6 || got.LowerBound > want:
			t.Fatalf("seed %d: %s at %v, at least %v, want %v", seed, got.Status, got.Cost, got.LowerBound, want)
		}
		// A search that ends early says what it knows.
		short := p.Mixed(int(seed%4), 0, math.Inf(1))
		if short.Status == Optimal && short.Cost != want || short.Status == Feasible && short.Cost < want ||
			short.Status != Stopped && short.LowerBound > want+1e-6 ||
			short.Status == Infeasible && !math.IsInf(want, 1) {
			t.Fatalf("seed %d: after a short search %s at %v, at least %v, want %v: %+v",
				seed, short.Status, short.Cost, short.LowerBound, want, *p)
		}
	}
	if none < 50 {
		t.Errorf("only %d problems have no solution", none)
	}
}

// Both searches for whole plans agree.
func TestSearchAndBranches(t *testing.T) {
	for seed := range uint64(300) {
		p := instance(seed, 1+int(seed%8))
		l := linear(p)
		for range l.Cost {
			l.Whole = append(l.Whole, true)
		}
		got := l.Mixed(100000, 0, math.Inf(1))
		want, _ := p.SolveWhole()
		size := want.Cost - want.Objective
		if got.Status != Optimal || math.Abs(got.Cost-want.Objective) > 1e-8*size {
			t.Fatalf("seed %d: %s at %v, by the search %v", seed, got.Status, got.Cost, want.Objective)
		}
	}
}
