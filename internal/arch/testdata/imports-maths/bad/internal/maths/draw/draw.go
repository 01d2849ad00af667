// Package draw knows jobs.
package draw

import (
	_ "github.com/slackline/slackline/units"
	_ "github.com/slackline/slackline/workload" // want imports-maths
)
