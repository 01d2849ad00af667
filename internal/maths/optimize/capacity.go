package optimize

import (
	"cmp"
	"math"
	"slices"
)

// A Class asks for Low to High concurrent jobs, each of which takes Gamma machines. A job of the High
// that is not admitted costs Penalty.
type Class struct {
	Gamma, Penalty float64
	Low, High      float64
}

// worth is what a machine earns with jobs of this class.
func (c *Class) worth() float64 {
	if c.Gamma == 0 {
		return math.Inf(1)
	}
	return c.Penalty / c.Gamma
}

// Capacity is problem P2. Prices are per machine, in the unit of the penalties.
type Capacity struct {
	OnDemand, Reserved float64 // δ and ρ
	Limit              float64 // r̄, how many machines can be reserved
	Classes            []Class
}

// A Plan is a solution.
type Plan struct {
	Admitted           []float64 // h of each class
	Reserved, OnDemand float64   // r and d

	Cost      float64 // δ d + ρ r + Σ p (H_up - h), equation 5
	Objective float64 // the same without Σ p H_up, as P2 has it

	// LowerBound is what each plan costs at least (as Cost). Where the plan is optimal it is Cost, but
	// for rounding.
	LowerBound float64

	CapacityPrice float64 // ν: what a job costs for each machine that it needs
	LimitPrice    float64 // μ_r: what one more machine that can be reserved saves
}

// Gap is how far above the optimum the cost may be, as a part of the cost.
func (p *Plan) Gap() float64 { return gap(p.Cost, p.LowerBound) }

func gap(cost, bound float64) float64 {
	if cost <= bound {
		return 0
	}
	return (cost - bound) / cost
}

// Tolerance is the gap up to which a plan counts as optimal.
const Tolerance = 1e-9

// ranked is a class with its worth.
type ranked struct {
	worth float64
	class int
}

// rank sorts the classes by falling worth.
func (p *Capacity) rank() []ranked {
	list := make([]ranked, len(p.Classes))
	for i := range p.Classes {
		list[i] = ranked{p.Classes[i].worth(), i}
	}
	slices.SortFunc(list, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.worth, a.worth), cmp.Compare(a.class, b.class))
	})
	return list
}

// cheap returns the price of reserved machines and how many to reserve at most: none where they cost
// more than those on demand.
func (p *Capacity) cheap() (price, limit float64) {
	if p.Reserved > p.OnDemand {
		return p.OnDemand, 0
	}
	return p.Reserved, p.Limit
}

// Solve returns an optimal plan, in which jobs and machines may be fractions. What the
// problem counts has to be 0 or above, and finite.
func (p *Capacity) Solve() Plan {
	plan, _ := p.byRank(p.rank())
	return plan
}

// byRank also returns how many classes of the rank are admitted in full.
func (p *Capacity) byRank(rank []ranked) (plan Plan, full int) {
	price, limit := p.cheap()
	plan.Admitted = make([]float64, len(p.Classes))
	need := 0.0
	for i := range p.Classes {
		plan.Admitted[i] = p.Classes[i].Low
		need += p.Classes[i].Gamma * p.Classes[i].Low
	}
	for ; full < len(rank); full++ {
		at := rank[full]
		c := &p.Classes[at.class]
		more := c.Gamma * (c.High - c.Low)
		if at.worth < p.OnDemand && (at.worth < price || need+more > limit) {
			break
		}
		plan.Admitted[at.class] = c.High
		need += more
	}
	next := 0.0
	if full < len(rank) {
		next = rank[full].worth
	}
	switch {
	case need > limit:
		plan.CapacityPrice = p.OnDemand
	case need < limit && next >= price && full < len(rank): // the split class
		i := rank[full].class
		plan.Admitted[i] += (limit - need) / p.Classes[i].Gamma
		plan.CapacityPrice, need = next, limit
	case need < limit:
		plan.CapacityPrice = price
	default:
		plan.CapacityPrice = max(price, min(next, p.OnDemand))
	}
	p.settle(&plan, need)
	plan.LowerBound = min(p.dual(plan.CapacityPrice), plan.Cost)
	return plan, full
}

// settle rents the machines that are needed, and tells the costs.
func (p *Capacity) settle(plan *Plan, need float64) {
	price, limit := p.cheap()
	plan.Reserved = min(need, limit)
	plan.OnDemand = need - plan.Reserved
	plan.LimitPrice = plan.CapacityPrice - price
	rejected, all := 0.0, 0.0
	for i := range p.Classes {
		c := &p.Classes[i]
		rejected += c.Penalty * (c.High - plan.Admitted[i])
		all += c.Penalty * c.High
	}
	machines := p.OnDemand*plan.OnDemand + p.Reserved*plan.Reserved
	plan.Cost, plan.Objective = machines+rejected, machines+rejected-all
}

// dual is what a plan costs at least, proved by a price of capacity from ρ to δ: each job is charged
// that price for what it needs, and what reserved machines cost less is given back.
func (p *Capacity) dual(capacity float64) float64 {
	price, limit := p.cheap()
	bound := (price - capacity) * limit
	for i := range p.Classes {
		c := &p.Classes[i]
		charge := capacity * c.Gamma
		bound += min(charge*c.High, charge*c.Low+c.Penalty*(c.High-c.Low))
	}
	return bound
}
