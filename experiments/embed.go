// Package experiments holds published evaluations as they can be run again: one folder for each,
// with scenario files, what was published as data with its source (published.json), and a README of
// what the paper leaves open, what was assumed, and what came of it. They are part of the program,
// so that it runs them from anywhere. What they claim stands as Go in package experiment.
package experiments

import "embed"

// Files are the folders.
//
//go:embed */*.yaml */*.json */*.md
var Files embed.FS
