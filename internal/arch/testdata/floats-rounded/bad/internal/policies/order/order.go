// Package order compares what it has calculated.
package order

import (
	"cmp"
	"math"
	"slices"
	"sort"

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

type plan struct {
	cost  float64
	slots int
}

func variable(a, b float64) bool {
	d := a - b
	var e float64
	e += d
	r := units.Rounded(a)
	if a > b { // want floats-rounded
		r = b
	}
	a = units.Rounded(a)
	return d > 0 || // want floats-rounded
		e > 0 || // want floats-rounded
		r < 1 && r < units.Rounded(b) || // want floats-rounded
		a < units.Rounded(b) // want floats-rounded
}

func handed(list []float64, x, y plan, u, v [2]float64) bool {
	slices.SortFunc(list, cmp.Compare[float64]) // want floats-rounded
	slices.SortFunc(list, cmp.Compare)          // want floats-rounded
	sort.Sort(sort.Float64Slice(list))          // want floats-rounded
	seen := map[float64]bool{}                  // want floats-rounded
	plans := map[plan]bool{}                    // want floats-rounded
	return x == y ||                            // want floats-rounded
		u == v || // want floats-rounded
		math.Signbit(x.cost) || // want floats-rounded
		seen[x.cost] || plans[y]
}

func over(share float64) bool {
	return share > 0.5 // want floats-rounded
}

func hidden(a, b float64) bool {
	x := -(a - b)
	y := float64(price(a - b))
	return over(a/b) ||
		x > 0 || // want floats-rounded
		y > 0 // want floats-rounded
}

// Handed sorts by a function that is handed on, by a type that compares, and of a sequence.
func Handed(prices []float64) bool {
	f := sort.Float64s // want floats-rounded
	f(prices)
	var list sort.Float64Slice = prices                                     // want floats-rounded
	return list.Less(0, 1) && len(slices.Sorted(slices.Values(prices))) > 0 // want floats-rounded
}

func whole(price, sure float64) (int64, int) {
	up := math.Ceil(sure * 1e9)
	return int64(price) + // want floats-rounded
			int64(up) + // want floats-rounded
			int64(max(sure, units.Rounded(price))), // want floats-rounded
		int(math.Round(1000 * price)) // want floats-rounded
}

func spans(seconds float64, d units.Duration, n int) []units.Duration {
	part := seconds / d.Seconds()
	to := units.FromSeconds // want floats-rounded
	return []units.Duration{
		to(units.Rounded(seconds)),
		units.FromSeconds(seconds),    // want floats-rounded
		d.Scale(part),                 // want floats-rounded
		d.Scale(float64(price(part))), // want floats-rounded
		d.Scale(float64(n) / 3),       // want floats-rounded
	}
}
