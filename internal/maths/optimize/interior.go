package optimize

import (
	"math"

	"github.com/slackline/slackline/internal/maths/dense"
)

const (
	mostInterior = 100   // steps
	accuracy     = 1e-9  // of residuals and gap, for each unit of what they are made of
	enough       = 1e-6  // the same where rounding allows no better
	gradients    = 100   // so much more than of the gap may be left of the cost by a gradient that is not 0
	worthKeeping = 1     // how far a point may be from an optimum that is kept for when there is no better one
	proximal     = 1e-14 // by which the Hessian is raised: it slows steps, and moves no optimum
	pivotLeast   = 1e-16
)

// Interior solves convex quadratic problems by a primal-dual interior point with Mehrotra's
// predictor and corrector. The zero value is ready to use. It keeps its memory from one problem to
// the next, so after the first one of a size it allocates nothing.
//
// Without the sides each block has the matrix M = H + Σ d = L Lᵀ, and what is left are the shared
// rows: (Σ C M⁻¹ Cᵀ + 1/D) Δλ = … . A step goes over all blocks four times, as the shared rows and
// the length of the step need all of them; each time all that can be done with a block is done at
// once, while it is near.
type Interior struct {
	blocks []part
	rows   rows
	sides  sides // all
	floats []float64
	used   int // of floats, and
	needed int // by the whole problem

	schur          dense.Tiles
	right, inverse []float64 // inverse: 1/D
	pulls          []pull    // scratch
	cost           float64   // σ: by which the cost is multiplied
	mends          int       // how often a step is mended
	best           float64   // the least that was off so far, and
	kept           []float64 // that point
	worth          float64   // what its cost may be above the optimum, for each unit of what it is made of
	rough          float64   // by how much the gradient missed before the step, and
	alpha          float64   // how much of the step was gone
	out            QuadraticSolution
}

// part is a block, scaled. It is filled up with variables that nothing depends on, to whole tiles.
type part struct {
	n, k     int         // variables, and tiles
	h, l     dense.Tiles // H and the factor
	c, x, dx []float64
	down, f  []float64 // down: the gradient that is left, downwards; f: what pulls, half solved for
	bounds   sides
	lines    []line
	scale    []float64
}

// A line is what a block has of three shared rows: C, and L⁻¹ Cᵀ, in tiles from the first on that
// is not zero.
type line struct {
	first int
	c, v  []float64
}

// rows are the shared ones.
type rows struct {
	sides
	ax, adx             []float64 // values
	y, dy               []float64 // prices
	weight, push, scale []float64 // D, and what sides push by
}

// Solve finds the optimum. The problem must not be changed meanwhile, and the solution is good
// until the next call.
func (w *Interior) Solve(q *Quadratic) *QuadraticSolution {
	w.load(q)
	if w.out.Status = w.iterate(); w.out.Status != Stopped {
		w.report(q)
	}
	return &w.out
}

// iterate walks to the optimum of what is loaded.
func (w *Interior) iterate() Status {
	w.mends, w.rough, w.best = 0, math.Inf(1), math.Inf(1)
	w.begin()
	for step := 0; ; step++ {
		w.out.Steps = step
		sum := w.point()
		off := w.off(&sum)
		if off <= accuracy {
			return Optimal
		}
		if off < min(w.best, worthKeeping) && sum.worst <= 10*accuracy*sum.size {
			w.best, w.worth = off, (sum.products+sum.lost)/(min(1, w.cost)+sum.made)
			w.keep()
		}
		if math.IsInf(off, 1) || step == mostInterior {
			if w.best < worthKeeping {
				w.back()
			}
			switch {
			case w.best < enough && w.worth < enough:
				return Optimal
			case w.best < worthKeeping:
				return Feasible
			}
			return Stopped
		}
		// Predictor: straight at the optimum.
		way := w.step(1)
		mu, sigma := 0.0, 0.0
		if pairs := len(w.sides); pairs > 0 {
			// s dz + z ds = -s z, so this part of the products is left.
			mu = sum.products / float64(pairs)
			after := max(0, 1-way.alpha+float64(way.alpha*way.alpha*way.square)/sum.products)
			sigma = after * after * after
			if step > 20 { // so long it takes where steps go in circles, far from the middle
				sigma = max(sigma, 0.3)
			}
		}
		// Corrector: towards the middle, by what the predictor has missed.
		w.aim(sigma * mu)
		near := 1 - min(0.005, max(mu, 1e-8)) // the part of the way to the nearest bound that is gone
		w.alpha = min(1, near*w.step(1/near).alpha)
	}
}

// begin finds a first point: the least squares of all that bounds, with s and z moved to where they
// may be.
func (w *Interior) begin() {
	clear(w.schur)
	clear(w.right)
	w.alpha = 0
	r := &w.rows
	clear(w.pulls)
	r.attract(w.pulls)
	r.drawn(w.pulls)
	for k := range w.blocks {
		b := &w.blocks[k]
		clear(b.down)
		add(b.down, -1, b.c)
		pulls := w.pulls[:len(b.x)]
		clear(pulls)
		b.bounds.attract(pulls)
		b.drawn(pulls)
		w.factor(b)
	}
	w.join()
	w.step(1)
	for k := range w.blocks {
		b := &w.blocks[k]
		copy(b.x, b.dx)
		for i, l := range b.lines {
			dense.Plus(l.c, b.x[3*l.first:], dense.Three(r.ax, i))
		}
		b.bounds.start(b.x)
	}
	copy(r.y, r.dy)
	r.start(r.ax)
}

// off says by how much the conditions of an optimum are missed, for each unit of what they are made
// of; infinitely if something is no number. Where the gradient does not get better as it should,
// steps are mended from now on.
func (w *Interior) off(sum *tally) float64 {
	// A step of the length alpha takes away that part of what was missed.
	if sum.dual > accuracy*sum.steep && sum.dual > w.rough*(1-0.1*w.alpha) {
		w.mends = min(w.mends+1, 3)
	}
	w.rough = sum.dual
	if math.IsNaN(sum.products + sum.value) {
		return math.Inf(1)
	}
	return max(sum.worst/sum.size, sum.dual/sum.steep, max(sum.products, sum.lost/gradients)/(min(1, w.cost)+sum.made))
}

// keep keeps the point, back goes back to it.
func (w *Interior) keep() {
	w.kept = append(w.kept[:0], w.rows.y...)
	for k := range w.blocks {
		w.kept = append(w.kept, w.blocks[k].x...)
	}
}

func (w *Interior) back() {
	kept := w.kept[copy(w.rows.y, w.kept):]
	for k := range w.blocks {
		kept = kept[copy(w.blocks[k].x, kept):]
	}
}
