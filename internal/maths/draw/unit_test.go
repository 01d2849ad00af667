package draw

import (
	"math"
	"testing"
)

// The ends of the interval are not drawn, whatever the bits.
func TestUnitIsOpen(t *testing.T) {
	if lo, hi := unit(0), unit(math.MaxUint64); !(lo > 0 && lo < 1e-15 && hi < 1 && hi > 1-1e-15) {
		t.Errorf("unit runs from %v to %v", lo, hi)
	}
}
