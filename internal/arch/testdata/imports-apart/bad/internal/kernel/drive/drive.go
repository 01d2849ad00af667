// Package drive knows a policy.
package drive

import _ "github.com/slackline/slackline/internal/policies/order" // want imports-apart
