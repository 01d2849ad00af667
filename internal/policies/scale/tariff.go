package scale

import (
	"cmp"
	"math"
	"slices"

	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// tariff is what a joule costs from now on, by what is expected of price and carbon: each counts in parts of the mean
// of what is left of its forecast, so both count the same where both are told. Time that no forecast reaches, and what
// is behind the 96th change, costs the mean. Costs are told apart in sixteen equal steps from the least to the most.
type tariff struct {
	now   int64     // thousandths of the mean
	ends  []int64   // of times with one cost, in milliseconds from now; the last has no end
	cost  []float64 // of each
	step  []int     // of each
	sums  []spent   // before each
	cells []cell    // the cheapest first; none if all time costs the same
}

// spent is how long each step holds in some time.
type spent [tariffSteps]int64

// cell is some nodes at times of one step.
type cell struct {
	cost float64
	part float64 // of all that nodes can do
	step int
}

const (
	tariffSteps = 16
	tariffTimes = 96
	tariffRoom  = 0.1 // of all nodes, which work that was put off leaves free
)

// look finds the costs for nodes that cost so much where a joule costs the mean. O(values of the forecasts).
func (t *tariff) look(v sched.View, layers []cell) {
	t.cells, t.ends, t.sums, t.step, t.cost = t.cells[:0], t.ends[:0], t.sums[:0], t.step[:0], t.cost[:0]
	var of []*sched.Forecast
	var means []float64
	for _, kind := range []sched.SupplyKind{sched.Price, sched.Carbon} {
		f := v.Forecast(kind)
		if f == nil {
			continue
		}
		sum, left := 0.0, 0
		for i, x := range f.Mid {
			if f.Start.Add(units.Duration(i+1)*f.Interval) > v.Now() {
				sum, left = sum+x, left+1
			}
		}
		if mean := math.Abs(sum) / float64(max(1, left)); units.Rounded(mean) > 0 {
			of, means = append(of, f), append(means, mean)
		}
	}
	least, most := math.Inf(1), math.Inf(-1)
	for at := v.Now(); len(of) > 0 && at != units.Never; {
		cost, next := 0.0, units.Never
		for k, f := range of {
			in, relative := -1, 1.0
			if at >= f.Start {
				in = int(at.Sub(f.Start) / f.Interval)
			}
			if in < len(f.Mid) && len(t.ends) < tariffTimes {
				next = min(next, f.Start.Add(units.Duration(in+1)*f.Interval))
				if in >= 0 {
					relative = f.Mid[in] / means[k]
				}
			}
			cost += relative
		}
		least, most = min(least, cost), max(most, cost)
		t.cost, t.ends = append(t.cost, cost), append(t.ends, math.MaxInt64)
		if at = next; at != units.Never {
			t.ends[len(t.ends)-1] = estimate.Millis(at.Sub(v.Now()))
		}
	}
	if units.Rounded(most-least) <= 0 {
		return
	}
	from, sum := int64(0), spent{}
	var mean [tariffSteps]float64
	for i, cost := range t.cost {
		k := min(tariffSteps-1, int(units.Rounded((cost-least)/(most-least)*tariffSteps)))
		t.step, t.sums, mean[k] = append(t.step, k), append(t.sums, sum), least+float64((float64(k)+0.5)/tariffSteps*(most-least))
		sum[k] += t.ends[i] - from
		from = t.ends[i]
	}
	t.now = int64(math.Round(units.Rounded(1000 * t.cost[0] / float64(len(of)))))
	for _, l := range layers {
		for k, cost := range mean {
			if slices.Contains(t.step, k) {
				t.cells = append(t.cells, cell{l.cost * cost, l.part, k})
			}
		}
	}
	slices.SortStableFunc(t.cells, func(a, b cell) int { return cmp.Compare(units.Rounded(a.cost), units.Rounded(b.cost)) })
}

// level is which part of all nodes some work takes now that is done after so much time: it takes those nodes at
// those times that cost least in all, equally at all times of one step. Work is in milliseconds of all nodes, and
// what finds no room there takes more at all times. O(cells).
func (t *tariff) level(work float64, time int64) (now float64) {
	if len(t.cells) == 0 {
		return work / float64(time)
	}
	i, _ := slices.BinarySearch(t.ends, time)
	in, from := t.sums[i], int64(0)
	if i > 0 {
		from = t.ends[i-1]
	}
	in[t.step[i]] += time - from
	for _, c := range t.cells {
		if in[c.step] == 0 {
			continue
		}
		part := min(c.part, work/float64(in[c.step]))
		if work -= float64(part * float64(in[c.step])); c.step == t.step[0] {
			now += part
		}
		if units.Rounded(part) < units.Rounded(c.part) {
			return now
		}
	}
	return now + work/float64(time)
}

// layers are the nodes by class for work that can wait: behind the first ones, for what could not wait of late, and
// without a tenth of all. The first class holds the data, and stays awake while jobs wait: only what it
// draws above idle counts.
func (s *Slack) layers(v sched.View) []cell {
	s.cells = s.cells[:0]
	left, taken := 1-tariffRoom, float64(s.Peak)/1e6
	for i, c := range s.order {
		k, t := v.Class(c), &s.classes[c]
		draws := k.Spec.Idle + k.Spec.Dynamic
		if i == 0 {
			draws = k.Spec.Dynamic
		}
		all := min(left, float64(t.share)/1e6*float64(estimate.There(k)))
		some := min(all, taken)
		s.cells = append(s.cells, cell{cost: float64(draws) / float64(t.share), part: all - some})
		left, taken = left-all, taken-some
	}
	return s.cells
}
