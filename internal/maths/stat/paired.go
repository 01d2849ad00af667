package stat

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/slackline/slackline/internal/maths/draw"
)

// Paired sums up differences of pairs: what the same seed gave under one policy less what it gave under another.
type Paired struct {
	N        int
	Mean     float64
	Interval float64 // half the width of the 95 % confidence interval of the mean (Student's t)
	P        float64 // two-sided, of the sign-flip test: how likely a mean this far from 0 is if neither is better
	Effect   float64 // Cohen's d of pairs: the mean over the standard deviation of the differences; ±Inf if all are equal and not 0
	Enough   int     // pairs with which a difference of this size would be found four times out of five; 0 = there is none to find
}

// ComparePairs tests whether the mean of differences is 0.
//
// The sign-flip test (Fisher, "The design of experiments", 1935) takes each difference to be as likely with the other sign, and asks
// how often a mean of random signs is at least as far from 0. It assumes no distribution. Up to 16 pairs all signs are tried, beyond
// that 65,535 draws of them, keyed, so that the same differences always give the same answer. With fewer than 6 pairs no P is
// below 0.05.
func ComparePairs(differences []float64) Paired {
	var s Sum
	for _, d := range differences {
		s.Add(d)
	}
	p := Paired{N: s.N(), Mean: s.Mean(), Interval: s.Interval95(), P: 1}
	if p.N == 0 {
		return p
	}
	deviation := s.Deviation()
	switch {
	case deviation > 1e-12*math.Abs(p.Mean):
		p.Effect = p.Mean / deviation
	case p.Mean != 0:
		p.Effect = math.Inf(1)
		if p.Mean < 0 {
			p.Effect = math.Inf(-1)
		}
	}
	if p.Mean != 0 {
		p.P = signFlips(differences)
		// Normal approximation of the power of the paired t test, at 5 % and 80 %: (1.96 + 0.84)² / d², and the least with which the
		// sign-flip test can find anything.
		p.Enough = max(6, int(math.Ceil(7.84/(p.Effect*p.Effect)))+2)
	}
	return p
}

// exactPairs is how many pairs have all their signs tried.
const exactPairs = 16

func signFlips(differences []float64) float64 {
	n := len(differences)
	sum, scale := 0.0, 0.0
	for _, d := range differences {
		sum += d
		scale += math.Abs(d)
	}
	bar := math.Abs(sum) - 1e-9*scale // what rounding may cost a sum that is as far
	if n <= exactPairs {
		// Gray code: one sign changes from each sum to the next.
		all, far := 1<<n, 0
		signs := 0
		for i := range all {
			if i > 0 {
				at := bits.TrailingZeros(uint(i))
				signs ^= 1 << at
				if signs>>at&1 == 1 {
					sum -= 2 * differences[at]
				} else {
					sum += 2 * differences[at]
				}
			}
			if math.Abs(sum) >= bar {
				far++
			}
		}
		return float64(far) / float64(all)
	}
	const draws = 1<<16 - 1
	key := draw.Of(0, "sign flips")
	far := 1 // the signs as they are
	for i := range uint64(draws) {
		series := key.Number(i)
		sum := 0.0
		for from := 0; from < n; from += 64 {
			word := series.Number(uint64(from)).Uint64()
			for k := from; k < min(n, from+64); k++ {
				if word&1 == 1 {
					sum -= differences[k]
				} else {
					sum += differences[k]
				}
				word >>= 1
			}
		}
		if math.Abs(sum) >= bar {
			far++
		}
	}
	return float64(far) / float64(draws+1)
}

// Holm corrects several P values for being several (Holm, "A simple sequentially rejective multiple test procedure", 1979): what stays
// below 0.05 afterwards is wrong for none of them with 95 % probability. The result stands in the order of the input.
func Holm(ps []float64) []float64 {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	sortBy(order, ps)
	out := make([]float64, len(ps))
	worst := 0.0
	for rank, i := range order {
		worst = max(worst, min(1, ps[i]*float64(len(ps)-rank)))
		out[i] = worst
	}
	return out
}

// sortBy sorts places by the values there.
func sortBy(places []int, values []float64) {
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
}
