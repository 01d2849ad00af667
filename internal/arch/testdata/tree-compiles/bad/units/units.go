// Package units adds what cannot be added.
package units

const sum = 1 + "1" // want tree-compiles
