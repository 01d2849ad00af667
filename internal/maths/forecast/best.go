package forecast

import (
	"fmt"
	"math"

	"github.com/slackline/slackline/internal/maths/dense"
	"github.com/slackline/slackline/units"
)

// Best fits the orders up to p lags and q shocks, and returns the model with the least AICc. The
// series is differenced until the test of Kwiatkowski and others (KPSS, Journal of Econometrics 54,
// 1992) no longer rejects that its level is stationary at 5 %, at most twice: AICc compares no
// models that are differenced differently (Hyndman and Khandakar, Journal of Statistical Software
// 27, 2008). There is a mean if d is 0.
func Best(xs []float64, p, q int) (*Model, error) {
	d := 0
	for z := xs; d < mostD && units.Rounded(kpss(z)) > 0.463; d++ {
		z = differences(z, 1)
	}
	var best *Model
	var why error
	var f fitter
	for i := range p + 1 {
		for j := range q + 1 {
			m, err := f.fit(xs, Order{i, d, j, d == 0}, nil, true)
			if err != nil {
				why = err
				continue
			}
			if best == nil || units.Rounded(m.AICc()) < units.Rounded(best.AICc()) {
				best = m
			}
			if m.Variance == 0 {
				return m, nil // nothing is left to explain, and there is no likelihood
			}
		}
	}
	if best == nil {
		return nil, fmt.Errorf("no order fits: %w", why)
	}
	return best, nil
}

// kpss is the statistic of a level, with the lags that R's tseries takes. Missing values are left
// out.
func kpss(xs []float64) float64 {
	var e []float64
	mean, deviation := moments(xs)
	if deviation == 0 {
		return 0
	}
	for _, x := range xs {
		if !math.IsNaN(x) {
			e = append(e, (x-mean)/deviation)
		}
	}
	n := float64(len(e))
	sum, squares := 0.0, 0.0
	for _, x := range e {
		sum += x
		squares += float64(sum * sum)
	}
	long := dense.Dot(e, e) / n
	lags := int(4 * math.Pow(n/100, 0.25))
	for l := 1; l <= lags && l < len(e); l++ {
		long += 2 * (1 - float64(l)/float64(lags+1)) * dense.Dot(e[l:], e[:len(e)-l]) / n
	}
	return squares / (n * n) / long
}
