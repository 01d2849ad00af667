package optimize

import (
	"fmt"

	"github.com/slackline/slackline/internal/maths/bounds"
)

// A Demand is a class of jobs as people know it: how long its jobs take by their slots, and their
// deadline, in the same unit of time.
type Demand struct {
	Line     bounds.Line
	Deadline float64
	Machine  bounds.Machine // slots of a machine that runs this class

	Penalty   float64
	Low, High float64
}

// A Problem is Capacity with demands for classes: P0 of the paper.
type Problem struct {
	OnDemand, Reserved, Limit float64
	Demands                   []Demand
	Whole                     bool // machines and jobs are not split
}

// An Answer is a plan, and the slots that it takes.
type Answer struct {
	Plan
	Needs []bounds.Need // of one concurrent job of each class
}

// Late is a reason why there is no plan: jobs of a class take longer than the deadline, however many
// machines there are.
type Late struct {
	Class int
	Limit float64 // what they take
}

// Solve returns the cheapest plan, or the classes that make one impossible, or what is wrong with their numbers of
// jobs. A class is late also if none of its jobs has to be admitted.
func (p *Problem) Solve() (answer Answer, late []Late, err error) {
	for i, d := range p.Demands {
		if !(0 <= d.Low && d.Low <= d.High) {
			return Answer{}, nil, fmt.Errorf("class %d asks for %v to %v jobs", i, d.Low, d.High)
		}
	}
	capacity, needs, late := p.Capacity()
	if len(late) > 0 {
		return Answer{}, late, nil
	}
	answer.Needs = needs
	if !p.Whole {
		answer.Plan = capacity.Solve()
		return answer, nil, nil
	}
	ok := false
	if answer.Plan, ok = capacity.SolveWhole(); !ok {
		return Answer{}, nil, fmt.Errorf("a class has no whole number of jobs between its least and its most")
	}
	return answer, nil, nil
}

// Capacity is P2 of the problem: each demand with the fewest machines that meet its deadline.
func (p *Problem) Capacity() (c Capacity, needs []bounds.Need, late []Late) {
	c = Capacity{p.OnDemand, p.Reserved, p.Limit, make([]Class, len(p.Demands))}
	needs = make([]bounds.Need, len(p.Demands))
	for i, d := range p.Demands {
		need, ok := d.Line.Least(d.Deadline, d.Machine)
		if !ok {
			late = append(late, Late{i, d.Line.Limit()})
			continue
		}
		needs[i] = need
		c.Classes[i] = Class{Gamma: need.Machines, Penalty: d.Penalty, Low: d.Low, High: d.High}
	}
	return c, needs, late
}
