// Package draw throws the common dice.
package draw

import (
	old "math/rand"
	"math/rand/v2"
)

func throw() (int, float64) {
	shuffle := rand.Shuffle // want purity-rand
	shuffle(0, nil)
	_ = rand.N(6)                      // want purity-rand
	return old.Intn(6), rand.Float64() // want purity-rand
}
