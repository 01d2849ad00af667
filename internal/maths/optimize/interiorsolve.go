package optimize

import (
	"math"

	"github.com/slackline/slackline/internal/maths/dense"
)

// point goes along the step to the next point, sees how far it is from an optimum, and factors for
// the step from there, with nothing aimed at.
func (w *Interior) point() (sum tally) {
	sum.size, sum.steep = 1, 1
	clear(w.schur)
	clear(w.right)
	// The values of shared rows are known behind the blocks, and their prices are needed in them.
	r := &w.rows
	r.ahead(w.alpha)
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
			sum.steep, sum.far = larger(sum.steep, hx), larger(sum.far, x)
			b.down[i] = -hx - b.c[i]
		}
		pulls := w.pulls[:len(b.x)]
		clear(pulls)
		b.bounds.advance(w.alpha, b.dx, b.x, pulls, &sum)
		b.drawn(pulls)
		if own := b.rows; own != nil {
			own.ahead(w.alpha)
			own.values(b.x, own.ax)
			own.advance(w.alpha, w.pulls, &sum)
			own.gather(own.y, b.down)
		}
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
	r.ahead(0)
	r.advance(w.alpha, w.pulls, &sum)
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

// factor factors the matrix of a block, of which l has H and its bounds, adds to that of the shared
// rows, and solves for what pulls at the block as far as that is possible without them.
func (w *Interior) factor(b *part) {
	r := b.rows
	if r != nil {
		for _, e := range r.eq {
			r.weight[e.row] = 1
		}
		for i, d := range r.weight {
			outer(b.l, d, r.a[i*len(b.x):(i+1)*len(b.x)])
		}
	}
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
	if r != nil && len(r.eq) > 0 {
		w.factorEquations(b)
	}
	w.pushed(b)
}

// factorEquations does so for those of a block.
func (w *Interior) factorEquations(b *part) {
	n, r, e := len(b.x), b.rows, len(b.rows.eq)
	for i := range r.eq {
		u := r.u[i*n : i*n+n]
		copy(u, r.a[r.eq[i].row*n:])
		b.l.Forward(b.k, u)
		for j := range i + 1 {
			r.inner[i*e+j] = dense.Dot(u, r.u[j*n:j*n+n])
		}
	}
	dense.Cholesky(r.inner, e, pivotLeast)
	clear(r.cross)
	for j := range e {
		for i, l := range b.lines {
			var c [3]float64
			dense.Plus(l.v, r.u[j*n+3*l.first:j*n+n], &c)
			for k, x := range c {
				r.cross[(3*i+k)*e+j] = x
			}
		}
	}
	for i := range 3 * len(b.lines) {
		c := r.cross[i*e : i*e+e]
		dense.Forward(r.inner, e, c)
		for j := range i + 1 {
			*w.schur.Entry(i, j) -= dense.Dot(c, r.cross[j*e:j*e+e])
		}
	}
}

// join factors the matrix of the shared rows.
func (w *Interior) join() {
	r := &w.rows
	for _, e := range r.eq {
		r.weight[e.row] = math.Inf(1)
	}
	for i, d := range r.weight {
		w.inverse[i] = 1 / d
		*w.schur.Entry(i, i) += w.inverse[i]
		if d == 0 { // nothing bounds the row
			w.inverse[i] = 0
		}
	}
	w.schur.Cholesky(dense.InTiles(len(w.right)), pivotLeast)
	r.misses()
}

// aim aims at products of the size mu, less what the step that was predicted misses.
func (w *Interior) aim(mu float64) {
	clear(w.right)
	clear(w.rows.push)
	w.rows.aim(mu, w.rows.adx, w.rows.push)
	w.rows.misses()
	for k := range w.blocks {
		b := &w.blocks[k]
		clear(b.f)
		b.bounds.aim(mu, b.dx, b.f)
		if r := b.rows; r != nil {
			clear(r.push)
			r.aim(mu, r.adx, r.push)
		}
		w.pushed(b)
	}
}

// pushed completes f, which has what its sides push a block by, and takes it half the way.
func (w *Interior) pushed(b *part) {
	add(b.f, 1, b.down)
	if r := b.rows; r != nil {
		r.misses()
		r.gather(r.push, b.f)
	}
	w.forward(b)
}

// forward takes f half the way through the factor of its block, and adds what the shared rows have
// of it.
func (w *Interior) forward(b *part) {
	b.l.Forward(b.k, b.f)
	f := b.f
	if b.rows != nil && len(b.rows.eq) > 0 {
		b.equations()
		f = b.rows.g
	}
	for i, l := range b.lines {
		dense.Plus(l.v, f[3*l.first:], dense.Three(w.right, i))
	}
}

// backward takes f the other half, by the duals of the shared rows.
func (w *Interior) backward(b *part) []float64 {
	for i, l := range b.lines {
		dense.PlusTransposed(l.v, dense.Three(w.right, i), b.f[3*l.first:])
	}
	f := b.f
	if r := b.rows; r != nil && len(r.eq) > 0 {
		b.equations()
		f = r.g
		for i, e := range r.eq {
			r.dy[e.row] -= r.p[i]
		}
	}
	b.l.Backward(b.k, f)
	return f
}

// step finds the step for what was aimed at, and how far it can be gone, alpha at most. Where
// rounding has been seen to spoil steps, it is mended by what it misses.
func (w *Interior) step(alpha float64) (way reach) {
	r := &w.rows
	clear(r.dy)
	way.alpha = alpha
	for mend := 0; ; mend++ {
		for i := range w.right {
			w.right[i] = r.miss[i] + float64((r.push[i]-r.dy[i])*w.inverse[i]) - w.right[i]
		}
		w.schur.Forward(len(w.right)/3, w.right)
		w.schur.Backward(len(w.right)/3, w.right)
		add(r.dy, 1, w.right)
		for k := range w.blocks {
			b := &w.blocks[k]
			own := b.rows
			if mend == 0 {
				if own != nil {
					clear(own.dy)
				}
				copy(b.dx, w.backward(b))
			} else {
				add(b.dx, 1, w.backward(b))
			}
			if mend == w.mends {
				b.bounds.along(b.dx, &way)
				if own != nil {
					own.values(b.dx, own.adx)
					own.along(own.adx, &way)
				}
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
		if r := b.rows; r != nil {
			r.values(b.dx, r.adx)
			clear(r.push)
			r.oppose(r.adx, r.push)
			for _, e := range r.eq {
				r.miss[e.row] = e.rhs - r.ax[e.row] - r.adx[e.row]
				r.push[e.row] = r.miss[e.row] + r.dy[e.row]
			}
			r.gather(r.push, b.f)
		}
		for i, l := range b.lines {
			dense.Plus(l.c, b.dx[3*l.first:], dense.Three(w.right, i))
			dense.PlusTransposed(l.c, dense.Three(w.rows.dy, i), b.f[3*l.first:])
		}
		w.forward(b)
	}
}

// equations puts into g what equations leave of f, and finds their duals in p: B y = Uᵀ f - r, g =
// f - U y.
func (b *part) equations() {
	n, r, e := len(b.x), b.rows, len(b.rows.eq)
	for i := range r.eq {
		r.p[i] = dense.Dot(r.u[i*n:i*n+n], b.f) - r.miss[r.eq[i].row]
	}
	dense.Solve(r.inner, e, r.p)
	copy(r.g, b.f)
	for i := range r.eq {
		add(r.g, -r.p[i], r.u[i*n:])
	}
}

// values finds those of all rows.
func (w *Interior) values() {
	clear(w.rows.ax)
	for k := range w.blocks {
		b := &w.blocks[k]
		if b.rows != nil {
			b.rows.values(b.x, b.rows.ax)
		}
		for i, l := range b.lines {
			dense.Plus(l.c, b.x[3*l.first:], dense.Three(w.rows.ax, i))
		}
	}
}

// values finds those of a block's rows.
func (r *rows) values(x, to []float64) {
	for i := range to {
		to[i] = dense.Dot(r.a[i*len(x):i*len(x)+len(x)], x)
	}
}

// gather adds Aᵀ y.
func (r *rows) gather(y, to []float64) {
	for i, f := range y {
		add(to, f, r.a[i*len(to):])
	}
}

// ahead puts into y what is known of the prices at the next point before its sides are: those of
// equations.
func (r *rows) ahead(alpha float64) {
	for _, e := range r.eq {
		r.dy[e.row] = r.y[e.row] + float64(alpha*r.dy[e.row])
	}
	clear(r.y)
	for _, e := range r.eq {
		r.y[e.row] = r.dy[e.row]
	}
}

// advance goes to where the values are now.
func (r *rows) advance(alpha float64, pulls []pull, sum *tally) {
	pulls = pulls[:len(r.ax)]
	clear(pulls)
	r.sides.advance(alpha, r.adx, r.ax, pulls, sum)
	r.drawn(pulls)
	for _, e := range r.eq {
		sum.worst = larger(sum.worst, r.ax[e.row]-e.rhs)
	}
}

// drawn takes in what sides do to the rows.
func (r *rows) drawn(pulls []pull) {
	for i, p := range pulls {
		r.y[i] += p.price
		r.push[i], r.weight[i] = p.push, p.weight
	}
}

// attracted begins with values of 0, which are drawn to their bounds.
func (r *rows) attracted(pulls []pull) {
	pulls = pulls[:len(r.ax)]
	clear(pulls)
	clear(r.ax)
	r.attract(pulls)
	r.drawn(pulls)
}

// misses notes what equations miss, which is aimed at like what sides push by.
func (r *rows) misses() {
	for _, e := range r.eq {
		r.miss[e.row] = e.rhs - r.ax[e.row]
		r.push[e.row] = r.miss[e.row]
	}
}

// add puts y + f x in place of y.
func add(y []float64, f float64, x []float64) {
	x = x[:len(y)]
	for i := range y {
		y[i] += float64(f * x[i])
	}
}

// outer adds d a aᵀ.
func outer(m dense.Tiles, d float64, a []float64) {
	for i := range a {
		if x := d * a[i]; x != 0 {
			for j, y := range a[:i+1] {
				*m.Entry(i, j) += float64(x * y)
			}
		}
	}
}
