// Package sim knows the loop.
package sim

import _ "github.com/slackline/slackline/internal/kernel/drive"
