package optimize

import (
	"math"
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/maths/draw"
)

// Three classes worth 30, 20 and 5 a machine; prices 25 on demand, 10 reserved. By hand.
func TestByHand(t *testing.T) {
	classes := []Class{
		{Gamma: 2, Penalty: 60, Low: 1, High: 4}, // worth 30: always admitted, 8 machines
		{Gamma: 1, Penalty: 20, Low: 1, High: 6}, // worth 20: on reserved machines only, 1 to 6
		{Gamma: 4, Penalty: 20, Low: 1, High: 3}, // worth 5: never above its low, 4
	}
	for _, c := range []struct {
		limit             float64
		admitted          []float64
		reserved, request float64
		cost, price       float64
	}{
		{0, []float64{4, 1, 1}, 0, 13, 13*25 + 100 + 40, 25},
		{10, []float64{4, 1, 1}, 10, 3, 100 + 75 + 100 + 40, 25},
		{13, []float64{4, 1, 1}, 13, 0, 130 + 100 + 40, 20},
		{15.5, []float64{4, 3.5, 1}, 15.5, 0, 155 + 50 + 40, 20},
		{18, []float64{4, 6, 1}, 18, 0, 180 + 40, 10},
		{30, []float64{4, 6, 1}, 18, 0, 180 + 40, 10},
	} {
		p := Capacity{OnDemand: 25, Reserved: 10, Limit: c.limit, Classes: classes}
		got := p.Solve()
		if !slices.EqualFunc(got.Admitted, c.admitted, near) || !near(got.Reserved, c.reserved) ||
			!near(got.OnDemand, c.request) {
			t.Errorf("limit %v: %+v, want %v, %v and %v", c.limit, got, c.admitted, c.reserved, c.request)
		}
		if !near(got.Cost, c.cost) || !near(got.Objective, c.cost-240-120-60) || !near(got.LowerBound, c.cost) ||
			got.CapacityPrice != c.price || got.LimitPrice != c.price-10 {
			t.Errorf("limit %v: %+v, want a cost of %v and a price of %v", c.limit, got, c.cost, c.price)
		}
	}
}

// Theorem 4.3, the conditions (31) to (41) by the prices, and the certificate, on random problems.
func TestTheorem(t *testing.T) {
	cases := uint64(10000)
	if testing.Short() {
		cases = 1000
	}
	for seed := range cases {
		p := instance(seed, 1+int(seed%12))
		got := p.Solve()
		need, low, high := 0.0, 0.0, 0.0
		for i, c := range p.Classes {
			need += c.Gamma * got.Admitted[i]
			low += c.Gamma * c.Low
			high += c.Gamma * c.High
		}
		fail := func(what string) { t.Errorf("seed %d: %s: %+v\n%+v", seed, what, *p, got) }
		if !(got.Reserved > 0) {
			fail("a) no machine is reserved")
		}
		if !near(need, got.Reserved+got.OnDemand) {
			fail("b) the machines are not those that are needed")
		}
		price := got.CapacityPrice
		if price < p.Reserved || price > p.OnDemand || !near(got.LimitPrice, price-p.Reserved) {
			fail("31, 32: the price of capacity")
		}
		for i, c := range p.Classes {
			h, worth := got.Admitted[i], c.Penalty/c.Gamma
			switch {
			case h < c.Low || h > c.High:
				fail("26: jobs are out of their range")
			case worth > p.OnDemand && h != c.High:
				fail("c) a class that is worth it is rejected")
			case worth < p.Reserved && h != c.Low:
				fail("d) a class that is not worth it is admitted")
			case h > c.Low && worth < price*(1-1e-9), h < c.High && worth > price*(1+1e-9):
				fail("33, 38, 39: a class at this price")
			}
		}
		if p.Limit > high && got.OnDemand != 0 {
			fail("e) machines on demand where those reserved are enough")
		}
		if p.Limit < low && !(got.Reserved == p.Limit && got.OnDemand > 0) {
			fail("f) not all reserved, or none on demand")
		}
		if got.LimitPrice > 1e-9 && !near(got.Reserved, p.Limit) || got.OnDemand > 1e-9 && price != p.OnDemand {
			fail("36, 37: prices where there is no shortage")
		}
		// By any price a bound holds, and by this one nothing is between it and the cost.
		for _, part := range []float64{0, 0.3, 0.7, 1} {
			if x := p.Reserved + part*(p.OnDemand-p.Reserved); p.dual(x) > got.Cost*(1+1e-12) {
				fail("the dual is above the cost")
			}
		}
		if !near(p.dual(price), got.Cost) {
			fail("the dual at the price of capacity is not the cost")
		}
		if !near(got.Cost, costOf(p, got.Admitted, false)) || !near(got.Cost, got.LowerBound) || got.Gap() > 1e-12 {
			fail("the cost or its bound")
		}
	}
}

// No plan that is drawn costs less, nor do steps away from the optimum.
func TestNoPlanIsCheaper(t *testing.T) {
	for seed := range uint64(500) {
		p := instance(seed, 1+int(seed%9))
		best := p.Solve()
		for try := range uint64(50) {
			h := slices.Clone(best.Admitted)
			for i, c := range p.Classes {
				d := draw.Of(seed, "plan").Number(try).Number(uint64(i))
				if try%2 == 0 || d.Job("change").Below(3) == 0 {
					h[i] = d.Between(c.Low, math.Nextafter(c.High, math.Inf(1)))
				}
			}
			if cost := costOf(p, h, false); cost < best.Cost*(1-1e-12) {
				t.Fatalf("seed %d: %v costs %v, %+v more", seed, h, cost, best)
			}
		}
	}
}

// A looser deadline (fewer machines for a job), a cheaper price and more reserved machines never cost
// more, and one more machine that can be reserved saves LimitPrice, as long as the plan stays the same.
func TestMonotone(t *testing.T) {
	for seed := range uint64(1000) {
		p := instance(seed, 1+int(seed%9))
		before, _ := p.SolveWhole()
		fluid := p.Solve()
		for what, change := range map[string]func(*Capacity){
			"looser deadline": func(p *Capacity) { p.Classes[0].Gamma *= 0.8 },
			"on demand":       func(p *Capacity) { p.OnDemand *= 0.9 },
			"reserved":        func(p *Capacity) { p.Reserved *= 0.9 },
			"limit":           func(p *Capacity) { p.Limit++ },
			"penalty":         func(p *Capacity) { p.Classes[0].Penalty *= 0.9 },
		} {
			q := *p
			q.Classes = slices.Clone(p.Classes)
			change(&q)
			if after := q.Solve(); after.Cost > fluid.Cost*(1+1e-9) {
				t.Fatalf("seed %d, %s: %v after %v", seed, what, after.Cost, fluid.Cost)
			}
			if after, _ := q.SolveWhole(); after.Cost > before.Cost*(1+1e-9) {
				t.Fatalf("seed %d, %s, whole: %v after %v", seed, what, after.Cost, before.Cost)
			}
		}
		q := *p
		q.Limit += 1e-6
		if saved := (fluid.Cost - q.Solve().Cost) / 1e-6; math.Abs(saved-fluid.LimitPrice) > 1e-3*p.OnDemand {
			t.Fatalf("seed %d: a machine more saves %v, not %v", seed, saved, fluid.LimitPrice)
		}
	}
}

func TestDegenerate(t *testing.T) {
	class := Class{Gamma: 2, Penalty: 30, Low: 0, High: 4} // worth 15
	problem := func(onDemand, reserved, limit float64, classes ...Class) Capacity {
		return Capacity{onDemand, reserved, limit, classes}
	}
	for _, c := range []struct {
		name              string
		p                 Capacity
		admitted          []float64
		reserved, request float64
	}{
		{"no class", problem(2, 1, 3), []float64{}, 0, 0},
		{"no job", problem(2, 1, 3, Class{Gamma: 1, Penalty: 5}), []float64{0}, 0, 0},
		{"equal worth", problem(20, 10, 12, class, class), []float64{4, 2}, 12, 0},
		{"no penalty", problem(20, 10, 9, Class{Gamma: 1, Low: 2, High: 5}), []float64{2}, 2, 0},
		{"no range", problem(20, 10, 3, Class{Gamma: 2, Low: 3, High: 3}), []float64{3}, 3, 3},
		{"none reserved", problem(20, 10, 0, class, Class{2, 50, 0, 4}), []float64{0, 4}, 0, 8},
		{"reserved is dearer", problem(10, 20, 9, class), []float64{4}, 0, 8},
		{"equal prices", problem(10, 10, 5, class), []float64{4}, 5, 3},
		{"worth just that", problem(15, 10, 5, class), []float64{4}, 5, 3},
		{"worth just as reserved", problem(20, 15, 4, class), []float64{2}, 4, 0},
		{"free machines", problem(0, 0, 4, class), []float64{4}, 4, 4},
		{"jobs that need nothing", problem(20, 15, 4, Class{Penalty: 30, High: 4}, class), []float64{4, 2}, 4, 0},
	} {
		got := c.p.Solve()
		if !slices.Equal(got.Admitted, c.admitted) || got.Reserved != c.reserved || got.OnDemand != c.request ||
			got.Gap() != 0 {
			t.Errorf("%s: got %+v, want %v, %v and %v", c.name, got, c.admitted, c.reserved, c.request)
		}
		if whole, ok := c.p.SolveWhole(); !ok || !near(whole.Cost, got.Cost) {
			t.Errorf("%s: in whole numbers %+v, not %v", c.name, whole, got.Cost)
		}
	}
}

// The unit of machines and that of money change nothing, over twelve orders of magnitude.
func TestUnits(t *testing.T) {
	for seed := range uint64(200) {
		p := instance(seed, 2+int(seed%9))
		want := p.Solve()
		for _, scale := range []float64{1e-6, 1e6} {
			q := *p
			q.Classes = slices.Clone(p.Classes)
			q.Limit *= scale
			for i := range q.Classes {
				q.Classes[i].Gamma *= scale
				q.Classes[i].Penalty *= scale
			}
			got := q.Solve()
			if !near(got.Cost, want.Cost*scale) || !near(got.CapacityPrice, want.CapacityPrice) || got.Gap() > 1e-12 {
				t.Fatalf("seed %d times %v: %+v, not %+v", seed, scale, got, want)
			}
		}
		// One class a million times as large, one as small.
		p.Classes[0].Gamma *= 1e6
		p.Classes[1].Gamma *= 1e-6
		if got := p.Solve(); got.Gap() > 1e-12 || !near(got.Cost, costOf(p, got.Admitted, false)) {
			t.Fatalf("seed %d: %+v", seed, got)
		}
		if got, ok := p.SolveWhole(); !ok || got.Gap() > Tolerance || got.Cost < p.Solve().Cost*(1-1e-9) {
			t.Fatalf("seed %d, whole: %+v", seed, got)
		}
	}
}
