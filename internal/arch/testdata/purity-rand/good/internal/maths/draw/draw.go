// Package draw has dice of its own.
package draw

import "math/rand/v2"

func throw(seed uint64) int {
	r := rand.New(rand.NewPCG(seed, 1))
	return r.IntN(6)
}

func reuse(r *rand.Rand) float64 { return r.NormFloat64() }
