package optimize

import (
	"cmp"
	"math"
	"slices"
)

const (
	feasible  = 1e-9 // by which a variable may miss a bound, for each unit of the bound
	pivotal   = 1e-9 // below it a pivot counts as 0
	attracts  = 1e-9 // reduced costs that are taken for 0, for each unit of cost
	refactor  = 100  // pivots until the inverse is computed again
	patience  = 40   // steps without progress until Bland's rule is taken
	mostSteps = 1_000_000
	atLower   = -1    // nonbasic, at its lower bound
	atUpper   = -2    // nonbasic, at its upper bound
	atZero    = -3    // nonbasic, without bounds
	noBound   = 1e300 // bounds beyond it are none
)

// A simplex solves a linear problem with bounded variables. Each row is an equation with a variable of
// its own, the row's sum: a x - s = 0, with the row's bounds for s. The inverse of the basis is kept as a
// dense matrix, updated by each pivot and computed again now and then.
type simplex struct {
	rows, columns       int // columns are those of the problem; the sums come behind them
	entries             [][]Term
	cost, lower, upper  []float64
	x                   []float64
	basis               []int // variable of each row
	state               []int // row of a basic variable, or atLower and so on
	inverse             []float64
	pivots, steps, idle int
	y, w, row           []float64 // scratch
	there               []int
	priced              bool // y are the prices at s.cost
	order               []candidate
}

type candidate struct {
	variable int
	price    float64
}

func newSimplex(p *Linear) *simplex {
	m, n := len(p.Rows), len(p.Cost)
	s := &simplex{rows: m, columns: n, entries: make([][]Term, n+m)}
	s.cost = append(slices.Clone(p.Cost), make([]float64, m)...)
	s.lower, s.upper = slices.Clone(p.Lower), slices.Clone(p.Upper)
	s.x, s.state = make([]float64, n+m), make([]int, n+m)
	s.y, s.w, s.row = make([]float64, m), make([]float64, m), make([]float64, m)
	for i, r := range p.Rows {
		for _, t := range r.Terms {
			if t.Coefficient != 0 {
				s.entries[t.Variable] = append(s.entries[t.Variable], Term{i, t.Coefficient})
			}
		}
		s.entries[n+i] = []Term{{i, -1}}
		s.lower, s.upper = append(s.lower, r.Lower), append(s.upper, r.Upper)
	}
	s.inverse = make([]float64, m*m)
	for i := range m {
		s.basis = append(s.basis, n+i)
		s.state[n+i] = i
		s.inverse[i*m+i] = -1
	}
	for j := range n {
		s.rest(j)
	}
	s.values()
	return s
}

// rest puts a nonbasic variable on the bound that it is on, or the nearest to 0 if it is on none.
func (s *simplex) rest(j int) {
	low, up := s.lower[j] > -noBound, s.upper[j] < noBound
	switch {
	case low && up && (s.state[j] == atUpper || s.state[j] >= 0 && math.Abs(s.upper[j]) < math.Abs(s.lower[j])):
		s.state[j], s.x[j] = atUpper, s.upper[j]
	case low:
		s.state[j], s.x[j] = atLower, s.lower[j]
	case up:
		s.state[j], s.x[j] = atUpper, s.upper[j]
	default:
		s.state[j], s.x[j] = atZero, 0
	}
}

// values computes the basic variables from the others.
func (s *simplex) values() {
	sum := s.w
	clear(sum)
	for j, x := range s.x {
		if s.state[j] < 0 && x != 0 {
			for _, t := range s.entries[j] {
				sum[t.Variable] -= t.Coefficient * x
			}
		}
	}
	for i, j := range s.basis {
		x := 0.0
		for k, v := range s.inverse[i*s.rows : (i+1)*s.rows] {
			x += v * sum[k]
		}
		s.x[j] = x
	}
}

// prices are those of the rows at these costs: c_B B⁻¹.
func (s *simplex) prices(cost []float64) []float64 {
	s.priced = false
	clear(s.y)
	for i, j := range s.basis {
		if c := cost[j]; c != 0 {
			for k, v := range s.inverse[i*s.rows : (i+1)*s.rows] {
				s.y[k] += c * v
			}
		}
	}
	return s.y
}

// reduced is the cost of a variable less what the rows pay for it.
func (s *simplex) reduced(cost, y []float64, j int) float64 {
	d := cost[j]
	for _, t := range s.entries[j] {
		d -= y[t.Variable] * t.Coefficient
	}
	return d
}

// column is how fast basic variables fall as variable j rises: B⁻¹ a.
func (s *simplex) column(j int) []float64 {
	for i := range s.w {
		x := 0.0
		for _, t := range s.entries[j] {
			x += s.inverse[i*s.rows+t.Variable] * t.Coefficient
		}
		s.w[i] = x
	}
	return s.w
}

// misses tells by how much a variable is below its lower bound (negative) or above its upper one.
func (s *simplex) misses(j int) float64 {
	switch x := s.x[j]; {
	case x < s.lower[j]-feasible*(1+math.Abs(s.lower[j])):
		return x - s.lower[j]
	case x > s.upper[j]+feasible*(1+math.Abs(s.upper[j])):
		return x - s.upper[j]
	}
	return 0
}

// pivot lets a variable enter the basis for that of the row, which comes to rest on a bound. The
// column of the entering variable is in w.
func (s *simplex) pivot(row, enters, leavesTo int) {
	m := s.rows
	leaves := s.basis[row]
	s.state[leaves], s.basis[row], s.state[enters] = leavesTo, enters, row
	pivot := s.inverse[row*m : (row+1)*m]
	s.priced = false
	there := s.scale(pivot, s.w[row])
	for i := range m {
		if f := s.w[i]; i != row && f != 0 {
			at := s.inverse[i*m : (i+1)*m]
			for _, k := range there {
				at[k] -= f * pivot[k]
			}
		}
	}
	if s.pivots++; s.pivots%refactor == 0 {
		s.invert()
		s.values()
	}
}

// scale divides a row, and tells which places of it are not 0.
func (s *simplex) scale(row []float64, by float64) []int {
	s.there = s.there[:0]
	for k, v := range row {
		if v != 0 {
			row[k] = v / by
			s.there = append(s.there, k)
		}
	}
	return s.there
}

// invert computes the inverse of the basis again. If the basis has become singular by rounding, the
// variables that depend on others give way to the sums of their rows.
func (s *simplex) invert() {
	m := s.rows
	a, inv := make([]float64, m*m), make([]float64, m*m)
	for i, j := range s.basis {
		for _, t := range s.entries[j] {
			a[t.Variable*m+i] = t.Coefficient
		}
		inv[i*m+i] = 1
	}
	swap := func(matrix []float64, i, k int) {
		for c := range m {
			matrix[i*m+c], matrix[k*m+c] = matrix[k*m+c], matrix[i*m+c]
		}
	}
	for c := range m {
		best := c
		for i := c + 1; i < m; i++ {
			if math.Abs(a[i*m+c]) > math.Abs(a[best*m+c]) {
				best = i
			}
		}
		if math.Abs(a[best*m+c]) < 1e-12 {
			s.repair(c)
			s.invert()
			return
		}
		swap(a, c, best)
		swap(inv, c, best)
		f := a[c*m+c]
		for _, matrix := range [2][]float64{inv, a} {
			pivot := matrix[c*m : (c+1)*m]
			there := s.scale(pivot, f)
			for i := range m {
				if f := a[i*m+c]; i != c && f != 0 {
					at := matrix[i*m : (i+1)*m]
					for _, k := range there {
						at[k] -= f * pivot[k]
					}
				}
			}
		}
	}
	s.inverse = inv
}

// repair takes the first sum that is not basic in place of the variable of a row.
func (s *simplex) repair(row int) {
	for j := s.columns; j < s.columns+s.rows; j++ {
		if s.state[j] < 0 {
			leaves := s.basis[row]
			s.basis[row], s.state[j] = j, row
			s.rest(leaves)
			return
		}
	}
}

// primal brings all variables within their bounds (phase 1) and then to the least cost (phase 2).
func (s *simplex) primal() Status {
	for j, low := range s.lower {
		if low > s.upper[j] {
			return Infeasible
		}
	}
	gradient := make([]float64, len(s.x))
	for most := s.steps + mostSteps; s.steps < most; {
		cost := s.cost
		broken := false
		for _, j := range s.basis {
			if off := s.misses(j); off != 0 {
				gradient[j] = math.Copysign(1, off)
				broken = true
			}
		}
		if broken {
			cost = gradient
		}
		moved, unbounded := s.pass(cost, broken)
		clear(gradient)
		switch {
		case unbounded && !broken:
			return Unbounded
		case !moved && broken:
			return Infeasible
		case !moved:
			return Optimal
		}
	}
	return Stopped
}

// pass prices all variables and lets those that attract move, the most attractive first, until one
// enters the basis, which changes the prices; if asked for, a single one.
func (s *simplex) pass(cost []float64, single bool) (moved, unbounded bool) {
	y := s.y
	if single || !s.priced {
		y = s.prices(cost)
		s.priced = !single
	}
	s.order = s.order[:0]
	for j := range s.x {
		if s.state[j] >= 0 || s.lower[j] == s.upper[j] {
			continue
		}
		d := s.reduced(cost, y, j)
		small := math.Abs(d) <= attracts*(1+math.Abs(cost[j]))
		if !small && (d < 0 && s.state[j] != atUpper || d > 0 && s.state[j] != atLower) {
			s.order = append(s.order, candidate{j, d})
		}
	}
	bland := s.idle > patience
	if !bland {
		slices.SortFunc(s.order, func(a, b candidate) int {
			return cmp.Or(cmp.Compare(math.Abs(b.price), math.Abs(a.price)), cmp.Compare(a.variable, b.variable))
		})
	}
	for _, c := range s.order {
		s.steps++
		length, row, to := s.ratio(c, bland)
		if math.IsInf(length, 1) {
			return moved, true
		}
		moved = true
		if s.idle++; length > 1e-12 {
			s.idle = 0
		}
		rise := math.Copysign(length, -c.price)
		for i, j := range s.basis {
			s.x[j] -= rise * s.w[i]
		}
		s.x[c.variable] += rise
		if row >= 0 {
			leaves := s.basis[row]
			s.x[leaves] = s.bound(leaves, to)
			s.pivot(row, c.variable, to)
			if !single && s.pivots%refactor != 0 { // prices move along the row of what has entered
				for _, k := range s.there {
					y[k] += c.price * s.inverse[row*s.rows+k]
				}
				s.priced = true
			}
			return true, false
		}
		s.state[c.variable] = to
		s.x[c.variable] = s.bound(c.variable, to)
		if single {
			break
		}
	}
	return moved, false
}

func (s *simplex) bound(j, state int) float64 {
	if state == atUpper {
		return s.upper[j]
	}
	return s.lower[j]
}

// ratio tells how far a variable may move, and which row stops it and at which bound; -1 if it is its
// own other bound. A basic variable outside of its bounds stops at the one that it misses.
func (s *simplex) ratio(c candidate, bland bool) (length float64, row, to int) {
	w := s.column(c.variable)
	length, row, to = s.upper[c.variable]-s.lower[c.variable], -1, atUpper
	if c.price > 0 {
		to = atLower
	}
	if !(length < noBound) {
		length = math.Inf(1)
	}
	size := 0.0
	for i, j := range s.basis {
		speed := math.Copysign(1, c.price) * w[i] // of the basic variable
		if math.Abs(speed) <= pivotal {
			continue
		}
		off := s.misses(j)
		stop := atUpper
		if speed < 0 {
			stop = atLower
		}
		switch {
		case off < 0 && speed > 0:
			stop = atLower
		case off > 0 && speed < 0:
			stop = atUpper
		case off != 0:
			continue // it moves away, which its price has counted
		}
		at := s.bound(j, stop)
		if math.Abs(at) >= noBound {
			continue
		}
		free := max(0, (at-s.x[j])/speed)
		tie := math.Abs(free-length) <= 1e-12*(1+free)
		better := free < length && !tie
		if tie && row >= 0 {
			better = math.Abs(speed) > size
			if bland {
				better = j < s.basis[row]
			}
		}
		if better {
			length, row, to, size = free, i, stop, math.Abs(speed)
		}
	}
	return length, row, to
}
