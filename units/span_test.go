package units

import "testing"

func TestSpan(t *testing.T) {
	for seconds, want := range map[float64]string{0: "0 s", 1e-7: "0 s", 0.00014: "0.14 ms", 0.0099: "9.9 ms", 0.00996: "10 ms", 0.25: "250 ms", 0.9994: "999 ms", 0.9996: "1.0 s",
		1: "1.0 s", 59.94: "59.9 s", 59.96: "1:00 min", 117.4: "1:57 min", 199.235085856: "3:19 min", 3599.4: "59:59 min", 3599.6: "1:00:00 h", 21792: "6:03:12 h", 360_000: "100:00:00 h", -4.2: "-4.2 s"} {
		if got := Span(seconds); got != want {
			t.Errorf("%v s reads %q, want %q", seconds, got, want)
		}
	}
	for d, want := range map[Duration]string{0: "0 s", 1: "1 ms", 250*Millisecond + 1: "251 ms", Second: "1.0 s", Second + 1: "1.1 s", 14_087_000_001: "14.1 s", 59_900_000_001: "1:00 min",
		199_235_085_856: "3:20 min", 200 * Second: "3:20 min", 2*Hour - 1: "2:00:00 h", 2*Hour + 1: "2:00:01 h", 1<<63 - 1: Span(float64(1<<63-1) / 1e9)} {
		if got := SpanUp(d); got != want {
			t.Errorf("%v up reads %q, want %q", d, got, want)
		}
	}
}
