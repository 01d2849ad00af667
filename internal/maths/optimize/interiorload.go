package optimize

import "math"

// load copies a problem, scaled: each curved variable so that its entry of the Hessian is 1, each
// row so that its largest coefficient is 1, the cost so that a step of 1 changes it by about 1. Of
// an elastic one every row and bound may be missed, at 1 for each unit, and nothing else costs.
func (w *Interior) load(q *Quadratic, elastic bool) {
	m := len(q.Shared)
	if len(w.floats) < w.needed {
		w.floats = make([]float64, w.needed)
	}
	w.used, w.needed = 0, 0
	w.sides = w.sides[:0]
	w.blocks = grow(w.blocks, len(q.Blocks))
	w.rows = grow(w.rows, m)
	w.cost = 0
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
	}
	if w.cost = 1 / w.cost; math.IsInf(w.cost, 0) {
		w.cost = 1
	}
	for i := range w.rows {
		w.rows[i] = shared{}
	}
	for k := range q.Blocks {
		w.block(&w.blocks[k], &q.Blocks[k], m, elastic)
	}
	for i := range w.rows {
		r := &w.rows[i]
		if r.scale == 0 {
			r.scale = 1
		}
		for k := range w.blocks {
			if b := &w.blocks[k]; b.sharing > 0 {
				entries := b.spans[i].of(b.shares, b.n, i)
				for j := range entries {
					entries[j] /= r.scale
				}
			}
		}
		l := q.Shared[i]
		r.from = len(w.sides)
		if l.Lower == l.Upper && l.Penalty == 0 && !elastic {
			r.equal, r.rhs = true, l.Lower/r.scale
		} else {
			w.add(i, l, r.scale, elastic)
		}
		r.to = len(w.sides)
	}
	w.schur, w.right = w.take(m*m), w.take(m)
}

// block loads one block.
func (w *Interior) block(to *part, b *Block, m int, elastic bool) {
	n, rows := len(b.Cost), len(b.Limits)
	eq, spans := to.eq[:0], to.spans[:0]
	*to = part{n: n, eq: eq, spans: spans}
	if b.Shares != nil {
		to.sharing = m
	}
	to.h, to.l, to.c, to.scale = w.take(n*n), w.take(n*n), w.take(n), w.take(n)
	to.x, to.dx, to.rd, to.r, to.f, to.g = w.take(n), w.take(n), w.take(n), w.take(n), w.take(n), w.take(n)
	to.a, to.ax, to.adx, to.rowScale = w.take(rows*n), w.take(rows), w.take(rows), w.take(rows)
	to.shares, to.v = w.take(to.sharing*n), w.take(to.sharing*n)
	for i := range n {
		to.scale[i] = 1
		if h := b.Hessian[i*n+i]; h > 0 {
			to.scale[i] = 1 / math.Sqrt(w.cost*h)
		}
	}
	if !elastic {
		for i := range n {
			to.c[i] = w.cost * b.Cost[i] * to.scale[i]
			for j := range n {
				to.h[i*n+j] = w.cost * to.scale[i] * b.Hessian[i*n+j] * to.scale[j]
			}
		}
	}
	to.bounds = len(w.sides)
	for i := range b.Lower {
		w.add(i, Limit{Lower: b.Lower[i], Upper: b.Upper[i]}, to.scale[i], elastic)
	}
	to.from = len(w.sides)
	for r, l := range b.Limits {
		largest := 0.0
		for j := range n {
			to.a[r*n+j] = b.Rows[r*n+j] * to.scale[j]
			largest = max(largest, math.Abs(to.a[r*n+j]))
		}
		if largest == 0 {
			largest = 1
		}
		for j := range n {
			to.a[r*n+j] /= largest
		}
		to.rowScale[r] = largest
		if l.Lower == l.Upper && l.Penalty == 0 && !elastic {
			to.eq = append(to.eq, equation{row: r, rhs: l.Lower / largest})
			continue
		}
		w.add(r, l, largest, elastic)
	}
	to.to = len(w.sides)
	e := len(to.eq)
	to.u, to.inner, to.cross, to.p = w.take(e*n), w.take(e*e), w.take(e*to.sharing), w.take(e)
	for i := range to.sharing {
		var s span
		for j := range n {
			x := b.Shares[i*n+j] * to.scale[j]
			to.shares[i*n+j] = x
			w.rows[i].scale = max(w.rows[i].scale, math.Abs(x))
			if x != 0 {
				if s.to == 0 {
					s.from = j
				}
				s.to = j + 1
			}
		}
		to.spans = append(to.spans, s)
	}
}

// add lists the sides of a variable or row whose values are divided by scale.
func (w *Interior) add(of int, l Limit, scale float64, elastic bool) {
	rho := l.Penalty * w.cost * scale
	if elastic {
		if rho = 1; l.Penalty > 0 {
			return // it may be missed anyway
		}
	}
	if !infinite(l.Upper) {
		w.sides = append(w.sides, side{of: of, sign: 1, rhs: l.Upper / scale, rho: rho})
	}
	if !infinite(l.Lower) {
		w.sides = append(w.sides, side{of: of, sign: -1, rhs: -l.Lower / scale, rho: rho})
	}
}

// missed is by how much rows and bounds are missed, all together: scaled, and in their own units.
func (w *Interior) missed() (scaled, sum float64) {
	w.values()
	for i := range w.sides {
		sd := &w.sides[i]
		sd.rp = max(0, float64(sd.sign*sd.ax)-sd.rhs)
		scaled += sd.rp
	}
	for k := range w.blocks {
		b := &w.blocks[k]
		for i := b.bounds; i < b.from; i++ {
			sum += float64(w.sides[i].rp * b.scale[w.sides[i].of])
		}
		for i := b.from; i < b.to; i++ {
			sum += float64(w.sides[i].rp * b.rowScale[w.sides[i].of])
		}
	}
	for _, r := range w.rows {
		for i := r.from; i < r.to; i++ {
			sum += float64(w.sides[i].rp * r.scale)
		}
	}
	return scaled, sum
}

// report puts the result in the terms of the problem.
func (w *Interior) report(q *Quadratic) {
	o := &w.out
	o.X, o.Duals, o.Bounds = grow(o.X, len(q.Blocks)), grow(o.Duals, len(q.Blocks)), grow(o.Bounds, len(q.Blocks))
	o.Prices = grow(o.Prices, len(q.Shared))
	o.Cost = 0
	for k := range w.blocks {
		b, from := &w.blocks[k], &q.Blocks[k]
		x, duals, bounds := w.take(b.n), w.take(len(b.ax)), w.take(b.n)
		for i := range x {
			x[i] = b.x[i] * b.scale[i]
			if from.Lower != nil {
				x[i] = max(from.Lower[i], min(x[i], from.Upper[i])) // off by rounding at most
			}
		}
		for i := b.bounds; i < b.from; i++ {
			sd := &w.sides[i]
			bounds[sd.of] -= sd.sign * sd.z / (w.cost * b.scale[sd.of])
		}
		for i := b.from; i < b.to; i++ {
			sd := &w.sides[i]
			duals[sd.of] -= sd.sign * sd.z / (w.cost * b.rowScale[sd.of])
		}
		for i := range b.eq {
			e := &b.eq[i]
			duals[e.row] = -e.y / (w.cost * b.rowScale[e.row])
		}
		for i := range x {
			hx := 0.0
			for j := range x {
				hx += float64(from.Hessian[i*b.n+j] * x[j])
			}
			o.Cost += float64(x[i] * (float64(0.5*hx) + from.Cost[i]))
		}
		for r, l := range from.Limits {
			ax := 0.0
			for j := range x {
				ax += float64(from.Rows[r*b.n+j] * x[j])
			}
			o.Cost += beyond(l, ax)
		}
		o.X[k], o.Duals[k], o.Bounds[k] = x, duals, bounds
	}
	for i := range w.rows {
		r := &w.rows[i]
		o.Prices[i] = -r.y / (w.cost * r.scale)
		sum := 0.0
		for k := range w.blocks {
			if n := w.blocks[k].n; w.blocks[k].sharing > 0 {
				for j, x := range o.X[k] {
					sum += float64(q.Blocks[k].Shares[i*n+j] * x)
				}
			}
		}
		o.Cost += beyond(q.Shared[i], sum)
	}
}

// beyond is what a soft row costs.
func beyond(l Limit, ax float64) float64 {
	if l.Penalty == 0 {
		return 0
	}
	return l.Penalty * max(0, ax-l.Upper, l.Lower-ax)
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
