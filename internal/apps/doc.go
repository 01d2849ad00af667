// Package apps holds the built-in applications in one explicit catalogue. Each is written as a user
// would write one, on package mapreduce and on mathematics that knows no jobs.
//
// A new application is a file here and a line in catalogue.go.
package apps
