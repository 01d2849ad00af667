package finish

import (
	"math"

	"github.com/slackline/slackline/units"
)

// A Risk is a probability in parts of a million. Decisions compare these, never floats.
type Risk int64

// Certain is the risk of what is sure to happen.
const Certain Risk = 1e6

// RiskOf is a probability as a Risk, rounded up; Certain if there is no number.
func RiskOf(chance float64) Risk {
	if math.IsNaN(chance) {
		return Certain
	}
	return Risk(math.Ceil(units.Rounded(min(1, max(0, chance))*float64(Certain)) - 1e-4))
}

// Share is the risk as a probability.
func (r Risk) Share() float64 { return float64(r) / float64(Certain) }

// A Budget bounds how likely a promise at confidence p is to be broken, whatever is learned and
// decided while its job waits. It begins with 1 - p, less the risk of a miss when the promise is made.
// Whoever raises that risk later, as it stands then, spends the rise; nobody may spend more than is
// left. What is learned on the way moves the risk too, but on the average by nothing: so all misses
// together are the first risk and what was spent, and so at most 1 - p. To ask only whether the risk
// is below 1 - p now would let every piece of good luck be spent again, and none of the bad be paid back.
type Budget struct {
	Left Risk `json:"left"`
}

// Begin is the budget of a promise that may be broken with chance at most, and is so with this risk now.
func Begin(most, risk Risk) (b Budget, ok bool) { return Budget{most - risk}, risk <= most }

// Affords tells whether the risk may rise so.
func (b Budget) Affords(from, to Risk) bool { return to-from <= max(0, b.Left) }

// Spend takes a rise from what is left. A fall gives nothing back.
func (b *Budget) Spend(from, to Risk) { b.Left -= max(0, to-from) }
