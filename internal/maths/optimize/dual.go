package optimize

import "math"

// again goes on from the basis as it stands after bounds have changed. The prices of an optimum still
// stand, so the dual simplex brings the variables within their new bounds.
func (s *simplex) again() Status {
	if !s.putOnBounds() || s.dual() == Infeasible {
		return Infeasible
	}
	return s.primal() // nothing is left to do, but for rounding
}

// putOnBounds puts each nonbasic variable on the bound that its price asks for. It tells whether the bounds
// of all variables leave room.
func (s *simplex) putOnBounds() bool {
	y := s.prices(s.cost)
	for j := range s.x {
		if s.lower[j] > s.upper[j] {
			return false
		}
		if s.state[j] < 0 {
			switch d := s.reduced(s.cost, y, j); {
			case d > attracts && s.lower[j] > -noBound:
				s.state[j] = atLower
			case d < -attracts && s.upper[j] < noBound:
				s.state[j] = atUpper
			}
			s.rest(j)
		}
	}
	s.values()
	return true
}

// dual is the dual simplex: the variable that misses its bounds by most leaves the basis, and the one
// enters whose price is the first to change its sign.
func (s *simplex) dual() Status {
	for step := 0; step < mostSteps; step++ {
		row, worst := -1, 0.0
		for i, j := range s.basis {
			off := s.misses(j)
			if off == 0 {
				continue
			}
			better := math.Abs(off) > math.Abs(worst)
			if s.idle > patience { // Bland's rule
				better = row < 0 || j < s.basis[row]
			}
			if better {
				row, worst = i, off
			}
		}
		if row < 0 {
			return Optimal
		}
		s.steps++
		to, sign := atLower, 1.0
		if worst > 0 {
			to, sign = atUpper, -1
		}
		enters, ok := s.enter(row, sign)
		if !ok {
			return Infeasible
		}
		if s.idle++; enters.price > 1e-12 {
			s.idle = 0
		}
		w := s.column(enters.variable)
		leaves := s.basis[row]
		rise := (s.x[leaves] - s.bound(leaves, to)) / w[row]
		for i, j := range s.basis {
			s.x[j] -= rise * w[i]
		}
		s.x[enters.variable] += rise
		s.x[leaves] = s.bound(leaves, to)
		s.pivot(row, enters.variable, to)
	}
	return Stopped
}

// enter finds the variable that can bring that of the row back (sign 1: up) at the least price for it;
// of several, the one with the largest pivot. If there is none the bounds contradict each other.
func (s *simplex) enter(row int, sign float64) (best candidate, ok bool) {
	y := s.prices(s.cost)
	inverse := s.inverse[row*s.rows : (row+1)*s.rows]
	size := 0.0
	for j := range s.x {
		if s.state[j] >= 0 || s.lower[j] == s.upper[j] {
			continue
		}
		pivot := 0.0
		for _, t := range s.entries[j] {
			pivot += inverse[t.Variable] * t.Coefficient
		}
		pivot *= sign
		if math.Abs(pivot) <= pivotal || pivot > 0 && s.state[j] == atLower || pivot < 0 && s.state[j] == atUpper {
			continue
		}
		price := math.Abs(s.reduced(s.cost, y, j)) / math.Abs(pivot)
		tie := ok && math.Abs(price-best.price) <= 1e-12*(1+price)
		if !ok || price < best.price && !tie || tie && s.idle <= patience && math.Abs(pivot) > size {
			best, size, ok = candidate{j, price}, math.Abs(pivot), true
		}
	}
	return best, ok
}
