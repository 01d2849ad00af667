// Package place knows the book.
package place

import _ "github.com/slackline/slackline/internal/kernel/ledger" // want imports-apart
