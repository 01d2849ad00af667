// Package units rounds.
package units

// Duration counts nanoseconds.
type Duration int64

// Scale returns d times f.
func (d Duration) Scale(f float64) Duration { return Duration(float64(d) * f) }

// FromSeconds returns the span of s seconds.
func FromSeconds(s float64) Duration { return Duration(1e9).Scale(s) }

// Seconds returns d in seconds.
func (d Duration) Seconds() float64 { return float64(d) / 1e9 }

// Rounded rounds.
func Rounded(x float64) float64 { return float64(float32(x)) }
