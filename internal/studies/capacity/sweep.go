package capacity

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/slackline/slackline/internal/maths/optimize"
	"github.com/slackline/slackline/internal/studies/scenario"
)

// Point is the plan with all deadlines changed by a part of themselves.
type Point struct {
	Deadline float64 `json:"deadline"` // -0.6: 60 % earlier
	Status   string  `json:"status"`
	Cost     float64 `json:"cost"`
	Ratio    float64 `json:"ratio"` // cost over that of the file's deadlines; 0 if that is 0, or there is none
	Reserved float64 `json:"reserved"`
	OnDemand float64 `json:"on_demand"`
	Admitted float64 `json:"admitted"`
	Rejected float64 `json:"rejected"`
	Reason   string  `json:"reason"`
}

// most is how many points a sweep may have.
const most = 1000

// ParseSweep reads deadline=FROM..TO, in percent, with an optional step: deadline=-60%..0,
// deadline=-50%..50%/10%.
func ParseSweep(text string) (changes []float64, err error) {
	bad := fmt.Errorf("%q is not a sweep; write how much deadlines change, such as deadline=-60%%..0, "+
		"or with a step: deadline=-60%%..0/10%%", text)
	what, span, ok := strings.Cut(text, "=")
	if !ok {
		return nil, bad
	}
	if what != "deadline" {
		return nil, fmt.Errorf("%q cannot be swept; deadline can, such as deadline=-60%%..0", what)
	}
	span, by, stepped := strings.Cut(span, "/")
	if !stepped {
		by = "5%"
	}
	from, to, ok := strings.Cut(span, "..")
	if !ok {
		return nil, bad
	}
	var ends [3]float64
	for i, s := range []string{from, to, by} {
		number, percent := strings.CutSuffix(strings.TrimSpace(s), "%")
		x, err := strconv.ParseFloat(number, 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) || !percent && x != 0 {
			return nil, bad
		}
		ends[i] = x
	}
	switch {
	case ends[0] <= -100:
		return nil, fmt.Errorf("%q leaves no time; the first change must be above -100%%", text)
	case ends[1] < ends[0] || ends[2] <= 0:
		return nil, bad
	case (ends[1]-ends[0])/ends[2] >= most:
		return nil, fmt.Errorf("%q has more than %d points; take a larger step", text, most)
	}
	for i := 0; ; i++ {
		x := ends[0] + float64(i)*ends[2]
		if x > ends[1]+1e-9*ends[2] {
			return changes, nil
		}
		changes = append(changes, x/100)
	}
}

// Change adds the plans with other deadlines.
func (r *Result) Change(c *scenario.Capacity, changes []float64) {
	for _, change := range changes {
		at := Point{Deadline: change}
		if len(c.Machines) > 0 {
			at.ofFleet(c, 1+change)
		} else {
			at.of(c, 1+change)
		}
		if r.Cost > 0 {
			at.Ratio = at.Cost / r.Cost
		}
		r.Sweep = append(r.Sweep, at)
	}
}

// of fills in the plan with all deadlines times a factor.
func (at *Point) of(c *scenario.Capacity, factor float64) {
	p, _ := problem(c, factor)
	answer, late, err := p.Solve()
	if len(late) > 0 || err != nil {
		at.Status, at.Reason = string(optimize.Infeasible), reason(c, &p, late, err)
		return
	}
	at.Status, at.Cost = status(&answer), answer.Cost
	at.Reserved, at.OnDemand = answer.Reserved, answer.OnDemand
	for i, h := range answer.Admitted {
		at.Admitted += h
		at.Rejected += p.Demands[i].High - h
	}
}

// ofFleet does so with several types of machines. Numbers are means of the hours.
func (at *Point) ofFleet(c *scenario.Capacity, factor float64) {
	plan, f, _, _, why := solveFleet(c, what{later: factor})
	if why != "" {
		at.Status, at.Reason = string(optimize.Infeasible), why
		return
	}
	hours := float64(f.Hours)
	if at.Status = string(optimize.Optimal); plan.Gap() > optimize.Tolerance {
		at.Status = string(optimize.Feasible)
	}
	at.Cost = plan.Cost / hours
	for j, reserved := range plan.Reserved {
		at.Reserved += reserved
		for hour := range f.Hours {
			at.OnDemand += plan.Rented[hour][j] / hours
		}
	}
	for i, load := range f.Loads {
		for hour := range f.Hours {
			admitted := 0.0
			for _, n := range plan.Jobs[hour][i] {
				admitted += n
			}
			at.Admitted += admitted / hours
			at.Rejected += max(0, load.High[hour]-admitted) / hours
		}
	}
}
