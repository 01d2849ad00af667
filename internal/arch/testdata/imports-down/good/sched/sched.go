// Package sched looks down.
package sched

import _ "github.com/slackline/slackline/units"
