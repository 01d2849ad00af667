package sched

import _ "github.com/slackline/slackline/internal/kernel/ledger" // a test may look up
