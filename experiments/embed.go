// Package experiments holds published evaluations as they can be run again: one folder for each,
// with scenario files, what the paper claims (experiment.yaml), what was published with its source
// (published.json), and a README of what the paper leaves open, what was assumed, and the results.
// They are part of the program, so that it runs them from anywhere. Package experiment judges them.
package experiments

import "embed"

// Files are the folders.
//
//go:embed */*.yaml */*.json */*.md
var Files embed.FS
