package forecast

import (
	"math"

	"github.com/slackline/slackline/units"
)

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

// numbers is the inverse of stationary. Coefficients that are not stationary are drawn to the
// origin until they are.
func numbers(coefficients, us []float64) {
	p := len(coefficients)
	a, spare := make([]float64, p), make([]float64, p)
	for drawn := 1.0; ; drawn *= 0.95 {
		scaled(coefficients, a, drawn)
		if partials(a, us, spare, edge) {
			break
		}
	}
	for i, r := range us {
		us[i] = math.Atanh(r)
	}
}

// scaled are the coefficients of a process whose roots are so much nearer to the origin.
func scaled(coefficients, to []float64, by float64) {
	factor := 1.0
	for i, c := range coefficients {
		factor *= by
		to[i] = c * factor
	}
}

// partials are the partial autocorrelations that coefficients come from, whose place it takes. It
// returns false if one is not within the edge: below 1 that says that the process is not
// stationary.
func partials(a, to, spare []float64, edge float64) bool {
	for k := len(a) - 1; k >= 0; k-- {
		r := a[k]
		if !(units.Rounded(math.Abs(r)) < edge) {
			return false
		}
		to[k] = r
		copy(spare, a[:k])
		for i := range k {
			a[i] = (spare[i] + float64(r*spare[k-1-i])) / (1 - float64(r*r))
		}
	}
	return true
}
