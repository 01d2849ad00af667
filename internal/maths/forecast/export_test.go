package forecast

import "slices"

// Coefficients returns a_1 … a_n of eq. 16, none while the window is too short to fit them.
func (a *AR) Coefficients() []float64 {
	a.refit()
	if !a.fit.ok {
		return nil
	}
	return slices.Clone(a.fit.beta[:a.Order])
}
