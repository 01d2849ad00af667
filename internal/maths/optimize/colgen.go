package optimize

import (
	"math"
	"slices"
)

// A schedule is where the jobs of an hour go: for each load the kind of machines that its Low jobs take,
// and the kind for those up to High, none for what is missing or rejected.
type schedule struct {
	hour      int
	low, more []int
	weight    int // its variable in the master problem
}

const none = -1

// A master is a Fleet whose jobs may be split, by columns (Dantzig and Wolfe, 1960): the jobs of each hour
// are a mixture of schedules. Its rows are few: machines needed for each hour and kind, a whole mixture
// for each hour, and the budget. At the prices of its optimum each load looks for the cheapest kind of
// machines by itself; if the schedule that comes of it is cheaper than the mixture it joins.
//
// Jobs that have to be admitted may be missing at a price that is above all others. Where some are in the
// optimum, the same problem with no other cost tells whether there is no solution.
type master struct {
	*Fleet
	scale     float64 // machines are counted in units of so many
	missing   float64 // what a job costs that has to be admitted and is not
	only      bool    // nothing costs but what is missing
	s         *simplex
	row       [][]int // by hour and kind; none where any number can be rented and none reserved
	mixture   []int   // row of each hour
	budget    int     // row, none if there is none
	reserved  []int   // variable of each kind
	rented    [][]int // by hour and kind
	schedules []schedule

	bound  float64     // the best so far
	price  [][]float64 // of it, by hour and kind
	spends float64     // price of the budget

	now, at [][]float64 // scratch: prices of this round
	needs   []float64
}

// relax solves the problem without regard to Whole, up to the gap. It is not ok if there is no solution.
func (f *Fleet) relax(gap float64) (plan FleetPlan, ok bool) {
	stopped := FleetPlan{Status: Stopped, LowerBound: math.Inf(-1)}
	dearest := 1.0
	for i := 0; i < 3; i, dearest = i+1, dearest*1000 {
		m := newMaster(f, dearest*1000, false)
		switch m.run(gap) {
		case Optimal:
		case Infeasible:
			return FleetPlan{Status: Infeasible, Load: none, Hour: none}, false
		default:
			return stopped, false
		}
		plan = m.plan()
		if plan.Missing == 0 {
			return plan, true
		}
		m = newMaster(f, 1, true)
		if m.run(1e-6) != Optimal {
			break
		}
		if least := m.plan(); m.bound > 1e-7*m.jobs() {
			least.Status = Infeasible
			return least, false
		}
	}
	return stopped, false
}

// jobs is how many have to be admitted, and 1 at least.
func (m *master) jobs() (sum float64) {
	for _, l := range m.Loads {
		for _, low := range l.Low {
			sum += low
		}
	}
	return max(1, sum)
}

// newMaster begins with no schedule but that in which all jobs are missing.
func newMaster(f *Fleet, dear float64, only bool) *master {
	m := &master{Fleet: f, only: only, scale: 1, budget: none, bound: math.Inf(-1)}
	highest := 1.0
	for _, l := range f.Loads {
		most := l.Penalty
		for i, gamma := range l.Gamma {
			for t, rent := range f.Kinds[i].Rent {
				if !math.IsInf(gamma, 1) { // a kind that it can run on
					most = max(most, gamma*rent, gamma*f.Kinds[i].Reserved)
					m.scale = max(m.scale, gamma*l.High[t])
				}
			}
		}
		highest = max(highest, most)
	}
	if m.missing = dear * highest; only {
		m.missing = 1
	}
	m.needs = make([]float64, len(f.Kinds))
	m.rows()
	m.guess()
	return m
}

// guess takes prices to begin with: what a machine costs on demand, or an even part of what it costs
// reserved.
func (m *master) guess() {
	for range m.Hours {
		m.price = append(m.price, make([]float64, len(m.Kinds)))
	}
	for k, kind := range m.Kinds {
		sum := 0.0
		for _, rent := range kind.Rent {
			sum += rent
		}
		part := 1.0
		if kind.Most > 0 && sum > 0 {
			part = min(1, kind.Reserved/sum)
		}
		for t, rent := range kind.Rent {
			m.price[t][k] = part * rent
		}
	}
}

// rows makes the rows, and the variables that are machines.
func (m *master) rows() {
	p := &Linear{}
	add := func(lower, upper float64) int {
		p.Rows = append(p.Rows, Row{Lower: lower, Upper: upper})
		return len(p.Rows) - 1
	}
	if !math.IsInf(m.Budget, 1) {
		m.budget = add(math.Inf(-1), m.Budget)
	}
	for range m.Hours {
		m.mixture = append(m.mixture, add(1, 1))
		row := make([]int, len(m.Kinds))
		for i, kind := range m.Kinds {
			if row[i] = none; kind.Most > 0 || !math.IsInf(kind.Rentable, 1) {
				row[i] = add(math.Inf(-1), 0)
			}
		}
		m.row = append(m.row, row)
		m.now, m.at = append(m.now, make([]float64, len(m.Kinds))), append(m.at, make([]float64, len(m.Kinds)))
	}
	machines := func(lower, upper, cost float64, rows ...int) int {
		j := len(p.Cost)
		p.Lower, p.Upper = append(p.Lower, lower/m.scale), append(p.Upper, upper/m.scale)
		if m.budget != none {
			p.Rows[m.budget].Terms = append(p.Rows[m.budget].Terms, Term{j, cost * m.scale})
		}
		for _, i := range rows {
			p.Rows[i].Terms = append(p.Rows[i].Terms, Term{j, -1})
		}
		if m.only {
			cost = 0
		}
		p.Cost = append(p.Cost, cost*m.scale)
		return j
	}
	for i, kind := range m.Kinds {
		var rows []int
		for _, row := range m.row {
			if row[i] != none {
				rows = append(rows, row[i])
			}
		}
		m.reserved = append(m.reserved, machines(kind.Least, kind.Most, kind.Reserved, rows...))
	}
	for t := range m.Hours {
		rented := make([]int, len(m.Kinds))
		for i, kind := range m.Kinds {
			if rented[i] = none; m.row[t][i] != none {
				rented[i] = machines(0, kind.Rentable, kind.Rent[t], m.row[t][i])
			}
		}
		m.rented = append(m.rented, rented)
	}
	m.s = newSimplex(p)
	nobody := slices.Repeat([]int{none}, len(m.Loads))
	for t := range m.Hours {
		m.join(schedule{hour: t, low: nobody, more: nobody})
	}
}

// penalty of a job that is not admitted.
func (m *master) penalty(load int) float64 {
	if m.only {
		return 0
	}
	return m.Loads[load].Penalty
}

// column is what a schedule costs by itself, and what it has in each row.
func (m *master) column(c *schedule) (cost float64, entries []Term) {
	needs := m.needs
	clear(needs)
	for i, l := range m.Loads {
		low, more := l.Low[c.hour], l.High[c.hour]-l.Low[c.hour]
		if k := c.low[i]; k != none {
			needs[k] += l.Gamma[k] * low
		} else {
			cost += (m.missing + m.penalty(i)) * low
		}
		if k := c.more[i]; k != none {
			needs[k] += l.Gamma[k] * more
		} else {
			cost += m.penalty(i) * more
		}
	}
	entries = []Term{{m.mixture[c.hour], 1}}
	money := 0.0
	for k, need := range needs {
		switch row := m.row[c.hour][k]; {
		case need == 0:
		case row != none:
			entries = append(entries, Term{row, need / m.scale})
		default:
			if money += need * m.Kinds[k].Rent[c.hour]; !m.only {
				cost += need * m.Kinds[k].Rent[c.hour]
			}
		}
	}
	if m.budget != none && money > 0 {
		entries = append(entries, Term{m.budget, money})
	}
	return cost, entries
}

// join takes a schedule into the mixture of its hour.
func (m *master) join(c schedule) {
	cost, entries := m.column(&c)
	c.weight = m.s.add(cost, math.Inf(1), entries)
	m.schedules = append(m.schedules, c)
}

// cheaper tells whether a schedule is cheaper than the mixture of its hour at the prices of the rows, by
// more than the simplex takes for nothing.
func (m *master) cheaper(c *schedule, y []float64) bool {
	cost, entries := m.column(c)
	own := cost
	for _, e := range entries {
		cost -= y[e.Variable] * e.Coefficient
	}
	return cost < -2*attracts*(1+math.Abs(own))
}

// cheapest is the schedule of an hour at these prices of machines, and what it costs by them.
func (m *master) cheapest(t int, price []float64) (c schedule, cost float64) {
	c = schedule{hour: t, low: make([]int, len(m.Loads)), more: make([]int, len(m.Loads))}
	for i, l := range m.Loads {
		kind, least := none, math.Inf(1)
		for k, gamma := range l.Gamma {
			if x := gamma * price[k]; x < least {
				kind, least = k, x
			}
		}
		c.low[i], c.more[i] = kind, kind
		low, more := l.Low[t], l.High[t]-l.Low[t]
		penalty := m.penalty(i)
		if dear := m.missing + penalty; kind == none || least > dear {
			c.low[i], least = none, dear
		}
		cost += low * least
		if kind == none || least > penalty {
			c.more[i] = none
			cost += more * penalty
		} else {
			cost += more * least
		}
	}
	return c, cost
}

// prove tells what every solution costs at least, by any prices of machines and of the budget: jobs take
// what is cheapest by them, and machines are bought where they earn more than they cost.
func (m *master) prove(price [][]float64, budget float64) (bound float64, found []schedule) {
	cost := func(x float64) float64 {
		if m.only {
			return budget * x
		}
		return (1 + budget) * x
	}
	buys := func(gain, least, most float64) {
		if gain < 0 {
			least = most
		}
		if gain != 0 {
			bound += gain * least
		}
	}
	if m.budget != none {
		bound -= budget * m.Budget
	}
	for k, kind := range m.Kinds {
		earned := 0.0
		for t := range m.Hours {
			own := cost(kind.Rent[t])
			switch {
			case m.row[t][k] == none:
				price[t][k] = own
			default:
				if math.IsInf(kind.Rentable, 1) {
					price[t][k] = min(price[t][k], own)
				}
				earned += price[t][k]
				buys(own-price[t][k], 0, kind.Rentable)
			}
		}
		buys(cost(kind.Reserved)-earned, kind.Least, kind.Most)
	}
	for t := range m.Hours {
		c, cost := m.cheapest(t, price[t])
		bound += cost
		found = append(found, c)
	}
	return bound, found
}

// mostRounds is how often schedules are looked for.
const mostRounds = 1000

// run solves the problem up to the gap. As jobs may be missing there is always a solution, but for a
// budget below what the fewest reserved machines cost.
func (m *master) run(gap float64) Status {
	for range mostRounds {
		if status := m.s.primal(); status != Optimal {
			return status
		}
		y := m.s.prices(m.s.cost)
		cost, budget := 0.0, 0.0
		for j, x := range m.s.x {
			cost += m.s.cost[j] * x
		}
		if m.budget != none {
			budget = max(0, -y[m.budget])
		}
		for t := range m.Hours {
			for k, row := range m.row[t] {
				m.now[t][k] = 0
				if row != none {
					m.now[t][k] = max(0, -y[row]/m.scale)
				}
			}
		}
		// Prices swing from round to round, so schedules are looked for between those of this round and
		// the best so far (Wentges, 1997), and by those of this round alone if that leads nowhere.
		better := false
		for _, old := range []float64{0.6, 0} {
			spends := budget
			for t := range m.at {
				for k := range m.at[t] {
					m.at[t][k] = m.now[t][k]
					if old > 0 {
						m.at[t][k] += old * (m.price[t][k] - m.now[t][k])
					}
				}
			}
			if old > 0 {
				spends += old * (m.spends - budget)
			}
			bound, found := m.prove(m.at, spends)
			if bound > m.bound {
				m.bound, m.spends = bound, spends
				m.price = make([][]float64, m.Hours)
				for t := range m.at {
					m.price[t] = slices.Clone(m.at[t])
				}
			}
			if cost-m.bound <= max(gap, 1e-10)*math.Abs(cost)+1e-12 {
				m.bound = min(m.bound, cost)
				return Optimal
			}
			for _, c := range found {
				if m.cheaper(&c, y) {
					m.join(c)
					better = true
				}
			}
			if better {
				break
			}
		}
		if !better {
			m.bound = min(m.bound, cost)
			return Optimal
		}
	}
	return Optimal
}

// plan is the solution.
func (m *master) plan() FleetPlan {
	x := m.s.x
	p := FleetPlan{Status: Optimal, Load: none, Hour: none, LowerBound: m.bound, Prices: m.price, BudgetPrice: m.spends}
	for k := range m.Kinds {
		p.Reserved = append(p.Reserved, m.scale*x[m.reserved[k]])
	}
	absent := make([][]float64, m.Hours)
	for t := range absent {
		p.Rented = append(p.Rented, make([]float64, len(m.Kinds)))
		hour := make([][]float64, len(m.Loads))
		for i := range hour {
			hour[i] = make([]float64, len(m.Kinds))
		}
		p.Jobs = append(p.Jobs, hour)
		absent[t] = make([]float64, len(m.Loads))
	}
	for _, c := range m.schedules {
		part := max(0, x[c.weight])
		if part < 1e-11 {
			continue
		}
		for i, l := range m.Loads {
			low, more := part*l.Low[c.hour], part*(l.High[c.hour]-l.Low[c.hour])
			if k := c.low[i]; k != none {
				p.Jobs[c.hour][i][k] += low
			} else {
				absent[c.hour][i] += low
			}
			if k := c.more[i]; k != none {
				p.Jobs[c.hour][i][k] += more
			}
		}
	}
	for t := range m.Hours {
		for k := range m.Kinds {
			if j := m.rented[t][k]; j != none {
				p.Rented[t][k] = m.scale * x[j]
				continue
			}
			for i, l := range m.Loads {
				if jobs := p.Jobs[t][i][k]; jobs > 0 {
					p.Rented[t][k] += l.Gamma[k] * jobs
				}
			}
		}
		for i, n := range absent[t] {
			if n > max(p.Missing, 1e-7*m.Loads[i].High[t]) {
				p.Load, p.Hour, p.Missing = i, t, n
			}
		}
	}
	m.count(&p)
	p.LowerBound = min(p.LowerBound, p.Cost)
	return p
}
