// Package units adds up.
package units

const sum = 1 + 1
