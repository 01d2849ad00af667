// Package experiments holds published evaluations as they can be run again: one folder for each,
// with scenario files, what was published with its source (published.json), what was assumed
// (assumptions.yaml), and a README of what the paper leaves open and of the results. They are part of
// the program, so that it runs them from anywhere. Package experiment has the claims, and judges them.
package experiments

import "embed"

// Files are the folders.
//
//go:embed */*.yaml */*.json */*.md
var Files embed.FS
