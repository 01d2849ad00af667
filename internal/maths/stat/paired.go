package stat

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// Paired sums up differences of pairs: what a seed gave under one policy less what it gave under another.
type Paired struct {
	N    int
	Mean float64
	// how likely differences as far from 0 as these ever come, at any number of pairs, if their mean
	// is 0: who looks at it after each new pair, and stops when it is below 0.05, is wrong in 5 % of
	// the cases, not in more
	P float64
	// Cohen's d of pairs: the mean over the standard deviation of the differences; ±Inf if all are
	// equal and not 0
	Effect float64
	Nil    bool // every difference is 0, so there is nothing to test
}

// The test is anytime-valid: 1/P is a wager on a mean other than 0 that gains nothing on average if
// the mean is 0, so it reaches 1/level at any time with a chance of level at most (Ville, "Étude
// critique de la notion de collectif", 1939).
//
// For normal differences of unknown deviation it is the ratio of Student's t if the mean is so many
// deviations from 0 as a normal law with variance spread draws, to that if it is 0 (Lai, "On
// confidence sequences", 1976; Wang and Ramdas, "Anytime-valid t-tests and confidence sequences for
// Gaussian means with unknown variance", 2024). A wide law loses little where means are far from 0,
// and holds early looks back, at which skewed differences look clear that are not.
//
// Means of skewed differences are not Student's. So the t that counts is the smaller one of t and
// of t corrected by the skewness (Hall, "On the removal of skewness by transformation", 1992).
// Samples show too little of the skewness; growing makes up for that.
//
// What no pair has shown cannot be judged. Where n pairs know nothing of what one pair in four
// would bring, which is so with 0.75ⁿ at the most, P is no less than twice that; and where all pairs
// are the same, which says nothing of how much they may differ, it is one pair in ten. What is
// rarer, and outweighs the rest, may be missed.
//
// How often it errs for which differences is measured by TestLookingAfterEachPair.
const (
	spread   = 9.0  // of the effects wagered on
	unseen   = 0.75 // that one pair does not show what happens to one in four
	sameness = 0.9  // or in ten
	growing  = 4.0  // the skewness of n counts as larger by this over n
)

// rounding is the part of the absolute sum below which a sum counts as 0.
const rounding = 1e-9

// sample is what the tests need to know of differences.
type sample struct {
	n          int
	mean, se   float64 // and its standard error
	skew       float64 // of the mean: that of the differences over √n
	same, none bool    // all are equal; all are 0
}

func sampleOf(d []float64) sample {
	s := sample{n: len(d)}
	n, sum, scale := float64(len(d)), 0.0, 0.0
	for _, x := range d {
		sum += x
		scale += math.Abs(x)
	}
	if s.none = scale == 0; s.none {
		return s
	}
	if s.mean = sum / n; math.Abs(sum) <= rounding*scale {
		s.mean = 0
	}
	squares, cubes := 0.0, 0.0
	for _, x := range d {
		off := x - sum/n
		squares += float64(off * off)
	}
	deviation := math.Sqrt(squares / max(1, n-1))
	if s.same = deviation <= 1e-12*math.Abs(s.mean); s.same {
		return s
	}
	s.se = deviation / math.Sqrt(n)
	if s.n > 2 {
		for _, x := range d {
			off := (x - sum/n) / deviation
			cubes += float64(off * off * off)
		}
		s.skew = cubes * math.Sqrt(n) / float64((n-1)*(n-2)) * (1 + growing/n)
	}
	return s
}

// t is how far the mean is from 0, in standard errors, corrected for skewness where that makes it less far.
func (s *sample) t() float64 {
	t := s.mean / s.se
	h := t + float64(s.skew*t*t)/3 + float64(s.skew*s.skew*t*t*t)/27 + s.skew/6
	if t < 0 {
		return min(0, max(t, h))
	}
	return max(0, min(t, h))
}

// within returns the means that are not as far away as t standard errors.
func (s *sample) within(t float64) (low, high float64) {
	return s.mean - float64(s.se*max(t, s.corrected(t))), s.mean - float64(s.se*min(-t, s.corrected(-t)))
}

// corrected is the t whose corrected value is this.
func (s *sample) corrected(h float64) float64 {
	x := float64(s.skew * (h - s.skew/6))
	switch {
	case s.skew == 0:
		return h
	case x > -0.5:
		return 3 / s.skew * math.Expm1(math.Log1p(x)/3)
	}
	return 3 / s.skew * (math.Cbrt(1+x) - 1)
}

// ComparePairs tests whether the mean of differences is 0. It may be asked after each new pair.
func ComparePairs(differences []float64) Paired {
	s := sampleOf(differences)
	p := Paired{N: s.n, Mean: s.mean, P: 1, Nil: s.none}
	switch {
	case s.mean == 0:
		return p
	case s.same:
		p.Effect = math.Copysign(math.Inf(1), s.mean)
		p.P = min(1, unshown(sameness, s.n))
		return p
	}
	p.Effect = s.mean / s.se / math.Sqrt(float64(s.n))
	p.P = min(1, max(unshown(unseen, s.n), math.Exp(-wager(s.t(), s.n))))
	return p
}

// wager is the logarithm of what a wager on a mean other than 0 has come to after n pairs.
func wager(t float64, n int) float64 {
	free, all := float64(n-1), 1+float64(spread*float64(n))
	return float64((free+1)/2*(math.Log1p(t*t/free)-math.Log1p(t*t/(free*all)))) - math.Log(all)/2
}

// farthest is the t at which the wager comes to 1/level after n pairs: the end of what is not
// rejected. It is infinite if none does.
func farthest(n int, level float64) float64 {
	free, all := float64(n-1), 1+float64(spread*float64(n))
	ratio := math.Exp((math.Log(all)/2 - math.Log(level)) * 2 / (free + 1))
	if n < 2 || ratio >= all {
		return math.Inf(1)
	}
	return math.Sqrt(free * (ratio - 1) / (1 - ratio/all))
}

// unshown is the least P of n pairs that do not show what happens to all others.
func unshown(others float64, n int) float64 { return 2 * math.Pow(others, float64(n)) }

// Interval returns the means that the test of ComparePairs does not reject at a level. It leaves out
// 0 exactly if P is below the level, and holds the mean with 1-level confidence for all numbers of
// pairs at once. It is unbounded if there are too few of them.
func Interval(differences []float64, level float64) (low, high float64) {
	s := sampleOf(differences)
	others := unseen
	if s.same {
		others = sameness
	}
	switch {
	case s.none:
		return 0, 0
	case unshown(others, s.n) >= level:
		return math.Inf(-1), math.Inf(1)
	}
	return s.within(farthest(s.n, level))
}

// IntervalOnce95 is the 95 % interval of the mean for who looks once, and at nothing else: all that
// neither Student's t leaves out nor t corrected for skewness. It holds the mean of skewed
// differences, too, if those are eight or more (TestIntervalOnce95); what is the same in each has no
// width. It is unbounded for less than two.
func IntervalOnce95(differences []float64) (low, high float64) {
	s := sampleOf(differences)
	if s.n < 2 {
		return math.Inf(-1), math.Inf(1)
	}
	return s.within(student95(s.n - 1))
}

// FewestPairs is the least number of pairs with which P can be below a level, however clear the
// difference is, and FewestSame that where it is the same in all of them.
func FewestPairs(level float64) int { return fewest(unseen, level) }

// FewestSame is the number of equal differences with which P is below a level.
func FewestSame(level float64) int { return fewest(sameness, level) }

func fewest(others, level float64) int {
	n := 1
	for unshown(others, n) >= level {
		n++
	}
	return n
}

// EnoughPairs is the number of pairs by which a difference of this effect is found at a level four
// times out of five by who looks after each, with t as spread as it is about large means, and at
// least FewestPairs.
// It is 0 if there is no such number.
func EnoughPairs(effect, level float64) int {
	least := FewestPairs(level)
	effect = math.Abs(effect)
	power := 0.8416 * math.Sqrt(1+float64(effect*effect)/2) // the 80 % quantile of the normal distribution
	switch {
	case effect == 0:
		return 0
	case math.IsInf(effect, 1):
		return FewestSame(level)
	}
	more := sort.Search(math.MaxInt32-least, func(i int) bool {
		n := least + i
		return effect*math.Sqrt(float64(n)) >= farthest(n, level)+power
	})
	return least + more
}

// Holm corrects several P values for being several (Holm, "A simple sequentially rejective multiple
// test procedure", 1979): what stays below the level afterwards is wrong for none of them with a
// probability of 1-level. The results stand in the order of the input.
//
// Beside each corrected P stands for how many tests it was corrected in the step that decides it.
// Its own P is below level divided by that number exactly if the corrected one is below the level.
func Holm(ps []float64, level float64) (corrected []float64, steps []int) {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ps[a], ps[b]) })
	corrected, steps = make([]float64, len(ps)), make([]int, len(ps))
	worst, step := 0.0, 0
	for rank, i := range order {
		left := len(ps) - rank
		tie := rank > 0 && ps[i] == ps[order[rank-1]]
		if worst < level && !tie { // the first that is not rejected ends the procedure
			step = left
		}
		worst = max(worst, min(1, ps[i]*float64(left)))
		corrected[i], steps[i] = worst, step
	}
	return corrected, steps
}
