package optimize

import (
	"math"
	"slices"
)

// sides are the bounds of some values: of the variables of a block, of its rows, or of shared rows.
// Each bound is a side: ±a x + s - e = rhs with s ≥ 0, and e ≥ 0 only where it is soft; z and w are
// their duals, with z + w the penalty. A step solves s dz + z ds = μ - s z - p of each side, and
// the same of e and w, where the products p of the step are known from its prediction. Without s, e
// and w that is dz = d (±a dx + t) + q.
type sides struct {
	hard []hard
	soft []soft
}

// hard is a bound that holds.
type hard struct {
	of      int     // whose
	sign    float64 // 1 = upper, -1 = lower
	rhs     float64
	s, z    float64
	d, t, q float64 // weight, by how much the value is beyond the bound, and what is aimed at
}

// soft is a bound that may be missed, at a price.
type soft struct {
	hard
	rho        float64 // penalty
	e, w       float64
	up, over   float64 // what is aimed at, by s and by e
	ds, de, dz float64
}

// A pull is what the sides of a value do at a point: their price, by how much they push it, and
// their weight.
type pull struct{ price, push, weight float64 }

// A tally is what is seen at a point.
type tally struct {
	products    float64 // s z and e w, all together
	worst, size float64 // by how much a side or equation is missed, and the largest value
	dual, steep float64 // the same of the gradient
	far, value  float64 // the largest variable, and the cost
	made        float64 // what the cost is made of, all of it above 0
	lost        float64 // what the gradient that is left may be worth
}

// A reach is how far a step can be gone until something is 0, and what the products of the changes
// are together.
type reach struct{ alpha, square float64 }

// beyond is by how much the value is beyond the bound after a whole step.
func (h *hard) beyond(step []float64) float64 { return float64(h.sign*step[h.of]) + h.t }

// attract draws values of 0 to their bounds, by as much as there is of variables in the cost, as
// for least squares. Bounds that are far away draw no harder than near ones: a job uses few of the
// slots that it could use.
func (s *sides) attract(to []pull) {
	one := func(h *hard) {
		h.d, h.t, h.q = 1/max(1, 0.1*math.Abs(h.rhs)), -h.rhs, 0
		to[h.of].push -= float64(h.sign * h.d * h.t)
		to[h.of].weight += h.d
	}
	for i := range s.hard {
		one(&s.hard[i])
	}
	for i := range s.soft {
		one(&s.soft[i].hard)
	}
}

// start moves s and z to where they may be.
func (s *sides) start(values []float64) {
	for i := range s.hard {
		h := &s.hard[i]
		h.t = float64(h.sign*values[h.of]) - h.rhs
		h.s = max(math.Abs(h.t), 0.5)
		h.z = 0.3 / h.s
	}
	for i := range s.soft {
		h := &s.soft[i]
		h.t = float64(h.sign*values[h.of]) - h.rhs
		h.s = max(math.Abs(h.t), 1)
		h.e = max(1, h.t+h.s)
		h.z = h.rho * 0.5
		h.w = h.rho - h.z
		h.ds, h.de, h.dz = 0, 0, 0
	}
}

// advance goes along the step to where the values are now, with nothing aimed at there, and adds up
// what is done to each.
func (s *sides) advance(alpha float64, step, values []float64, to []pull, sum *tally) {
	worst, size, steep, products := sum.worst, sum.size, sum.steep, sum.products
	for i := range s.hard {
		h := &s.hard[i]
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
	for i := range s.soft {
		h := &s.soft[i]
		h.s += float64(alpha * h.ds)
		h.z += float64(alpha * h.dz)
		h.e += float64(alpha * h.de)
		h.w -= float64(alpha * h.dz)
		ax := values[h.of]
		h.t = float64(h.sign*ax) - h.rhs
		h.d, h.q, h.up, h.over = 1/(h.s/h.z+h.e/h.w), 0, 0, 0
		worst, size, steep = larger(worst, h.t+h.s-h.e), larger(size, ax), max(steep, h.z)
		products += float64(h.s*h.z) + float64(h.e*h.w)
		p := &to[h.of]
		p.price -= float64(h.sign * h.z)
		p.push -= float64(h.sign * h.d * h.t)
		p.weight += h.d
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
func (s *sides) along(step []float64, r *reach) {
	alpha, square := r.alpha, r.square
	for i := range s.hard {
		h := &s.hard[i]
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
	for i := range s.soft {
		h := &s.soft[i]
		h.dz = float64(h.d*h.beyond(step)) + h.q
		h.ds = h.up - h.s - float64(h.s*h.dz)/h.z
		h.de = float64(h.e*h.dz)/h.w - h.e + h.over
		square += float64(h.ds*h.dz) - float64(h.de*h.dz)
		if h.s+float64(alpha*h.ds) < 0 {
			alpha = -h.s / h.ds
		}
		if h.z+float64(alpha*h.dz) < 0 {
			alpha = -h.z / h.dz
		}
		if h.e+float64(alpha*h.de) < 0 {
			alpha = -h.e / h.de
		}
		if h.w-float64(alpha*h.dz) < 0 {
			alpha = h.w / h.dz
		}
	}
	r.alpha, r.square = alpha, square
}

// aim aims at products of the size mu, less what the step that was predicted misses, and adds up
// what sides push their values by.
func (s *sides) aim(mu float64, step, push []float64) {
	for i := range s.hard {
		h := &s.hard[i]
		beyond := h.beyond(step)
		h.q = (mu + float64((h.s+beyond)*h.d*beyond)) / h.s
		push[h.of] -= float64(h.sign * (float64(h.d*h.t) + h.q))
	}
	for i := range s.soft {
		h := &s.soft[i]
		h.up = (mu - float64(h.ds*h.dz)) / h.z
		h.over = (mu + float64(h.de*h.dz)) / h.w
		h.q = h.d * (h.up - h.over)
		push[h.of] -= float64(h.sign * (float64(h.d*h.t) + h.q))
	}
}

// oppose adds up what they push by on a step.
func (s *sides) oppose(step, push []float64) {
	for i := range s.hard {
		h := &s.hard[i]
		push[h.of] -= float64(h.sign * (float64(h.d*h.beyond(step)) + h.q))
	}
	for i := range s.soft {
		h := &s.soft[i]
		push[h.of] -= float64(h.sign * (float64(h.d*h.beyond(step)) + h.q))
	}
}

// prices adds up the prices of each value after so much of the step: the duals, less than 0 at
// upper bounds.
func (s *sides) prices(alpha float64, step, to []float64) {
	for i := range s.hard {
		h := &s.hard[i]
		to[h.of] -= float64(h.sign * (h.z + float64(alpha*(float64(h.d*h.beyond(step))+h.q))))
	}
	for i := range s.soft {
		h := &s.soft[i]
		to[h.of] -= float64(h.sign * (h.z + float64(alpha*h.dz)))
	}
}

// blocked tells whether a bound may stop values that have gone so far: they go towards it.
func (s *sides) blocked(values []float64, far float64) bool {
	for i := range s.hard {
		if h := &s.hard[i]; float64(h.sign*values[h.of]) > 1e-7*far {
			return true
		}
	}
	return false
}

// blocked is the same of rows, of which some hold exactly.
func (r *rows) blocked(far float64) bool {
	return r.sides.blocked(r.ax, far) || slices.ContainsFunc(r.eq, func(e equation) bool { return math.Abs(r.ax[e.row]) > 1e-7*far })
}
