// Package mapreduce asks little of its users.
package mapreduce

import (
	_ "io"

	_ "github.com/slackline/slackline/units"
)
