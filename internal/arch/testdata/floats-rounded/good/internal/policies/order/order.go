// Package order compares what it has rounded, whole numbers, and settings with constants.
package order

import (
	"cmp"
	"math"
	"slices"

	"github.com/slackline/slackline/units"
)

func better(a, b float64, n, m int64) bool {
	if a > 0 && a <= 100 && n < m {
		return units.Rounded(a) < units.Rounded(b)
	}
	a = max(a, b)
	return cmp.Compare(units.Rounded(a-b), 0.5) < 0
}

func variable(a, b float64, list []int) bool {
	x, y := units.Rounded(a), units.Rounded(b)
	if x < y {
		x = units.Rounded(b)
	}
	slices.SortFunc(list, cmp.Compare[int])
	return x == y
}

func within(share float64) bool { return share >= 0 && share <= 1 }

func handed(share float64) bool {
	return within(share) && within(-share) && within(units.Rounded(share/2))
}

func whole(price, sure float64) (int64, int) {
	up := math.Ceil(units.Rounded(sure * 1e9))
	return int64(units.Rounded(price)) + int64(max(0, up)), int(math.Round(units.Rounded(1000 * price)))
}

func spans(seconds float64, d units.Duration, n int) (units.Duration, float64) {
	part := units.Rounded(seconds / d.Seconds())
	return units.FromSeconds(units.Rounded(seconds)) + d.Scale(part) + d.Scale(float64(n)) + d.Scale(2.5), d.Seconds()
}

func counts(n, m int) bool { return float64(n) < float64(m) }
