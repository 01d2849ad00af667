// Package units is the same everywhere.
package units

const width = 1
