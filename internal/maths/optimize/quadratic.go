package optimize

// A Quadratic is a convex quadratic problem: the least Σ ½ xᵀ H x + cᵀ x of blocks of variables from 0 to a bound
// of their own, which have in common only a few shared rows. A receding horizon is one: a block is a job, a shared
// row the capacity of a step. It is solved by Interior, in O(Σ n³ + shared³) for each step. All bounds are above 0,
// so there is always a point.
type Quadratic struct {
	Blocks []Block
	Shared []float64 // what the blocks together may take of each shared row
}

// A Block is variables with their part of the cost.
type Block struct {
	Hessian []float64 // n×n, symmetric and positive semidefinite
	Cost    []float64 // c, of which the length is n
	Upper   []float64
	Shares  []float64 // len(Shared)×n: what a unit of a variable takes of a row
}

// A QuadraticSolution is the result. It belongs to the solver, which uses it again. X and Prices are there with
// Optimal and Feasible only. What stops early is Feasible: the best point that was seen and keeps to the bounds,
// with prices that may be off.
type QuadraticSolution struct {
	Status Status // Optimal, Feasible, or Stopped
	X      [][]float64
	// Prices are what the cost rises by for each unit by which the bound of a shared row rises: not above 0.
	Prices []float64
	Steps  int
}
