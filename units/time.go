package units

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Time is an instant: nanoseconds since the start of the run. Runs start at 0.
type Time int64

// Duration is a span of time in nanoseconds. Negative spans arise as differences (how late) and are
// printed with a sign.
type Duration int64

// Never is an instant that does not come: "no deadline", "no wake-up wanted".
const Never Time = math.MaxInt64

// The usual spans.
const (
	Nanosecond  Duration = 1
	Microsecond          = 1000 * Nanosecond
	Millisecond          = 1000 * Microsecond
	Second               = 1000 * Millisecond
	Minute               = 60 * Second
	Hour                 = 60 * Minute
	Day                  = 24 * Hour
)

// Add returns t moved by d. Never stays Never, and the sum saturates there instead of wrapping.
func (t Time) Add(d Duration) Time {
	if t == Never || (d > 0 && t > Never-Time(d)) {
		return Never
	}
	return t + Time(d)
}

// Sub returns the span from u to t. Neither may be Never.
func (t Time) Sub(u Time) Duration { return Duration(t - u) }

// Seconds returns t in seconds since the start of the run.
func (t Time) Seconds() float64 { return float64(t) / 1e9 }

// String prints the instant as a span since the start of the run, "never" for Never.
func (t Time) String() string {
	if t == Never {
		return "never"
	}
	return Duration(t).String()
}

// Seconds returns d in seconds.
func (d Duration) Seconds() float64 { return float64(d) / 1e9 }

// Scale returns d times f, rounded to the nearest nanosecond and saturating at the largest span.
func (d Duration) Scale(f float64) Duration {
	x := math.Round(float64(d) * f)
	if x >= math.MaxInt64 {
		return Duration(math.MaxInt64)
	}
	return Duration(x)
}

// FromSeconds returns the span of s seconds, rounded to the nearest nanosecond.
func FromSeconds(s float64) Duration { return Second.Scale(s) }

// String prints d exactly in days, hours, minutes and seconds: "1d2h", "1m30s", "2.5s", "0s".
func (d Duration) String() string {
	if d == 0 {
		return "0s"
	}
	var b strings.Builder
	rest := uint64(d)
	if d < 0 {
		b.WriteByte('-')
		rest = -rest
	}
	for _, u := range [...]struct {
		size Duration
		name byte
	}{{Day, 'd'}, {Hour, 'h'}, {Minute, 'm'}} {
		if n := rest / uint64(u.size); n > 0 {
			b.WriteString(strconv.FormatUint(n, 10))
			b.WriteByte(u.name)
			rest -= n * uint64(u.size)
		}
	}
	if rest > 0 {
		b.WriteString(sub(rest))
	}
	return b.String()
}

// sub prints less than a minute of nanoseconds in the largest unit that leaves no leading zero.
func sub(ns uint64) string {
	for _, u := range [...]struct {
		size Duration
		name string
	}{{Second, "s"}, {Millisecond, "ms"}, {Microsecond, "us"}} {
		if ns >= uint64(u.size) {
			whole, part := ns/uint64(u.size), ns%uint64(u.size)
			if part == 0 {
				return strconv.FormatUint(whole, 10) + u.name
			}
			digits := len(strconv.FormatUint(uint64(u.size), 10)) - 1
			return strings.TrimRight(fmt.Sprintf("%d.%0*d", whole, digits, part), "0") + u.name
		}
	}
	return strconv.FormatUint(ns, 10) + "ns"
}

var spans = map[string]Duration{
	"ns": Nanosecond, "us": Microsecond, "µs": Microsecond, "ms": Millisecond, "s": Second,
	"m": Minute, "min": Minute, "h": Hour, "d": Day,
}

// ParseDuration reads a span as String prints it: numbers with units ns, us, ms, s, m (or min), h,
// d, added up ("1m30s"). A bare 0 is allowed, any other number without a unit is an error.
func ParseDuration(s string) (Duration, error) {
	text := strings.TrimSpace(s)
	neg := strings.HasPrefix(text, "-")
	body := strings.TrimPrefix(text, "-")
	if body == "0" {
		return 0, nil
	}
	if body == "" {
		return 0, fmt.Errorf("%q is not a span of time; write a number with a unit, such as 90s, 10m or 1h30m", s)
	}
	var sum float64
	var whole int64 // exact part, so that long integer spans keep their nanoseconds
	for body != "" {
		num, rest := leadingNumber(body)
		name := leadingLetters(rest)
		size, ok := spans[name]
		if num == "" || !ok {
			return 0, fmt.Errorf("%q is not a span of time; write a number with a unit (ns, us, ms, s, m, h, d), such as 90s, 10m or 1h30m", s)
		}
		body = rest[len(name):]
		if n, err := strconv.ParseInt(num, 10, 64); err == nil {
			if n > (math.MaxInt64-whole)/int64(size) {
				return 0, fmt.Errorf("%q is longer than 292 years", s)
			}
			whole += n * int64(size)
			continue
		}
		f, err := strconv.ParseFloat(num, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) { // beyond the range it is infinite, and too long below
			return 0, fmt.Errorf("%q is not a span of time: %q is not a number", s, num)
		}
		sum += f * float64(size)
	}
	part := math.Round(sum)
	if part >= math.MaxInt64 || int64(part) > math.MaxInt64-whole {
		return 0, fmt.Errorf("%q is longer than 292 years", s)
	}
	d := Duration(whole + int64(part))
	if neg {
		d = -d
	}
	return d, nil
}

func leadingNumber(s string) (num, rest string) {
	i := 0
	for i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i] == '.') {
		i++
	}
	return s[:i], s[i:]
}

func leadingLetters(s string) string {
	i := 0
	for i < len(s) && !(s[i] >= '0' && s[i] <= '9' || s[i] == '.' || s[i] == '-') {
		i++
	}
	return s[:i]
}
