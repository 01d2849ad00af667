package capacity

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/slackline/slackline/internal/maths/bounds"
	"github.com/slackline/slackline/internal/maths/optimize"
	"github.com/slackline/slackline/internal/studies/scenario"
)

// Fleet is what the plan has of several types of machines, hour by hour.
type Fleet struct {
	Hours       int         `json:"hours"`
	Machines    []Type      `json:"machines"`
	Placed      []Placement `json:"placed"`
	Budget      float64     `json:"budget"`       // an hour; 0 = none
	BudgetPrice float64     `json:"budget_price"` // what a unit more of it saves
	Energy      float64     `json:"energy_kwh"`   // an hour
	Carbon      float64     `json:"carbon_kg"`    // an hour
}

// Type is what the plan has of a type of machines. Lists have a number for each hour.
type Type struct {
	Name     string    `json:"name"`
	Reserved float64   `json:"reserved"` // in all hours
	OnDemand []float64 `json:"on_demand"`
	Spot     []float64 `json:"spot"`
	Prices   []float64 `json:"prices"`      // what jobs are charged for a machine that stays
	OfSpot   []float64 `json:"spot_prices"` // and for a spot machine
	Cost     float64   `json:"cost"`        // an hour, with energy
}

// Placement is a class on a type of machines.
type Placement struct {
	Class       string    `json:"class"`
	Type        string    `json:"type"`
	Spot        bool      `json:"spot"`
	Jobs        []float64 `json:"jobs"`         // in each hour
	Gamma       float64   `json:"gamma"`        // machines of one job
	MapSlots    float64   `json:"map_slots"`    // of one job
	ReduceSlots float64   `json:"reduce_slots"` // of one job
	Low         float64   `json:"completion_low_s"`
	Mean        float64   `json:"completion_mean_s"`
	Up          *float64  `json:"completion_up_s"` // none with less than a slot
}

// kind is a type of machines as jobs see it: those that stay, or those that may be taken away.
type kind struct {
	*scenario.MachineType
	of   int
	spot bool
}

func (k *kind) name() string { return onOf(k.Name, k.spot) }

// onOf names a type of machines as jobs see it.
func onOf(name string, spot bool) string {
	if spot {
		return name + " (spot)"
	}
	return name
}

func (k *kind) what(w what) what {
	w.speed = k.Speed
	if k.spot {
		w.interruptions = k.Interruptions
	}
	return w
}

func kindsOf(c *scenario.Capacity) (list []kind) {
	for i := range c.Machines {
		m := &c.Machines[i]
		if len(m.OnDemand) > 0 || m.ReservedLimit > 0 {
			list = append(list, kind{m, i, false})
		}
		if len(m.Spot) > 0 {
			list = append(list, kind{m, i, true})
		}
	}
	return list
}

// need is what a job of the class takes of such machines; it is not ok if none of them would be enough.
func (k *kind) need(c *scenario.Capacity, class *scenario.CapacityClass, w what) (need bounds.Need, limit float64, job bounds.Job, ok bool) {
	if !class.Runs(k.MachineType) {
		return need, math.Inf(1), job, false
	}
	w = k.what(w)
	line, job := w.line(c, class)
	maps, reduces := class.SlotsOf(k.MachineType)
	m := bounds.Machine{Maps: max(maps, 1), Reduces: max(reduces, 1)}
	if maps > 0 {
		m.Maps = maps
	}
	if reduces > 0 {
		m.Reduces = reduces
	}
	if k.Slots == "apart" {
		need, ok = line.LeastApart(w.deadline(class), m)
	} else {
		need, ok = line.Least(w.deadline(class), m)
	}
	return need, line.Limit(), job, ok
}

// fleet is what the file asks for. late tells of the classes that meet their deadlines on no machine.
func fleet(c *scenario.Capacity, w what) (f *optimize.Fleet, kinds []kind, needs [][]bounds.Need, late []string) {
	kinds = kindsOf(c)
	hours := c.Hours()
	f = &optimize.Fleet{Hours: hours, Budget: math.Inf(1), Whole: c.Whole()}
	if c.Budget > 0 {
		f.Budget = c.Budget * float64(hours)
	}
	for _, k := range kinds {
		one := optimize.Kind{Rentable: math.Inf(1)}
		prices, limit := k.OnDemand, k.OnDemandLimit
		if k.spot {
			prices, limit = k.Spot, k.SpotLimit
		} else {
			one.Least, one.Most = k.ReservedAtLeast, k.ReservedLimit
		}
		switch {
		case len(prices) == 0:
			one.Rentable = 0
		case limit != nil:
			one.Rentable = *limit
		}
		if f.Whole {
			one.Rentable = math.Floor(one.Rentable)
		}
		for hour := range hours {
			one.Reserved += k.Reserved + c.EnergyCost(k.MachineType, hour)
			one.Rent = append(one.Rent, scenario.At(prices, hour)+c.EnergyCost(k.MachineType, hour))
		}
		f.Kinds = append(f.Kinds, one)
	}
	for i := range c.Classes {
		class := &c.Classes[i]
		load := optimize.Load{Penalty: class.Penalty}
		all := make([]bounds.Need, len(kinds))
		fastest, best := 0, math.Inf(1)
		for j := range kinds {
			need, limit, _, ok := kinds[j].need(c, class, w)
			if limit < best {
				fastest, best = j, limit
			}
			if all[j] = need; !ok {
				all[j].Machines = math.Inf(1)
			}
			load.Gamma = append(load.Gamma, all[j].Machines)
		}
		switch {
		case !math.IsInf(slices.Min(load.Gamma), 1):
		case math.IsInf(best, 1):
			late = append(late, fmt.Sprintf("class %s: machines are taken away so often that its jobs never end", class.Name))
		default:
			late = append(late, tooLate(class.Name, " of type "+kinds[fastest].name(), best, w.deadline(class)))
		}
		for hour := range hours {
			low, high := class.Range(c, hour)
			load.Low, load.High = append(load.Low, low), append(load.High, high)
		}
		f.Loads, needs = append(f.Loads, load), append(needs, all)
	}
	return f, kinds, needs, late
}

// fleetGap is how far from the optimum a plan for a large fleet may be.
const fleetGap = 1e-3

// solveFleet solves the problem, and says why there is no plan.
func solveFleet(c *scenario.Capacity, w what) (plan optimize.FleetPlan, f *optimize.Fleet, kinds []kind, needs [][]bounds.Need, why string) {
	f, kinds, needs, late := fleet(c, w)
	if len(late) > 0 {
		return plan, f, kinds, needs, strings.Join(late, "; ")
	}
	plan = f.Solve(fleetGap)
	switch {
	case plan.Status == optimize.Infeasible && plan.Load >= 0:
		why = fmt.Sprintf("class %s: at_least asks for %s jobs in hour %d, and there are no machines for %.4g of them",
			c.Classes[plan.Load].Name, number(f.Loads[plan.Load].Low[plan.Hour]), plan.Hour, plan.Missing)
		if c.Budget > 0 {
			why += ", or no budget"
		}
	case plan.Status == optimize.Infeasible && reservedAtLeast(f) > f.Budget:
		why = fmt.Sprintf("budget is %s an hour, and the machines of reserved_at_least alone cost %s",
			price(c.Budget), price(reservedAtLeast(f)/float64(f.Hours)))
	case plan.Status == optimize.Infeasible:
		why = "at_least and reserved_at_least ask for more than there are machines, or than the budget pays for"
	case plan.Status == optimize.Stopped:
		why = "no plan in whole machines and jobs was found; integer: false prints the fractional plan"
	}
	return plan, f, kinds, needs, why
}

// reservedAtLeast is what the fewest reserved machines cost in all hours.
func reservedAtLeast(f *optimize.Fleet) (sum float64) {
	for _, k := range f.Kinds {
		sum += k.Reserved * k.Least
	}
	return sum
}

// planFleet solves a problem with several types of machines.
func planFleet(c *scenario.Capacity) *Result {
	r := &Result{Schema: Schema, Name: c.Name, Currency: c.Currency, Bound: c.Bound, Integer: c.Whole(), Classes: []Class{}}
	plan, f, kinds, needs, why := solveFleet(c, what{})
	for i := range c.Classes {
		k := &c.Classes[i]
		line, _ := what{}.line(c, k)
		at := Class{Name: k.Name, Deadline: what{}.deadline(k), Limit: math.Inf(1), AtLeast: k.AtLeast, AtMost: k.AtMost, Measured: measured(k),
			MapWork: line.A, ReduceWork: line.B}
		for j := range kinds {
			_, limit, _, _ := kinds[j].need(c, k, what{})
			at.Limit = min(at.Limit, limit)
		}
		at.Limit = min(at.Limit, math.MaxFloat32)
		r.Classes = append(r.Classes, at)
	}
	if why != "" {
		r.Status, r.Reason = string(optimize.Infeasible), why
		if plan.Status == optimize.Stopped {
			r.Status = string(optimize.Stopped)
		}
		return r
	}
	hours := float64(f.Hours)
	if r.Status = string(optimize.Optimal); plan.Gap() > optimize.Tolerance {
		r.Status = string(optimize.Feasible)
	}
	r.Cost, r.LowerBound, r.Gap, r.Machines = plan.Cost/hours, plan.LowerBound/hours, plan.Gap(), plan.Machines/hours
	r.Objective = r.Cost
	for _, l := range f.Loads {
		for _, high := range l.High {
			r.Objective -= l.Penalty * high / hours
		}
	}
	r.Fleet = &Fleet{Hours: f.Hours, Budget: c.Budget, BudgetPrice: plan.BudgetPrice}
	r.machinesOf(c, &plan, kinds)
	charged := 0.0
	for i := range r.Classes {
		r.Classes[i].place(c, i, &plan, f, kinds, needs[i])
		r.Fleet.Placed = append(r.Fleet.Placed, placements(c, i, &plan, kinds, needs[i])...)
		charged += r.Classes[i].Cost
	}
	for i := range r.Classes { // what machines cost is divided by what classes are charged
		if k := &r.Classes[i]; charged > 0 {
			k.Cost = r.Machines*k.Cost/charged + k.Penalty
		}
	}
	return r
}

// machinesOf tells what there is of each type.
func (r *Result) machinesOf(c *scenario.Capacity, plan *optimize.FleetPlan, kinds []kind) {
	hours := float64(r.Fleet.Hours)
	for i := range c.Machines {
		m := &c.Machines[i]
		t := Type{Name: m.Name}
		for hour := range r.Fleet.Hours {
			var there, price [2]float64
			reserved := 0.0
			for j, k := range kinds {
				if k.of != i {
					continue
				}
				n := 0
				if k.spot {
					n = 1
				}
				there[n], price[n] = plan.Rented[hour][j], plan.Prices[hour][j]
				if !k.spot {
					reserved = plan.Reserved[j]
				}
			}
			t.Reserved = reserved
			t.OnDemand, t.Spot = append(t.OnDemand, there[0]), append(t.Spot, there[1])
			t.Prices, t.OfSpot = append(t.Prices, price[0]), append(t.OfSpot, price[1])
			all := reserved + there[0] + there[1]
			t.Cost += (reserved*m.Reserved + there[0]*scenario.At(m.OnDemand, hour) + there[1]*scenario.At(m.Spot, hour) + all*c.EnergyCost(m, hour)) / hours
			r.Fleet.Energy += all * m.Energy() / hours
			r.Fleet.Carbon += all * m.Energy() * scenario.At(c.Energy.Carbon, hour) / 1000 / hours
			r.OnDemand += (there[0] + there[1]) / hours
		}
		r.Reserved += t.Reserved
		r.Fleet.Machines = append(r.Fleet.Machines, t)
	}
}

// place tells what a class gets on average over the hours; completion is the latest of the types
// that it runs on.
func (k *Class) place(c *scenario.Capacity, class int, plan *optimize.FleetPlan, f *optimize.Fleet, kinds []kind, needs []bounds.Need) {
	hours := float64(f.Hours)
	load := &f.Loads[class]
	up := 0.0
	k.Up = &up
	for hour, jobs := range plan.Jobs {
		admitted := 0.0
		for j, n := range jobs[class] {
			if n == 0 {
				continue
			}
			admitted += n
			k.MapSlots, k.ReduceSlots = k.MapSlots+n*needs[j].Maps/hours, k.ReduceSlots+n*needs[j].Reduces/hours
			k.Machines += n * needs[j].Machines / hours
			k.Cost += n * needs[j].Machines * plan.Prices[hour][j] / hours
			p := placement(c, &c.Classes[class], &kinds[j], needs[j])
			line, _ := kinds[j].what(what{}).line(c, &c.Classes[class])
			k.OneSlot = cmp.Or(k.OneSlot, oneSlot(line, needs[j]))
			k.Low, k.Mean = max(k.Low, p.Low), max(k.Mean, p.Mean)
			if p.Up == nil {
				k.Up = nil
			} else if k.Up != nil {
				up = max(up, *p.Up)
			}
		}
		rejected := max(0, load.High[hour]-admitted)
		k.Admitted, k.Rejected = k.Admitted+admitted/hours, k.Rejected+rejected/hours
		k.Penalty += load.Penalty * rejected / hours
	}
	if k.Admitted > 0 {
		k.Gamma = k.Machines / k.Admitted
	} else {
		k.Gamma, k.Up = slices.Min(load.Gamma), nil
	}
	if k.Gamma > 0 {
		k.Worth = load.Penalty / k.Gamma
	}
	k.weighFleet(c, class, plan, f, kinds, needs)
}

// weighFleet tells what changes of the class would be worth at the prices of machines, where its jobs are.
func (k *Class) weighFleet(c *scenario.Capacity, class int, plan *optimize.FleetPlan, f *optimize.Fleet, kinds []kind, needs []bounds.Need) {
	hours := float64(f.Hours)
	of := &c.Classes[class]
	costs := func(w what) *float64 {
		sum := 0.0
		for j := range kinds {
			need, _, _, ok := kinds[j].need(c, of, w)
			for hour := range f.Hours {
				if n := plan.Jobs[hour][class][j]; n > 0 {
					if !ok {
						return nil
					}
					sum += n * (need.Machines - needs[j].Machines) * plan.Prices[hour][j] / hours
				}
			}
		}
		return &sum
	}
	if saves := costs(what{later: 1 + 10/k.Deadline}); saves != nil {
		k.TenSeconds = max(0, -*saves)
	}
	if k.Slower = costs(what{slower: 1.1}); k.Measured {
		k.Unsure = costs(what{unsure: true})
	}
	load := &f.Loads[class]
	for hour := range f.Hours {
		least, admitted := math.Inf(1), 0.0
		for j, gamma := range load.Gamma {
			if !math.IsInf(gamma, 1) {
				least = min(least, gamma*plan.Prices[hour][j])
			}
			admitted += plan.Jobs[hour][class][j]
		}
		const rounding = 1e-9
		if admitted >= load.High[hour]*(1-rounding) {
			k.AnotherJob += max(0, load.Penalty-least) / hours
		}
		if admitted <= load.Low[hour]*(1+rounding) && admitted > 0 {
			k.LeastJob += max(0, least-load.Penalty) / hours
		}
	}
}

// placement is a class on a kind of machines.
func placement(c *scenario.Capacity, class *scenario.CapacityClass, k *kind, need bounds.Need) Placement {
	_, _, job, _ := k.need(c, class, what{})
	p := Placement{Class: class.Name, Type: k.Name, Spot: k.spot, Gamma: need.Machines, MapSlots: need.Maps, ReduceSlots: need.Reduces,
		Low: job.Lower().Time(1, need.Maps, need.Reduces), Mean: job.Mean().Time(1, need.Maps, need.Reduces)}
	if (job.Maps == 0 || need.Maps >= 1) && (job.Reduces == 0 || need.Reduces >= 1) {
		p.Up = new(job.Upper().Time(1, need.Maps, need.Reduces))
	}
	return p
}

// placements are the kinds of machines that a class runs on.
func placements(c *scenario.Capacity, class int, plan *optimize.FleetPlan, kinds []kind, needs []bounds.Need) (list []Placement) {
	for j := range kinds {
		jobs := make([]float64, len(plan.Jobs))
		for hour := range jobs {
			jobs[hour] = plan.Jobs[hour][class][j]
		}
		if slices.Max(jobs) > 0 {
			p := placement(c, &c.Classes[class], &kinds[j], needs[j])
			p.Jobs = jobs
			list = append(list, p)
		}
	}
	return list
}
