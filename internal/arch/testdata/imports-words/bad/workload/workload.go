// Package workload stands on more than words.
package workload

import (
	_ "github.com/slackline/slackline/internal/maths/stat" // want imports-words
	_ "github.com/slackline/slackline/units"
)
