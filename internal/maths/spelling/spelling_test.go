package spelling

import (
	"testing"

	"pgregory.net/rapid"
)

func TestNearest(t *testing.T) {
	names := []string{"capacity", "edf", "edf-n", "edf-p", "fair", "fifo"}
	for _, c := range []struct{ typed, want string }{
		{"fifi", "fifo"}, {"fiar", "fair"}, {"Fair", "fair"}, {"capicity", "capacity"}, {"edfp", "edf-p"}, {"round-robin", ""}, {"x", ""}, {"cap", "capacity"}, {"EDF_N", "edf-n"},
	} {
		if got := Nearest(c.typed, names); got != c.want {
			t.Errorf("Nearest(%q) = %q, want %q", c.typed, got, c.want)
		}
	}
	if got, want := Hint("fiar", names), `; did you mean "fair"?`; got != want {
		t.Errorf("Hint = %q, want %q", got, want)
	}
	if got, want := Hint("zzz", names), "; there are: capacity, edf, edf-n, edf-p, fair, fifo"; got != want {
		t.Errorf("Hint = %q, want %q", got, want)
	}
}

// The oracle tries every way, without a table.
func TestEdits(t *testing.T) {
	var dumb func(a, b string) int
	dumb = func(a, b string) int {
		if a == "" || b == "" {
			return len(a) + len(b)
		}
		if a[0] == b[0] {
			return dumb(a[1:], b[1:])
		}
		d := 1 + min(dumb(a[1:], b), dumb(a, b[1:]), dumb(a[1:], b[1:]))
		if len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] {
			d = min(d, 1+dumb(a[2:], b[2:]))
		}
		return d
	}
	word := rapid.StringMatching("[ab-]{0,6}")
	rapid.Check(t, func(t *rapid.T) {
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		if got, want := edits(a, b), dumb(a, b); got != want {
			t.Fatalf("edits(%q, %q) = %d, want %d", a, b, got, want)
		}
	})
}
