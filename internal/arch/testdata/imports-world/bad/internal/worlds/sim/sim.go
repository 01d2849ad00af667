// Package sim knows a policy.
package sim

import _ "github.com/slackline/slackline/internal/policies/order" // want imports-world
