package journal

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// Numbers are written as package strconv writes them, behind what is there and in no more room than they need.
func TestNumbers(t *testing.T) {
	check := func(v int64) {
		want := "x" + strconv.FormatInt(v, 10)
		for room := range 24 {
			if got := string(appendNumber(append(make([]byte, 0, 1+room), 'x'), v)); got != want {
				t.Fatalf("%d is written as %q", v, got)
			}
		}
	}
	for v := range int64(11_000) {
		check(v)
	}
	check(math.MaxInt64)
	check(math.MinInt64)
	for power := int64(1); power <= 1e18; power *= 10 {
		for digit := range int64(10) {
			for off := int64(-1); off <= 1; off++ {
				check(digit*power + off)
				check(-digit*power - off)
			}
		}
	}
	for bit := range 63 {
		check(1<<bit - 1)
		check(1 << bit)
	}
}

// Sums are written as package fmt writes hexadecimal numbers.
func TestSums(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	for range 10_000 {
		sum := rnd.Uint32() >> rnd.IntN(32)
		if got, want := string(appendSum(nil, sum)), fmt.Sprintf(" #%08x\n", sum); got != want {
			t.Fatalf("%x is written as %q", sum, got)
		}
	}
}
