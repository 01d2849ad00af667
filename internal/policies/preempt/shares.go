package preempt

// claim is what one pool asks of the containers that are shared, in thousandths of a container.
type claim struct {
	weight int64 // > 0
	min    int64 // minimum share
	demand int64 // what it has and what it could start
	share  int64 // its fair share: the result
}

// fairShares divides total among the claims: shares in proportion to weight, but none below the
// smaller of minimum share and demand, and none above demand (Hadoop 1.2.1,
// SchedulingAlgorithms.computeFairShares). All numbers are integers, so the result is the same on
// every machine; the shares add up to at least min(total, demand), and to less than a thousandth
// per claim more.
//
// It looks for the least level at which the claims use up the total, where a claim at that level
// gets weight · level.
func fairShares(claims []claim, total int64) {
	demand, ceiling := int64(0), int64(1)
	for i := range claims {
		c := &claims[i]
		demand += c.demand
		ceiling = max(ceiling, (c.demand*levels+c.weight-1)/c.weight)
	}
	total = min(total, demand)
	lo, hi := int64(0), ceiling
	for lo < hi {
		mid := lo + (hi-lo)/2
		used := int64(0)
		for i := range claims {
			used += claims[i].at(mid)
		}
		if used < total {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	for i := range claims {
		claims[i].share = claims[i].at(lo)
	}
}

// levels is the resolution of the level: weight · level / levels is a share.
const levels = 1 << 20

func (c *claim) at(level int64) int64 {
	return min(max(scaled(c.weight, level), c.min), c.demand)
}

// scaled is weight · level / levels without overflow where the product does not fit.
func scaled(weight, level int64) int64 {
	return weight*(level/levels) + weight*(level%levels)/levels
}
