package optimize

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

var writeRandom = flag.String("random", "", "write the problems of TestRandomProblems to this file, for testdata/quadratickinds.py")

// kinds of random problems.
var kinds = []string{"horizon", "soft", "any", "large and small", "linear", "duplicates", "degenerate", "no point", "nothing", "free"}

// ofKind is a problem of a kind.
func ofKind(kind string, seed uint64) *Quadratic {
	dice := rand.New(rand.NewPCG(seed, 11))
	switch kind {
	case "horizon", "soft":
		q := horizon(dice, 1+dice.IntN(6), 1+dice.IntN(4))
		for i := range q.Shared {
			q.Shared[i].Upper *= dice.Float64()
			if kind == "soft" {
				q.Shared[i].Penalty = math.Pow(10, -3+4*dice.Float64())
			}
		}
		return q
	}
	q := drawn(dice, 1)
	for k := range q.Blocks {
		b := &q.Blocks[k]
		n := len(b.Cost)
		switch kind {
		case "large and small": // variables in another unit, a millionth to a million
			unit := math.Pow(10, 6*(2*dice.Float64()-1))
			for i := range n {
				b.Cost[i] /= unit
				b.Lower[i] *= unit
				b.Upper[i] *= unit
			}
			for _, list := range [][]float64{b.Hessian, b.Hessian, b.Rows, b.Shares} {
				for i := range list {
					list[i] /= unit
				}
			}
		case "linear":
			clear(b.Hessian)
			for i := range n {
				b.Lower[i] = max(b.Lower[i], b.Upper[i]-10)
			}
		case "duplicates":
			b.Rows, b.Limits = slices.Concat(b.Rows, b.Rows), slices.Concat(b.Limits, b.Limits)
			b.Shares = slices.Concat(b.Shares, b.Shares)
		case "degenerate": // no room between some bounds, and rows that touch them
			for i := range n {
				if dice.IntN(2) == 0 {
					b.Lower[i] = b.Upper[i]
				}
			}
			row, at := make([]float64, n), 0.0
			for i := range n {
				row[i] = 1
				at += b.Upper[i]
			}
			b.Rows, b.Limits = append(b.Rows, row...), append(b.Limits, Limit{Lower: math.Inf(-1), Upper: at})
		case "no point":
			row, at := make([]float64, n), 0.0
			for i := range n {
				b.Lower[i] = max(b.Lower[i], b.Upper[i]-10)
				row[i] = 1
				at += b.Upper[i]
			}
			if k == 0 {
				b.Rows, b.Limits = append(b.Rows, row...), append(b.Limits, Limit{Lower: at + math.Pow(10, -3+4*dice.Float64()), Upper: math.Inf(1)})
			}
		case "nothing": // some variables cost nothing, and stand in no row
			for i := range n {
				if dice.IntN(2) == 0 {
					b.Cost[i] = 0
					for j := range n {
						b.Hessian[i*n+j], b.Hessian[j*n+i] = 0, 0
					}
					for r := range b.Limits {
						b.Rows[r*n+i] = 0
					}
					for r := range q.Shared {
						b.Shares[r*n+i] = 0
					}
				}
			}
		case "free":
			for i := range n {
				b.Lower[i], b.Upper[i] = math.Inf(-1), math.Inf(1)
				b.Hessian[i*n+i] += 0.1
			}
		}
	}
	if kind == "duplicates" {
		q.Shared = slices.Concat(q.Shared, q.Shared)
	}
	return q
}

// flat is a problem as others take it: ½ xᵀ H x + cᵀ x, each row within its limits or, at a penalty, beyond them.
type flat struct {
	H, A         [][]float64
	C            []float64
	Lower, Upper []*float64 // of variables, and behind them of rows; null for none
	Penalty      []float64  // of rows
}

func flatten(q *Quadratic) (f flat) {
	n, at := 0, 0
	for k := range q.Blocks {
		n += len(q.Blocks[k].Cost)
	}
	finite := func(x float64) *float64 {
		if math.IsInf(x, 0) {
			return nil
		}
		return &x
	}
	var limits []Limit
	shared := make([][]float64, len(q.Shared))
	for r := range shared {
		shared[r] = make([]float64, n)
	}
	for k := range q.Blocks {
		b := &q.Blocks[k]
		m := len(b.Cost)
		wide := func(list []float64) []float64 {
			row := make([]float64, n)
			copy(row[at:], list)
			return row
		}
		for i := range m {
			f.H, f.C = append(f.H, wide(b.Hessian[i*m:i*m+m])), append(f.C, b.Cost[i])
			f.Lower, f.Upper = append(f.Lower, finite(b.Lower[i])), append(f.Upper, finite(b.Upper[i]))
		}
		for r, l := range b.Limits {
			f.A, limits = append(f.A, wide(b.Rows[r*m:r*m+m])), append(limits, l)
		}
		for r := range q.Shared {
			copy(shared[r][at:], b.Shares[r*m:r*m+m])
		}
		at += m
	}
	f.A, limits = append(f.A, shared...), append(limits, q.Shared...)
	for _, l := range limits {
		f.Lower, f.Upper, f.Penalty = append(f.Lower, finite(l.Lower)), append(f.Upper, finite(l.Upper)), append(f.Penalty, l.Penalty)
	}
	return f
}

// missed is by how much a point misses what must hold, for each unit of what that is made of.
func (f *flat) missed(x []float64) (most float64) {
	check := func(i int, value, size float64) {
		if low := f.Lower[i]; low != nil {
			most = max(most, (*low-value)/(1+size))
		}
		if high := f.Upper[i]; high != nil {
			most = max(most, (value-*high)/(1+size))
		}
	}
	for i, v := range x {
		check(i, v, math.Abs(v))
	}
	for r, row := range f.A {
		value, size := 0.0, 0.0
		for i, a := range row {
			value, size = value+a*x[i], max(size, math.Abs(a*x[i]))
		}
		if f.Penalty[r] == 0 {
			check(len(x)+r, value, size)
		}
	}
	return most
}

// 2,000 random problems of ten kinds against Clarabel at 1e-11 (testdata/quadratickinds.py): what is
// said to be optimal is, and what stops early has a point that keeps to all bounds.
func TestRandomProblems(t *testing.T) {
	const each = 200
	if *writeRandom != "" {
		var all []flat
		for _, kind := range kinds {
			for seed := range uint64(each) {
				if kind == "large and small" { // which has the optimum that it has in units of another size
					all = append(all, flatten(ofKind("any", seed+each)))
					continue
				}
				all = append(all, flatten(ofKind(kind, seed)))
			}
		}
		text, err := json.Marshal(all)
		if err == nil {
			err = os.WriteFile(*writeRandom, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile("testdata/quadratickinds.json")
	if err != nil {
		t.Fatal(err)
	}
	var stored []struct {
		Status  Status
		Optimum float64
	}
	if err := json.Unmarshal(text, &stored); err != nil || len(stored) != each*len(kinds) {
		t.Fatalf("%d verdicts: %v", len(stored), err)
	}
	var w Interior
	for i, kind := range kinds {
		early, most := 0, 0.0
		for seed := range uint64(each) {
			name, want := fmt.Sprintf("%s, seed %d", kind, seed), stored[i*each+int(seed)]
			if kind == "large and small" {
				seed += each
			}
			q := ofKind(kind, seed)
			o := w.Solve(q)
			off := (o.Cost - want.Optimum) / (1 + math.Abs(want.Optimum))
			f := flatten(q)
			if o.Status == Optimal || o.Status == Feasible {
				if by := f.missed(slices.Concat(o.X...)); by > 1e-6 {
					t.Errorf("%s: %s, and something is missed by %g", name, o.Status, by)
				}
			}
			switch {
			case want.Status == Infeasible || o.Status == Infeasible || o.Status == Unbounded || o.Status == Stopped:
				if o.Status != want.Status {
					t.Errorf("%s: %s after %d steps, Clarabel says %s", name, o.Status, o.Steps, want.Status)
				}
				continue
			case o.Status == Feasible:
				early++
				t.Logf("%s: stopped early with a point that costs %g more for each unit", name, off)
			default:
				most = max(most, math.Abs(off))
				if math.Abs(off) > 1e-6 {
					t.Errorf("%s: %v is off by %g of %v", name, o.Cost, off, want.Optimum)
				}
			}
			if off < -1e-6 {
				t.Errorf("%s: %s at %v, and the optimum is %v", name, o.Status, o.Cost, want.Optimum)
			}
		}
		t.Logf("%s: off by %.1e at most, %d of %d stopped early with a point", kind, most, early, each)
	}
}

// Problems on which the search stops early: what is called optimal is, whatever the units of variables, and rows
// that contradict each other are no feasible point where some variables hardly count.
func TestStopsEarly(t *testing.T) {
	var w Interior
	for _, seed := range []uint64{3016, 18706} {
		want := w.Solve(ofKind("any", seed)).Cost
		if o := w.Solve(ofKind("large and small", seed)); o.Status != Feasible && math.Abs(o.Cost-want) > 1e-6*(1+math.Abs(want)) {
			t.Errorf("seed %d: %s at %v, and the optimum is %v", seed, o.Status, o.Cost, want)
		}
	}
	for _, seed := range []uint64{250, 2204, 2792, 3728, 6131} {
		if o := w.Solve(ofKind("no point", seed)); o.Status != Infeasible {
			t.Errorf("seed %d: %s", seed, o.Status)
		}
	}
}
