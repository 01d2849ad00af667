package automaton

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"testing"

	"pgregory.net/rapid"
)

// What two bytes find is what bytes.Index finds, in texts of few letters, in which most of what
// looks like the literal is not it. The bytes next to the letters and the highest bit are there for
// the arithmetic.
func TestPairFindsWhatIndexFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		letter := rapid.SampledFrom([]byte{'a', 'b', '`', 'c', 0, 1, 0x80, 0x81, 0xff, '\n'})
		lit := rapid.SliceOfN(letter, 2, 8).Draw(t, "literal")
		text := rapid.SliceOfN(letter, 0, 200).Draw(t, "text")
		if at := rapid.IntRange(0, 250).Draw(t, "at"); at <= len(text) {
			text = append(text[:at:at], append(bytes.Clone(lit), text[at:]...)...)
		}
		if got, want := pairOf(string(lit)).find(text, lit), bytes.Index(text, lit); got != want {
			t.Fatalf("%q in %q: at %d, want %d", lit, text, got, want)
		}
	})
}

// Text in which the rarest byte of a literal is all over, and the literal is not: it is looked for
// by two bytes from then on, and by one again once that has lasted. No line is lost in between.
func TestCrowd(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var text []byte
	for len(text) < 3*window {
		for range 10 {
			text = append(text, []string{"qa ", "ax ", "queue ", "xq ", "extra ", "equinox "}[r.IntN(6)]...)
		}
		if r.IntN(100) == 0 {
			text = append(text, "qx12"...)
		}
		text = append(text, '\n')
	}
	for _, expr := range []string{`qx`, `qx[0-9]{2}`, `[^z]qx1`} {
		re := regexp.MustCompile(expr)
		e, err := Compile(expr)
		if err != nil {
			t.Fatal(err)
		}
		s := e.NewScanner()
		agree(t, s, re, text)
		if s.crowd <= 0 {
			t.Errorf("%s: one byte after the other is looked at", expr)
		}
		for range crowd/len(text) + 1 {
			s.Count(text)
		}
		agree(t, s, re, text)
	}
}
