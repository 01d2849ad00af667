// Package capacity plans capacity for people: it turns classes of jobs, as they stand in a file, into a
// problem of package optimize, and the answer into a result that can be printed (paper 004).
//
//	capacity.go  the problem and its result
//	bounds.go    how long a job of a class takes, by what runs taught
//	times.go     what tasks take: slower, by quantile
//	instance.go  random problems as the paper draws them
//	shared.go    the bounds beside jobs that share
//	users.go     who submits their jobs
//	offers.go    the plan as a scenario, so that it can be played
//	write.go     tables, JSON and CSV
package capacity

import (
	"fmt"
	"strings"

	"github.com/slackline/slackline/internal/maths/bounds"
	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/internal/maths/optimize"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/units"
)

// Schema names the form of the JSON. Fields may be added to it, never renamed.
const Schema = "slackline/capacity/v1"

// Result is a plan, or why there is none. Costs are an hour.
type Result struct {
	Schema     string  `json:"schema"`
	Name       string  `json:"name"`
	Currency   string  `json:"currency"`
	Bound      string  `json:"bound"`   // by what deadlines are met
	Integer    bool    `json:"integer"` // machines and jobs are whole numbers
	Status     string  `json:"status"`  // optimal, infeasible, or feasible: LowerBound is below the cost
	Cost       float64 `json:"cost"`    // equation 5
	Objective  float64 `json:"objective"`
	LowerBound float64 `json:"lower_bound"`
	Gap        float64 `json:"gap"`
	Reserved   float64 `json:"reserved"`
	OnDemand   float64 `json:"on_demand"`
	Limit      float64 `json:"reserved_limit"`
	Machines   float64 `json:"machines_cost"` // what of the cost is for machines
	Prices     Prices  `json:"prices"`
	Reason     string  `json:"reason"`
	Classes    []Class `json:"classes"`
	Beside     []Pair  `json:"beside,omitempty"` // where there are two classes
}

// Prices are what more room would be worth, as long as the plan keeps its shape; in whole numbers, those
// of the plan without that restriction.
type Prices struct {
	Capacity      float64 `json:"capacity"`       // of a machine: what a class is charged
	ReservedLimit float64 `json:"reserved_limit"` // what one more machine that can be reserved saves
}

// Class is what the plan has for a class of jobs.
type Class struct {
	Name        string  `json:"name"`
	Admitted    float64 `json:"admitted"`
	Rejected    float64 `json:"rejected"`
	MapSlots    float64 `json:"map_slots"`
	ReduceSlots float64 `json:"reduce_slots"`
	OneSlot     string  `json:"one_slot"` // map, reduce, both: of what each job has one, as with less no bound holds
	Gamma       float64 `json:"gamma"`    // machines of one job
	Machines    float64 `json:"machines"` // those of all that are admitted

	// Completion of a job with its slots. There is no upper bound with less than a slot for each job.
	Low  float64  `json:"completion_low_s"`
	Mean float64  `json:"completion_mean_s"`
	Up   *float64 `json:"completion_up_s"`
	// Phases are how long its maps and its reduces take, with a slot or more for each job.
	Phases []Phase `json:"phases,omitempty"`

	Deadline   float64 `json:"deadline_s"`
	MapWork    float64 `json:"map_work_s"`     // A of equation 4, by the bound that has to meet the deadline
	ReduceWork float64 `json:"reduce_work_s"`  // B of it; more slots are no help where it is not above 0
	Limit      float64 `json:"limit_s"`        // what a job takes on unlimited machines
	Cost       float64 `json:"cost"`           // its part of the machines, by need, and its penalties
	Worth      float64 `json:"worth"`          // penalty for each machine that a job needs
	AtLeast    float64 `json:"at_least"`       // fewest jobs
	AtMost     float64 `json:"at_most"`        // most jobs
	Penalty    float64 `json:"penalties_cost"` // of what is rejected

	// What changes of the class are worth at the price of capacity.
	TenSeconds float64  `json:"ten_seconds"`  // a deadline ten seconds later saves
	AnotherJob float64  `json:"another_job"`  // a job more that asks to run saves, instead of its penalty (μ of eq. 33)
	LeastJob   float64  `json:"at_least_job"` // a job fewer that must be admitted saves (λ of eq. 33)
	Slower     *float64 `json:"slower"`       // task times 10 % longer cost; null: the deadline could not be met
	// Where all times were measured: what it costs if their means are as long as the measurements allow
	// with 97.5 %; null as above.
	Measured bool     `json:"measured"`
	Unsure   *float64 `json:"unsure"`
}

// demand is what the plan has to know of a class.
func demand(c *scenario.Capacity, k *scenario.CapacityClass, w what) (optimize.Demand, bounds.Job) {
	line, job := w.line(c, k)
	return optimize.Demand{
		Line: line, Deadline: w.deadline(k), Machine: bounds.Machine{Maps: k.MapSlots, Reduces: k.ReduceSlots},
		Penalty: k.Penalty, Low: k.AtLeast, High: k.AtMost,
	}, job
}

// problem is what the file asks for, with all deadlines times a factor.
func problem(c *scenario.Capacity, factor float64) (p optimize.Problem, jobs []bounds.Job) {
	p = optimize.Problem{
		OnDemand: c.Prices.OnDemand, Reserved: c.Prices.Reserved, Limit: c.ReservedLimit, Whole: c.Whole(),
	}
	for i := range c.Classes {
		d, job := demand(c, &c.Classes[i], what{later: factor})
		p.Demands, jobs = append(p.Demands, d), append(jobs, job)
	}
	return p, jobs
}

// Plan solves the problem of the file.
func Plan(c *scenario.Capacity) *Result {
	p, jobs := problem(c, 1)
	r := &Result{
		Schema: Schema, Name: c.Name, Currency: c.Currency, Bound: c.Bound, Integer: p.Whole, Limit: p.Limit,
		Classes: []Class{},
	}
	for i, d := range p.Demands {
		r.Classes = append(r.Classes, Class{
			Name: c.Classes[i].Name, Deadline: d.Deadline, Limit: d.Line.Limit(), AtLeast: d.Low, AtMost: d.High,
			MapWork: d.Line.A, ReduceWork: d.Line.B,
		})
	}
	answer, late, err := p.Solve()
	if len(late) > 0 || err != nil {
		r.Status, r.Reason = string(optimize.Infeasible), reason(c, &p, late, err)
		return r
	}
	r.Status = status(&answer)
	r.Cost, r.Objective, r.LowerBound, r.Gap = answer.Cost, answer.Objective, answer.LowerBound, answer.Gap()
	r.Reserved, r.OnDemand = answer.Reserved, answer.OnDemand
	r.Prices = Prices{answer.CapacityPrice, answer.LimitPrice}
	r.Machines = p.OnDemand*r.OnDemand + p.Reserved*r.Reserved
	if !c.Reservable() {
		r.Prices.ReservedLimit = 0
	}
	used := 0.0
	for i, n := range answer.Needs {
		used += n.Machines * answer.Admitted[i]
	}
	for i := range r.Classes {
		k := &r.Classes[i]
		k.fill(&p.Demands[i], &jobs[i], answer.Needs[i], answer.Admitted[i])
		if used > 0 {
			k.Cost += r.Machines * k.Machines / used
		}
		k.weigh(c, i, r.Prices.Capacity)
	}
	if len(jobs) == 2 {
		r.Beside = pairs([2]bounds.Job{jobs[0], jobs[1]}, [2]bounds.Need{answer.Needs[0], answer.Needs[1]})
	}
	return r
}

// fill tells what a class gets.
func (k *Class) fill(d *optimize.Demand, job *bounds.Job, need bounds.Need, admitted float64) {
	k.Admitted, k.Rejected = admitted, d.High-admitted
	k.MapSlots, k.ReduceSlots = admitted*need.Maps, admitted*need.Reduces
	k.Gamma, k.Machines = need.Machines, admitted*need.Machines
	if admitted > 0 {
		k.OneSlot = oneSlot(d.Line, need)
	}
	k.Low = job.Lower().Time(1, need.Maps, need.Reduces)
	k.Mean = job.Mean().Time(1, need.Maps, need.Reduces)
	if (job.Maps == 0 || need.Maps >= 1) && (job.Reduces == 0 || need.Reduces >= 1) {
		k.Up = new(job.Upper().Time(1, need.Maps, need.Reduces))
		k.Phases = phases(*job, func(p bounds.Phase, s int) (low, up float64) { // propositions 2.4 and 2.5
			slots := [2]float64{need.Maps, need.Reduces}[s]
			return p.LowerShared(1, 1, slots), p.UpperShared(1, 1, slots)
		})
	}
	if k.Gamma > 0 {
		k.Worth = d.Penalty / k.Gamma
	}
	k.Penalty = d.Penalty * k.Rejected
	k.Cost = k.Penalty
}

// oneSlot says of which kind a job has one slot, though it would make its deadline with less if the line held then.
func oneSlot(l bounds.Line, need bounds.Need) string {
	maps := l.A > 0 && l.LeastMaps > 0 && need.Maps <= l.LeastMaps
	reduces := l.B > 0 && l.LeastReduces > 0 && need.Reduces <= l.LeastReduces
	switch {
	case maps && reduces:
		return "both"
	case maps:
		return "map"
	case reduces:
		return "reduce"
	}
	return ""
}

// late tells that jobs miss their deadline even by the lower bound, as equation 4 without whole
// shares may have it.
func (k *Class) late() bool { return k.Admitted > 0 && k.Low > k.Deadline*(1+1e-9) }

// weigh tells what changes of the class would be worth.
func (k *Class) weigh(c *scenario.Capacity, class int, capacity float64) {
	d, _ := demand(c, &c.Classes[class], what{})
	if later, ok := d.Line.Least(d.Deadline+10, d.Machine); ok {
		k.TenSeconds = capacity * k.Admitted * (k.Gamma - later.Machines)
	}
	more := d.Penalty - capacity*k.Gamma
	if k.Admitted == k.AtMost {
		k.AnotherJob = max(0, more)
	}
	if k.Admitted == k.AtLeast && k.AtLeast > 0 {
		k.LeastJob = max(0, -more)
	}
	costs := func(w what) *float64 {
		d, _ := demand(c, &c.Classes[class], w)
		slower, ok := d.Line.Least(d.Deadline, d.Machine)
		if !ok {
			return nil
		}
		return new(capacity * k.Admitted * (slower.Machines - k.Gamma))
	}
	k.Slower = costs(what{slower: 1.1})
	if k.Measured = measured(&c.Classes[class]); k.Measured {
		k.Unsure = costs(what{unsure: true})
	}
}

func status(a *optimize.Answer) string {
	if a.Gap() > optimize.Tolerance {
		return string(optimize.Feasible)
	}
	return string(optimize.Optimal)
}

// reason says which classes make a plan impossible.
func reason(c *scenario.Capacity, p *optimize.Problem, late []optimize.Late, err error) string {
	if err != nil {
		return err.Error()
	}
	return strings.Join(each.Of(late, func(l optimize.Late) string {
		needs, deadline, more := units.Span(l.Limit), units.Span(p.Demands[l.Class].Deadline), ""
		if needs == deadline { // with D = C any number of machines needs more than that
			more = "more than "
		}
		return fmt.Sprintf("class %s: even unlimited machines need %s%s for a deadline of %s", c.Classes[l.Class].Name, more, needs, deadline)
	}), "; ")
}
