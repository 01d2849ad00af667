package optimize

import "math"

// A Quadratic is a convex quadratic problem: the least Σ ½ xᵀ H x + cᵀ x of blocks of variables,
// each with bounds and rows of its own, which have in common only a few shared rows. A receding
// horizon is one: a block is a job, a shared row the capacity of a step. It is solved by Interior,
// in O(Σ n³ + shared³) for each step.
type Quadratic struct {
	Blocks []Block
	Shared []Limit // of the shared rows, to which blocks contribute by Shares
}

// A Block is variables with their part of the cost and what bounds them alone.
type Block struct {
	Hessian      []float64 // n×n, symmetric and positive semidefinite
	Cost         []float64 // c, of which the length is n
	Lower, Upper []float64 // may be infinite; nil for none
	Rows         []float64 // len(Limits)×n
	Limits       []Limit
	Shares       []float64 // len(Shared)×n; nil for none
}

// A Limit bounds the value of a row. Equal bounds make an equation.
type Limit struct {
	Lower, Upper float64
	// Penalty is what each unit beyond the bounds costs. 0 says that they hold, whatever that
	// costs.
	Penalty float64
}

// A QuadraticSolution is the result. It belongs to the solver, which uses it again. All but Status,
// Steps and Missed is there with Optimal and Feasible only. What stops early is Feasible: the best point that was seen
// and keeps to the bounds, with prices that may be off.
type QuadraticSolution struct {
	Status Status // Optimal, Feasible, Infeasible, Unbounded, or Stopped
	X      [][]float64
	Cost   float64 // with what soft rows cost
	// Prices are what the cost rises by for each unit by which the bound of a shared row rises that
	// holds: not above 0 at an upper bound.
	Prices []float64
	Duals  [][]float64 // the same of the rows of each block
	Bounds [][]float64 // and of its variables
	Steps  int
	// Missed says, of an infeasible problem, by how much its bounds and rows are missed, all
	// together, at a point that misses little.
	Missed float64
}

// infinite tells whether a bound is none.
func infinite(x float64) bool { return math.Abs(x) >= noBound }

// check says what makes the problem none at all: a crossing bound. It panics on slices whose
// lengths do not fit.
func (q *Quadratic) crossed() bool {
	for _, l := range q.Shared {
		if l.Penalty == 0 && !(l.Lower <= l.Upper) {
			return true
		}
	}
	for k := range q.Blocks {
		b := &q.Blocks[k]
		for _, l := range b.Limits {
			if l.Penalty == 0 && !(l.Lower <= l.Upper) {
				return true
			}
		}
		for i := range b.Lower {
			if !(b.Lower[i] <= b.Upper[i]) {
				return true
			}
		}
	}
	return false
}
