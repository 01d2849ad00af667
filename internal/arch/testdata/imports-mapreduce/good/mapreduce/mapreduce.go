// Package mapreduce asks little of its users.
package mapreduce

import _ "io"
