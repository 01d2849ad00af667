package forecast

import (
	"math"
	"slices"
)

// hannan finds the first coefficients of an ARMA process without a mean, by two regressions: a long
// autoregression tells the shocks, and the series is regressed on its lags and theirs (Hannan and
// Rissanen, "Recursive estimation of mixed autoregressive-moving average order", Biometrika 69,
// 1982). They are zeros where there are too few values.
func hannan(z []float64, p, q int) (ar, ma []float64) {
	ar, ma = make([]float64, p), make([]float64, q)
	var shocks []float64
	if q > 0 {
		var long linear
		order := min(max(p, q)+5, len(z)/8)
		if order < 1 {
			return ar, ma
		}
		if long.autoregress(z, order, order, false); !long.ok {
			return ar, ma
		}
		shocks = slices.Repeat([]float64{math.NaN()}, len(z))
		for t := order; t < len(z); t++ {
			shocks[t] = z[t] - long.next(z[t-order:t], order)
		}
	}
	var fit normal
	fit.reset(p + q)
	for t := max(p, q); t < len(z); t++ {
		for i := range p {
			fit.row[i] = z[t-1-i]
		}
		for i := range q {
			fit.row[p+i] = shocks[t-1-i]
		}
		fit.add(z[t])
	}
	if fit.rows >= 2*(p+q) && p+q > 0 {
		fit.solve()
		copy(ar, fit.beta[:p])
		copy(ma, fit.beta[p:])
	}
	return ar, ma
}
