package page

import (
	"math"
	"slices"
	"sort"
)

// curvePoints is how many points a distribution has.
const curvePoints = 200

// curve is an empirical distribution function: the part of the sample that is at most x, for x
// spaced evenly by logarithm from Low to High.
type curve struct {
	N    int       `json:"n"`
	Low  float64   `json:"low"`
	High float64   `json:"high"`
	Zero float64   `json:"zero"` // the part at or below 0
	Part []float64 `json:"part"` // in ten thousandths, rounded down
}

// newCurve returns the curve of a sample, nil if that is empty. x begins at the smallest value
// above 0; where there is none, Low and High are 0.
func newCurve(sample []float64) *curve {
	if len(sample) == 0 {
		return nil
	}
	sorted := slices.Clone(sample)
	slices.Sort(sorted)
	c := &curve{N: len(sorted)}
	above := sort.SearchFloat64s(sorted, math.SmallestNonzeroFloat64)
	c.Zero = c.part(above)
	if above < len(sorted) {
		c.Low, c.High = sorted[above], sorted[len(sorted)-1]
	}
	for i := range curvePoints {
		x := c.at(i)
		upTo := sort.Search(len(sorted), func(k int) bool { return sorted[k] > x })
		c.Part = append(c.Part, c.part(upTo))
	}
	return c
}

// part is so many of the sample in ten thousandths.
func (c *curve) part(n int) float64 { return math.Floor(10000 * float64(n) / float64(c.N)) }

// at is the x of a point. The last one is High itself.
func (c *curve) at(i int) float64 {
	if i == curvePoints-1 || c.High == 0 {
		return c.High
	}
	return c.Low * math.Pow(c.High/c.Low, float64(i)/(curvePoints-1))
}
