// Package lab leaves it to its test.
package lab
