package optimize

import (
	"math"

	"github.com/slackline/slackline/internal/maths/dense"
)

// sides are the bounds of some values: of the variables of a block, or of shared rows. Each bound is a
// side: ±a x + s = rhs with s ≥ 0, and z is its dual. A step solves s dz + z ds = μ - s z - p of each
// side, where the products p of the step are known from its prediction. Without s that is
// dz = d (±a dx + t) + q.
type sides []side

type side struct {
	of      int     // whose
	sign    float64 // 1 = upper, -1 = lower
	rhs     float64
	s, z    float64
	d, t, q float64 // weight, by how much the value is beyond the bound, and what is aimed at
}

// A pull is what the sides of a value do at a point: their price, by how much they push it, and
// their weight.
type pull struct{ price, push, weight float64 }

// A tally is what is seen at a point.
type tally struct {
	products    float64 // s z, all together
	worst, size float64 // by how much a side is missed, and the largest value
	dual, steep float64 // the same of the gradient
	value       float64 // the cost
	made        float64 // what the cost is made of, all of it above 0
	lost        float64 // what the gradient that is left may be worth
}

// A reach is how far a step can be gone until something is 0, and what the products of the changes
// are together.
type reach struct{ alpha, square float64 }

// beyond is by how much the value is beyond the bound after a whole step.
func (h *side) beyond(step []float64) float64 { return float64(h.sign*step[h.of]) + h.t }

// attract draws values of 0 to their bounds, by as much as there is of variables in the cost, as
// for least squares. Bounds that are far away draw no harder than near ones: a job uses few of the
// slots that it could use.
func (s sides) attract(to []pull) {
	for i := range s {
		h := &s[i]
		h.d, h.t, h.q = 1/max(1, 0.1*math.Abs(h.rhs)), -h.rhs, 0
		to[h.of].push -= float64(h.sign * h.d * h.t)
		to[h.of].weight += h.d
	}
}

// start moves s and z to where they may be.
func (s sides) start(values []float64) {
	for i := range s {
		h := &s[i]
		h.t = float64(h.sign*values[h.of]) - h.rhs
		h.s = max(math.Abs(h.t), 0.5)
		h.z = 0.3 / h.s
	}
}

// advance goes along the step to where the values are now, with nothing aimed at there, and adds up
// what is done to each.
func (s sides) advance(alpha float64, step, values []float64, to []pull, sum *tally) {
	worst, size, steep, products := sum.worst, sum.size, sum.steep, sum.products
	for i := range s {
		h := &s[i]
		beyond := h.beyond(step)
		slack, z := h.s-float64(alpha*(h.s+beyond)), h.z+float64(alpha*(float64(h.d*beyond)+h.q))
		ax := values[h.of]
		t, d := float64(h.sign*ax)-h.rhs, z/slack
		h.s, h.z, h.d, h.t, h.q = slack, z, d, t, 0
		worst, size = larger(worst, t+slack), larger(size, ax)
		if z > steep {
			steep = z
		}
		products += float64(slack * z)
		p := &to[h.of]
		p.price -= float64(h.sign * z)
		p.push -= float64(h.sign * d * t)
		p.weight += d
	}
	sum.worst, sum.size, sum.steep, sum.products = worst, size, steep, products
}

// larger is the larger one of a and |b|.
func larger(a, b float64) float64 {
	if b = math.Abs(b); b > a {
		return b
	}
	return a
}

// along finds how far the step can be gone.
func (s sides) along(step []float64, r *reach) {
	alpha, square := r.alpha, r.square
	for i := range s {
		h := &s[i]
		beyond := h.beyond(step)
		less, dz := h.s+beyond, float64(h.d*beyond)+h.q
		square -= float64(less * dz)
		if h.s-float64(alpha*less) < 0 {
			alpha = h.s / less
		}
		if h.z+float64(alpha*dz) < 0 {
			alpha = -h.z / dz
		}
	}
	r.alpha, r.square = alpha, square
}

// aim aims at products of the size mu, less what the step that was predicted misses, and adds up
// what sides push their values by.
func (s sides) aim(mu float64, step, push []float64) {
	for i := range s {
		h := &s[i]
		beyond := h.beyond(step)
		h.q = (mu + float64((h.s+beyond)*h.d*beyond)) / h.s
		push[h.of] -= float64(h.sign * (float64(h.d*h.t) + h.q))
	}
}

// oppose adds up what they push by on a step.
func (s sides) oppose(step, push []float64) {
	for i := range s {
		h := &s[i]
		push[h.of] -= float64(h.sign * (float64(h.d*h.beyond(step)) + h.q))
	}
}

// prices adds up the prices of each value after so much of the step: the duals, less than 0 at
// upper bounds.
func (s sides) prices(alpha float64, step, to []float64) {
	for i := range s {
		h := &s[i]
		to[h.of] -= float64(h.sign * (h.z + float64(alpha*(float64(h.d*h.beyond(step))+h.q))))
	}
}

// point goes along the step to the next point, sees how far it is from an optimum, and factors for
// the step from there, with nothing aimed at.
func (w *Interior) point() (sum tally) {
	sum.size, sum.steep = 1, 1
	clear(w.schur)
	clear(w.right)
	// The values of shared rows are known behind the blocks, and their prices are needed in them.
	r := &w.rows
	clear(r.y)
	r.prices(w.alpha, r.adx, r.y)
	clear(r.ax)
	for k := range w.blocks {
		b := &w.blocks[k]
		add(b.x, w.alpha, b.dx)
		b.h.Times(b.k, b.x, b.f)
		for i, x := range b.x {
			hx := b.f[i]
			sum.value += float64(x * (float64(0.5*hx) + b.c[i]))
			sum.made += math.Abs(x) * (0.5*math.Abs(hx) + math.Abs(b.c[i]))
			sum.steep = larger(sum.steep, hx)
			b.down[i] = -hx - b.c[i]
		}
		pulls := w.pulls[:len(b.x)]
		clear(pulls)
		b.bounds.advance(w.alpha, b.dx, b.x, pulls, &sum)
		b.drawn(pulls)
		for i, l := range b.lines {
			x := b.x[3*l.first:]
			dense.Plus(l.c, x, dense.Three(r.ax, i))
			dense.PlusTransposed(l.c, dense.Three(r.y, i), b.down[3*l.first:])
		}
		for i, x := range b.down {
			sum.dual = larger(sum.dual, x)
			sum.lost += math.Abs(x) * (1 + math.Abs(b.x[i]))
		}
		w.factor(b)
	}
	pulls := w.pulls[:len(r.ax)]
	clear(pulls)
	clear(r.y)
	r.advance(w.alpha, r.adx, r.ax, pulls, &sum)
	r.drawn(pulls)
	w.join()
	return sum
}

// drawn takes in what sides do to the variables: what pulls, the gradient, and H with their
// weights, to be factored.
func (b *part) drawn(pulls []pull) {
	copy(b.l, b.h)
	for i := range b.k {
		t, p := b.l.At(i, i), pulls[3*i:3*i+3]
		f, down := dense.Three(b.f, i), dense.Three(b.down, i)
		t[0] += p[0].weight + proximal
		t[4] += p[1].weight + proximal
		t[8] += p[2].weight + proximal
		for j := range p {
			f[j] = p[j].push
			down[j] += p[j].price
		}
	}
}

// drawn takes in what sides do to the rows.
func (r *rows) drawn(pulls []pull) {
	for i := range r.y {
		r.y[i] += pulls[i].price
		r.push[i], r.weight[i] = pulls[i].push, pulls[i].weight
	}
}

// factor factors the matrix of a block, of which l has H and its bounds, adds to that of the shared
// rows, and solves for what pulls at the block as far as that is possible without them.
func (w *Interior) factor(b *part) {
	b.l.Cholesky(b.k, pivotLeast)
	for i := range b.lines {
		l := &b.lines[i]
		copy(l.v, l.c)
		b.l.Below(b.k, l.first, l.v)
		for j := range b.lines[:i+1] { // both are zero before the later start
			o := &b.lines[j]
			from := max(l.first, o.first)
			w.schur.At(i, j).Add(l.v[(from-l.first)*9:], o.v[(from-o.first)*9:])
		}
	}
	add(b.f, 1, b.down)
	w.forward(b)
}

// join factors the matrix of the shared rows.
func (w *Interior) join() {
	for i, d := range w.rows.weight {
		w.inverse[i] = 1 / d
		*w.schur.Entry(i, i) += w.inverse[i]
		if d == 0 { // nothing bounds the row
			w.inverse[i] = 0
		}
	}
	w.schur.Cholesky(dense.InTiles(len(w.right)), pivotLeast)
}

// aim aims at products of the size mu, less what the step that was predicted misses.
func (w *Interior) aim(mu float64) {
	clear(w.right)
	clear(w.rows.push)
	w.rows.aim(mu, w.rows.adx, w.rows.push)
	for k := range w.blocks {
		b := &w.blocks[k]
		clear(b.f)
		b.bounds.aim(mu, b.dx, b.f)
		add(b.f, 1, b.down)
		w.forward(b)
	}
}

// forward takes f, which has what its sides push a block by, half the way through the factor of the block, and adds
// what the shared rows have of it.
func (w *Interior) forward(b *part) {
	b.l.Forward(b.k, b.f)
	for i, l := range b.lines {
		dense.Plus(l.v, b.f[3*l.first:], dense.Three(w.right, i))
	}
}

// backward takes f the other half, by the duals of the shared rows.
func (w *Interior) backward(b *part) {
	for i, l := range b.lines {
		dense.PlusTransposed(l.v, dense.Three(w.right, i), b.f[3*l.first:])
	}
	b.l.Backward(b.k, b.f)
}

// step finds the step for what was aimed at, and how far it can be gone, alpha at most. Where
// rounding has been seen to spoil steps, it is mended by what it misses.
func (w *Interior) step(alpha float64) (way reach) {
	r := &w.rows
	clear(r.dy)
	way.alpha = alpha
	for mend := 0; ; mend++ {
		for i := range w.right {
			w.right[i] = float64((r.push[i]-r.dy[i])*w.inverse[i]) - w.right[i]
		}
		w.schur.Forward(len(w.right)/3, w.right)
		w.schur.Backward(len(w.right)/3, w.right)
		add(r.dy, 1, w.right)
		for k := range w.blocks {
			b := &w.blocks[k]
			if w.backward(b); mend == 0 {
				clear(b.dx)
			}
			add(b.dx, 1, b.f)
			if mend == w.mends {
				b.bounds.along(b.dx, &way)
			}
		}
		if mend == w.mends {
			break
		}
		w.mend()
	}
	// By how much shared rows change follows from the step of their prices: one that holds the
	// optimum back has a large weight, which would make much of the rounding in a sum over all
	// blocks.
	for i := range r.adx {
		r.adx[i] = (r.push[i] - r.dy[i]) * w.inverse[i]
	}
	r.along(r.adx, &way)
	return way
}

// mend solves for what the step misses.
func (w *Interior) mend() {
	clear(w.right)
	for k := range w.blocks {
		b := &w.blocks[k]
		b.h.Times(b.k, b.dx, b.f)
		for i, hx := range b.f {
			b.f[i] = b.down[i] - hx
		}
		b.bounds.oppose(b.dx, b.f)
		for i, l := range b.lines {
			dense.Plus(l.c, b.dx[3*l.first:], dense.Three(w.right, i))
			dense.PlusTransposed(l.c, dense.Three(w.rows.dy, i), b.f[3*l.first:])
		}
		w.forward(b)
	}
}

// add puts y + f x in place of y.
func add(y []float64, f float64, x []float64) {
	x = x[:len(y)]
	for i := range y {
		y[i] += float64(f * x[i])
	}
}
