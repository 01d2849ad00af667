// Package ledger does I/O by way of a neighbour.
package ledger

import _ "github.com/slackline/slackline/internal/kernel/store" // want purity-closed
