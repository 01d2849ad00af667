// Package referee shares code with what it judges.
package referee

import (
	_ "github.com/slackline/slackline/sched" // want imports-referee
	_ "github.com/slackline/slackline/units" // want imports-referee
)
