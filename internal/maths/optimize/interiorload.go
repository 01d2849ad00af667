package optimize

import (
	"math"
	"slices"

	"github.com/slackline/slackline/internal/maths/dense"
)

// load copies a problem, scaled: each curved variable so that its entry of the Hessian is 1, each
// row so that its largest coefficient is 1, the cost so that a step of 1 changes it by about 1. Of
// an elastic one every row and bound may be missed, at 1 for each unit, and nothing else costs; its variables
// have their own units, as what is missed in those is what counts.
func (w *Interior) load(q *Quadratic, elastic bool) {
	m := len(q.Shared)
	if len(w.floats) < w.needed {
		w.floats = make([]float64, w.needed)
	}
	w.used, w.needed = 0, 0
	w.blocks = grow(w.blocks, len(q.Blocks))
	w.cost = 0
	bounds, limits, own := 0, m, 0
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
		bounds += len(b.Lower)
		limits += len(b.Limits)
		if len(b.Limits) > 0 {
			own++
		}
	}
	if w.cost = 1 / w.cost; elastic || math.IsInf(w.cost, 0) {
		w.cost = 1
	}
	// Room for all, as blocks have parts of these.
	if w.hard = slices.Grow(w.hard[:0], 2*(bounds+limits)); elastic {
		limits += bounds
	}
	w.soft = slices.Grow(w.soft[:0], 2*limits)
	w.apart = grow(w.apart, own)
	w.room(&w.rows, 3*dense.InTiles(m), 0)
	most := 0
	for k := range q.Blocks {
		b := &q.Blocks[k]
		var r *rows
		if len(b.Limits) > 0 {
			own--
			r = &w.apart[own]
		}
		w.block(&w.blocks[k], b, r, m, elastic)
		most = max(most, len(w.blocks[k].x), len(b.Limits))
	}
	from := w.here()
	for i := range w.rows.scale {
		if w.rows.scale[i] == 0 {
			w.rows.scale[i] = 1
		}
	}
	for i, l := range q.Shared {
		w.limit(&w.rows, i, l, elastic)
	}
	w.rows.sides = w.since(from)
	for k := range w.blocks {
		for i, l := range w.blocks[k].lines {
			for j := range l.c {
				l.c[j] /= w.rows.scale[3*i+j%9/3]
			}
		}
	}
	m = dense.InTiles(m)
	w.schur, w.right, w.inverse = w.take(dense.TilesOf(m)), w.take(3*m), w.take(3*m)
	w.pulls = grow(w.pulls, max(most, 3*m))
}

// room makes room for so many rows, of so many variables.
func (w *Interior) room(r *rows, count, n int) {
	*r = rows{eq: r.eq[:0]}
	r.a, r.scale = w.take(count*n), w.take(count)
	r.ax, r.adx, r.y, r.dy = w.take(count), w.take(count), w.take(count), w.take(count)
	r.weight, r.miss, r.push = w.take(count), w.take(count), w.take(count)
}

// block loads one block.
func (w *Interior) block(to *part, b *Block, own *rows, m int, elastic bool) {
	n := len(b.Cost)
	k := dense.InTiles(n)
	*to = part{n: n, k: k, lines: to.lines[:0], rows: own}
	to.h, to.l = w.take(dense.TilesOf(k)), w.take(dense.TilesOf(k))
	to.c, to.x, to.dx, to.down, to.f, to.scale = w.take(3*k), w.take(3*k), w.take(3*k), w.take(3*k), w.take(3*k), w.take(n)
	for i := range n {
		to.scale[i] = 1
		if h := b.Hessian[i*n+i]; h > 0 && !elastic {
			to.scale[i] = 1 / math.Sqrt(w.cost*h)
		}
	}
	if !elastic {
		for i := range n {
			to.c[i] = w.cost * b.Cost[i] * to.scale[i]
			for j := range n {
				if x := w.cost * to.scale[i] * b.Hessian[i*n+j] * to.scale[j]; j/3 <= i/3 {
					to.h.At(i/3, j/3)[i%3*3+j%3] = x
				}
			}
		}
	}
	from := w.here()
	for i := range b.Lower {
		w.add(i, Limit{Lower: b.Lower[i], Upper: b.Upper[i]}, to.scale[i], elastic)
	}
	to.bounds = w.since(from)
	if b.Shares != nil {
		w.lines(to, b, m)
	}
	if own == nil {
		return
	}
	w.room(own, len(b.Limits), 3*k)
	from = w.here()
	for r, l := range b.Limits {
		largest := 0.0
		a := own.a[r*3*k : r*3*k+n]
		for j := range a {
			a[j] = b.Rows[r*n+j] * to.scale[j]
			largest = max(largest, math.Abs(a[j]))
		}
		if largest == 0 {
			largest = 1
		}
		for j := range a {
			a[j] /= largest
		}
		own.scale[r] = largest
		w.limit(own, r, l, elastic)
	}
	own.sides = w.since(from)
	e := len(own.eq)
	own.u, own.inner, own.cross, own.p, own.g = w.take(3*k*e), w.take(e*e), w.take(3*len(to.lines)*e), w.take(e), w.take(3*k)
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

// limit loads the limit of a row, whose values are scaled.
func (w *Interior) limit(r *rows, row int, l Limit, elastic bool) {
	if l.Lower == l.Upper && l.Penalty == 0 && !elastic {
		r.eq = append(r.eq, equation{row, l.Lower / r.scale[row]})
		return
	}
	w.add(row, l, r.scale[row], elastic)
}

// add lists the sides of a variable or row whose values are divided by scale.
func (w *Interior) add(of int, l Limit, scale float64, elastic bool) {
	rho := l.Penalty * w.cost * scale
	if elastic {
		if rho = 1; l.Penalty > 0 {
			return // it may be missed anyway
		}
	}
	one := func(sign, bound float64) {
		switch h := (hard{of: of, sign: sign, rhs: sign * bound / scale}); {
		case infinite(bound):
		case rho > 0:
			w.soft = append(w.soft, soft{hard: h, rho: rho})
		default:
			w.hard = append(w.hard, h)
		}
	}
	one(1, l.Upper)
	one(-1, l.Lower)
}

// here is how many sides there are; since are those from there on.
func (w *Interior) here() [2]int { return [2]int{len(w.hard), len(w.soft)} }

func (w *Interior) since(from [2]int) sides { return sides{w.hard[from[0]:], w.soft[from[1]:]} }

// missed is by how much rows and bounds are missed, all together: scaled, and in their own units.
func (w *Interior) missed() (scaled, sum float64) {
	add := func(s *sides, values, scale []float64) {
		for i := range s.soft {
			h := &s.soft[i]
			by := max(0, float64(h.sign*values[h.of])-h.rhs)
			scaled += by
			sum += float64(by * scale[h.of])
		}
	}
	w.values()
	for k := range w.blocks {
		b := &w.blocks[k]
		add(&b.bounds, b.x, b.scale)
		if r := b.rows; r != nil {
			add(&r.sides, r.ax, r.scale)
		}
	}
	add(&w.rows.sides, w.rows.ax, w.rows.scale)
	return scaled, sum
}

// report puts the result in the terms of the problem.
func (w *Interior) report(q *Quadratic) {
	o := &w.out
	o.X, o.Duals, o.Bounds = grow(o.X, len(q.Blocks)), grow(o.Duals, len(q.Blocks)), grow(o.Bounds, len(q.Blocks))
	o.Cost = 0
	for k := range w.blocks {
		b, from := &w.blocks[k], &q.Blocks[k]
		n := b.n
		x, bounds := w.take(n), w.take(n)
		for i := range x {
			x[i] = b.x[i] * b.scale[i]
			if from.Lower != nil {
				x[i] = max(from.Lower[i], min(x[i], from.Upper[i])) // off by rounding at most
			}
		}
		b.bounds.prices(0, b.dx, bounds)
		w.price(bounds, b.scale)
		for i := range x {
			hx := dense.Dot(from.Hessian[i*n:i*n+n], x)
			o.Cost += float64(x[i] * (float64(0.5*hx) + from.Cost[i]))
		}
		for r, l := range from.Limits {
			if l.Penalty > 0 {
				o.Cost += beyond(l, dense.Dot(from.Rows[r*n:r*n+n], x))
			}
		}
		o.X[k], o.Bounds[k], o.Duals[k] = x, bounds, nil
		if b.rows != nil {
			o.Duals[k] = b.rows.y
			w.price(b.rows.y, b.rows.scale)
		}
	}
	o.Prices = w.rows.y[:len(q.Shared)]
	w.price(o.Prices, w.rows.scale)
	for i, l := range q.Shared {
		if l.Penalty == 0 {
			continue
		}
		sum := 0.0
		for k := range w.blocks {
			if n := w.blocks[k].n; q.Blocks[k].Shares != nil {
				sum += dense.Dot(q.Blocks[k].Shares[i*n:i*n+n], o.X[k])
			}
		}
		o.Cost += beyond(l, sum)
	}
}

// price puts prices of scaled values in the terms of the problem.
func (w *Interior) price(prices, scale []float64) {
	for i := range prices {
		prices[i] /= w.cost * scale[i]
	}
}

// beyond is what a soft row costs.
func beyond(l Limit, ax float64) float64 { return l.Penalty * max(0, ax-l.Upper, l.Lower-ax) }

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
