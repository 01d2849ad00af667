// Package drive knows the contract.
package drive

import _ "github.com/slackline/slackline/sched"
