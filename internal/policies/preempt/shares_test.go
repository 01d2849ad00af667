package preempt

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// pour is water-filling as one would do it by hand: raise the level until the water is used up, in floats, by halving.
func pour(claims []claim, total int64) []float64 {
	at := func(c claim, level float64) float64 {
		return math.Min(math.Max(float64(c.weight)*level, float64(c.min)), float64(c.demand))
	}
	demand := 0.0
	for _, c := range claims {
		demand += float64(c.demand)
	}
	want := math.Min(float64(total), demand)
	lo, hi := 0.0, 1e12
	for range 200 {
		mid := (lo + hi) / 2
		sum := 0.0
		for _, c := range claims {
			sum += at(c, mid)
		}
		if sum < want {
			lo = mid
		} else {
			hi = mid
		}
	}
	var shares []float64
	for _, c := range claims {
		shares = append(shares, at(c, hi))
	}
	return shares
}

func TestFairSharesAreWaterFilling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var claims []claim
		for range rapid.IntRange(1, 8).Draw(t, "pools") {
			claims = append(claims, claim{weight: rapid.Int64Range(1, 10_000).Draw(t, "weight"),
				min: 1000 * rapid.Int64Range(0, 50).Draw(t, "min"), demand: 1000 * rapid.Int64Range(0, 300).Draw(t, "demand")})
		}
		total := 1000 * rapid.Int64Range(0, 500).Draw(t, "total")
		want := pour(claims, total)
		fairShares(claims, total)
		sum, demand, floor := int64(0), int64(0), int64(0)
		for i, c := range claims {
			sum += c.share
			demand += c.demand
			floor += min(c.min, c.demand)
			if c.share > c.demand || c.share < min(c.min, c.demand) {
				t.Fatalf("%+v: outside its bounds", c)
			}
			// In thousandths of a container: each claim is rounded down by less than one, which
			// raises the level by what the claims lost together; one claim gets at most all of
			// that, and is rounded itself.
			if math.Abs(float64(c.share)-want[i]) > float64(len(claims)+1) {
				t.Fatalf("share %d of %+v, by hand %.1f", c.share, c, want[i])
			}
		}
		if least := min(total, demand); sum < least || floor <= total && sum > least+int64(len(claims)) {
			t.Fatalf("%d is shared of %d, %d wanted", sum, total, demand)
		}
	})
}
