// Package drive uses a pure neighbour.
package drive

import _ "github.com/slackline/slackline/internal/kernel/ledger"
