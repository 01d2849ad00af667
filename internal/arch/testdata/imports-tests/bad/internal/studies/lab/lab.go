// Package lab runs the world that is for tests.
package lab

import _ "github.com/slackline/slackline/internal/worlds/adverse" // want imports-tests
