// Package stat holds the statistics that reports need: mean, deviation, quantiles and confidence
// intervals of a mean.
package stat

import (
	"math"
	"slices"
)

// Sum is a running sample: its size, mean and variance, without keeping the values (Welford, "Note
// on a method for calculating corrected sums of squares and products", Technometrics 4, 1962). The
// zero value is an empty sample.
type Sum struct {
	n        int
	mean, m2 float64
}

// Add takes in one value.
func (s *Sum) Add(x float64) {
	s.n++
	d := x - s.mean
	s.mean += d / float64(s.n)
	s.m2 += float64(d * (x - s.mean))
}

// N returns the number of values.
func (s *Sum) N() int { return s.n }

// Mean returns the mean, 0 for an empty sample.
func (s *Sum) Mean() float64 { return s.mean }

// Variance returns the variance with n-1 in the denominator, 0 for fewer than two values.
func (s *Sum) Variance() float64 {
	if s.n < 2 {
		return 0
	}
	return s.m2 / float64(s.n-1)
}

// Deviation returns the standard deviation, the root of Variance.
func (s *Sum) Deviation() float64 { return math.Sqrt(s.Variance()) }

// Interval95 returns half the width of the 95 % confidence interval of the mean by Student's t with
// n-1 degrees of freedom, which assumes values that are independent and roughly normal. It is 0 for
// fewer than two values.
func (s *Sum) Interval95() float64 {
	if s.n < 2 {
		return 0
	}
	return student95(s.n-1) * math.Sqrt(s.Variance()/float64(s.n))
}

// Next95 returns half the width of the interval about the mean in which the next value is in 95 of 100
// cases, by Student's t, which assumes values that are independent and roughly normal. It is 0 for
// fewer than two values.
func (s *Sum) Next95() float64 {
	if s.n < 2 {
		return 0
	}
	return student95(s.n-1) * s.Deviation() * math.Sqrt(1+1/float64(s.n))
}

// Mean returns the mean, 0 for no values.
func Mean(xs []float64) float64 {
	var s Sum
	for _, x := range xs {
		s.Add(x)
	}
	return s.mean
}

// Quantile returns the q-quantile, q in [0,1], by linear interpolation between order statistics:
// type 7 of Hyndman and Fan ("Sample quantiles in statistical packages", 1996), which is the
// default of R and NumPy. It is 0 for no values. The values need not be sorted and stay as they
// are.
func Quantile(xs []float64, q float64) float64 {
	if len(xs) == 0 {
		return 0
	}
	sorted := slices.Clone(xs)
	slices.Sort(sorted)
	at := min(max(q, 0), 1) * float64(len(sorted)-1)
	i := int(at)
	if i+1 == len(sorted) {
		return sorted[i]
	}
	return sorted[i] + float64((at-float64(i))*(sorted[i+1]-sorted[i]))
}

// student95 is the 0.975-quantile of Student's t. Between the rows of the table it takes the row
// before, whose value is larger: the interval is then a little too wide, never too narrow.
func student95(freedom int) float64 {
	if freedom <= len(student) {
		return student[freedom-1]
	}
	t := student[len(student)-1]
	for _, row := range studentTail {
		if freedom >= row.freedom {
			t = row.t
		}
	}
	return t
}

var student = [...]float64{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145,
	2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042}

var studentTail = [...]struct {
	freedom int
	t       float64
}{{40, 2.021}, {60, 2.000}, {120, 1.980}, {1000, 1.962}, {100000, 1.960}}
