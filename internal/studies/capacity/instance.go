package capacity

import (
	"fmt"
	"math"

	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/internal/maths/optimize"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/units"
)

// Instance draws a problem as paper 004 does (section 5.1, table 2), in cents: all is uniform in
// the ranges of the table, with ρ < δ; a job that is rejected costs ten times what its machines on
// demand would, so that none is. What the paper does not give is the mean time of tasks, as a part
// of the longest (0.12 gives the penalties of its table), and how many machines can be reserved:
// none.
func Instance(classes int, mean float64, seed uint64) *scenario.Capacity {
	d := draw.Of(seed, "instance")
	c := &scenario.Capacity{Name: fmt.Sprintf("instance %d", seed), Currency: "cents", Bound: "mean", WholeShares: new(false)}
	for n := uint64(0); ; n++ {
		c.Prices.Reserved = d.Job("reserved").Number(n).Between(5, 20)
		c.Prices.OnDemand = d.Job("on demand").Number(n).Between(5, 40)
		if c.Prices.Reserved < c.Prices.OnDemand {
			break
		}
	}
	for i := range classes {
		d := d.Number(uint64(i))
		count := func(what string, lo, hi int) int { return lo + d.Job(what).Below(hi-lo+1) }
		time := func(what string, lo, hi float64) scenario.TaskTimes {
			most := d.Job(what).Between(lo, hi)
			return scenario.TaskTimes{Mean: seconds(mean * most), Max: seconds(most)}
		}
		high := count("jobs", 10, 30)
		k := scenario.CapacityClass{
			Name: fmt.Sprintf("c%d", i+1), Maps: count("maps", 70, 700), Reduces: count("reduces", 32, 64),
			Map: time("map", 16, 120), FirstShuffle: time("first shuffle", 10, 30), Shuffle: time("shuffle", 30, 150), Reduce: time("reduce", 15, 75),
			MapSlots: float64(count("map slots", 1, 4)), ReduceSlots: float64(count("reduce slots", 1, 4)),
			Deadline: seconds(d.Job("deadline").Between(600, 1200)), AtMost: float64(high), AtLeast: math.Ceil(0.9 * float64(high)),
		}
		one, _ := demand(c, &k, what{})
		need, _ := one.Line.Least(one.Deadline, one.Machine)
		k.Penalty = 10 * c.Prices.OnDemand * need.Machines
		c.Classes = append(c.Classes, k)
	}
	return c
}

func seconds(x float64) config.Span { return config.Span(units.FromSeconds(x)) }

// Only is the problem with one of its classes alone.
func Only(c *scenario.Capacity, class int) *scenario.Capacity {
	one := *c
	one.Classes = c.Classes[class : class+1]
	return &one
}

// Solve is the cheapest plan with all deadlines times a factor, in whole machines and jobs or not.
// A plan without a class that is late is not there.
func Solve(c *scenario.Capacity, factor float64, whole bool) (plan optimize.Answer, ok bool) {
	p, _ := problem(c, factor)
	p.Whole = whole
	plan, late, err := p.Solve()
	return plan, len(late) == 0 && err == nil
}
