package optimize

import (
	"math"
	"slices"
)

// A Fleet is what Capacity has no room for: machines of several kinds, prices that change by the hour,
// bounds of what can be rented, and a budget. A job takes machines of one kind.
type Fleet struct {
	Hours  int
	Kinds  []Kind
	Loads  []Load
	Budget float64 // for machines in all hours together, +Inf for none
	Whole  bool    // machines and jobs are not split
}

// A Kind of machine is reserved for all hours, or rented for one.
type Kind struct {
	Reserved    float64   // what a reserved machine costs in all hours together
	Least, Most float64   // how many are reserved; Most is finite
	Rent        []float64 // what a rented one costs in each hour
	Rentable    float64   // how many can be rented in an hour, +Inf for any number
}

// A Load is a class of jobs: Low to High concurrent ones in each hour.
type Load struct {
	Gamma     []float64 // machines of each kind that one takes; +Inf where it cannot run
	Penalty   float64   // of a job of the High that is not admitted, for an hour
	Low, High []float64
}

// A FleetPlan is a solution.
type FleetPlan struct {
	// Status is Optimal or Feasible by the gap that was asked for, Infeasible, or Stopped: none was found.
	Status     Status
	Jobs       [][][]float64 // by hour, load and kind
	Reserved   []float64     // by kind
	Rented     [][]float64   // by hour and kind
	Cost       float64       // of machines and penalties, in all hours together
	Machines   float64       // of it, what machines cost
	LowerBound float64       // what each plan costs at least

	// Prices say by hour and kind what a machine is charged for, and BudgetPrice what a unit more of the
	// budget would save; where plans are whole, those of the problem without that restriction.
	Prices      [][]float64
	BudgetPrice float64

	// Where the problem is infeasible: so many jobs of this load, which have to be admitted in this
	// hour, find no machines, however the others are placed. Load is -1 where the budget does not even
	// pay for the fewest reserved machines, or where only whole jobs and machines have no solution.
	Load, Hour int
	Missing    float64
}

// Gap is how far above the optimum the cost may be, as a part of the cost.
func (p *FleetPlan) Gap() float64 { return gap(p.Cost, p.LowerBound) }

// exactRows is the largest problem that branch and bound looks at, and exactParts how many parts of it.
const exactRows, exactParts = 120, 4000

// Solve finds a plan that costs no more than the gap, a part of its cost, above the least; of a small
// problem the best. Where jobs and machines are whole that may not be found; LowerBound says what was proved.
//
// The problem in which all may be split is solved by columns (colgen.go). Its solution is rounded
// (fleetround.go), and small problems go through branch and bound from there.
func (f *Fleet) Solve(gap float64) FleetPlan {
	small := f.rows() <= exactRows
	if small {
		gap = min(gap, Tolerance)
	}
	relaxed, ok := f.relax(gap / 8)
	if !ok || !f.Whole {
		return relaxed
	}
	best := FleetPlan{Status: Stopped, Cost: math.Inf(1), LowerBound: relaxed.LowerBound,
		Prices: relaxed.Prices, BudgetPrice: relaxed.BudgetPrice}
	tight := *f
	for charge := 1 + relaxed.BudgetPrice; charge < 1e3*(1+relaxed.BudgetPrice); charge *= 2 {
		plan, over := f.round(&relaxed, charge)
		if over <= 0 && plan.Cost < best.Cost {
			best.take(&plan)
		}
		if over <= 0 || math.IsInf(over, 1) {
			break
		}
		// Rounding has spent more than there is: so much less may be spent before it, and machines are
		// dearer while it goes on.
		tight.Budget -= 0.3 * over
		if plan, ok := tight.relax(gap / 8); ok {
			relaxed = plan
		}
	}
	if small && (best.Gap() > gap || best.Status == Stopped) {
		f.branch(&best, gap)
	}
	if best.Status == Feasible && best.Gap() <= max(gap, Tolerance) {
		best.Status = Optimal
	}
	return best
}

// take takes over what another plan does and costs.
func (p *FleetPlan) take(from *FleetPlan) {
	p.Status, p.Jobs, p.Reserved, p.Rented = Feasible, from.Jobs, from.Reserved, from.Rented
	p.Cost, p.Machines = from.Cost, from.Machines
}

// rows is how many rows Linear has.
func (f *Fleet) rows() int { return 1 + f.Hours*(len(f.Kinds)+len(f.Loads)) }

// branch looks for a better plan, or for the first one, by branch and bound.
func (f *Fleet) branch(best *FleetPlan, gap float64) {
	p := f.Linear()
	all := f.allRejected()
	if best.Status == Feasible {
		gap *= best.Cost / (1 + math.Abs(best.Cost-all)) // of the cost that Linear has
	}
	got := p.Mixed(exactParts, gap, best.Cost-all)
	switch {
	case got.X != nil:
		plan := f.plan(got.X)
		best.take(&plan)
	case got.Status == Infeasible && best.Status == Stopped:
		best.Status, best.Load, best.Hour = Infeasible, -1, -1
		return
	}
	best.LowerBound = min(max(best.LowerBound, got.LowerBound+all), best.Cost)
}

// Linear is the problem as it is written: machines reserved of each kind, machines rented by hour and kind,
// and jobs by hour, load and kind; what is spent, the jobs of each load in each hour, and the machines that
// they need are its rows. A penalty is counted for each job that could be admitted, so it costs less by all
// of them.
func (f *Fleet) Linear() *Linear {
	k := len(f.Kinds)
	p := &Linear{}
	budget := Row{Lower: math.Inf(-1), Upper: f.Budget}
	for i, kind := range f.Kinds {
		p.Add(kind.Reserved, kind.Least, kind.Most)
		budget.Terms = append(budget.Terms, Term{i, kind.Reserved})
	}
	for t := range f.Hours {
		for _, kind := range f.Kinds {
			budget.Terms = append(budget.Terms, Term{p.Add(kind.Rent[t], 0, kind.Rentable), kind.Rent[t]})
		}
	}
	if !math.IsInf(f.Budget, 1) {
		p.Rows = append(p.Rows, budget)
	}
	for t := range f.Hours {
		need := make([]Row, k)
		for i := range need {
			need[i] = Row{Lower: math.Inf(-1), Terms: []Term{{i, -1}, {k + t*k + i, -1}}}
		}
		for _, load := range f.Loads {
			jobs := Row{Lower: load.Low[t], Upper: load.High[t]}
			for i, gamma := range load.Gamma {
				most := load.High[t]
				if math.IsInf(gamma, 1) {
					gamma, most = 0, 0
				}
				x := p.Add(-load.Penalty, 0, most)
				jobs.Terms, need[i].Terms = append(jobs.Terms, Term{x, 1}), append(need[i].Terms, Term{x, gamma})
			}
			p.Rows = append(p.Rows, jobs)
		}
		p.Rows = append(p.Rows, need...)
	}
	p.Whole = slices.Repeat([]bool{f.Whole}, len(p.Cost))
	return p
}

// plan reads a solution of Linear.
func (f *Fleet) plan(x []float64) FleetPlan {
	k := len(f.Kinds)
	plan := FleetPlan{Reserved: slices.Clone(x[:k])}
	x = x[k:]
	for range f.Hours {
		plan.Rented = append(plan.Rented, slices.Clone(x[:k]))
		x = x[k:]
	}
	for range f.Hours {
		hour := make([][]float64, len(f.Loads))
		for i := range hour {
			hour[i], x = slices.Clone(x[:k]), x[k:]
		}
		plan.Jobs = append(plan.Jobs, hour)
	}
	f.count(&plan)
	return plan
}

// count adds up what a plan costs.
func (f *Fleet) count(plan *FleetPlan) {
	plan.Machines, plan.Cost = 0, 0
	for i, kind := range f.Kinds {
		plan.Machines += kind.Reserved * plan.Reserved[i]
		for t, rent := range kind.Rent {
			plan.Machines += rent * plan.Rented[t][i]
		}
	}
	plan.Cost = plan.Machines
	for t, hour := range plan.Jobs {
		for i, load := range f.Loads {
			rejected := load.High[t]
			for _, jobs := range hour[i] {
				rejected -= jobs
			}
			plan.Cost += load.Penalty * max(0, rejected)
		}
	}
}

// allRejected is what it costs to admit no job.
func (f *Fleet) allRejected() (sum float64) {
	for _, load := range f.Loads {
		for _, high := range load.High {
			sum += load.Penalty * high
		}
	}
	return sum
}
