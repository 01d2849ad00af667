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

// bounds are the least fractions, in units of 2^-52, of numbers from 1 to 2 at which bins begin. As they are written
// out and compared as integers, a time falls into the same bin on every processor.
var bounds = [perOctave + 1]uint64{
	0x0000000000000, 0x0b5586cf98910, 0x172b83c7d517b, 0x2387a6e756239, 0x306fe0a31b716, 0x3dea64c123423, 0x4bfdad5362a28, 0x5ab07dd48542a,
	0x6a09e667f3bcd, 0x7a11473eb0187, 0x8ace5422aa0dc, 0x9c49182a3f091, 0xae89f995ad3ae, 0xc199bdd85529d, 0xd5818dcfba488, 0xea4afa2a490da,
	1 << 52,
}

// begins is the bin in which each of 32 equal parts from 1 to 2 begins. At most one bin begins within a part.
var begins = func() (bins [32]uint8) {
	for part := range bins {
		for bounds[bins[part]+1] <= uint64(part)<<47 {
			bins[part]++
		}
	}
	return bins
}()

// Add takes in one time in seconds; one that is not above 0, or below what a float holds to its full precision, is
// left out.
func (s *Spread) Add(seconds float64) {
	if seconds >= 0x1p-1022 && !math.IsInf(seconds, 0) {
		octave, fraction := int(math.Float64bits(seconds)>>52)-1023, math.Float64bits(seconds)&(1<<52-1)
		at := begins[fraction>>47]
		if fraction >= bounds[at+1] {
			at++
		}
		s.add(Bin{octave*perOctave + int(at), 1})
	}
}

// Merge takes in another spread.
func (s *Spread) Merge(o Spread) {
	if len(*s) == 0 {
		*s = slices.Clone(o)
		return
	}
	for _, b := range o {
		s.add(b)
	}
}

func (s *Spread) add(b Bin) {
	// Most spreads have no gap, so the bin is where it would be without one.
	if bins := *s; len(bins) > 0 {
		if i := b.At - bins[0].At; i >= 0 && i < len(bins) && bins[i].At == b.At {
			bins[i].N += b.N
			return
		}
	}
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
