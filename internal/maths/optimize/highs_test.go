package optimize

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"
)

// Results of another solver, HiGHS; testdata/highs.py makes them.
func TestHiGHS(t *testing.T) {
	text, err := os.ReadFile("testdata/highs.json")
	if err != nil {
		t.Fatal(err)
	}
	var problems []struct {
		Name         string
		Cost         []float64
		Lower, Upper []*float64
		Rows         [][3]json.RawMessage
		Whole        bool
		Status       Status
		Optimum      float64
	}
	if err := json.Unmarshal(text, &problems); err != nil {
		t.Fatal(err)
	}
	or := func(x *float64, otherwise float64) float64 {
		if x == nil {
			return otherwise
		}
		return *x
	}
	for i, c := range problems {
		p := &Linear{Cost: c.Cost}
		for j := range c.Cost {
			p.Lower, p.Upper = append(p.Lower, or(c.Lower[j], -inf)), append(p.Upper, or(c.Upper[j], inf))
			p.Whole = append(p.Whole, c.Whole)
		}
		for _, raw := range c.Rows {
			var lower, upper *float64
			var terms []float64
			for k, into := range []any{&lower, &upper, &terms} {
				if err := json.Unmarshal(raw[k], into); err != nil {
					t.Fatal(err)
				}
			}
			r := Row{Lower: or(lower, -inf), Upper: or(upper, inf)}
			for k := 0; k < len(terms); k += 2 {
				r.Terms = append(r.Terms, Term{int(terms[k]), terms[k+1]})
			}
			p.Rows = append(p.Rows, r)
		}
		got := p.Solve()
		checkLinear(t, c.Name, p, got)
		if c.Whole {
			got = p.Mixed(100000, 1e-10, math.Inf(1))
		}
		if got.Status != c.Status || math.Abs(got.Cost-c.Optimum) > 1e-9*(1+math.Abs(c.Optimum)) {
			t.Errorf("%d, %s: %s at %v, HiGHS says %s at %v", i, c.Name, got.Status, got.Cost, c.Status, c.Optimum)
		}
		if !strings.Contains(c.Name, "capacity") {
			continue
		}
		// The same by rank, and by the search from the split class.
		n := len(c.Cost) - 2
		capacity := Capacity{Reserved: c.Cost[n], OnDemand: c.Cost[n+1], Limit: p.Upper[n]}
		for j, term := range p.Rows[0].Terms[:n] {
			capacity.Classes = append(capacity.Classes, Class{term.Coefficient, -c.Cost[j], p.Lower[j], p.Upper[j]})
		}
		plan := capacity.Solve()
		if c.Whole {
			plan, _ = capacity.SolveWhole()
		}
		if math.Abs(plan.Objective-c.Optimum) > 1e-9*(plan.Cost-plan.Objective) {
			t.Errorf("%d, %s: by rank %v, HiGHS says %v", i, c.Name, plan.Objective, c.Optimum)
		}
	}
}
