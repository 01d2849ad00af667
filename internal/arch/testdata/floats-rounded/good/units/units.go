// Package units rounds.
package units

// Rounded rounds.
func Rounded(x float64) float64 { return float64(float32(x)) }
