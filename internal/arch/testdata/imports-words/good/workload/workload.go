// Package workload stands on words.
package workload

import (
	_ "strings"

	_ "github.com/slackline/slackline/cluster"
	_ "github.com/slackline/slackline/units"
)
