package stat

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/slackline/slackline/internal/maths/draw"
)

// Paired sums up differences of pairs: what a seed gave under one policy less what it gave under another.
type Paired struct {
	N    int
	Mean float64
	P    float64 // two-sided, of the sign-flip test: how likely a mean this far from 0 is if neither is better
	// Cohen's d of pairs: the mean over the standard deviation of the differences; ±Inf if all are
	// equal and not 0
	Effect float64
	Nil    bool // every difference is 0, so there is nothing to test
}

// ComparePairs tests whether the mean of differences is 0.
//
// The sign-flip test (Fisher, "The design of experiments", 1935) takes each difference to be as
// likely with the other sign, and asks how often a mean of random signs is at least as far from 0.
// It assumes no distribution. Up to 16 pairs all signs are tried, beyond that 65,536 of them, drawn
// by a fixed key, so that the same differences always give the same answer.
func ComparePairs(differences []float64) Paired {
	var s Sum
	sum, scale := 0.0, 0.0
	for _, d := range differences {
		s.Add(d)
		sum += d
		scale += math.Abs(d)
	}
	p := Paired{N: s.N(), Mean: s.Mean(), P: 1, Nil: scale == 0}
	if math.Abs(sum) <= rounding*scale {
		p.Mean = 0
		return p
	}
	if deviation := s.Deviation(); deviation > 1e-12*math.Abs(p.Mean) {
		p.Effect = p.Mean / deviation
	} else {
		p.Effect = math.Copysign(math.Inf(1), p.Mean)
	}
	// With the signs of a subset flipped the sum is at least as far on the same side if the
	// subset's own sum is 0 or on the other side. So it is for the empty subset, and each has its
	// mirror image on the other side.
	far := 1
	means := subsetMeans(differences)
	for _, m := range means {
		if m == 0 || m > 0 != (sum > 0) {
			far++
		}
	}
	p.P = 2 * float64(far) / float64(len(means)+1)
	return p
}

// Interval returns the means that the sign-flip test does not reject at a level: the confidence
// interval of the mean with 1-level confidence. So it leaves out 0 exactly if P is below the level.
// Its ends are order statistics of the means of all subsets (Hartigan, "Using subsample values as
// typical values", 1969). It is unbounded if there are fewer than FewestPairs.
func Interval(differences []float64, level float64) (low, high float64) {
	means := subsetMeans(differences)
	all := float64(len(means) + 1)
	k := int(math.Ceil(level*all/2)) - 1 // the least number of subset means at or below a value that is not rejected
	if k < 1 || len(differences) == 0 {
		return math.Inf(-1), math.Inf(1)
	}
	k = min(k, (len(means)+1)/2)
	return selected(means, k-1), selected(means, len(means)-k)
}

const (
	exactPairs = 16              // how many pairs have all their subsets tried
	subsets    = 1 << exactPairs // of those that are tried with more pairs, the empty one included
	rounding   = 1e-9            // the part of the absolute sum below which a sum counts as 0
)

// subsetMeans returns the means of the subsets that are not empty: all of them, or of many pairs as
// many as are drawn, each with its complement.
func subsetMeans(d []float64) []float64 {
	n := len(d)
	total, zero := 0.0, 0.0
	for _, x := range d {
		total += x
		zero += rounding * math.Abs(x)
	}
	mean := func(sum float64, size int) float64 {
		if math.Abs(sum) <= zero {
			return 0
		}
		return sum / float64(size)
	}
	if n <= exactPairs {
		means := make([]float64, 0, 1<<n-1)
		sum, in := 0.0, 0
		for i := 1; i < 1<<n; i++ { // Gray code: one pair comes or goes from each subset to the next
			at := bits.TrailingZeros(uint(i))
			if in ^= 1 << at; in>>at&1 == 1 {
				sum += d[at]
			} else {
				sum -= d[at]
			}
			means = append(means, mean(sum, bits.OnesCount(uint(in))))
		}
		return means
	}
	means := append(make([]float64, 0, subsets-1), mean(total, n))
	key := draw.Of(0, "sign flips")
	for i := uint64(0); len(means) < subsets-1; i++ {
		series := key.Number(i)
		sum, size := 0.0, 0
		for from := 0; from < n; from += 64 {
			word := series.Number(uint64(from)).Uint64()
			for k := from; k < min(n, from+64); k++ {
				in := word & 1 // a branch would be a coin toss
				sum += d[k] * float64(in)
				size += int(in)
				word >>= 1
			}
		}
		if size > 0 && size < n {
			means = append(means, mean(sum, size), mean(total-sum, n-size))
		}
	}
	return means
}

// selected returns the value that would stand at a place if the values were sorted, and moves them
// about (Hoare, "Algorithm 65: find", 1961).
func selected(xs []float64, place int) float64 {
	from, to := 0, len(xs)-1
	for from < to {
		pivot := xs[from+(to-from)/2]
		i, j := from, to
		for i <= j {
			for xs[i] < pivot {
				i++
			}
			for xs[j] > pivot {
				j--
			}
			if i <= j {
				xs[i], xs[j] = xs[j], xs[i]
				i++
				j--
			}
		}
		switch {
		case place <= j:
			to = j
		case place >= i:
			from = i
		default:
			return xs[place]
		}
	}
	return xs[place]
}

// FewestPairs is the least number of pairs with which a sign-flip test can have a P below a level,
// however clear the difference is. It is 0 if no number will do, as no P is below 2/65,536.
func FewestPairs(level float64) int {
	for n := 1; n <= exactPairs; n++ {
		if 2/float64(int(1)<<n) < level {
			return n
		}
	}
	return 0
}

// EnoughPairs is the number of pairs with which a difference of this effect is found at a level
// four times out of five, by the normal approximation of the paired t test with the correction of
// Guenther ("Sample size formulas for normal theory t tests", 1981), and at least FewestPairs. It
// is 0 if there is no such number.
func EnoughPairs(effect, level float64) int {
	const power = 0.8416 // the 80 % quantile of the normal distribution
	least := FewestPairs(level)
	if least == 0 || effect == 0 {
		return 0
	}
	z := math.Sqrt2 * math.Erfinv(1-level)
	n := math.Ceil((z+power)*(z+power)/(effect*effect) + z*z/2)
	return max(least, int(min(n, math.MaxInt32)))
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
