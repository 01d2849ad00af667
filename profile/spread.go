package profile

import (
	"cmp"
	"math"
	"slices"
)

// Spread is the distribution of a measured time: counts in bins whose bounds grow by 2^(1/16),
// about 4.4 %, so that all times from nanoseconds to years fit into a few hundred bins and two
// spreads merge exactly.
type Spread []Bin

// Bin counts values from 2^(At/16) to below 2^((At+1)/16) seconds.
type Bin struct {
	At int   `json:"at"`
	N  int64 `json:"n"`
}

const perOctave = 16

// Add takes in one time in seconds; one that is not above 0 is left out.
func (s *Spread) Add(seconds float64) {
	if seconds > 0 && !math.IsInf(seconds, 0) {
		s.add(Bin{int(math.Floor(math.Log2(seconds) * perOctave)), 1})
	}
}

// Merge takes in another spread.
func (s *Spread) Merge(o Spread) {
	for _, b := range o {
		s.add(b)
	}
}

func (s *Spread) add(b Bin) {
	i, found := slices.BinarySearchFunc(*s, b, func(a, b Bin) int { return cmp.Compare(a.At, b.At) })
	if found {
		(*s)[i].N += b.N
	} else {
		*s = slices.Insert(*s, i, b)
	}
}

// Values returns n values of the distribution: its quantiles at (i + 1/2)/n, each the geometric
// middle of its bin. None if it is empty.
func (s Spread) Values(n int) []float64 {
	total := int64(0)
	for _, b := range s {
		total += b.N
	}
	if total == 0 {
		return nil
	}
	values := make([]float64, 0, n)
	below, k := int64(0), 0
	for i := range n {
		rank := (float64(i) + 0.5) / float64(n) * float64(total)
		for float64(below+s[k].N) < rank {
			below += s[k].N
			k++
		}
		values = append(values, math.Exp2((float64(s[k].At)+0.5)/perOctave))
	}
	return values
}
