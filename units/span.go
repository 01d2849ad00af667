package units

import (
	"fmt"
	"math"
)

// Span prints seconds for people, in one way wherever they read it: "0.14 ms", "250 ms", "4.2 s", "1:57 min",
// "6:03:12 h". What programs read again is printed by Duration's String, exactly.
func Span(seconds float64) string {
	if seconds < 0 {
		return "-" + Span(-seconds)
	}
	switch s := seconds; {
	case s < 5e-7:
		return "0 s"
	case s < 0.00995:
		return fmt.Sprintf("%.2g ms", 1000*s)
	case s < 0.9995:
		return fmt.Sprintf("%.0f ms", 1000*s)
	case s < 59.95:
		return fmt.Sprintf("%.1f s", s)
	case s < 3600-0.5:
		return fmt.Sprintf("%d:%02d min", int(s+0.5)/60, int(s+0.5)%60)
	}
	n := int(seconds + 0.5)
	return fmt.Sprintf("%d:%02d:%02d h", n/3600, n/60%60, n%60)
}

// SpanUp prints a duration as Span does, rounded up: who is told a deadline that will do gets none
// that is too early.
func SpanUp(d Duration) string {
	step := Second
	for _, s := range []struct{ below, step Duration }{{Second, Millisecond}, {Minute, Second / 10}} {
		if d < s.below {
			step = s.step
			break
		}
	}
	if d <= 0 || d > math.MaxInt64-step {
		return Span(d.Seconds())
	}
	return Span(((d + step - 1) / step * step).Seconds())
}
