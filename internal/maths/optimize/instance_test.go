package optimize

import (
	"math"

	"github.com/slackline/slackline/internal/maths/draw"
)

// An instance is drawn by seed. All are of ρ < δ, some reserved machines and some need.
func instance(seed uint64, classes int) *Capacity {
	d := draw.Of(seed, "instance")
	p := &Capacity{OnDemand: d.Job("on demand").Between(5, 40)}
	p.Reserved = p.OnDemand * d.Job("reserved").Between(0.1, 0.99)
	total := 0.0
	for i := range classes {
		d := d.Number(uint64(i))
		c := Class{Gamma: d.Job("gamma").Between(0.05, 8), Low: float64(d.Job("low").Below(4))}
		c.High = c.Low + float64(d.Job("high").Below(5))
		c.Penalty = c.Gamma * p.OnDemand * d.Job("penalty").Between(0, 1.4)
		if i == 0 {
			c.High++
			c.Low++
		}
		total += c.Gamma * c.High
		p.Classes = append(p.Classes, c)
	}
	p.Limit = max(0.5, total*d.Job("limit").Between(0, 1.2))
	return p
}

// costOf is equation 5, for the fewest machines that the jobs need.
func costOf(p *Capacity, admitted []float64, whole bool) float64 {
	need, cost, limit := 0.0, 0.0, p.Limit
	for i, c := range p.Classes {
		need += c.Gamma * admitted[i]
		cost += c.Penalty * (c.High - admitted[i])
	}
	if whole {
		need, limit = math.Ceil(need-1e-10*need), math.Floor(limit)
	}
	return cost + min(p.OnDemand*need, p.Reserved*min(need, limit)+p.OnDemand*max(0, need-limit))
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b)) }
