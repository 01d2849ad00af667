package referee

import (
	"cmp"
	"math"
	"slices"
)

// expected is the forecast of a supply.
type expected struct {
	Start    int64     `json:"start"`
	Interval int64     `json:"interval"`
	Mid      []float64 `json:"mid"`
}

// A bargain is some of the nodes at hours that cost about the same.
type bargain struct {
	cost, part float64
	step       int
}

// A tariff is what a joule costs: an hour ends, in milliseconds from now, and has one of sixteen steps of the cost.
type tariff struct {
	ends     []int64
	step     []int
	bargains []bargain
}

// cheapest finds what a joule costs over time, and the nodes by what work costs there: nil where that never changes.
func (s *spared) cheapest(b *book, list []*node, share func(*node) int64) *tariff {
	var of []*expected
	var means []float64
	for _, kind := range []string{"price", "carbon"} {
		if f := b.expects[kind]; f != nil {
			var rest []float64
			for i, x := range f.Mid {
				if f.Start+int64(i+1)*f.Interval > b.now {
					rest = append(rest, x)
				}
			}
			sum := 0.0
			for _, x := range rest {
				sum += x
			}
			if mean := math.Abs(sum) / float64(max(1, len(rest))); rounded(mean) > 0 {
				of, means = append(of, f), append(means, mean)
			}
		}
	}
	h, costs := &tariff{}, []float64{}
	for at := b.now; len(of) > 0 && at != never; {
		next, cost := int64(never), 0.0
		for k, f := range of {
			end := f.Start + int64(len(f.Mid))*f.Interval
			switch {
			case at >= end || len(costs) == 96:
				cost++
			case at < f.Start:
				cost++
				next = min(next, f.Start)
			default:
				i := (at - f.Start) / f.Interval
				cost += f.Mid[i] / means[k]
				next = min(next, f.Start+(i+1)*f.Interval)
			}
		}
		costs = append(costs, cost)
		end := int64(never)
		if next != never {
			end = ms(next - b.now)
		}
		h.ends = append(h.ends, end)
		at = next
	}
	if len(costs) == 0 || rounded(slices.Max(costs)-slices.Min(costs)) <= 0 {
		return nil
	}
	low, wide := slices.Min(costs), slices.Max(costs)-slices.Min(costs)
	for _, c := range costs {
		h.step = append(h.step, min(15, int(rounded((c-low)/wide*16))))
	}
	s.mean = int64(math.Round(rounded(1000 * costs[0] / float64(len(of)))))
	left, taken := 0.9, float64(s.peak)/1e6
	for i := 0; i < len(list); {
		n, all := list[i], 0.0
		draws := n.Class.Idle + n.Class.Dynamic
		if i == 0 {
			draws = n.Class.Dynamic
		}
		from := i
		for i < len(list) && list[i].Class.Name == n.Class.Name {
			i++
		}
		all = min(left, float64(share(n))/1e6*float64(i-from))
		part := all - min(all, taken)
		left, taken = left-all, taken-min(all, taken)
		for k := range 16 {
			if slices.Contains(h.step, k) {
				cost := low + (float64(k)+0.5)/16*wide
				h.bargains = append(h.bargains, bargain{rounded(draws / float64(share(n)) * cost), part, k})
			}
		}
	}
	slices.SortStableFunc(h.bargains, func(x, y bargain) int { return cmp.Compare(x.cost, y.cost) })
	return h
}

// now is the part of all nodes that so much work takes now which has so long.
func (s *spared) now(_ *book, h *tariff, work float64, time int64) (part float64) {
	if h == nil {
		return work / float64(time)
	}
	long := map[int]int64{}
	from := int64(0)
	for i, end := range h.ends {
		if from < time {
			long[h.step[i]] += min(end, time) - from
		}
		from = end
	}
	for _, x := range h.bargains {
		if long[x.step] == 0 {
			continue
		}
		some := min(x.part, work/float64(long[x.step]))
		work -= some * float64(long[x.step])
		if x.step == h.step[0] {
			part += some
		}
		if rounded(some) < rounded(x.part) {
			return part
		}
	}
	return part + work/float64(time)
}
