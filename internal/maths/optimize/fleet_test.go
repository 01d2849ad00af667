package optimize

import (
	"math"
	"slices"
	"testing"

	"github.com/slackline/slackline/internal/maths/draw"
)

// fleet draws a problem. Of some kinds none can be reserved, of some only a few can be rented.
func fleet(seed uint64, hours, kinds, loads, most int) *Fleet {
	d := draw.Of(seed, "fleet")
	f := &Fleet{Hours: hours, Budget: inf, Whole: true}
	for k := range kinds {
		d := d.Job("kind").Number(uint64(k))
		kind := Kind{Rentable: inf}
		rent := d.Job("rent").Between(1, 4)
		for t := range hours {
			kind.Rent = append(kind.Rent, rent*d.Job("hour").Number(uint64(t)).Between(0.6, 1.4))
		}
		if d.Job("some").Below(4) > 0 {
			kind.Reserved = rent * float64(hours) * d.Job("reserved").Between(0.3, 0.9)
			kind.Most = float64(d.Job("most").Below(most + 1))
			kind.Least = float64(d.Job("least").Below(int(kind.Most) + 1))
			if d.Job("no minimum").Below(2) > 0 {
				kind.Least = 0
			}
		}
		if d.Job("bounded").Below(3) == 0 {
			kind.Rentable = float64(d.Job("rentable").Below(most + 1))
		}
		f.Kinds = append(f.Kinds, kind)
	}
	for i := range loads {
		d := d.Job("load").Number(uint64(i))
		l := Load{}
		for k := range kinds {
			gamma := d.Job("gamma").Number(uint64(k)).Between(0.2, 2)
			if d.Job("barred").Number(uint64(k)).Below(8) == 0 {
				gamma = inf
			}
			l.Gamma = append(l.Gamma, gamma)
		}
		l.Penalty = d.Job("penalty").Between(0, 5)
		for t := range hours {
			d := d.Number(uint64(t))
			low := d.Job("low").Below(2)
			l.Low = append(l.Low, float64(low))
			l.High = append(l.High, float64(low+d.Job("high").Below(3)))
		}
		f.Loads = append(f.Loads, l)
	}
	return f
}

// checkFleet holds a plan to its problem, by the problem's text.
func checkFleet(t *testing.T, name string, f *Fleet, p *FleetPlan) {
	t.Helper()
	machines, cost := 0.0, 0.0
	for k, kind := range f.Kinds {
		r := p.Reserved[k]
		machines += kind.Reserved * r
		if r < kind.Least-1e-6 || r > kind.Most+1e-6 || f.Whole && r != math.Round(r) {
			t.Errorf("%s: %v machines of kind %d are reserved, not %v to %v", name, r, k, kind.Least, kind.Most)
		}
		for h := range f.Hours {
			d := p.Rented[h][k]
			machines += kind.Rent[h] * d
			if d < -1e-6 || d > kind.Rentable+1e-6 || f.Whole && d != math.Round(d) {
				t.Errorf("%s: %v machines of kind %d are rented, at most %v can be", name, d, k, kind.Rentable)
			}
			need := 0.0
			for i, l := range f.Loads {
				if jobs := p.Jobs[h][i][k]; jobs > 0 {
					need += l.Gamma[k] * jobs
				}
			}
			if need > (r+d)*(1+1e-6)+1e-6 {
				t.Errorf("%s: jobs need %v machines of kind %d, and there are %v", name, need, k, r+d)
			}
		}
	}
	for h := range f.Hours {
		for i, l := range f.Loads {
			sum := 0.0
			for _, jobs := range p.Jobs[h][i] {
				sum += jobs
				if jobs < 0 || f.Whole && jobs != math.Round(jobs) {
					t.Errorf("%s: %v jobs", name, jobs)
				}
			}
			if sum < l.Low[h]-1e-6 || sum > l.High[h]+1e-6 {
				t.Errorf("%s: %v jobs of load %d, not %v to %v", name, sum, i, l.Low[h], l.High[h])
			}
			cost += l.Penalty * (l.High[h] - sum)
		}
	}
	cost += machines
	if math.Abs(cost-p.Cost) > 1e-6*(1+cost) || math.Abs(machines-p.Machines) > 1e-6*(1+cost) ||
		p.Machines > f.Budget*(1+1e-6) || p.LowerBound > p.Cost {
		t.Errorf("%s: it costs %v, machines %v of %v, and says %v, %v, at least %v",
			name, cost, machines, f.Budget, p.Cost, p.Machines, p.LowerBound)
	}
}

// proved is what every solution costs at least by prices of machines and of the budget: the dual as
// one would write it down.
func proved(f *Fleet, price [][]float64, budget float64) float64 {
	bound := 0.0
	if budget > 0 {
		bound -= budget * f.Budget
	}
	for k, kind := range f.Kinds {
		gain := (1 + budget) * kind.Reserved
		for h := range f.Hours {
			gain -= price[h][k]
			if rent := (1+budget)*kind.Rent[h] - price[h][k]; rent < -1e-9 {
				bound += rent * kind.Rentable
			}
		}
		bound += min(gain*kind.Least, gain*kind.Most)
	}
	for h := range f.Hours {
		for _, l := range f.Loads {
			least := inf
			for k, gamma := range l.Gamma {
				if !math.IsInf(gamma, 1) {
					least = min(least, gamma*price[h][k])
				}
			}
			best := inf
			for _, n := range []float64{l.Low[h], l.High[h]} {
				cost := l.Penalty * (l.High[h] - n)
				if n > 0 {
					cost += n * least
				}
				best = min(best, cost)
			}
			bound += best
		}
	}
	return bound
}

// By columns the problem has the optimum that the simplex finds of it as it is written, and its prices
// prove that.
func TestFleetByColumns(t *testing.T) {
	count := map[Status]int{}
	for seed := range uint64(600) {
		f := fleet(seed, 1+int(seed%3), 1+int(seed%4), 1+int(seed%5), 5)
		f.Whole = false
		all := f.allRejected()
		if seed%3 == 0 { // a budget between what must be spent and what would be
			f.Budget = 1e9
			free := f.Linear().Solve()
			for i := range f.Loads {
				f.Loads[i].Penalty = 0
			}
			least := f.Linear().Solve()
			f = fleet(seed, f.Hours, len(f.Kinds), len(f.Loads), 5)
			f.Whole = false
			if free.Status == Optimal && least.Status == Optimal {
				f.Budget = least.Cost*1.001 + draw.Of(seed, "budget").Between(-0.1, 1)*(free.Cost+all-least.Cost)
			}
		}
		want, got := f.Linear().Solve(), f.Solve(0)
		count[want.Status]++
		if got.Status != want.Status {
			t.Fatalf("seed %d: %s, as it is written %s: %+v", seed, got.Status, want.Status, got)
		}
		if got.Status == Infeasible {
			least := 0.0
			for _, kind := range f.Kinds {
				least += kind.Reserved * kind.Least
			}
			if got.Load < 0 && least > f.Budget {
				continue // there is not even the money for the fewest reserved machines
			}
			if got.Load < 0 || got.Missing <= 0 || got.Missing > f.Loads[got.Load].Low[got.Hour]+1e-6 {
				t.Errorf("seed %d: %v jobs are missing", seed, got.Missing)
			}
			continue
		}
		checkFleet(t, "split", f, &got)
		if size := 1 + want.Cost + all; math.Abs(got.Cost-want.Cost-all) > 1e-6*size || got.Gap() > 1e-6 {
			t.Errorf("seed %d: %v, at least %v, as it is written %v", seed, got.Cost, got.LowerBound, want.Cost+all)
		}
		if bound := proved(f, got.Prices, got.BudgetPrice); math.Abs(bound-got.LowerBound) > 1e-6*(1+got.Cost) {
			t.Errorf("seed %d: its prices prove %v, not %v", seed, bound, got.LowerBound)
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	if count[Optimal] < 300 || count[Infeasible] < 30 {
		t.Errorf("%v", count)
	}
}

// everything tries all whole plans: machines reserved, and in each hour all jobs on all kinds.
func everything(f *Fleet) float64 {
	best := inf
	reserved := make([]float64, len(f.Kinds))
	// hour returns what an hour costs at least for each sum of money spent in it, without a budget the least.
	hour := func(h int) (costs [][2]float64) { // rent and penalties
		needs := make([]float64, len(f.Kinds))
		var load func(i int, penalties float64)
		load = func(i int, penalties float64) {
			if i == len(f.Loads) {
				rent := 0.0
				for k, kind := range f.Kinds {
					d := max(0, math.Ceil(needs[k]-reserved[k]-1e-9))
					if d > kind.Rentable {
						return
					}
					rent += d * kind.Rent[h]
				}
				costs = append(costs, [2]float64{rent, penalties})
				return
			}
			l := f.Loads[i]
			var kind func(k int, jobs float64)
			kind = func(k int, jobs float64) {
				if k == len(f.Kinds) {
					if jobs >= l.Low[h] {
						load(i+1, penalties+l.Penalty*(l.High[h]-jobs))
					}
					return
				}
				before := needs[k]
				for n := 0.0; jobs+n <= l.High[h] && (n == 0 || !math.IsInf(l.Gamma[k], 1)); n++ {
					if n > 0 {
						needs[k] += l.Gamma[k]
					}
					kind(k+1, jobs+n)
				}
				needs[k] = before
			}
			kind(0, 0)
		}
		load(0, 0)
		return costs
	}
	var try func(k int, money float64)
	try = func(k int, money float64) {
		if k < len(f.Kinds) {
			for n := math.Ceil(f.Kinds[k].Least); n <= f.Kinds[k].Most; n++ {
				reserved[k] = n
				try(k+1, money+n*f.Kinds[k].Reserved)
			}
			return
		}
		var pick func(h int, money, penalties float64)
		pick = func(h int, money, penalties float64) {
			if money > f.Budget*(1+1e-12) {
				return
			}
			if h == f.Hours {
				best = min(best, money+penalties)
				return
			}
			for _, c := range hour(h) {
				pick(h+1, money+c[0], penalties+c[1])
			}
		}
		pick(0, money, 0)
	}
	try(0, 0)
	return best
}

// Whole plans of tiny problems are those of an exhaustive search.
func TestFleetIsOptimal(t *testing.T) {
	none, budgets := 0, 0
	for seed := range uint64(400) {
		f := fleet(seed, 1+int(seed%7/5), 1+int(seed%3), 1+int(seed%2), 2)
		want := everything(f)
		if seed%4 == 1 && !math.IsInf(want, 1) {
			f.Budget = draw.Of(seed, "budget").Between(0.5, 1) * want
			want = everything(f)
			budgets++
		}
		got := f.Solve(0)
		if math.IsInf(want, 1) {
			if none++; got.Status != Infeasible {
				t.Errorf("seed %d: %s at %v, and there is no plan", seed, got.Status, got.Cost)
			}
			continue
		}
		if got.Status != Optimal || math.Abs(got.Cost-want) > 1e-6*(1+want) || got.LowerBound > want+1e-6*(1+want) {
			t.Fatalf("seed %d: %s at %v, at least %v, want %v", seed, got.Status, got.Cost, got.LowerBound, want)
		}
		checkFleet(t, "whole", f, &got)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if none < 20 || budgets < 20 {
		t.Errorf("%d without a plan, %d with a budget", none, budgets)
	}
}

// With one kind of machines and one hour it is P2.
func TestFleetAndRank(t *testing.T) {
	for seed := range uint64(200) {
		p := instance(seed, 1+int(seed%10))
		f := &Fleet{Hours: 1, Budget: inf, Whole: seed%2 == 0,
			Kinds: []Kind{{Reserved: p.Reserved, Most: math.Floor(p.Limit), Rent: []float64{p.OnDemand}, Rentable: inf}}}
		p.Limit = math.Floor(p.Limit)
		for _, c := range p.Classes {
			f.Loads = append(f.Loads, Load{[]float64{c.Gamma}, c.Penalty, []float64{c.Low}, []float64{c.High}})
		}
		want, got := p.Solve(), f.Solve(0)
		if f.Whole {
			want, _ = p.SolveWhole()
		}
		if got.Status != Optimal || math.Abs(got.Cost-want.Cost) > 1e-6*(1+want.Cost) {
			t.Errorf("seed %d: %s at %v, at least %v, by rank %v", seed, got.Status, got.Cost, got.LowerBound, want.Cost)
		}
	}
}

// More of what is good never costs more: the bounds of the problem without whole numbers tell it exactly.
func TestFleetIsMonotone(t *testing.T) {
	for seed := range uint64(200) {
		f := fleet(seed, 2, 3, 4, 5)
		f.Whole = false
		before := f.Solve(0)
		if before.Status != Optimal {
			continue
		}
		for name, change := range map[string]func(*Fleet){
			"a cheaper rent":             func(f *Fleet) { f.Kinds[0].Rent[1] *= 0.7 },
			"a cheaper reservation":      func(f *Fleet) { f.Kinds[1].Reserved *= 0.7 },
			"more to reserve":            func(f *Fleet) { f.Kinds[1].Most++ },
			"no minimum":                 func(f *Fleet) { f.Kinds[1].Least = 0 },
			"more to rent":               func(f *Fleet) { f.Kinds[2].Rentable++ },
			"a looser deadline":          func(f *Fleet) { f.Loads[1].Gamma[2] *= 0.8 },
			"a lower penalty":            func(f *Fleet) { f.Loads[2].Penalty *= 0.5 },
			"fewer that must be let in":  func(f *Fleet) { f.Loads[3].Low[0] = 0 },
			"fewer that ask":             func(f *Fleet) { f.Loads[3].High[0] = f.Loads[3].Low[0] },
			"another kind, at any price": func(f *Fleet) { f.Kinds[0].Rentable = inf },
		} {
			other := fleet(seed, 2, 3, 4, 5)
			other.Whole = false
			change(other)
			if after := other.Solve(0); after.Status != Optimal || after.Cost > before.Cost*(1+1e-6)+1e-6 {
				t.Errorf("seed %d: %s costs %v, %s, before %v", seed, name, after.Cost, after.Status, before.Cost)
			}
		}
		roomy := fleet(seed, 2, 3, 4, 5)
		roomy.Whole, roomy.Budget = false, before.Machines*1.01
		tight := *roomy
		tight.Budget = before.Machines * 0.9
		a, b := roomy.Solve(0), tight.Solve(0)
		if math.Abs(a.Cost-before.Cost) > 1e-6*(1+before.Cost) || b.Status == Optimal && b.Cost < a.Cost*(1-1e-6) {
			t.Errorf("seed %d: %v, with a budget that suffices %v, with one that does not %v", seed, before.Cost, a.Cost, b.Cost)
		}
	}
}

// large is a problem of so many hours, kinds and loads, as one has for a day.
func large(hours, kinds, loads int) *Fleet {
	f := fleet(1, hours, kinds, loads, 5)
	for k := range f.Kinds {
		kind := &f.Kinds[k]
		kind.Most, kind.Least, kind.Rentable = 1000, 0, inf
		if k%3 == 2 {
			kind.Rentable, kind.Most, kind.Reserved = 400, 0, 0
			for t := range kind.Rent {
				kind.Rent[t] *= 0.4
			}
		} else {
			kind.Reserved = 0.6 * float64(hours) * slices.Max(kind.Rent)
		}
	}
	for i := range f.Loads {
		d := draw.Of(uint64(i), "large")
		l := &f.Loads[i]
		for k := range l.Gamma {
			l.Gamma[k] = d.Job("gamma").Number(uint64(k)).Between(1, 5)
		}
		l.Penalty = d.Job("penalty").Between(0.5, 12)
		for t := range l.High {
			l.High[t] = float64(10 + d.Job("high").Number(uint64(t)).Below(21))
			l.Low[t] = math.Floor(l.High[t] * d.Job("low").Between(0, 1))
		}
	}
	return f
}

// A large problem is solved to two thousandths.
func TestLargeFleet(t *testing.T) {
	f := large(4, 10, 200)
	got := f.Solve(2e-3)
	checkFleet(t, "large", f, &got)
	if got.Status != Optimal || got.Gap() > 2e-3 {
		t.Errorf("%s at %v, at least %v", got.Status, got.Cost, got.LowerBound)
	}
	f.Budget = 0.98 * got.Machines
	tight := f.Solve(2e-3)
	checkFleet(t, "large, with a budget", f, &tight)
	if tight.Status != Optimal || tight.Cost < got.Cost || tight.BudgetPrice <= 0 {
		t.Errorf("%s at %v, at least %v, and a price of %v", tight.Status, tight.Cost, tight.LowerBound, tight.BudgetPrice)
	}
}

func BenchmarkFleet(b *testing.B) {
	f := large(24, 10, 200)
	for b.Loop() {
		got := f.Solve(1e-3)
		b.ReportMetric(100*got.Gap(), "%gap")
		if got.Status != Optimal {
			b.Fatal(got.Status, got.Gap())
		}
	}
}
