package forecast

import "slices"

// Fit fits by the exact Gaussian likelihood. Missing values are NaN.
func Fit(xs []float64, o Order) (*Model, error) { return new(fitter).fit(xs, o, nil, true) }

// FitConditional fits by the conditional sum of squares: shocks before the first are 0. It begins
// with the parameters of a model of the same order, if there is one.
func FitConditional(xs []float64, o Order, from *Model) (*Model, error) {
	return new(fitter).fit(xs, o, from, false)
}

// Coefficients returns a_1 … a_n of eq. 16, none while the window is too short to fit them.
func (a *AR) Coefficients() []float64 {
	a.refit()
	if !a.fit.ok {
		return nil
	}
	return slices.Clone(a.fit.beta[:a.Order])
}
