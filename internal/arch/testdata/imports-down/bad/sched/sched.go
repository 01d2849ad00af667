// Package sched looks up to the kernel.
package sched

import (
	_ "github.com/slackline/slackline/internal/kernel/ledger" // want imports-down
	_ "github.com/slackline/slackline/units"
)
