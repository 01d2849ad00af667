package fuzzy

import "math"

// Chiu's constants (1994): a point is a center if its potential is above the part accepts of the
// first one's, none if it is below rejects, and between depending on how far from others it lies.
const (
	squash  = 1.25
	accepts = 0.5
	rejects = 0.15
)

// Centers finds points around which samples lie, by subtractive clustering: the best first, at most
// so many. radius is how far a center reaches, as part of the range of each input. It returns
// indices of samples. xs has n inputs of each sample one behind the other. O(samples²).
func Centers(xs []float64, n int, radius float64, most int) (found []int) {
	count := len(xs) / n
	low, scale := ranges(xs, n)
	unit := make([]float64, len(xs))
	for i, x := range xs {
		unit[i] = (x - low[i%n]) / scale[i%n]
	}
	near := func(a, b int, r float64) float64 {
		d := 0.0
		for i := range n {
			u := unit[a*n+i] - unit[b*n+i]
			d += float64(u * u)
		}
		if d *= 4 / (r * r); d > 30 {
			return 0
		}
		return math.Exp(-d)
	}
	potential := make([]float64, count)
	for a := range count {
		potential[a]++
		for b := range a {
			p := near(a, b, radius)
			potential[a] += p
			potential[b] += p
		}
	}
	first := 0.0
	for len(found) < most {
		best := 0
		for i, p := range potential {
			if p > potential[best] {
				best = i
			}
		}
		p := 0.0
		if count > 0 {
			p = potential[best]
		}
		if len(found) == 0 {
			first = p
		}
		if !(p > rejects*first) {
			break
		}
		if p <= accepts*first {
			nearest := math.Inf(1)
			for _, c := range found {
				d := 0.0
				for i := range n {
					u := unit[best*n+i] - unit[c*n+i]
					d += float64(u * u)
				}
				nearest = min(nearest, math.Sqrt(d))
			}
			if nearest/radius+p/first < 1 {
				potential[best] = 0
				continue
			}
		}
		found = append(found, best)
		for i := range potential {
			potential[i] -= float64(p * near(i, best, squash*radius))
		}
	}
	return found
}

// ranges are the least of each input, and how far apart it and the largest are, 1 if it is
// constant.
func ranges(xs []float64, n int) (low, scale []float64) {
	low, scale = make([]float64, n), make([]float64, n)
	for i := range n {
		low[i], scale[i] = math.Inf(1), math.Inf(-1)
	}
	for i, x := range xs {
		low[i%n], scale[i%n] = min(low[i%n], x), max(scale[i%n], x)
	}
	for i := range n {
		if scale[i] -= low[i]; !(scale[i] > 0) {
			scale[i] = 1
		}
	}
	return low, scale
}

// Start makes a model with a rule at each center of the samples, whose consequents Train is to find.
// Bells are twice as wide as Chiu's, which lets rules blend: on Jang's series the error is half as
// large. It has no rule if there is no sample.
func Start(xs []float64, n int, radius float64, most int) Model {
	m := Model{Inputs: n}
	_, scale := ranges(xs, n)
	for _, c := range Centers(xs, n, radius, most) {
		r := Rule{make([]float64, n), make([]float64, n), make([]float64, n+1)}
		copy(r.Center, xs[c*n:c*n+n])
		for i := range n {
			r.Width[i] = radius * scale[i] / math.Sqrt2
		}
		m.Rules = append(m.Rules, r)
	}
	return m
}
