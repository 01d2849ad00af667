package synth

import (
	"maps"
	"math"
	"slices"
)

// sketch keeps how many values fell into buckets that grow by a factor, so that quantiles of any
// number of values take bounded memory and are off by at most 1 % (Masson, Rim and Lee, "DDSketch",
// VLDB 2019). Values are not negative; what is below a nanosecond, or a billionth of a byte, is 0.
type sketch struct {
	n, zeros  int64
	least     float64
	most, sum float64
	buckets   map[int]int64
}

const growth = 1.02

func (s *sketch) add(x float64, times int) {
	if times == 0 {
		return
	}
	if x < 1e-9 {
		x = 0
	}
	if s.buckets == nil {
		s.buckets, s.least = map[int]int64{}, x
	}
	s.n += int64(times)
	s.sum += x * float64(times)
	s.least, s.most = min(s.least, x), max(s.most, x)
	if x == 0 {
		s.zeros += int64(times)
		return
	}
	s.buckets[int(math.Ceil(math.Log(x)/math.Log(growth)))] += int64(times)
}

// quantile is the least value that at least a part q of the values do not exceed.
func (s *sketch) quantile(q float64) float64 {
	rank := max(1, int64(math.Ceil(q*float64(s.n))))
	if rank <= s.zeros || s.n == 0 {
		return 0
	}
	seen := s.zeros
	for _, b := range slices.Sorted(maps.Keys(s.buckets)) {
		if seen += s.buckets[b]; seen >= rank {
			return min(max(middle(b), s.least), s.most)
		}
	}
	return s.most
}

// middle is the value of a bucket that is off by the same part from both its ends.
func middle(b int) float64 { return 2 * math.Pow(growth, float64(b)) / (1 + growth) }
