// Package place knows the contract.
package place

import _ "github.com/slackline/slackline/sched"
