package optimize

import (
	"math"
	"slices"

	"github.com/slackline/slackline/internal/maths/dense"
)

// load copies a problem, scaled: each curved variable so that its entry of the Hessian is 1, each
// row so that its largest coefficient is 1, the cost so that a step of 1 changes it by about 1.
func (w *Interior) load(q *Quadratic) {
	m := dense.InTiles(len(q.Shared))
	if len(w.floats) < w.needed {
		w.floats = make([]float64, w.needed)
	}
	w.used, w.needed = 0, 0
	w.blocks = grow(w.blocks, len(q.Blocks))
	w.cost = 0
	sides, most := len(q.Shared), 3*m
	for k := range q.Blocks {
		b := &q.Blocks[k]
		n := len(b.Cost)
		for i, c := range b.Cost {
			if h := b.Hessian[i*n+i]; h > 0 {
				w.cost = max(w.cost, c/h*c)
			} else {
				w.cost = max(w.cost, math.Abs(c))
			}
		}
		sides, most = sides+2*n, max(most, 3*dense.InTiles(n))
	}
	if w.cost = 1 / w.cost; math.IsInf(w.cost, 0) {
		w.cost = 1
	}
	w.sides = slices.Grow(w.sides[:0], sides) // room for all, as blocks have parts of these
	w.pulls = grow(w.pulls, most)
	r := &w.rows
	for _, list := range []*[]float64{&r.scale, &r.ax, &r.adx, &r.y, &r.dy, &r.weight, &r.push, &w.right, &w.inverse} {
		*list = w.take(3 * m)
	}
	w.schur = w.take(dense.TilesOf(m))
	for k := range q.Blocks {
		w.block(&w.blocks[k], &q.Blocks[k], len(q.Shared))
	}
	for i := range r.scale {
		if r.scale[i] == 0 {
			r.scale[i] = 1
		}
	}
	from := len(w.sides)
	for i, upper := range q.Shared {
		w.sides = append(w.sides, side{of: i, sign: 1, rhs: upper / r.scale[i]})
	}
	r.sides = w.sides[from:]
	for k := range w.blocks {
		for i, l := range w.blocks[k].lines {
			for j := range l.c {
				l.c[j] /= r.scale[3*i+j%9/3]
			}
		}
	}
}

// block loads one block.
func (w *Interior) block(to *part, b *Block, m int) {
	n := len(b.Cost)
	k := dense.InTiles(n)
	*to = part{n: n, k: k, lines: to.lines[:0]}
	to.h, to.l = w.take(dense.TilesOf(k)), w.take(dense.TilesOf(k))
	to.c, to.x, to.dx, to.down, to.f, to.scale = w.take(3*k), w.take(3*k), w.take(3*k), w.take(3*k), w.take(3*k), w.take(n)
	for i := range n {
		to.scale[i] = 1
		if h := b.Hessian[i*n+i]; h > 0 {
			to.scale[i] = 1 / math.Sqrt(w.cost*h)
		}
	}
	from := len(w.sides)
	for i := range n {
		to.c[i] = w.cost * b.Cost[i] * to.scale[i]
		for j := range n {
			if x := w.cost * to.scale[i] * b.Hessian[i*n+j] * to.scale[j]; j/3 <= i/3 {
				to.h.At(i/3, j/3)[i%3*3+j%3] = x
			}
		}
		w.sides = append(w.sides, side{of: i, sign: 1, rhs: b.Upper[i] / to.scale[i]}, side{of: i, sign: -1})
	}
	to.bounds = w.sides[from:]
	w.lines(to, b, m)
}

// lines loads what a block has of shared rows.
func (w *Interior) lines(to *part, b *Block, m int) {
	n := to.n
	for row := 0; row < m; row += 3 {
		of := b.Shares[row*n : min(row+3, m)*n]
		first := n
		for i, x := range of {
			if x != 0 {
				first = min(first, i%n)
			}
		}
		first = dense.InTiles(first+1) - 1
		if first*3 >= n { // nothing
			first = to.k
		}
		l := line{first, w.take((to.k - first) * 9), w.take((to.k - first) * 9)}
		for i, x := range of {
			if x != 0 {
				r, v := i/n, i%n
				l.c[(v/3-first)*9+r*3+v%3] = x * to.scale[v]
				w.rows.scale[row+r] = max(w.rows.scale[row+r], math.Abs(x*to.scale[v]))
			}
		}
		to.lines = append(to.lines, l)
	}
}

// report puts the result in the terms of the problem.
func (w *Interior) report(q *Quadratic) {
	o := &w.out
	o.X = grow(o.X, len(q.Blocks))
	for k := range w.blocks {
		b := &w.blocks[k]
		o.X[k] = b.x[:b.n]
		for i := range o.X[k] {
			o.X[k][i] = max(0, min(b.x[i]*b.scale[i], q.Blocks[k].Upper[i])) // off by rounding at most
		}
	}
	o.Prices = w.rows.y[:len(q.Shared)]
	for i := range o.Prices {
		o.Prices[i] /= w.cost * w.rows.scale[i]
	}
}

// take returns so many zeroes.
func (w *Interior) take(n int) []float64 {
	w.needed += n
	if w.used+n > len(w.floats) {
		// What was handed out stays where it is.
		w.floats = make([]float64, max(n, 2*len(w.floats), 1<<12))
		w.used = 0
	}
	list := w.floats[w.used : w.used+n : w.used+n]
	w.used += n
	clear(list)
	return list
}

// grow returns the slice with that length, and what was in it.
func grow[T any](list []T, n int) []T {
	if n <= cap(list) {
		return list[:n]
	}
	return append(list[:cap(list)], make([]T, n-cap(list))...)
}
