package optimize

import (
	"math"
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/maths/draw"
)

var inf = math.Inf(1)

// row is one with these coefficients of the first variables.
func row(lower, upper float64, coefficients ...float64) Row {
	r := Row{Lower: lower, Upper: upper}
	for j, c := range coefficients {
		r.Terms = append(r.Terms, Term{j, c})
	}
	return r
}

func filled(n int, x float64) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = x
	}
	return list
}

// Problems whose optimum is known, with those that cycle or take long by a careless rule.
func TestLinearByHand(t *testing.T) {
	beale := &Linear{ // cycles with the largest price and the first of equal ratios (Beale, 1955)
		Cost: []float64{-0.75, 20, -0.5, 6}, Lower: filled(4, 0), Upper: filled(4, inf),
		Rows: []Row{row(-inf, 0, 0.25, -8, -1, 9), row(-inf, 0, 0.5, -12, -0.5, 3), row(-inf, 1, 0, 0, 1, 0)},
	}
	minty := &Linear{Lower: filled(8, 0), Upper: filled(8, inf)} // 2^n corners (Klee and Minty, 1972)
	for i := range 8 {
		minty.Cost = append(minty.Cost, -math.Pow(2, float64(7-i)))
		r := Row{Lower: -inf, Upper: math.Pow(5, float64(i+1))}
		for j := range i {
			r.Terms = append(r.Terms, Term{j, math.Pow(2, float64(i-j+1))})
		}
		minty.Rows = append(minty.Rows, Row{append(r.Terms, Term{i, 1}), r.Lower, r.Upper})
	}
	for _, c := range []struct {
		name   string
		p      *Linear
		status Status
		cost   float64
	}{
		{"Beale", beale, Optimal, -1.25},
		{"Klee and Minty", minty, Optimal, -math.Pow(5, 8)},
		{"no rows", &Linear{Cost: []float64{1, -1}, Lower: []float64{2, 0}, Upper: []float64{9, 3}}, Optimal, -1},
		{"no variables", &Linear{Rows: []Row{row(-1, 1)}}, Optimal, 0},
		{"no variables, but a row", &Linear{Rows: []Row{row(1, 2)}}, Infeasible, 0},
		{"free variables", &Linear{Cost: []float64{1, 2}, Lower: filled(2, -inf), Upper: []float64{inf, 3},
			Rows: []Row{row(4, 4, 1, 1), row(-inf, 7, 1, -1)}}, Optimal, 2.5},
		{"crossed bounds", &Linear{Cost: []float64{1}, Lower: []float64{2}, Upper: []float64{1}}, Infeasible, 0},
		{"rows that contradict", &Linear{Cost: []float64{1, 1}, Lower: filled(2, 0), Upper: filled(2, inf),
			Rows: []Row{row(3, inf, 1, 1), row(-inf, 2, 1, 1)}}, Infeasible, 0},
		{"unbounded", &Linear{Cost: []float64{-1, 0}, Lower: filled(2, 0), Upper: filled(2, inf),
			Rows: []Row{row(-inf, 2, 1, -1)}}, Unbounded, 0},
		{"free", &Linear{Cost: []float64{1}, Lower: []float64{-inf}, Upper: []float64{inf}}, Unbounded, 0},
		{"one row twice", &Linear{Cost: []float64{-1, -1}, Lower: filled(2, 0), Upper: filled(2, inf),
			Rows: []Row{row(-inf, 2, 1, 1), row(-inf, 2, 1, 1), row(2, 2, 1, 1)}}, Optimal, -2},
	} {
		got := c.p.Solve()
		if got.Status != c.status || math.Abs(got.Cost-c.cost) > 1e-9*(1+math.Abs(c.cost)) {
			t.Errorf("%s: %s at %v, want %s at %v", c.name, got.Status, got.Cost, c.status, c.cost)
		}
		checkLinear(t, c.name, c.p, got)
	}
}

// checkLinear holds a solution to its problem: it keeps to the bounds, and the duals prove its cost.
func checkLinear(t *testing.T, name string, p *Linear, got Solution) {
	t.Helper()
	if got.Status != Optimal {
		return
	}
	for j, x := range got.X {
		if x < p.Lower[j] || x > p.Upper[j] {
			t.Errorf("%s: variable %d is %v, not in %v to %v", name, j, x, p.Lower[j], p.Upper[j])
		}
	}
	for i, r := range p.Rows {
		sum, size := 0.0, 1.0
		for _, term := range r.Terms {
			sum += term.Coefficient * got.X[term.Variable]
			size += math.Abs(term.Coefficient * got.X[term.Variable])
		}
		if sum < r.Lower-1e-8*size || sum > r.Upper+1e-8*size {
			t.Errorf("%s: row %d is %v, not in %v to %v", name, i, sum, r.Lower, r.Upper)
		}
	}
	size := 1 + math.Abs(got.Cost)
	proved := p.Bound(got.Duals)
	if math.Abs(got.Cost-p.cost(got.X)) > 1e-9*size || math.Abs(got.Cost-proved) > 1e-7*size {
		t.Errorf("%s: the cost is %v by its variables and at least %v by its duals, not %v",
			name, p.cost(got.X), proved, got.Cost)
	}
	for i := range got.Duals { // other duals prove less
		other := slices.Clone(got.Duals)
		other[i] += float64(i%3) - 0.5
		if bound := p.Bound(other); bound > got.Cost+1e-7*size {
			t.Errorf("%s: with duals %v the cost is at least %v, and it is %v", name, other, bound, got.Cost)
		}
	}
}

// random draws a problem with rows of all kinds. Small coefficients make ties.
func random(seed uint64, columns, rows int) *Linear {
	d := draw.Of(seed, "linear")
	p := &Linear{}
	for j := range columns {
		d := d.Job("column").Number(uint64(j))
		low := float64(d.Job("low").Below(7) - 3)
		up := low + float64(d.Job("up").Below(6))
		if d.Job("free").Below(10) == 0 {
			low = -inf
		}
		if d.Job("open").Below(6) == 0 {
			up = inf
		}
		p.Cost = append(p.Cost, float64(d.Job("cost").Below(21)-10))
		p.Lower, p.Upper = append(p.Lower, low), append(p.Upper, up)
	}
	for i := range rows {
		d := d.Job("row").Number(uint64(i))
		r := Row{Lower: -inf, Upper: inf}
		for j := range columns {
			if d := d.Number(uint64(j)); d.Job("there").Below(3) > 0 {
				r.Terms = append(r.Terms, Term{j, float64(d.Job("term").Below(9) - 4)})
			}
		}
		at := float64(d.Job("at").Below(21) - 10)
		switch d.Job("kind").Below(4) {
		case 0:
			r.Lower = at
		case 1:
			r.Upper = at
		case 2:
			r.Lower, r.Upper = at, at
		case 3:
			r.Lower, r.Upper = at-5, at+5
		}
		p.Rows = append(p.Rows, r)
	}
	return p
}

// Optima are proved by their duals. That a problem has no solution is proved by phase 1: the least sum
// by which rows are missed is above 0, which is a problem of its own with a solution.
func TestLinearIsProved(t *testing.T) {
	count := map[Status]int{}
	for seed := range uint64(3000) {
		p := random(seed, 1+int(seed%9), int(seed/9%7))
		got := p.Solve()
		count[got.Status]++
		checkLinear(t, "random", p, got)
		if t.Failed() {
			t.Fatalf("seed %d: %+v", seed, *p)
		}
		soft := &Linear{Cost: filled(len(p.Cost), 0), Lower: p.Lower, Upper: p.Upper}
		for _, r := range p.Rows {
			n := len(soft.Cost)
			soft.Cost = append(soft.Cost, 1, 1)
			soft.Lower, soft.Upper = append(soft.Lower, 0, 0), append(soft.Upper, inf, inf)
			soft.Rows = append(soft.Rows, Row{append([]Term{{n, 1}, {n + 1, -1}}, r.Terms...), r.Lower, r.Upper})
		}
		missed := soft.Solve()
		checkLinear(t, "softened", soft, missed)
		if missed.Status != Optimal || (missed.Cost > 1e-6) != (got.Status == Infeasible) {
			t.Fatalf("seed %d: it is %s, and its rows are missed by %v: %+v", seed, got.Status, missed.Cost, *p)
		}
	}
	for _, s := range []Status{Optimal, Infeasible, Unbounded} {
		if count[s] < 100 {
			t.Errorf("only %d problems are %s", count[s], s)
		}
	}
}

// After a change of bounds the dual simplex comes to what a fresh start does, mostly in fewer steps.
func TestWarmStart(t *testing.T) {
	warm, cold, repaired := 0, 0, 0
	for seed := range uint64(1000) {
		p := random(seed, 4+int(seed%12), 1+int(seed/12%6))
		s := newSimplex(p)
		if s.primal() != Optimal {
			continue
		}
		for change := range uint64(4) {
			d := draw.Of(seed, "change").Number(change)
			j := d.Below(len(p.Cost))
			if p.Lower[j] < -noBound || p.Upper[j] > noBound {
				continue
			}
			p.Lower[j] += float64(d.Job("low").Below(3) - 1)
			p.Upper[j] = p.Lower[j] + float64(d.Job("up").Below(4))
			s.lower[j], s.upper[j] = p.Lower[j], p.Upper[j]
			before := s.steps
			status := Infeasible
			if s.putOnBounds() && s.dual() == Optimal {
				after := s.steps
				status = s.primal()
				repaired += s.steps - after
			}
			got, want := s.solution(p, status), p.Solve()
			warm, cold = warm+s.steps-before, cold+want.Steps
			checkLinear(t, "warm", p, got)
			if got.Status != want.Status || math.Abs(got.Cost-want.Cost) > 1e-8*(1+math.Abs(want.Cost)) || t.Failed() {
				t.Fatalf("seed %d: %s at %v, fresh %s at %v", seed, got.Status, got.Cost, want.Status, want.Cost)
			}
			if got.Status == Unbounded {
				break
			}
		}
	}
	if warm > cold/2 || repaired > 0 {
		t.Errorf("%d steps from where it was, %d of them of the primal simplex; %d from scratch", warm, repaired, cold)
	}
}

// isInverse tells whether the matrix is the inverse of the basis.
func (s *simplex) isInverse() bool {
	for i := range s.rows {
		for k, j := range s.basis {
			x := 0.0
			for _, t := range s.entries[j] {
				x += s.inverse[i*s.rows+t.Variable] * t.Coefficient
			}
			want := 0.0
			if i == k {
				want = 1
			}
			if math.Abs(x-want) > 1e-9 {
				return false
			}
		}
	}
	return true
}

// Now and then the inverse is computed again, so that errors do not add up; and a basis that has become
// singular is mended.
func TestInverse(t *testing.T) {
	s := newSimplex(random(2, 12, 6))
	s.primal()
	if !s.isInverse() {
		t.Error("the inverse is wrong at the end")
	}
	s.inverse[0] += 0.5
	if s.isInverse() {
		t.Error("a wrong inverse is not seen")
	}
	s.pivots = refactor - 1
	for j := range s.x {
		if s.state[j] < 0 && math.Abs(s.column(j)[0]) > 0.1 {
			s.pivot(0, j, atLower)
			break
		}
	}
	if !s.isInverse() {
		t.Error("the inverse was not computed again")
	}
	twice := s.basis[0]
	s.state[s.basis[1]] = atLower
	s.basis[1] = twice
	s.invert()
	if !s.isInverse() || s.basis[0] == s.basis[1] {
		t.Errorf("the basis is still singular: %v", s.basis)
	}
}

// linear is P2 as it is written: jobs of each class, then r and d.
func linear(p *Capacity) *Linear {
	n := len(p.Classes)
	l := &Linear{Rows: []Row{{Lower: -inf}}}
	for j, c := range p.Classes {
		l.Cost = append(l.Cost, -c.Penalty)
		l.Lower, l.Upper = append(l.Lower, c.Low), append(l.Upper, c.High)
		l.Rows[0].Terms = append(l.Rows[0].Terms, Term{j, c.Gamma})
	}
	l.Cost = append(l.Cost, p.Reserved, p.OnDemand)
	l.Lower, l.Upper = append(l.Lower, 0, 0), append(l.Upper, p.Limit, inf)
	l.Rows[0].Terms = append(l.Rows[0].Terms, Term{n, -1}, Term{n + 1, -1})
	return l
}

// The rank and the simplex agree, on the price of capacity too.
func TestRankAndSimplex(t *testing.T) {
	for seed := range uint64(2000) {
		p := instance(seed, 1+int(seed%40))
		want, l := p.Solve(), linear(p)
		got := l.Solve()
		checkLinear(t, "P2", l, got)
		size := want.Cost - want.Objective // the cost is a small difference of large numbers
		if got.Status != Optimal || math.Abs(got.Cost-want.Objective) > 1e-9*size ||
			!near(-got.Duals[0], want.CapacityPrice) {
			t.Fatalf("seed %d: %s at %v, by rank %v; a price of %v, by rank %v",
				seed, got.Status, got.Cost, want.Objective, -got.Duals[0], want.CapacityPrice)
		}
	}
}

func BenchmarkSimplex(b *testing.B) {
	for _, c := range []struct {
		name string
		p    *Linear
	}{
		{"capacity/1k", linear(instance(1, 1000))},
		{"random/1kx5", random(1, 1000, 5)},
		{"random/200x100", random(2, 200, 100)},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				c.p.Solve()
			}
		})
	}
}
