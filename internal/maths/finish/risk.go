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

// Outlived is how much longer something takes at most, with that probability, that has taken so long already and more
// than all that is known of its like: half of these take as long again, one in ten nine times as long, one in a
// hundred 99 times (the law of Pareto of index 1, which knows no unit of time).
func Outlived(age, p float64) float64 { return age * p / (1 - p) }

// Share is the risk as a probability.
func (r Risk) Share() float64 { return float64(r) / float64(Certain) }
