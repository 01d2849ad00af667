package optimize

import (
	"math"
	"testing"

	"github.com/slackline/slackline/internal/maths/draw"
)

// exhaustive tries all numbers of jobs.
func exhaustive(p *Capacity) float64 {
	best := math.Inf(1)
	h := make([]float64, len(p.Classes))
	var try func(class int)
	try = func(class int) {
		if class == len(h) {
			best = min(best, costOf(p, h, true))
			return
		}
		for h[class] = math.Ceil(p.Classes[class].Low); h[class] <= p.Classes[class].High; h[class]++ {
			try(class + 1)
		}
	}
	try(0)
	return best
}

func whole(h []float64) bool {
	for _, x := range h {
		if x != math.Trunc(x) {
			return false
		}
	}
	return true
}

// checkWhole holds a plan to what is true of all of them.
func checkWhole(t *testing.T, p *Capacity, got Plan) {
	t.Helper()
	need := 0.0
	for i, c := range p.Classes {
		need += c.Gamma * got.Admitted[i]
		if got.Admitted[i] < c.Low || got.Admitted[i] > c.High {
			t.Fatalf("jobs are out of their range: %+v", got)
		}
	}
	fluid := p.Solve()
	rounded := Plan{Admitted: make([]float64, len(p.Classes))}
	for i, c := range p.Classes {
		rounded.Admitted[i] = max(math.Ceil(c.Low), math.Floor(fluid.Admitted[i]))
	}
	switch {
	case !whole(got.Admitted) || !whole([]float64{got.Reserved, got.OnDemand}):
		t.Fatalf("not whole: %+v", got)
	case got.Reserved+got.OnDemand != math.Ceil(need-1e-10*need):
		t.Fatalf("%v machines are needed: %+v", need, got)
	case got.OnDemand > 0 && got.Reserved != math.Floor(p.Limit) && p.Reserved < p.OnDemand:
		t.Fatalf("machines on demand where one can be reserved: %+v", got)
	case got.Cost < fluid.LowerBound*(1-1e-9):
		t.Fatalf("cheaper than with fractions, %v: %+v", fluid.LowerBound, got)
	case got.Cost > costOf(p, rounded.Admitted, true)*(1+1e-9):
		t.Fatalf("dearer than rounded, %v: %+v", costOf(p, rounded.Admitted, true), got)
	case !near(got.Cost, costOf(p, got.Admitted, true)):
		t.Fatalf("equation 5 says %v: %+v", costOf(p, got.Admitted, true), got)
	case got.LowerBound > got.Cost:
		t.Fatalf("the bound is above the cost: %+v", got)
	}
}

// alike are problems that are hard for a search: many classes of one worth, or nearly so.
func alike(seed uint64, classes int, kind uint64) *Capacity {
	p := instance(seed, classes)
	for i := range p.Classes {
		c := &p.Classes[i]
		d := draw.Of(seed, "alike").Number(uint64(i))
		switch kind % 4 {
		case 1: // between both prices, all the same
			c.Penalty = c.Gamma * (p.Reserved + p.OnDemand) / 2
		case 2: // nearly the same
			c.Penalty = (c.Gamma + 0.05) * (p.Reserved + p.OnDemand) / 2
		case 3: // small jobs, worth a little more than a machine on demand
			c.Gamma *= 0.02
			c.Penalty = c.Gamma * p.OnDemand * d.Between(0.95, 1.05)
		}
	}
	return p
}

func TestWholeIsOptimal(t *testing.T) {
	cases := uint64(4000)
	if testing.Short() {
		cases = 400
	}
	for seed := range cases {
		p := alike(seed, 1+int(seed%6), seed/6)
		got, ok := p.SolveWhole()
		if want := exhaustive(p); !ok || !near(got.Cost, want) || got.Gap() > Tolerance {
			t.Fatalf("seed %d: %+v\n%+v, want a cost of %v", seed, *p, got, want)
		}
		checkWhole(t, p, got)
	}
}

// On large problems the certificate says how far off the cost may be: nothing for those of the first
// kind, less than the price of a machine for the others.
func TestWholeIsProved(t *testing.T) {
	for seed := range uint64(40) {
		p := alike(seed, 200+int(seed)*20, seed)
		got, ok := p.SolveWhole()
		if !ok || seed%4 == 0 && got.Gap() > Tolerance || got.Cost-got.LowerBound >= p.OnDemand {
			t.Fatalf("seed %d: a gap of %v, %v to %v", seed, got.Gap(), got.LowerBound, got.Cost)
		}
		checkWhole(t, p, got)
	}
}

// A search that ends early still tells a bound that holds, and a plan that is one.
func TestShortSearch(t *testing.T) {
	open := 0
	for seed := range uint64(2000) {
		p := alike(seed, 1+int(seed%6), seed/6)
		p.Limit = math.Floor(p.Limit) // so that the search starts from the rounded plan
		got, ok := p.solveWhole(int(seed % 40))
		want := exhaustive(p)
		if !ok || got.Cost < want*(1-1e-9) || got.LowerBound > want*(1+1e-9) {
			t.Fatalf("seed %d: %+v\n%+v, and the optimum is %v", seed, *p, got, want)
		}
		checkWhole(t, p, got)
		if got.Gap() > Tolerance {
			open++
		}
	}
	if open < 100 {
		t.Errorf("only %d searches ended early", open)
	}
}

// Three jobs whose needs add up to three machines do not take four by rounding.
func TestRounding(t *testing.T) {
	p := Capacity{OnDemand: 1}
	for _, gamma := range []float64{0.2, 2.2, 0.6} {
		p.Classes = append(p.Classes, Class{Gamma: gamma, Low: 1, High: 1})
	}
	if got, _ := p.SolveWhole(); got.OnDemand != 3 {
		t.Errorf("%v machines", got.OnDemand)
	}
}

// Wide ranges are cut into parts.
func TestWideRange(t *testing.T) {
	for seed := range uint64(200) {
		p := instance(seed, 2)
		for i := range p.Classes {
			p.Classes[i].High += float64(draw.Of(seed, "wide").Number(uint64(i)).Below(300))
		}
		p.Limit *= 40
		got, ok := p.SolveWhole()
		if want := exhaustive(p); !ok || !near(got.Cost, want) {
			t.Fatalf("seed %d: %+v\n%+v, want %v", seed, *p, got, want)
		}
		checkWhole(t, p, got)
	}
}

func TestNoWholeNumber(t *testing.T) {
	p := Capacity{OnDemand: 2, Reserved: 1, Classes: []Class{{Gamma: 1, Penalty: 9, Low: 1.2, High: 1.8}}}
	if got, ok := p.SolveWhole(); ok {
		t.Errorf("no whole number of jobs lies in 1.2 to 1.8: %+v", got)
	}
	p.Classes[0].High = 2.5 // the half of a job is always rejected
	got, ok := p.SolveWhole()
	if !ok || got.Admitted[0] != 2 || got.Cost != 4+4.5 || got.LowerBound != got.Cost {
		t.Errorf("got %+v", got)
	}
}
