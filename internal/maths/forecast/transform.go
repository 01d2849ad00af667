package forecast

import "math"

// Any numbers become the coefficients of a stationary autoregression, and each such autoregression
// comes from some (Monahan, "A note on enforcing stationarity in autoregressive-moving average
// models", Biometrika 71, 1984): a number u becomes a partial autocorrelation tanh u, and these the
// coefficients, by Durbin and Levinson's recursion. Moving averages are the same with another sign.

// farthest is the number whose partial autocorrelation is 3e-8 from 1.
const farthest = 9

// stationary turns numbers into coefficients.
func stationary(us, coefficients, spare []float64) {
	for k, u := range us {
		r := math.Tanh(min(max(u, -farthest), farthest))
		copy(spare, coefficients[:k])
		for i := range k {
			coefficients[i] = spare[i] - float64(r*spare[k-1-i])
		}
		coefficients[k] = r
	}
}

// edge keeps partial autocorrelations off the unit circle, where no number leads.
const edge = 0.999

// numbers is the inverse of stationary. Coefficients that are not stationary are drawn to the origin until they are.
func numbers(coefficients, us []float64) {
	p := len(coefficients)
	a, before := make([]float64, p), make([]float64, p)
	for shrink := 1.0; ; shrink *= 0.95 {
		factor := 1.0
		for i, c := range coefficients {
			factor *= shrink
			a[i] = c * factor
		}
		inside := true
		for k := p - 1; k >= 0 && inside; k-- {
			r := a[k]
			if inside = r > -edge && r < edge; !inside {
				break
			}
			us[k] = math.Atanh(r)
			copy(before, a[:k])
			for i := range k {
				a[i] = (before[i] + float64(r*before[k-1-i])) / (1 - float64(r*r))
			}
		}
		if inside {
			return
		}
	}
}
