package sched

import (
	"fmt"
	"math"

	"github.com/slackline/slackline/units"
)

// SupplyKind says what a supply, or the forecast of one, is of.
type SupplyKind uint8

// The kinds of supply.
const (
	// NoSupply is none.
	NoSupply SupplyKind = iota
	// Capacity is how much of the cluster is offered, as part of the whole, from 0 to 1.
	Capacity
	// GreenPower is in watts.
	GreenPower
	// Price is that of a kWh that is not green. It is negative where who takes power is paid for it.
	Price
	// Carbon is what a kWh that is not green emits, in grams of carbon dioxide.
	Carbon
	// Supplies is the number of kinds.
	Supplies
)

var supplyNames = [Supplies]string{"none", "capacity", "green-power", "price", "carbon"}

// String names the kind.
func (k SupplyKind) String() string { return nameOf(supplyNames[:], int(k)) }

// Check says what is wrong with an amount of the kind.
func (k SupplyKind) Check(amount float64) error {
	switch {
	case k == NoSupply || k >= Supplies:
		return fmt.Errorf("there is no supply %d", k)
	case math.IsNaN(amount) || math.IsInf(amount, 0):
		return fmt.Errorf("%v is %v, it must be finite", k, amount)
	case amount < 0 && k != Price:
		return fmt.Errorf("%v is %v, it must not be negative", k, amount)
	case k == Capacity && amount > 1:
		return fmt.Errorf("%v is %v, it must be at most 1, the whole cluster", k, amount)
	}
	return nil
}

// Supply is how much there is of a kind.
type Supply struct {
	// Amount is how much, in the unit of the kind.
	Amount float64 `json:"amount"`
	// Since is when this began to hold.
	Since units.Time `json:"since"`
}

// Forecast is what is expected of a supply: a value for each interval, and perhaps a band around
// it. It never changes.
type Forecast struct {
	// Start is when the first interval begins.
	Start units.Time `json:"start"`
	// Interval is the length of each.
	Interval units.Duration `json:"interval"`
	// Mid is the expected value of each interval.
	Mid []float64 `json:"mid"`
	// Low is the lower end of the band, one value for each of Mid, or none.
	Low []float64 `json:"low,omitempty"`
	// High is the upper end, one value for each of Low.
	High []float64 `json:"high,omitempty"`
}

// Check says what is wrong with a forecast of the kind.
func (f *Forecast) Check(k SupplyKind) error {
	switch {
	case f.Interval <= 0:
		return fmt.Errorf("the forecast of %v has intervals of %v, they must be longer than 0", k, f.Interval)
	case len(f.Mid) == 0:
		return fmt.Errorf("the forecast of %v has no value", k)
	case len(f.Low) != len(f.High) || len(f.Low) > 0 && len(f.Low) != len(f.Mid):
		return fmt.Errorf("the forecast of %v has %d values, %d low and %d high ones; it needs as many of each, or no band", k, len(f.Mid), len(f.Low), len(f.High))
	}
	for _, list := range [][]float64{f.Low, f.Mid, f.High} {
		for _, x := range list {
			if err := k.Check(x); err != nil {
				return fmt.Errorf("a forecast: %w", err)
			}
		}
	}
	for i := range f.Low {
		if units.Rounded(f.Low[i]) > units.Rounded(f.Mid[i]) || units.Rounded(f.Mid[i]) > units.Rounded(f.High[i]) {
			return fmt.Errorf("the forecast of %v expects %v in interval %d, outside of its band from %v to %v", k, f.Mid[i], i+1, f.Low[i], f.High[i])
		}
	}
	return nil
}
