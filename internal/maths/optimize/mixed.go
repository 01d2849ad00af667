package optimize

import (
	"math"
	"slices"
)

// integral is by how much a variable may miss a whole number.
const integral = 1e-7

// A branch is a part of a mixed problem: bounds of its variables, and what its solutions cost at least.
type branch struct {
	lower, upper []float64
	bound        float64
}

// Mixed finds the optimum in which the variables of Whole take whole numbers, by branch and bound: a
// problem whose optimum has a fraction is cut in two, above and below it, and each part continues from
// the last basis with the dual simplex. It looks at no more than so many parts, and stops when the cost
// is proved up to a gap, a part of the cost; LowerBound says what was proved. It looks for solutions
// below a cost alone. If it finds none, and that cost is finite, the status tells of the whole search:
// Infeasible or Stopped, with what solutions cost at least.
func (p *Linear) Mixed(parts int, gap, below float64) Solution {
	s := newSimplex(p)
	status := s.primal()
	if status != Optimal {
		return Solution{Status: status, Steps: s.steps, LowerBound: math.Inf(-1)}
	}
	first := s.solution(p, status)
	best := Solution{Status: Stopped, Cost: below, Duals: first.Duals}
	root := branch{slices.Clone(p.Lower), slices.Clone(p.Upper), first.LowerBound}
	for j, w := range p.Whole {
		if w {
			root.lower[j], root.upper[j] = math.Ceil(p.Lower[j]-integral), math.Floor(p.Upper[j]+integral)
		}
	}
	open := []branch{root}
	dropped := math.Inf(1) // the least bound of what was given up
	enough := func(bound float64) bool {
		return bound >= best.Cost || bound >= best.Cost-max(gap, 1e-12)*(1+math.Abs(best.Cost))
	}
	for ; len(open) > 0 && parts > 0; parts-- {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		if enough(at.bound) {
			dropped = min(dropped, at.bound)
			continue
		}
		copy(s.lower, at.lower)
		copy(s.upper, at.upper)
		status := s.again()
		if status == Infeasible {
			continue
		}
		if status != Optimal { // rounding has misled it, so the part stays open
			dropped = min(dropped, at.bound)
			continue
		}
		part := Linear{Cost: p.Cost, Lower: at.lower, Upper: at.upper, Rows: p.Rows}
		got := s.solution(&part, status)
		bound := max(at.bound, got.LowerBound)
		if enough(bound) {
			dropped = min(dropped, bound)
			continue
		}
		j := p.fraction(got.X)
		if j < 0 {
			for j := range got.X {
				if p.Whole[j] {
					got.X[j] = math.Round(got.X[j])
				}
			}
			if cost := p.cost(got.X); cost < best.Cost {
				best.Status, best.X, best.Cost = Feasible, got.X, cost
			}
			dropped = min(dropped, bound)
			continue
		}
		below, above := at, branch{slices.Clone(at.lower), slices.Clone(at.upper), bound}
		below.bound = bound
		below.upper[j], above.lower[j] = math.Floor(got.X[j]), math.Ceil(got.X[j])
		if got.X[j]-math.Floor(got.X[j]) > 0.5 { // the nearer one first
			open = append(open, below, above)
		} else {
			open = append(open, above, below)
		}
	}
	for _, b := range open {
		dropped = min(dropped, b.bound)
	}
	best.Steps = s.steps
	switch {
	case best.Status == Stopped && math.IsInf(dropped, 1):
		return Solution{Status: Infeasible, Steps: s.steps, LowerBound: below}
	case best.Status == Stopped:
		return Solution{Status: Stopped, Steps: s.steps, LowerBound: min(dropped, below)}
	case enough(dropped):
		best.Status = Optimal
	}
	best.LowerBound = min(dropped, best.Cost)
	return best
}

func (p *Linear) cost(x []float64) (sum float64) {
	for j, v := range x {
		sum += p.Cost[j] * v
	}
	return sum
}

// fraction returns the variable that should be whole and is farthest from it, -1 if all are.
func (p *Linear) fraction(x []float64) int {
	best, far := -1, integral
	for j, v := range x {
		if j < len(p.Whole) && p.Whole[j] {
			if off := math.Abs(v - math.Round(v)); off > far {
				best, far = j, off
			}
		}
	}
	return best
}
