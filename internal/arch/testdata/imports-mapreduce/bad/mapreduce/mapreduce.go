// Package mapreduce asks its users to know jobs.
package mapreduce

import _ "github.com/slackline/slackline/units" // want imports-mapreduce
