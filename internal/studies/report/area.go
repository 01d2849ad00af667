package report

import (
	"math/bits"

	"github.com/slackline/slackline/units"
)

// area is an amount × nanoseconds, exactly: what is there all the time comes out as the whole
// number that it is.
type area struct{ high, low uint64 }

// add adds an amount that was there, or held, for a span. Neither is below 0.
func (a *area) add(amount int64, span units.Duration) {
	high, low := bits.Mul64(uint64(max(0, amount)), uint64(max(0, span)))
	var carry uint64
	a.low, carry = bits.Add64(a.low, low, 0)
	a.high, _ = bits.Add64(a.high, high, carry)
}

// over is the mean amount over a time from the start.
func (a area) over(t units.Time) float64 {
	if t <= 0 {
		return 0
	}
	if a.high >= uint64(t) {
		return a.float() / float64(t)
	}
	whole, rest := bits.Div64(a.high, a.low, uint64(t))
	return float64(whole) + float64(rest)/float64(t)
}

// of is the part of another area that this one is; false if that is none.
func (a area) of(b area) (float64, bool) {
	if b == (area{}) {
		return 0, false
	}
	return a.float() / b.float(), true
}

func (a area) float() float64 { return float64(float64(a.high)*(1<<64)) + float64(a.low) }
