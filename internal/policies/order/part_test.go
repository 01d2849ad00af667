package order

import "testing"

// A share that comes to a whole amount is that amount, neither a unit less nor one more, also of bytes.
func TestWholeShares(t *testing.T) {
	for _, c := range []struct {
		share  float64
		amount int64
		want   int64
	}{{0.1, 30, 3}, {0.29, 100, 29}, {0.2, 5 << 31, 1 << 31}, {0.3 * 0.6, 1e12, 18e10}, {0.5, 1 << 50, 1 << 49}, {0.01, 3, 1}} {
		if got := part(c.share, c.amount); got != c.want {
			t.Errorf("%v of %d is %d, want %d", c.share, c.amount, got, c.want)
		}
	}
}
