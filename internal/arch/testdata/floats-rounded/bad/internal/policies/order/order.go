// Package order compares what it has calculated.
package order

import (
	"cmp"
	"slices"

	"github.com/slackline/slackline/units"
)

type price float64

func better(a, b float64, c price) bool {
	switch {
	case a < b: // want floats-rounded
		return true
	case a-b > 0.5: // want floats-rounded
		return true
	case c == price(a): // want floats-rounded
		return true
	case units.Rounded(a) >= b: // want floats-rounded
		return true
	}
	switch a { // want floats-rounded
	case b:
		return true
	}
	return cmp.Compare(a, b) < 0 // want floats-rounded
}

func best(prices []float64) bool {
	slices.Sort(prices)            // want floats-rounded
	return slices.IsSorted(prices) // want floats-rounded
}

func first[T float32 | float64](a, b T) bool {
	return a < b // want floats-rounded
}
