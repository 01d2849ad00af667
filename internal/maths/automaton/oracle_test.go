package automaton

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// want is the oracle: regexp, line by line.
func want(re *regexp.Regexp, block []byte) []Line {
	var out []Line
	for from := 0; from < len(block); {
		end := len(block)
		if i := bytes.IndexByte(block[from:], '\n'); i >= 0 {
			end = from + i
		}
		if re.Match(block[from:end]) {
			out = append(out, Line{from, end})
		}
		from = end + 1
	}
	return out
}

func got(s *Scanner, block []byte) []Line {
	var out []Line
	if err := s.Each(block, func(l Line) error { out = append(out, l); return nil }); err != nil {
		panic(err)
	}
	return out
}

// Characters, whole and broken, that expressions and texts are made of: few, so that they meet.
var (
	letters    = []string{"a", "b", "ab", "k", "K", "s", "x", "_", "0", "7", " ", "-", "é", "É", "ß", "ſ", "\u212a", "σ", "ς", "€", "日", "😀", "\ufffd", "\U0010ffff", "\r", "\x00", "\t"}
	broken     = []string{"\xff", "\x80", "\xc3", "\xe2", "\xe2\x82", "\xed\xa0\x80", "\xe0\x80\x80", "\xf0\x9f\x98", "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xc0\xaf", "\xa9"}
	classes    = []string{".", `\w`, `\W`, `\d`, `\s`, `\S`, `[ab]`, `[^a]`, `[^\n]`, `[a-z]`, `[[:alpha:]]`, `\pL`, `\PL`, `\p{Greek}`, `[é-€]`, `[^é-€]`, `[\x{fffd}]`, `[^\x{fffd}]`, `[😀-\x{10ffff}]`, `(?s:.)`, `[\n]`, `[\x00-\x{10ffff}]`, `[^\x00-\x{10ffff}]`, `[aeiou]`, `[0-9]`, `(?i:[k-s])`, `(?i:k)`, `(?i:straße)`, `(?i:s)`}
	assertions = []string{"^", "$", `\A`, `\z`, `\b`, `\B`, `(?m:^)`, `(?m:$)`}
)

func expression(t *rapid.T, depth int) string {
	op := rapid.IntRange(0, 13).Draw(t, "op")
	if depth == 0 {
		op %= 6
	}
	sub := func() string { return expression(t, depth-1) }
	switch op {
	case 0, 1, 2:
		return regexp.QuoteMeta(rapid.SampledFrom(letters).Draw(t, "letter"))
	case 3, 4:
		return rapid.SampledFrom(classes).Draw(t, "class")
	case 5:
		return rapid.SampledFrom(assertions).Draw(t, "assertion")
	case 6, 7, 8, 9:
		return sub() + sub()
	case 10:
		return "(?:" + sub() + "|" + sub() + ")"
	case 11:
		return "(" + sub() + ")" + rapid.SampledFrom([]string{"*", "+", "?", "*?", "+?", "??"}).Draw(t, "repeat")
	case 12:
		return "(?:" + sub() + ")" + rapid.SampledFrom([]string{"{2}", "{0,3}", "{1,2}", "{2,}", "{0}"}).Draw(t, "count")
	}
	return "(?i:" + sub() + ")"
}

func textOf(t *rapid.T) []byte {
	pieces := slices.Concat(letters, letters, broken, []string{"\n", "\n", "\n", "\n", "\n", "\n\n", "aaaaaaaa", "bbbbbbbbbbbbbbbbbbbb", "x", "7", "x7", "K_"})
	n := rapid.SampledFrom([]int{3, 20, 100, 300}).Draw(t, "pieces")
	return []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, n).Draw(t, "text"), ""))
}

// agree compares a scanner with the oracle in all that it says.
func agree(t interface{ Fatalf(string, ...any) }, s *Scanner, re *regexp.Regexp, block []byte) {
	lines, right := got(s, block), want(re, block)
	if !slices.Equal(lines, right) {
		t.Fatalf("%q (%s) in %q\nfinds %v\n want %v", re, s.Method(), block, lines, right)
	}
	if n := s.Count(block); n != len(right) {
		t.Fatalf("%q (%s) in %q\ncounts %d lines, want %d", re, s.Method(), block, n, len(right))
	}
	for _, l := range right {
		line := block[l.Start:l.End]
		var all [][]int
		if err := s.Matches(line, func(a, b int) error { all = append(all, []int{a, b}); return nil }); err != nil {
			t.Fatalf("%v", err)
		}
		if w := re.FindAllIndex(line, -1); fmt.Sprint(all) != fmt.Sprint(w) {
			t.Fatalf("%q in line %q\nmatches %v, want %v", re, line, all, w)
		}
	}
}

// Random expressions on random texts, with a scanner that has room for all states, one that starts
// again all the time, and one that gives up soon.
func TestEqualsRegexp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := expression(t, rapid.IntRange(0, 5).Draw(t, "depth"))
		if rapid.Bool().Draw(t, "around a literal") {
			text = "(?:" + text + ")" + rapid.SampledFrom([]string{"x", "7", "_", "x7", "€", "K_"}).Draw(t, "literal") +
				"(?:" + expression(t, rapid.IntRange(0, 2).Draw(t, "depth behind")) + ")"
		}
		re, err := regexp.Compile(text)
		if err != nil {
			t.Skip(err)
		}
		e, err := Compile(text)
		if err != nil {
			t.Fatal(err)
		}
		usual, small := e.NewScanner(), e.scanner(limits{})
		for range 3 {
			block := textOf(t)
			agree(t, usual, re, block)
			agree(t, small, re, block)
			patient := e.scanner(limits{})
			if patient.states != nil {
				patient.states.scanned = 1 << 40
			}
			agree(t, patient, re, block)
			if e.lit.text != "" && !e.whole { // without the literal
				bare := *e
				bare.lit = literal{}
				agree(t, bare.NewScanner(), re, block)
			}
		}
	})
}
