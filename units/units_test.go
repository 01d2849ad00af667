package units

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestDurationsPrintAndParse(t *testing.T) {
	for text, want := range map[string]Duration{
		"0": 0, "0s": 0, "90s": 90 * Second, "1m30s": 90 * Second, "1h": Hour, "2d12h": 60 * Hour, "2.5s": 2500 * Millisecond, "10min": 10 * Minute,
		"1.5h": 90 * Minute, "-3ms": -3 * Millisecond, "7us": 7 * Microsecond, "7µs": 7 * Microsecond, "30.000000001s": 30*Second + 1, " 5s ": 5 * Second,
	} {
		if got, err := ParseDuration(text); err != nil || got != want {
			t.Errorf("%q is %v (%v), want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"": "is not a span of time; write a number with a unit", "5": "is not a span of time", "s": "is not a span of time", "5x": "write a number with a unit (ns, us, ms, s, m, h, d)",
		"1..5s": `"1..5" is not a number`, "300000d": "is longer than 292 years", "1h-5m": "is not a span of time", "--5s": "is not a span of time",
	} {
		if d, err := ParseDuration(text); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), `"`+text+`"`) {
			t.Errorf("%q: %v, %v; want …%s", text, d, err, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		d := Duration(rapid.Int64Range(-math.MaxInt64, math.MaxInt64).Draw(t, "ns"))
		if got, err := ParseDuration(d.String()); err != nil || got != d {
			t.Fatalf("%d prints as %q, which is %d (%v)", d, d, got, err)
		}
	})
}

func TestBytesPrintAndParse(t *testing.T) {
	for text, want := range map[string]Bytes{
		"0": 0, "64MB": 64 * MB, "1.5GB": 1536 * MB, "100B": 100, "2K": 2 * KB, "3MiB": 3 * MB, "1 TB": TB, "-5KB": -5 * KB, "8388607TB": 8388607 * TB,
	} {
		if got, err := ParseBytes(text); err != nil || got != want {
			t.Errorf("%q is %v (%v), want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "5", "MB", "5XB", "1..2MB", "8388608TB", "99999999999999999999B", "~1MB"} {
		if b, err := ParseBytes(text); err == nil {
			t.Errorf("%q is %v", text, b)
		}
	}
	for b, want := range map[Bytes]string{64 * MB: "64MB", 1000: "1000B", 1500 * MB: "~1.46GB", 3*GB/2 + 1: "~1.5GB", 0: "0B", -2 * TB: "-2TB"} {
		if got := b.String(); got != want {
			t.Errorf("%d prints as %q, want %q", int64(b), got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		b := Bytes(rapid.Int64Range(-1<<62, 1<<62).Draw(t, "bytes"))
		text := b.String()
		if strings.HasPrefix(text, "~") {
			return // rounded for people
		}
		if got, err := ParseBytes(text); err != nil || got != b {
			t.Fatalf("%d prints as %q, which is %d (%v)", int64(b), text, int64(got), err)
		}
	})
}

func TestNeverIsNeverReached(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at, d := Time(rapid.Int64Range(0, math.MaxInt64).Draw(t, "at")), Duration(rapid.Int64Range(0, math.MaxInt64).Draw(t, "d"))
		sum := new(big.Int).Add(big.NewInt(int64(at)), big.NewInt(int64(d)))
		want := Never
		if at != Never && sum.IsInt64() {
			want = Time(sum.Int64())
		}
		if got := at.Add(d); got != want {
			t.Fatalf("%d + %d = %d, want %d", at, d, got, want)
		}
	})
	if Never.Add(-Hour) != Never || Never.String() != "never" {
		t.Error("Never has moved, or says so")
	}
}

func TestEnergy(t *testing.T) {
	if j := Watts(200).Over(90 * Minute); j.KWh() != 0.3 || j.String() != "1.08e+06J" || Watts(235).String() != "235W" {
		t.Errorf("%v %v", j, j.KWh())
	}
}

func vectors() *rapid.Generator[Vector] {
	return rapid.Custom(func(t *rapid.T) Vector {
		var v Vector
		for i := range v {
			v[i] = rapid.Int64Range(-3, 12).Draw(t, "amount")
		}
		return v
	})
}

// The oracle counts with a loop instead of dividing.
func TestVectors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, need := vectors().Draw(t, "v"), vectors().Draw(t, "need")
		for i := range need {
			need[i] = max(need[i], 0)
		}
		fits := true
		for i := range v {
			fits = fits && need[i] <= v[i]
		}
		if v.Fits(&need) != fits {
			t.Fatalf("%v fits %v: %v", v, need, !fits)
		}
		times := int64(0)
		if need != (Vector{}) {
			room := v
			for room.fitsWhereNeeded(&need) {
				room.Sub(&need)
				times++
			}
		}
		if got := v.Times(&need); got != times {
			t.Fatalf("%v holds %v %d times, want %d", v, need, got, times)
		}
		sum := v
		sum.Add(&need)
		sum.Sub(&need)
		if sum != v {
			t.Fatalf("%v after adding and taking away", sum)
		}
		_, negative := v.Negative()
		any := false
		for _, x := range v {
			any = any || x < 0
		}
		if negative != any {
			t.Fatalf("%v negative: %v", v, negative)
		}
	})
	if got := (Vector{MapSlots: 2, ReduceSlots: 1, Memory: int64(8 * GB)}).String(); got != "{map:2 reduce:1 memory:8GB}" {
		t.Error(got)
	}
}

func (v *Vector) fitsWhereNeeded(need *Vector) bool {
	for i := range v {
		if need[i] > 0 && need[i] > v[i] {
			return false
		}
	}
	return true
}

// FuzzParse: no text crashes; what is read prints as something that reads the same.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"1h30m", "64MB", "0", "-2.5s", "9223372036854775807ns", "1e5s", "0.0000000001d", "~1GB"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if d, err := ParseDuration(text); err == nil {
			if again, err := ParseDuration(d.String()); err != nil || again != d {
				t.Fatalf("%q is %d, prints as %q, which is %d (%v)", text, d, d, again, err)
			}
		}
		if b, err := ParseBytes(text); err == nil && !strings.HasPrefix(b.String(), "~") {
			if again, err := ParseBytes(b.String()); err != nil || again != b {
				t.Fatalf("%q is %d, prints as %q, which is %d (%v)", text, int64(b), b, int64(again), err)
			}
		}
	})
}
