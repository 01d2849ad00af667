package optimize

import (
	"math"
	"slices"
)

// A Linear is a linear problem: the least cost of variables that keep to their bounds and to those of
// each row. Bounds may be infinite.
type Linear struct {
	Cost         []float64 // of each variable
	Lower, Upper []float64
	Rows         []Row
	Whole        []bool // variables that take whole numbers only, nil for none; Mixed heeds it
}

// Add adds a variable, and returns its number.
func (p *Linear) Add(cost, lower, upper float64) int {
	p.Cost, p.Lower, p.Upper = append(p.Cost, cost), append(p.Lower, lower), append(p.Upper, upper)
	return len(p.Cost) - 1
}

// A Row bounds a sum of variables times coefficients.
type Row struct {
	Terms        []Term
	Lower, Upper float64
}

// A Term is a variable times a coefficient.
type Term struct {
	Variable    int
	Coefficient float64
}

// A Status is how the search ended.
type Status string

// What may come of a linear problem.
const (
	Optimal    Status = "optimal"
	Infeasible Status = "infeasible"
	Unbounded  Status = "unbounded"
	Feasible   Status = "feasible" // a solution, without a proof that it is the best
	Stopped    Status = "stopped"  // too many steps, and no solution so far
)

// A Solution is the result. All but the status is there with Optimal and Feasible only.
type Solution struct {
	Status Status
	X      []float64
	Cost   float64

	// Duals are what the cost rises by for each unit by which the bound of a row rises that holds, 0 for
	// rows that do not matter. With whole numbers they are those of the problem without them.
	Duals []float64
	// LowerBound is what each solution costs at least. It follows from the duals alone.
	LowerBound float64
	Steps      int // of the simplex
}

// Solve finds the optimum without regard to Whole.
func (p *Linear) Solve() Solution {
	s := newSimplex(p)
	status := s.primal()
	return s.solution(p, status)
}

// Bound is what each solution costs at least, proved by any duals at all: -Inf if they prove nothing.
func (p *Linear) Bound(duals []float64) float64 {
	reduced := slices.Clone(p.Cost)
	size := 1.0
	for _, c := range p.Cost {
		size = max(size, math.Abs(c))
	}
	bound := 0.0
	add := func(price, lower, upper float64) {
		at := lower
		if price < 0 {
			at = upper
		}
		// What rounding has left of a price is none.
		if price != 0 && !(math.IsInf(at, 0) && math.Abs(price) <= 1e-11*size) {
			bound += price * at
		}
	}
	for i, row := range p.Rows {
		add(duals[i], row.Lower, row.Upper)
		for _, t := range row.Terms {
			reduced[t.Variable] -= duals[i] * t.Coefficient
		}
	}
	for j, price := range reduced {
		add(price, p.Lower[j], p.Upper[j])
	}
	return bound
}

func (s *simplex) solution(p *Linear, status Status) Solution {
	out := Solution{Status: status, Steps: s.steps}
	if status != Optimal {
		return out
	}
	out.X = slices.Clone(s.x[:s.columns])
	for j, x := range out.X {
		out.X[j] = max(p.Lower[j], min(x, p.Upper[j])) // off by rounding at most
		out.Cost += p.Cost[j] * out.X[j]
	}
	out.Duals = slices.Clone(s.prices(s.cost))
	out.LowerBound = min(p.Bound(out.Duals), out.Cost)
	return out
}
