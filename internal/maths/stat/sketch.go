package stat

import (
	"math"
	"slices"
)

// Sketch keeps the quantiles of numbers of which there may be any number, each to one part in a hundred: it counts
// them in bins whose ends are in a fixed ratio (Masson, Rim, Lee 2019, DDSketch). Its size follows the logarithm of
// largest over smallest, not their number. Two in any order come out the same.
type Sketch struct {
	bins  []int64 // from bin first on
	first int
	none  int64 // numbers that are not above 0, which count as 0
	n     int64
}

// accuracy is how far a quantile may be off, as a part of it.
const accuracy = 0.01

var binWidth = math.Log((1 + accuracy) / (1 - accuracy))

// Add counts a number.
func (s *Sketch) Add(x float64) {
	s.n++
	if !(x > 0) {
		s.none++
		return
	}
	bin := int(math.Ceil(math.Log(x) / binWidth))
	switch {
	case len(s.bins) == 0:
		s.first = bin
	case bin < s.first:
		s.bins, s.first = slices.Insert(s.bins, 0, make([]int64, s.first-bin)...), bin
	}
	if more := bin - s.first + 1 - len(s.bins); more > 0 {
		s.bins = append(s.bins, make([]int64, more)...)
	}
	s.bins[bin-s.first]++
}

// N is how many there are.
func (s *Sketch) N() int64 { return s.n }

// Quantile is the q-quantile as that of Quantile, between the numbers beside it; 0 if there is none.
func (s *Sketch) Quantile(q float64) float64 {
	at := min(max(q, 0), 1) * float64(max(s.n-1, 0))
	low, high := s.rank(int64(at)), s.rank(int64(math.Ceil(at)))
	return low + float64((at-math.Floor(at))*(high-low))
}

// rank is the n-th number in order, from 0.
func (s *Sketch) rank(n int64) float64 {
	if n -= s.none; n < 0 {
		return 0
	}
	for i, in := range s.bins {
		if n -= in; n < 0 { // between the ends of the bin
			return 2 * math.Exp(float64(s.first+i)*binWidth) / (1 + (1+accuracy)/(1-accuracy))
		}
	}
	return 0
}
