package journal

import (
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

func TestNumbersAreThoseOfStrconv(t *testing.T) {
	check := func(v int64) {
		if got, want := string(appendNumber([]byte("x"), v)), "x"+strconv.FormatInt(v, 10); got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
	}
	check(math.MinInt64)
	for p := int64(1); ; p *= 10 {
		for _, v := range []int64{p - 1, p, p + 1} {
			check(v)
			check(-v)
		}
		if p > math.MaxInt64/10 {
			break
		}
	}
	for bit := range 63 {
		check(1<<bit - 1)
		check(1 << bit)
	}
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Int64().Draw(t, "v")
		if got, want := string(appendNumber(nil, v)), strconv.FormatInt(v, 10); got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
	})
}

func TestLinesAreCountedInDigits(t *testing.T) {
	var digits []byte
	for n := 1; n <= 12345; n++ {
		if digits = increment(digits); string(digits) != strconv.Itoa(n) {
			t.Fatalf("%d is %s", n, digits)
		}
	}
}
