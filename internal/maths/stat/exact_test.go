package stat

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// Values of published tables (Clopper and Pearson), and what follows from the formula where nothing
// or all was seen: 1 - 0.025^(1/n).
func TestExact95(t *testing.T) {
	for _, c := range []struct {
		k, n      int
		low, high float64
	}{
		{0, 10, 0, 1 - math.Pow(0.025, 0.1)}, {10, 10, math.Pow(0.025, 0.1), 1}, {5, 10, 0.18709, 0.81291}, {1, 10, 0.002529, 0.445016},
		{0, 0, 0, 1}, {90, 100, 0.82378, 0.95099}, {1, 1, 0.025, 1},
	} {
		low, high := Exact95(c.k, c.n)
		if math.Abs(low-c.low) > 1e-5 || math.Abs(high-c.high) > 1e-5 {
			t.Errorf("%d of %d: %.6f to %.6f, want %.6f to %.6f", c.k, c.n, low, high, c.low, c.high)
		}
	}
	if low, high := Exact95(3000, 10000); low < 0.29 || high > 0.31 {
		t.Errorf("of many: %v to %v", low, high)
	}
}

// By hand: of 24 tosses all are heads or all are tails in 2 of 2²⁴ cases; of ten, two or fewer, or as
// many tails, in 2·(1+10+45) of 1024.
func TestSignTest(t *testing.T) {
	for _, c := range []struct {
		k, n int
		want float64
	}{{24, 24, math.Ldexp(2, -24)}, {0, 24, math.Ldexp(2, -24)}, {2, 10, 112. / 1024}, {8, 10, 112. / 1024}, {5, 10, 1}, {0, 0, 1}} {
		if got := SignTest(c.k, c.n); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%d of %d: %v, want %v", c.k, c.n, got, c.want)
		}
	}
}

// The interval covers the part at all times together in 95 of 100 cases at least, the exact one does not; and it is the
// set of parts under which a fair game of doubling never came to twenty times its stake, counted step by step.
func TestAnytime95(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	const rounds, steps = 200, 300
	for _, part := range []float64{0.5, 0.9, 0.99} {
		outside, exact := 0, 0
		for range rounds {
			k, out, outExact := 0, false, false
			for n := 1; n <= steps; n++ {
				if random.Float64() < part {
					k++
				}
				low, high := Anytime95(k, n)
				out = out || part < low || part > high
				if part == 0.9 && n%50 == 0 {
					low, high = Exact95(k, n)
					outExact = outExact || part < low || part > high
				}
			}
			if out {
				outside++
			}
			if outExact {
				exact++
			}
		}
		if outside > rounds/20+5 {
			t.Errorf("of %d it was outside at some time in %d", rounds, outside)
		}
		if part == 0.9 && exact <= outside {
			t.Errorf("looking often is no matter for the exact interval: %d", exact)
		}
	}
	for _, seen := range []string{"", "1", "0", "1101", "111111111111111111111101111"} {
		k := strings.Count(seen, "1")
		low, high := Anytime95(k, len(seen))
		for p := 0.005; p < 1; p += 0.01 {
			game, ones := 1.0, 0.0
			for n, s := range seen { // bet as if it were the part seen so far, one of each before the first
				one := (ones + 1) / (float64(n) + 2)
				if s == '1' {
					game *= one / p
					ones++
				} else {
					game *= (1 - one) / (1 - p)
				}
			}
			if inside := p > low && p < high; inside != (game < 20) && math.Abs(game-20) > 1e-6 {
				t.Errorf("%q: %v is inside: %v, the game is at %v", seen, p, inside, game)
			}
		}
	}
}
