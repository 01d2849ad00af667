package units

import "math"

// rounding is how many of the 53 bits of a float Rounded drops.
const rounding = 21

// Rounded is x to 32 significant bits, nearly ten digits. A float that decides (a quantile, a
// price, a share) is rounded so before it is compared.
//
// The same Go code may give floats that differ in their last bits: compilers for some processors
// join a product and a sum into one operation that rounds once (fused multiply-add), and sums
// depend on the order of what is added. Floats that differ by less than a 2^-33 part of themselves,
// as such errors do by far, become equal, but where a border between two rounded numbers lies just
// between them: with an error in the last bit that is one case in a million. A whole number up to
// 2^32, and such a number of halves, quarters and so on, is kept as it is, and so are 0, infinities
// and what is no number.
//
// The mathematics (internal/maths, profile) may compare raw floats: a solver that stops an iteration
// sooner, or takes the other of two pivots that are nearly equal, reaches the same optimum within its
// tolerance, and what it returns is rounded once, where a policy reads it. That this is enough is not
// proved. Two tests see a little of it: step processors of the gate decides recorded runs again with
// products and sums joined, and TestShakenFloats tells policies every float off by 1e-12. Of a
// difference each side is rounded first: where they are nearly equal, little but errors is left.
func Rounded(x float64) float64 {
	const half = 1 << (rounding - 1)
	r := math.Float64frombits((math.Float64bits(x) + half) &^ (1<<rounding - 1))
	if (x-x)+(r-r) != 0 { // one of them is infinite, or no number
		return x
	}
	return r
}

// RoundedUp is x, which is not negative, rounded up to 32 significant bits: for what must not be less than x,
// such as the longest that something takes. What exceeds a rounded number by less than a 2^-42 part of it, as
// only arithmetic does, does not count.
func RoundedUp(x float64) float64 {
	r := Rounded(x)
	if math.IsNaN(x) || math.IsInf(r, 0) || r >= x-x/(1<<42) {
		return r
	}
	return math.Float64frombits(math.Float64bits(r) + 1<<rounding)
}
