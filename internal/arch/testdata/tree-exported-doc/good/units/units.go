// Package units tells what it has.
package units

// Watts is power.
type Watts float64

// Kilo is the same in kW.
func (w Watts) Kilo() float64 { return float64(w) / 1000 }

type hidden int

func (hidden) Exported() {}

// The known powers.
const (
	A Watts = 1
	B Watts = 2
)

var (
	// C is documented.
	C int
	D int // so is D
	e int
)
