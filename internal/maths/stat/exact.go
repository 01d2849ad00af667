package stat

import "math"

// Exact95 is the exact 95 % interval of a part of which k of n were seen (Clopper and Pearson 1934).
func Exact95(k, n int) (low, high float64) {
	const tail = 0.025
	low, high = 0, 1
	if n <= 0 {
		return low, high
	}
	if k > 0 { // k or more are just as unlikely as that
		low = bisect(func(p float64) bool { return 1-binomial(k-1, n, p) < tail })
	}
	if k < n {
		high = bisect(func(p float64) bool { return binomial(k, n, p) >= tail })
	}
	return low, high
}

// Anytime95 is an interval that covers the part with 95 % at all times together, so that one may look after each of
// the n: it holds what has not become twenty times less likely than the n were on the average over all parts
// (Robbins 1970).
func Anytime95(k, n int) (low, high float64) {
	const most = 20
	a, _ := math.Lgamma(float64(k + 1))
	b, _ := math.Lgamma(float64(n - k + 1))
	all, _ := math.Lgamma(float64(n + 2))
	unlikely := func(p float64) bool {
		return a+b-all-float64(k)*math.Log(p)-float64(n-k)*math.Log1p(-p) >= math.Log(most)
	}
	low, high = 0, 1
	part := float64(k) / float64(max(n, 1))
	if k > 0 {
		low = bisect(func(p float64) bool { return p < part && unlikely(p) })
	}
	if k < n {
		high = bisect(func(p float64) bool { return p <= part || !unlikely(p) })
	}
	return low, high
}

// SignTest is how likely it is that so many of n, or so few, lie on one side if both sides are as likely.
func SignTest(k, n int) float64 {
	return min(1, 2*binomial(min(k, n-k), n, 0.5))
}

// bisect finds where below, which holds at 0 and not at 1, stops to hold.
func bisect(below func(p float64) bool) float64 {
	lo, hi := 0.0, 1.0
	for range 60 {
		if mid := (lo + hi) / 2; below(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

// binomial is how likely at most k of n are, each with chance p.
func binomial(k, n int, p float64) (sum float64) {
	all, _ := math.Lgamma(float64(n + 1))
	for i := 0; i <= k; i++ {
		a, _ := math.Lgamma(float64(i + 1))
		b, _ := math.Lgamma(float64(n - i + 1))
		sum += math.Exp(all - a - b + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return sum
}
