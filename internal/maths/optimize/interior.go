package optimize

import (
	"math"

	"github.com/slackline/slackline/internal/maths/dense"
)

const (
	mostInterior = 100   // steps
	accuracy     = 1e-9  // of residuals and gap, for each unit of what they are made of
	enough       = 1e-6  // the same where rounding allows no better
	proximal     = 1e-14 // by which the Hessian is raised: it slows steps, and moves no optimum
	pivotLeast   = 1e-16
)

// Interior solves convex quadratic problems by a primal-dual interior point with Mehrotra's
// predictor and corrector. The zero value is ready to use. It keeps its memory from one problem to
// the next, so after the first one of a size it allocates nothing.
//
// Each bound is a side: ±a x + s - e = rhs with s ≥ 0, and e ≥ 0 only where the row is soft; z and
// w are their duals, with z + w the penalty. s, z, e and w are eliminated, which leaves for each
// block the matrix M = H + Σ D a aᵀ with D = 1 / (s/z + e/w), and M = L Lᵀ. Equations of a block
// are eliminated next, and what is left are the shared rows: (Σ C M⁻¹ Cᵀ + 1/D) Δλ = … .
type Interior struct {
	blocks []part
	rows   []shared
	sides  []side // of bounds and rows, block by block, then of shared rows
	floats []float64
	used   int // of floats, and
	needed int // by the whole problem

	schur, right []float64
	cost         float64   // σ: by which the cost is multiplied
	mends        int       // how often a step is mended
	best         float64   // the least that was off so far, and
	kept         []float64 // that point
	rough        float64   // by how much the gradient missed before the step, and
	alpha        float64   // how much of the step was gone
	out          QuadraticSolution
}

// part is a block, scaled.
type part struct {
	n, sharing          int
	bounds, from, to    int // sides: of bounds, of rows, and their end
	h, c, a, shares     []float64
	x, dx, scale, rd, r []float64
	ax, adx, rowScale   []float64
	l, v, f, g          []float64 // factor, L⁻¹ Cᵀ (a row for each shared row), scratch
	spans               []span    // where the shared rows have their entries: those of a step in few variables
	eq                  []equation
	u, inner, cross, p  []float64 // L⁻¹ Aᵀ, B = A M⁻¹ Aᵀ, its factor times A M⁻¹ Cᵀ, scratch
}

// A span is the part of a row outside of which all is zero; a row of zeroes ends where it starts.
type span struct{ from, to int }

// of is what the span has of a row of n that belongs to shared row i.
func (s span) of(rows []float64, n, i int) []float64 { return rows[i*n+s.from : i*n+s.to] }

// equation is one row of a block that holds exactly.
type equation struct {
	row       int
	rhs, y, p float64 // p: by how much it misses
	dy, r     float64
}

// shared is a shared row, scaled.
type shared struct {
	from, to         int // sides
	equal            bool
	rhs, y, dy, p, r float64
	inverse          float64 // 1/D
	scale, value     float64
}

// side is one bound of a variable or row.
type side struct {
	of         int     // variable or row
	sign       float64 // 1 = upper, -1 = lower
	rhs        float64
	rho        float64 // penalty, 0 = none
	s, z, e, w float64
	d, t       float64 // weight, and right side, of the present step
	rp         float64
	ds, dz, de float64
	ax         float64 // of its row, by values
}

// Solve finds the optimum. The problem must not be changed meanwhile, and the solution is good
// until the next call.
func (w *Interior) Solve(q *Quadratic) *QuadraticSolution {
	w.out.Status, w.out.Missed, w.out.Steps = Infeasible, 0, 0
	if q.crossed() {
		w.out.Missed = math.Inf(1)
		return &w.out
	}
	w.load(q, false)
	w.out.Status = w.iterate()
	if w.out.Status == Stopped {
		// Is there a point at all? Every row may be missed, at a price, and nothing else costs.
		steps := w.out.Steps
		w.load(q, true)
		found := w.iterate()
		scaled, missed := w.missed()
		w.out.Steps += steps
		w.out.Status = Stopped
		if found == Optimal && scaled > 1e-7 {
			w.out.Status, w.out.Missed = Infeasible, missed
		}
		return &w.out
	}
	if w.out.Status == Optimal {
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
		mu, off := w.residuals()
		if off <= accuracy {
			return Optimal
		}
		if off < w.best {
			w.best = off
			w.keep(off < enough, false)
		}
		if w.best < enough && (off > 1e3*w.best || step == mostInterior) || math.IsNaN(mu) && w.best < enough {
			w.keep(true, true)
			return Optimal
		}
		if math.IsNaN(mu) || step == mostInterior {
			return Stopped
		}
		if w.recedes() {
			return Unbounded
		}
		w.factor()
		// Predictor: straight at the optimum.
		w.aim(0, false)
		w.direction(0, false)
		alpha := w.longest(1)
		sigma := 0.0
		if n := len(w.sides); n > 0 {
			after := w.after(alpha) / mu
			sigma = after * after * after
		}
		// Corrector: towards the middle, by what the predictor has missed.
		w.aim(sigma*mu, true)
		w.direction(sigma*mu, true)
		near := 1 - min(0.005, max(mu, 1e-8)) // the part of the way to the nearest bound that is gone
		w.move(min(1, near*w.longest(1/near)))
	}
}

// begin finds a first point: the least squares of all that bounds, with s and z moved to where they
// may be.
func (w *Interior) begin() {
	for i := range w.sides {
		sd := &w.sides[i]
		sd.d, sd.t = 1, -sd.rhs
	}
	for k := range w.blocks {
		b := &w.blocks[k]
		copy(b.rd, b.c)
		clear(b.x)
		for i := range b.eq {
			b.eq[i].y, b.eq[i].p = 0, -b.eq[i].rhs
		}
	}
	for i := range w.rows {
		w.rows[i].y, w.rows[i].p = 0, -w.rows[i].rhs
	}
	w.factorize()
	w.solve()
	for k := range w.blocks {
		b := &w.blocks[k]
		copy(b.x, b.dx)
		for i := range b.eq {
			b.eq[i].y = b.eq[i].dy
		}
	}
	for i := range w.rows {
		w.rows[i].y = w.rows[i].dy
	}
	w.values()
	for i := range w.sides {
		sd := &w.sides[i]
		sd.s = max(math.Abs(sd.rhs-float64(sd.sign*sd.ax)), 1)
		sd.z, sd.e, sd.w = 1/sd.s, 0, 0
		if sd.rho > 0 {
			sd.e = max(1, float64(sd.sign*sd.ax)-sd.rhs+sd.s)
			sd.z = sd.rho * 0.5
			sd.w = sd.rho - sd.z
		}
	}
}

// values finds what each side's row is at x.
func (w *Interior) values() {
	for i := range w.rows {
		w.rows[i].value = 0
	}
	for k := range w.blocks {
		b := &w.blocks[k]
		w.within(b, b.x, b.ax)
		for i, s := range b.spans {
			w.rows[i].value += dense.Dot(s.of(b.shares, b.n, i), b.x[s.from:])
		}
	}
	for r := range w.rows {
		for i := w.rows[r].from; i < w.rows[r].to; i++ {
			w.sides[i].ax = w.rows[r].value
		}
	}
}

// within does so for the bounds and rows of a block.
func (w *Interior) within(b *part, x, ax []float64) {
	for r := range ax {
		ax[r] = dense.Dot(b.a[r*b.n:r*b.n+b.n], x)
	}
	sides := w.sides[b.bounds:b.from]
	for i := range sides {
		sides[i].ax = x[sides[i].of]
	}
	sides = w.sides[b.from:b.to]
	for i := range sides {
		sides[i].ax = ax[sides[i].of]
	}
}

// along finds by how much each side's row changes along dx. For shared rows it follows from the step of their
// duals: one that holds the optimum back has a large weight, which would make much of the rounding in a sum over
// all blocks.
func (w *Interior) along() {
	for k := range w.blocks {
		b := &w.blocks[k]
		w.within(b, b.dx, b.adx)
	}
	for i := range w.rows {
		r := &w.rows[i]
		sides := w.sides[r.from:r.to]
		dt := 0.0
		for j := range sides {
			dt += float64(sides[j].sign * sides[j].d * sides[j].t)
		}
		for j := range sides {
			sides[j].ax = (r.dy - dt) * r.inverse
		}
	}
}

// keep keeps the point, or goes back to the one that was kept.
func (w *Interior) keep(really, back bool) {
	if !really {
		return
	}
	at := 0
	one := func(x *float64) {
		if back {
			*x = w.kept[at]
		} else {
			w.kept = append(w.kept[:at], *x)
		}
		at++
	}
	for k := range w.blocks {
		b := &w.blocks[k]
		for i := range b.x {
			one(&b.x[i])
		}
		for i := range b.eq {
			one(&b.eq[i].y)
		}
	}
	for i := range w.rows {
		one(&w.rows[i].y)
	}
	for i := range w.sides {
		one(&w.sides[i].z)
	}
}

// residuals computes by how much the conditions of an optimum are missed, for each unit of what
// they are made of, and the mean of the products that are 0 there.
func (w *Interior) residuals() (mu, off float64) {
	products, n := 0.0, 0
	worst, size := 0.0, 1.0
	w.values()
	for i := range w.sides {
		sd := &w.sides[i]
		sd.rp = float64(sd.sign*sd.ax) + sd.s - sd.e - sd.rhs
		worst, size = max(worst, math.Abs(sd.rp)), max(size, math.Abs(sd.ax))
		products += float64(sd.s * sd.z)
		n++
		if sd.rho > 0 {
			products += float64(sd.e * sd.w)
			n++
		}
	}
	for i := range w.rows {
		r := &w.rows[i]
		if r.equal {
			r.p = r.value - r.rhs
			worst = max(worst, math.Abs(r.p))
			continue
		}
		r.y = 0
		for j := r.from; j < r.to; j++ {
			r.y += float64(w.sides[j].sign * w.sides[j].z)
		}
	}
	dual, value, steep := 0.0, 0.0, 1.0
	for k := range w.blocks {
		b := &w.blocks[k]
		n := b.n
		for i := range n {
			hx := dense.Dot(b.h[i*n:i*n+n], b.x)
			value += float64(b.x[i] * (float64(0.5*hx) + b.c[i]))
			b.rd[i] = hx + b.c[i]
			steep = max(steep, math.Abs(hx))
		}
		for i := b.bounds; i < b.from; i++ {
			b.rd[w.sides[i].of] += float64(w.sides[i].sign * w.sides[i].z)
			steep = max(steep, w.sides[i].z)
		}
		for i := b.from; i < b.to; i++ {
			add(b.rd, w.sides[i].sign*w.sides[i].z, b.a[w.sides[i].of*n:])
		}
		for i := range b.eq {
			e := &b.eq[i]
			e.p = b.ax[e.row] - e.rhs
			worst = max(worst, math.Abs(e.p))
			add(b.rd, e.y, b.a[e.row*n:])
		}
		for i, s := range b.spans {
			add(b.rd[s.from:s.to], w.rows[i].y, s.of(b.shares, n, i))
		}
		for _, r := range b.rd {
			dual = max(dual, math.Abs(r))
		}
	}
	// A step of the length alpha takes away that part of what was missed.
	if dual > accuracy*steep && dual > w.rough*(1-0.1*w.alpha) {
		w.mends = min(w.mends+1, 3)
	}
	w.rough = dual
	mu = products
	if n > 0 {
		mu /= float64(n)
	}
	if math.IsNaN(worst + dual) {
		return math.NaN(), math.Inf(1)
	}
	return mu, max(worst/size, dual/steep, products/(1+math.Abs(value)))
}

// recedes tells whether x has gone far, in a direction in which the cost falls for ever and nothing
// bounds.
func (w *Interior) recedes() bool {
	far := 0.0
	for k := range w.blocks {
		for _, x := range w.blocks[k].x {
			far = max(far, math.Abs(x))
		}
	}
	if far < 1e10 {
		return false
	}
	falls, curved := 0.0, 0.0
	for k := range w.blocks {
		b := &w.blocks[k]
		for i, x := range b.x {
			falls += b.c[i] * x / far
			curved = max(curved, math.Abs(dense.Dot(b.h[i*b.n:i*b.n+b.n], b.x))/far)
		}
	}
	blocked := false
	w.values()
	for i := range w.sides {
		sd := &w.sides[i]
		blocked = blocked || sd.rho == 0 && float64(sd.sign*sd.ax) > 1e-7*far+math.Abs(sd.rhs)
	}
	return !blocked && falls < -1e-7 && curved < 1e-7
}

// aim sets the right sides of a step to products of the size mu.
func (w *Interior) aim(mu float64, corrected bool) {
	for i := range w.sides {
		sd := &w.sides[i]
		sd.t = sd.rp - sd.s
		if corrected {
			sd.t += (mu - float64(sd.ds*sd.dz)) / sd.z
		}
		if sd.rho > 0 {
			sd.t += sd.e
			if corrected {
				sd.t -= (mu + float64(sd.de*sd.dz)) / sd.w
			}
		}
	}
}

// factor weighs the sides of the present point, and factors.
func (w *Interior) factor() {
	for i := range w.sides {
		sd := &w.sides[i]
		if sd.rho > 0 {
			sd.d = 1 / (sd.s/sd.z + sd.e/sd.w)
		} else {
			sd.d = sd.z / sd.s
		}
	}
	w.factorize()
}

// direction solves for the step, of x and of all sides.
func (w *Interior) direction(mu float64, corrected bool) {
	w.solve()
	w.along()
	for i := range w.sides {
		sd := &w.sides[i]
		adx := sd.sign * sd.ax
		dz := sd.d * (adx + sd.t)
		if sd.rho == 0 {
			sd.ds, sd.dz = -sd.rp-adx, dz
			continue
		}
		rc := float64(sd.s*sd.z) - mu
		re := float64(sd.e*sd.w) - mu
		if corrected {
			rc += float64(sd.ds * sd.dz)
			re -= float64(sd.de * sd.dz)
		}
		sd.ds = -(rc + float64(sd.s*dz)) / sd.z
		sd.de = (float64(sd.e*dz) - re) / sd.w
		sd.dz = dz
	}
}

// longest is how far the step can be gone, alpha at most, until something is 0.
func (w *Interior) longest(alpha float64) float64 {
	for i := range w.sides {
		sd := &w.sides[i]
		if sd.s+float64(alpha*sd.ds) < 0 {
			alpha = -sd.s / sd.ds
		}
		if sd.z+float64(alpha*sd.dz) < 0 {
			alpha = -sd.z / sd.dz
		}
		if sd.rho > 0 {
			if sd.e+float64(alpha*sd.de) < 0 {
				alpha = -sd.e / sd.de
			}
			if sd.w-float64(alpha*sd.dz) < 0 {
				alpha = sd.w / sd.dz
			}
		}
	}
	return alpha
}

// after is what the mean product would be after a step of that length.
func (w *Interior) after(alpha float64) float64 {
	sum, n := 0.0, len(w.sides)
	for i := range w.sides {
		sd := &w.sides[i]
		sum += (sd.s + float64(alpha*sd.ds)) * (sd.z + float64(alpha*sd.dz))
		if sd.rho > 0 {
			sum += (sd.e + float64(alpha*sd.de)) * (sd.w - float64(alpha*sd.dz))
			n++
		}
	}
	return sum / float64(n)
}

// move goes along the step.
func (w *Interior) move(alpha float64) {
	w.alpha = alpha
	for k := range w.blocks {
		b := &w.blocks[k]
		add(b.x, alpha, b.dx)
		for i := range b.eq {
			b.eq[i].y += float64(alpha * b.eq[i].dy)
		}
	}
	for i := range w.rows {
		if w.rows[i].equal {
			w.rows[i].y += float64(alpha * w.rows[i].dy)
		}
	}
	for i := range w.sides {
		sd := &w.sides[i]
		sd.s += float64(alpha * sd.ds)
		sd.z += float64(alpha * sd.dz)
		if sd.rho > 0 {
			sd.e += float64(alpha * sd.de)
			sd.w -= float64(alpha * sd.dz)
		}
	}
}

// add puts y + f x in place of y.
func add(y []float64, f float64, x []float64) {
	x = x[:len(y)]
	for i := range y {
		y[i] += float64(f * x[i])
	}
}
