package units

import (
	"math"
	"math/big"
	"strconv"
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
		"1" + strings.Repeat("0", 330) + "s": "is longer than 292 years", "9223372036854775807ns1ns": "is longer than 292 years",
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
		"9223372036854775807B": math.MaxInt64, "9007199254740993B": 1<<53 + 1, "0.0": 0, "-0": 0, "0.5KB": 512,
	} {
		if got, err := ParseBytes(text); err != nil || got != want {
			t.Errorf("%q is %v (%v), want %v", text, got, err, want)
		}
	}
	const no, large = "is not a size; write a number with a unit, such as 64MB, 1.5GB or 100B", "is too large, a size must be below 8388608TB"
	for text, want := range map[string]string{
		"": no, "5": no, "MB": no, "5XB": no, "1..2MB": no, "~1MB": no, "--1MB": no, "- 1MB": no, "1e3B": no, "1" + strings.Repeat("0", 330): no,
		"8388608TB": large, "-8388608TB": large, "9223372036854775808B": large, "99999999999999999999B": large, "1" + strings.Repeat("0", 330) + "B": large,
	} {
		if b, err := ParseBytes(text); err == nil || err.Error() != strconv.Quote(text)+" "+want {
			t.Errorf("%q: %v, %v; want …%s", text, b, err, want)
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
	if got := (Vector{VCores: 1, Named0: 2, Named1: 3}).Words([]string{"gpus"}); got != "{vcores:1 gpus:2 named1:3}" {
		t.Error(got)
	}
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

// Every whole size is read exactly, whatever its unit; the oracle multiplies without bounds.
func TestWholeBytesAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := rapid.SampledFrom(byteUnits[:]).Draw(t, "unit")
		n := rapid.Int64Range(0, math.MaxInt64).Draw(t, "n") >> rapid.IntRange(0, 62).Draw(t, "shift")
		text := strconv.FormatInt(n, 10) + u.name
		exact := new(big.Int).Mul(big.NewInt(n), big.NewInt(int64(u.size)))
		if got, err := ParseBytes(text); (err == nil) != exact.IsInt64() || err == nil && int64(got) != exact.Int64() {
			t.Fatalf("%s is %d (%v), want %v", text, int64(got), err, exact)
		}
	})
}

// Sums of vectors agree with numbers without bounds, and what is refused for its size would have been negative.
func TestVectorsAgainstBigNumbers(t *testing.T) {
	amount := rapid.Int64Range(-1<<61, 1<<61)
	rapid.Check(t, func(t *rapid.T) {
		var v, w, sum, diff Vector
		fits, below := true, -1
		for i := range v {
			v[i], w[i] = amount.Draw(t, "v"), amount.Draw(t, "w")
			a, b := big.NewInt(v[i]), big.NewInt(w[i])
			sum[i] = new(big.Int).Add(a, b).Int64()
			rest := new(big.Int).Sub(a, b)
			diff[i] = rest.Int64()
			fits = fits && rest.Sign() >= 0
			if below < 0 && rest.Sign() < 0 {
				below = i
			}
		}
		added, taken := v, v
		added.Add(&w)
		taken.Sub(&w)
		if added != sum || taken != diff || v.Fits(&w) != fits {
			t.Fatalf("%v and %v: %v %v %v, want %v %v %v", v, w, added, taken, v.Fits(&w), sum, diff, fits)
		}
		if d, bad := taken.Negative(); bad != (below >= 0) || bad && int(d) != below {
			t.Fatalf("%v is negative in %v (%v), want dimension %d", taken, d, bad, below)
		}
	})
	if Slots(2, 1) != (Vector{MapSlots: 2, ReduceSlots: 1}) || Dims.String() != "dim8" {
		t.Error("slots or dimensions")
	}
	seen := map[string]bool{}
	for d := range Dims {
		if s := d.String(); s == "" || seen[s] {
			t.Errorf("dimension %d is called %q", d, s)
		} else {
			seen[s] = true
		}
	}
}

func TestInstantsAndSpans(t *testing.T) {
	if d := Time(5).Sub(8); d != -3 || Time(90*Second).String() != "1m30s" || Time(1500*Millisecond).Seconds() != 1.5 {
		t.Error(d)
	}
	for _, c := range []struct {
		d    Duration
		f    float64
		want Duration
	}{{3, 0.5, 2}, {Second, 1.5, 1500 * Millisecond}, {Hour, 0, 0}, {Hour, 1e300, math.MaxInt64}, {math.MaxInt64, 1, math.MaxInt64}, {Second, math.Inf(1), math.MaxInt64}} {
		if got := c.d.Scale(c.f); got != c.want {
			t.Errorf("%d times %v is %d, want %d", c.d, c.f, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) { // an int64 below 2^53 goes through seconds and back
		d := Duration(rapid.Int64Range(0, 1<<50).Draw(t, "ns"))
		if got := FromSeconds(d.Seconds()); got != d {
			t.Fatalf("%d comes back as %d", d, got)
		}
		w := Watts(rapid.Float64Range(0, 1e6).Draw(t, "watts"))
		if got, want := float64(w.Over(d)), float64(w)*float64(d)/1e9; math.Abs(got-want) > 1e-9*want {
			t.Fatalf("%v over %v is %v, want %v", w, d, got, want)
		}
	})
}

// Things have the plural of English, those that end with s too.
func TestCount(t *testing.T) {
	for want, got := range map[string]string{"1 map": Count(1, "map"), "2 maps": Count(2, "map"), "1 class": Count(1, "class"), "0 classes": Count(0, "class")} {
		if got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
