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
