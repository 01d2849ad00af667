// Package finish says when a job of many tasks ends, as a distribution. A time is a Dist: what it is
// exceeded by at fixed normal scores. Nothing is drawn, so the same job always gets the same answer.
//
//	a factor of all tasks of a job, one of each task   Law
//	the last of n tasks that start at once             Last: the n-th root of a probability
//	n tasks one after the other on few slots           Stage: expected starts, then the last end
//	maps, then reduces, then a factor of both          Job
//	how likely it is to be too late                    Dist.Above
//
// Stage replaces the random number of slots that fall free in an instant by its mean, which is exact
// for very many slots, and gives back the variance of the instant at which the last task starts. One
// slot is added up exactly. finish_test.go holds all of it to simulations, and says how far off it is.
package finish

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/slackline/slackline/units"
)

// Normal scores at which a Dist is known.
const (
	first = -3.0
	step  = 0.25
	knots = 29
)

// Far is the last of them.
const Far = first + step*(knots-1)

// A Dist is a random time in seconds: its quantiles at the normal scores -3, -2.75 … 4.
type Dist [knots]float64

// A Law is the distribution of a positive factor.
type Law interface {
	CDF(x float64) float64      // how likely it is at most x
	Quantile(p float64) float64 // the inverse
}

// grid has the probabilities of the scores, and the weight of each: what lies nearer to it than to others.
var grid = func() (g struct{ p, w [knots]float64 }) {
	for i := range g.p {
		z := first + step*float64(i)
		g.p[i] = normal(z)
		low, high := normal(z-step/2), normal(z+step/2)
		switch i {
		case 0:
			low = 0
		case knots - 1:
			high = 1
		}
		g.w[i] = high - low
	}
	return g
}()

// Shares are how likely each of a Dist's quantiles is: what lies nearer to it than to others.
func Shares() [knots]float64 { return grid.w }

// normal is how likely a standard normal number is at most z.
func normal(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// score is the inverse of normal.
func score(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }

// Score is the normal score below which a standard normal number lies with probability p, from -6 to 6.
func Score(p float64) float64 { return score(min(max(p, 1e-9), 1-1e-9)) }

// Sure is a time that is known.
func Sure(seconds float64) (d Dist) {
	for i := range d {
		d[i] = seconds
	}
	return d
}

// AnyOf is one of some values, each as likely. It sorts them.
func AnyOf(values []float64) Dist {
	slices.Sort(values)
	each := make([]weighted, len(values))
	for i, x := range values {
		each[i] = weighted{x, 1 / float64(len(values))}
	}
	return quantiles(each)
}

// Of is the law as a Dist.
func Of(l Law) (d Dist) {
	switch l := l.(type) {
	case *Dist:
		return *l
	case interface{ AtScore(z float64) float64 }: // whose quantiles need no probability on the way
		for i := range d {
			d[i] = l.AtScore(first + step*float64(i))
		}
		return d
	}
	return Last(l, 1)
}

// Last is the largest of n independent factors.
func Last(l Law, n int) (d Dist) {
	for i, p := range grid.p {
		d[i] = l.Quantile(math.Pow(p, 1/float64(max(1, n))))
	}
	return d
}

// Mean is the expected time, up to the last score.
func (d *Dist) Mean() (mean float64) {
	for i, w := range grid.w {
		mean += w * d[i]
	}
	return mean
}

// Variance is that of the time, up to the last score.
func (d *Dist) Variance() (sum float64) {
	mean := d.Mean()
	for i, w := range grid.w {
		sum += w * (d[i] - mean) * (d[i] - mean)
	}
	return sum
}

// Scale is the time so many times.
func (d Dist) Scale(by float64) Dist {
	for i := range d {
		d[i] *= by
	}
	return d
}

// Shift is the time and so many seconds more.
func (d Dist) Shift(by float64) Dist {
	for i := range d {
		d[i] += by
	}
	return d
}

// Quantile is the value that is not exceeded with probability p. It is linear between scores. Beyond
// the first and the last a positive value goes on as it does between the last two: by the same factor.
func (d *Dist) Quantile(p float64) float64 { return d.AtScore(score(min(max(p, 1e-300), 1-1e-16))) }

// AtScore is the value that is not exceeded with the probability of that normal score.
func (d *Dist) AtScore(z float64) float64 {
	at := (z - first) / step
	i := max(0, min(int(math.Floor(at)), knots-2))
	part := at - float64(i)
	if (at < 0 || at > knots-1) && d[i] > 0 {
		return d[i] * math.Pow(d[i+1]/d[i], part)
	}
	return d[i] + (d[i+1]-d[i])*part
}

// CDF is how likely the time is at most x seconds.
func (d *Dist) CDF(x float64) float64 { return 1 - d.Above(x, 0) }

// Above is how likely the time is more than x seconds, if it is delayed by a normal time of mean 0 and
// that standard deviation, which nobody knows either.
func (d *Dist) Above(x, deviation float64) (chance float64) {
	if units.Rounded(deviation) > 0 {
		return d.delayed(x, deviation)
	}
	// The last quantile that is not more than x: several may be the same, as where many tasks take one time.
	i := sort.Search(knots, func(k int) bool { return compare(d[k], x) > 0 }) - 1
	i = max(0, min(i, knots-2))
	z := first + step*float64(i)
	if wide := units.Rounded(d[i+1] - d[i]); wide > 0 {
		z += step * (x - d[i]) / wide
	} else if compare(x, d[i]) >= 0 {
		z = math.Inf(1)
	} else {
		z = math.Inf(-1)
	}
	return normal(-z)
}

// delayed is Above with a delay. Between two quantiles all times are as likely, so what of these is above x is the
// mean of the normal distribution function over them; its integral is z·Φ(z) + φ(z). To take each quantile for all
// that is near it would do where the deviation is as large as their distances; where it is small, a deadline
// between two of them would have the risk of the earlier one.
func (d *Dist) delayed(x, deviation float64) (chance float64) {
	const never = 8.5 // a score above which a float tells nothing from 1
	at := func(i int) (z, below, integral float64) {
		switch z = (d[i] - x) / deviation; {
		case z < -never:
			return z, 0, 0
		case z > never:
			return z, 1, z
		}
		below = normal(z)
		return z, below, z*below + math.Exp(-z*z/2)/math.Sqrt(2*math.Pi)
	}
	i, _ := slices.BinarySearch(d[:], x-never*deviation)
	i = max(0, min(i, knots)-1)
	z, below, integral := at(i)
	chance = below * grid.p[0] // of what is less than the first one, of which none is left where i is another
	for ; i+1 < knots; i++ {
		if z > never {
			return chance + 1 - grid.p[i]
		}
		next, belowNext, integralNext := at(i + 1)
		mean := (below + belowNext) / 2
		if wide := next - z; units.Rounded(wide) > 1e-3 {
			mean = (integralNext - integral) / wide
		}
		chance += (grid.p[i+1] - grid.p[i]) * mean
		z, below, integral = next, belowNext, integralNext
	}
	return chance + (1-grid.p[i])*below
}

// Plus is the sum of two independent times, Times their product.
func (d *Dist) Plus(o *Dist) Dist  { return d.with(o, func(a, b float64) float64 { return a + b }) }
func (d *Dist) Times(o *Dist) Dist { return d.with(o, func(a, b float64) float64 { return a * b }) }

// with joins two independent times: all pairs of their quantiles, each with the product of their weights.
// join rises with both, so the pairs of one of a's quantiles are sorted already, and rows are merged.
func (d *Dist) with(o *Dist, join func(a, b float64) float64) Dist {
	var room [2][knots * knots]weighted
	pairs, spare := &room[0], &room[1]
	for i, a := range d {
		for k, b := range o {
			pairs[i*knots+k] = weighted{units.Rounded(join(a, b)), grid.w[i] * grid.w[k]}
		}
	}
	for run := knots; run < len(pairs); run *= 2 {
		for from := 0; from < len(pairs); from += 2 * run {
			middle, end := min(from+run, len(pairs)), min(from+2*run, len(pairs))
			merge(spare[from:end], pairs[from:middle], pairs[middle:end])
		}
		pairs, spare = spare, pairs
	}
	return quantiles(pairs[:])
}

// merge puts two sorted runs into one.
func merge(to, a, b []weighted) {
	for i := range to {
		if len(b) == 0 || len(a) > 0 && a[0].at <= b[0].at {
			to[i], a = a[0], a[1:]
		} else {
			to[i], b = b[0], b[1:]
		}
	}
}

// weighted is a value and how likely it is.
type weighted struct{ at, weight float64 }

// quantiles are those of sorted values whose weights add up to 1, each at the middle of its weight.
func quantiles(values []weighted) (d Dist) {
	below, last, k := 0.0, 0.0, 0
	for i := range values {
		v := &values[i]
		middle := min(below+v.weight/2, 1-1e-9)
		if at := units.Rounded(middle); k < knots && grid.p[k] <= at {
			z, before := score(middle), score(last)
			for ; k < knots && grid.p[k] <= at; k++ {
				d[k] = v.at
				if wide := units.Rounded(z - before); i > 0 && wide > 0 {
					d[k] -= (v.at - values[i-1].at) * (z - first - step*float64(k)) / wide
				}
			}
		}
		below, last = below+v.weight, middle
	}
	for ; k < knots; k++ {
		d[k] = values[len(values)-1].at
	}
	return d
}

func compare(a, b float64) int { return cmp.Compare(units.Rounded(a), units.Rounded(b)) }

// LogNormal is a factor whose logarithm is normal, with median 1 and that standard deviation.
func LogNormal(deviation float64) (d Dist) {
	for i := range d {
		d[i] = math.Exp(deviation * (first + step*float64(i)))
	}
	return d
}

// Chance is how likely a standard normal number is at most z.
func Chance(z float64) float64 { return normal(z) }
