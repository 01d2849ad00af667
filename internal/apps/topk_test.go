package apps

import (
	"cmp"
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Numbers are compared as math/big compares them: integers of any length by their digits, all others as the
// float64 that they are read as.
func TestNumbersOfTopK(t *testing.T) {
	near := rapid.Custom(func(t *rapid.T) string { // of few magnitudes, so that many are equal as a float64
		n := new(big.Int).Lsh(big.NewInt(1), rapid.SampledFrom([]uint{0, 31, 52, 53, 62, 63, 64, 100, 1023, 1024, 1100}).Draw(t, "bits"))
		n.Add(n, big.NewInt(rapid.Int64Range(-3, 3).Draw(t, "off")))
		sign := rapid.SampledFrom([]string{"", "", "+", "-"}).Draw(t, "sign")
		text := strings.Repeat("0", rapid.IntRange(0, 2).Draw(t, "zeros")) + new(big.Int).Abs(n).String()
		if len(text) < 300 {
			text += rapid.SampledFrom([]string{"", "", "", ".0", ".5", "e0"}).Draw(t, "rest")
		}
		return sign + text
	})
	numbers := rapid.OneOf(near, rapid.SampledFrom([]string{"0", "-0", "inf", "-Inf", "1e19", "10000000000000000000", "10000000000000000001", "1e308", "-1e19"}))
	value := func(t *rapid.T, r ranked) *big.Float {
		if n, ok := new(big.Int).SetString(string(r.text), 10); ok {
			return new(big.Float).SetPrec(2000).SetInt(n)
		}
		return new(big.Float).SetPrec(2000).SetFloat64(r.x)
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := numbers.Draw(t, "a"), numbers.Draw(t, "b")
		x, err := rank(nil, []byte(a))
		y, err2 := rank(nil, []byte(b))
		if err := cmp.Or(err, err2); err != nil {
			t.Fatal(err)
		}
		if got, want := compareNumbers(x, y), value(t, x).Cmp(value(t, y)); got != want {
			t.Fatalf("%s and %s: %d, want %d", a, b, got, want)
		}
	})
}

func TestRank(t *testing.T) {
	for _, text := range []string{"", "-", "+", "x", "1 ", "1e999", "-1e999", "NaN", "1,5", strings.Repeat("9", 400) + "x", "--1"} {
		if r, err := rank([]byte("item"), []byte(text)); err == nil || !strings.Contains(err.Error(), "is not a number") {
			t.Errorf("%q: %v, %v", text, r, err)
		}
	}
	if r, err := rank(nil, []byte("-"+strings.Repeat("9", 400))); err != nil || !math.IsInf(r.x, -1) {
		t.Errorf("%v, %v", r, err)
	}
	a, _ := rank(nil, []byte("18446744073709551615"))
	b, _ := rank(nil, []byte("18446744073709551616"))
	if compareNumbers(a, b) != -1 || compareNumbers(b, a) != 1 || compareNumbers(a, a) != 0 {
		t.Errorf("%s and %s: %d", a.text, b.text, compareNumbers(a, b))
	}
}
