// Package draw knows numbers.
package draw

import (
	_ "math"

	_ "github.com/slackline/slackline/internal/maths/stat"
	_ "github.com/slackline/slackline/units"
)
