package stat

import "math"

// Step is what the lines of a scale are apart: the next number of 1, 2 or 5 times a power of ten.
func Step(x float64) float64 {
	if !(x > 0) {
		return 1
	}
	e := math.Pow(10, math.Floor(math.Log10(x)))
	for _, n := range []float64{1, 2, 5} {
		if n*e >= x-1e-12 {
			return n * e
		}
	}
	return 10 * e
}
