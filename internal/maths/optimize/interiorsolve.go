package optimize

import (
	"math"

	"github.com/slackline/slackline/internal/maths/dense"
)

// factorize factors the matrix of each block, and the one of the shared rows.
func (w *Interior) factorize() {
	m := len(w.rows)
	clear(w.schur)
	for k := range w.blocks {
		b := &w.blocks[k]
		n := b.n
		copy(b.l, b.h)
		for i := range n {
			b.l[i*n+i] += proximal
		}
		for i := b.bounds; i < b.from; i++ {
			v := w.sides[i].of
			b.l[v*n+v] += w.sides[i].d
		}
		for i := b.from; i < b.to; i++ {
			outer(b.l, n, w.sides[i].d, b.a[w.sides[i].of*n:])
		}
		for i := range b.eq {
			outer(b.l, n, 1, b.a[b.eq[i].row*n:])
		}
		dense.Cholesky(b.l, n, pivotLeast)
		for i, s := range b.spans {
			if s.to == 0 {
				continue
			}
			v := b.v[i*n : i*n+n]
			copy(v, b.shares[i*n:i*n+n])
			dense.Forward(b.l, n, v)
			for j, o := range b.spans[:i+1] { // both are zero before the later start
				if o.to > 0 {
					from := max(s.from, o.from)
					w.schur[i*m+j] += dense.Dot(v[from:], b.v[j*n+from:])
				}
			}
		}
		if e := len(b.eq); e > 0 {
			for i := range b.eq {
				u := b.u[i*n : i*n+n]
				copy(u, b.a[b.eq[i].row*n:])
				dense.Forward(b.l, n, u)
				for j := range i + 1 {
					b.inner[i*e+j] = dense.Dot(u, b.u[j*n:j*n+n])
				}
			}
			dense.Cholesky(b.inner, e, pivotLeast)
			for i := range b.sharing {
				c := b.cross[i*e : i*e+e]
				for j := range c {
					c[j] = dense.Dot(b.u[j*n:j*n+n], b.v[i*n:i*n+n])
				}
				dense.Forward(b.inner, e, c)
				for j := range i + 1 {
					w.schur[i*m+j] -= dense.Dot(c, b.cross[j*e:j*e+e])
				}
			}
		}
	}
	for i := range w.rows {
		r := &w.rows[i]
		if r.equal {
			continue
		}
		d := 0.0
		for j := r.from; j < r.to; j++ {
			d += w.sides[j].d
		}
		if d == 0 { // nothing bounds the row
			w.schur[i*m+i], r.inverse = math.Inf(1), 0
			continue
		}
		r.inverse = 1 / d
		w.schur[i*m+i] += r.inverse
	}
	dense.Cholesky(w.schur, m, pivotLeast)
}

// solve finds the step of x and of the duals of equations for the right sides that stand in rd, p
// and t. Where rounding has been seen to spoil a step, it is mended once by what it misses.
func (w *Interior) solve() {
	for k := range w.blocks {
		b := &w.blocks[k]
		n := b.n
		clear(b.dx)
		for i, r := range b.rd {
			b.r[i] = -r
		}
		for i := b.bounds; i < b.from; i++ {
			sd := &w.sides[i]
			b.r[sd.of] -= float64(sd.sign * sd.d * sd.t)
		}
		for i := b.from; i < b.to; i++ {
			sd := &w.sides[i]
			add(b.r, -sd.sign*sd.d*sd.t, b.a[sd.of*n:])
		}
		for i := range b.eq {
			b.eq[i].r, b.eq[i].dy = -b.eq[i].p, 0
		}
	}
	for i := range w.rows {
		r := &w.rows[i]
		r.r, r.dy = -r.p, 0
		if !r.equal {
			dt := 0.0
			for j := r.from; j < r.to; j++ {
				dt += float64(w.sides[j].sign * w.sides[j].d * w.sides[j].t)
			}
			r.r = -dt * r.inverse
		}
	}
	w.correct()
	for range w.mends {
		w.miss()
		w.correct()
	}
}

// miss puts into r what the step misses.
func (w *Interior) miss() {
	for i := range w.rows {
		r := &w.rows[i]
		r.r, r.value = -r.p, 0
		if !r.equal {
			dt := 0.0
			for j := r.from; j < r.to; j++ {
				dt += float64(w.sides[j].sign * w.sides[j].d * w.sides[j].t)
			}
			r.r = (r.dy - dt) * r.inverse
		}
	}
	for k := range w.blocks {
		b := &w.blocks[k]
		n := b.n
		for i := range n {
			b.r[i] = -b.rd[i] - dense.Dot(b.h[i*n:i*n+n], b.dx)
		}
		for i := b.bounds; i < b.from; i++ {
			sd := &w.sides[i]
			b.r[sd.of] -= float64(sd.d * (float64(sd.sign*sd.t) + b.dx[sd.of]))
		}
		for i := b.from; i < b.to; i++ {
			sd := &w.sides[i]
			a := b.a[sd.of*n : sd.of*n+n]
			add(b.r, -sd.d*(float64(sd.sign*sd.t)+dense.Dot(a, b.dx)), a)
		}
		for i := range b.eq {
			e := &b.eq[i]
			a := b.a[e.row*n : e.row*n+n]
			e.r = -e.p - dense.Dot(a, b.dx)
			add(b.r, -e.dy, a)
		}
		for i, s := range b.spans {
			c := s.of(b.shares, n, i)
			w.rows[i].r -= dense.Dot(c, b.dx[s.from:])
			add(b.r[s.from:s.to], -w.rows[i].dy, c)
		}
	}
}

// correct solves for the right sides r, and adds the result to the step.
func (w *Interior) correct() {
	m := len(w.rows)
	clear(w.right)
	for k := range w.blocks {
		b := &w.blocks[k]
		n := b.n
		copy(b.f, b.r)
		for i := range b.eq {
			add(b.f, b.eq[i].r, b.a[b.eq[i].row*n:])
		}
		dense.Forward(b.l, n, b.f)
		g := b.f
		if len(b.eq) > 0 {
			b.equations(b.f, b.g)
			g = b.g
		}
		for i, s := range b.spans {
			if s.to > 0 {
				w.right[i] += dense.Dot(b.v[i*n+s.from:i*n+n], g[s.from:])
			}
		}
	}
	for i := range w.rows {
		w.right[i] -= w.rows[i].r
	}
	dense.Solve(w.schur, m, w.right)
	for i := range w.rows {
		w.rows[i].dy += w.right[i]
	}
	for k := range w.blocks {
		b := &w.blocks[k]
		n := b.n
		for i, s := range b.spans {
			if s.to > 0 {
				add(b.f[s.from:], -w.right[i], b.v[i*n+s.from:])
			}
		}
		g := b.f
		if len(b.eq) > 0 {
			b.equations(b.f, b.g)
			g = b.g
			for i := range b.eq {
				b.eq[i].dy += b.p[i]
			}
		}
		dense.Backward(b.l, n, g)
		add(b.dx, 1, g)
	}
}

// equations puts into g what equations leave of f, and finds their duals in p: B y = Uᵀ f - r, g =
// f - U y.
func (b *part) equations(f, g []float64) {
	n, e := b.n, len(b.eq)
	for i := range b.eq {
		b.p[i] = dense.Dot(b.u[i*n:i*n+n], f) - b.eq[i].r
	}
	dense.Solve(b.inner, e, b.p)
	copy(g, f)
	for i := range b.eq {
		add(g, -b.p[i], b.u[i*n:])
	}
}

// outer adds d a aᵀ to the lower triangle of m.
func outer(m []float64, n int, d float64, a []float64) {
	for i := range n {
		if x := d * a[i]; x != 0 {
			row := m[i*n : i*n+i+1]
			for j := range row {
				row[j] += float64(x * a[j])
			}
		}
	}
}
