// Package conform is for tests too.
package conform

import _ "github.com/slackline/slackline/internal/worlds/adverse"
