package automaton

import (
	"bytes"
	"errors"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
)

// How an expression is looked for. Only speed depends on it, but speed is what this package is for.
func TestMethod(t *testing.T) {
	for _, c := range []struct{ expr, want string }{
		{`foo`, `literal "foo"`},
		{`é`, `literal "é"`},
		{`(fo)(o)`, `literal "foo"`},
		{`f(?i:0)x`, `literal "f0x"`},
		{`fooo?`, `literal "foo", and an automaton around it`},
		{`^foo`, `literal "foo", and an automaton around it`},
		{`\bfoo\b`, `literal "foo", and an automaton around it`},
		{`qx[0-9]{3}7`, `literal "qx", and an automaton around it`},
		{`[0-9]{3}7`, `literal "7", and an automaton around it`},
		{`[a-z]+the[A-Z](zzz)+`, `literal "zzz", and an automaton around it`},
		{`(foo|bar)zap`, `literal "zap", and an automaton around it`},
		{`e[0-9]`, "automaton"},
		{`(?i)foo`, "automaton"},
		{`foo|bar`, "automaton"},
		{`(foo)?[0-9]`, "automaton"},
		{"\ufffd", "automaton"},
		{`a\nb`, "automaton"},
		{`a*`, "every line matches"},
		{``, "every line matches"},
		{`^`, "every line matches"},
		{`$`, "automaton"},
		{strings.Repeat(`(\pL{900})`, 10), "line by line, slowly: it has 9022 instructions, more than 8192"},
	} {
		e, err := Compile(c.expr)
		if err != nil {
			t.Fatal(err)
		}
		if got := e.NewScanner().Method(); got != c.want {
			t.Errorf("%s: %s, want %s", c.expr, got, c.want)
		}
	}
}

func TestCompileSaysWhatRegexpSays(t *testing.T) {
	for _, expr := range []string{"(", "a**", `\8`, "a{1001}", "\xff", "(?=a)"} {
		_, err := Compile(expr)
		_, want := regexp.Compile(expr)
		if want == nil || err == nil || err.Error() != want.Error() {
			t.Errorf("%q: %v, want %v", expr, err, want)
		}
	}
}

// Cases that a random test meets rarely.
func TestCases(t *testing.T) {
	long := strings.Repeat("ab cd\n", 3000)
	if testing.Short() {
		long = long[:len(long)/10]
	}
	for _, expr := range []string{
		`foo`, `o\b`, `^$`, `^\s*$`, `\Bx\B`, `é.é`, `.`, `..`, `^.{3}$`, `[^a]$`, `$`, `\z`, `a|$`, `^a|b$`, `\b`, `\B`, `(^|b)\b`, `(\b|^)*x`, `\b^a`, `$\b`,
		"\ufffd", "\ufffd{2}", "^\ufffd{3}$", `[\x{10000}-\x{10ffff}]`, `(?i)K`, `(?i)ſ`, `a{2}.*b`, `\r$`, `(?s).`, `\n`, `[0-9]{3}7`, `x*`, `(a*)+$`, `7.*x`, `x.*7`, `^x`, `x$`, `\bx\b`, `x7\b`, `^[a ]x`, `\x{fffd}x`, `.x`, `[\x{d000}-\x{e000}]`, `[\x{d000}-\x{e000}]$`,
	} {
		re := regexp.MustCompile(expr)
		e, err := Compile(expr)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{
			"", "\n", "\n\n", "a", "a\n", "foo", "foo\n", "\nfoo", "fo\no", "foofoo\nfoo", "xx\nx", "é\xc3\xa9\xc3\na", "\xe2\x82", "\xe2\x82\n", "\xe2\x82\xac", "\xf0\x9f\x98", "\xed\xa0\x80",
			"é\xff\xc3", "a\r\nb\r\n", "1237", "1237\n", "12\n37", "x1237x\n", "\x00", "\u212a", "ſ", "\ufffd\xef\xbf", "ab cd", "  \n\t\n", "7x", "x7\n7", "x\nx7", "x7", "a\nx", " x x\nx\n", "é\xa9x", "\xe2\x82x", "ax7 x7\nax", "日本x", "😀x", "\xed\x9f\xbf\xed\xa0\x80\n\xed\xbf\xbf",
			long, long + "foo", long + "foo\n" + long + "12 377\n1237", long + "é\xff\xf0\x9f\n" + long[:77], strings.Repeat("x", 5000) + "7\n" + strings.Repeat("7", 5000),
		} {
			agree(t, e.NewScanner(), re, []byte(text))
			agree(t, e.scanner(limits{}), re, []byte(text))
		}
	}
}

// An expression with exponentially many states keeps to its bounds, gives up, says so, and is right.
func TestTooManyStates(t *testing.T) {
	expr := `[ab]*a[ab]{14}c`
	e, err := Compile(expr)
	if err != nil {
		t.Fatal(err)
	}
	var text []byte
	x := uint32(1)
	for len(text) < 200_000 {
		x = x*1664525 + 1013904223
		text = append(text, "ab"[x>>31])
		if x>>16%97 == 0 {
			text = append(text, 'c')
		}
		if x>>16%200 == 1 {
			text = append(text, '\n')
		}
	}
	re := regexp.MustCompile(expr)
	s := e.scanner(limits{table: 1000, items: 5000})
	agree(t, s, re, text)
	if want := "line by line, slowly: on this text the automaton would have too many states"; s.Method() != want || !s.Slow() {
		t.Errorf("it says %s, want %s", s.Method(), want)
	}
	patient := e.scanner(limits{table: 1000, items: 5000})
	patient.states.scanned = 1 << 40
	agree(t, patient, re, text)
	wide := e.scanner(limits{table: 1 << 20, items: 5000})
	wide.states.scanned = 1 << 40
	agree(t, wide, re, text)
	for _, s := range []*Scanner{s, patient, wide} {
		if len(s.states.next) > s.states.limit.table || len(s.states.items) > 5000 {
			t.Errorf("it keeps %d numbers and %d items", len(s.states.next), len(s.states.items))
		}
	}
	if s := e.NewScanner(); s.Count(text) != len(want(re, text)) || s.Slow() {
		t.Errorf("with room for all states it says: %s", s.Method())
	}
}

// What is remembered of one block is of use for the next, and never wrong.
func TestBlocksOfOneText(t *testing.T) {
	text := corpus(300_000)
	for _, expr := range []string{`[aeiou]{2}[bdg][aeiou]`, `e`, `the`, `q`, `zz`, `[0-9]7`, `q.*\b[0-9]+7`} {
		re := regexp.MustCompile(expr)
		e, err := Compile(expr)
		if err != nil {
			t.Fatal(err)
		}
		right := want(re, text)
		for _, size := range []int{1, 100, 4096, 70_000} {
			s := e.NewScanner()
			var all []Line
			for at := 0; at < len(text); {
				end := lineBehind(text, at+size, len(text))
				for _, l := range got(s, text[at:end]) {
					all = append(all, Line{at + l.Start, at + l.End})
				}
				at = end
			}
			if !slices.Equal(all, right) {
				t.Errorf("%s in blocks of %d: %d lines, want %d", expr, size, len(all), len(right))
			}
		}
	}
}

// Where a literal is everywhere it is no longer looked for, and where it is rare again it is.
func TestLiteralThatIsFrequent(t *testing.T) {
	e, err := Compile(`[0-9]{3}7`)
	if err != nil {
		t.Fatal(err)
	}
	frequent, rare := bytes.Repeat([]byte("x7 7y 77\n"), 30_000), bytes.Repeat([]byte("what a text\n"), 100_000)
	s := e.NewScanner()
	if n := s.Count(frequent); n != 0 || s.dense == 0 {
		t.Errorf("%d lines, dense %d", n, s.dense)
	}
	for range 70 {
		s.Count(rare[:12*20_000])
	}
	if s.dense != 0 || s.rest != 0 {
		t.Errorf("dense %d, rest %d of a text without the literal", s.dense, s.rest)
	}
	agree(t, s, e.re, slices.Concat(frequent, rare, []byte("1237\n"), frequent))

	// It may turn out within a line.
	if e, err = Compile(`^( 17|17) 1`); err != nil {
		t.Fatal(err)
	}
	agree(t, e.NewScanner(), e.re, append(bytes.Repeat([]byte(" 17"), 3000), "\nx 17 17"...))
	agree(t, e.NewScanner(), e.re, append([]byte("x\nx"), bytes.Repeat([]byte(" 17"), 3000)...))
}

func TestErrorsOfTheCallerEndIt(t *testing.T) {
	e, err := Compile("a")
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("full")
	n := 0
	if err := e.NewScanner().Each([]byte("a\na\na\n"), func(Line) error { n++; return full }); err != full || n != 1 {
		t.Errorf("Each: %v after %d", err, n)
	}
	if err := e.NewScanner().Matches([]byte("aaa"), func(_, _ int) error { n++; return full }); err != full || n != 2 {
		t.Errorf("Matches: %v after %d", err, n-1)
	}
}

// Literals with their bounds.
func TestRequired(t *testing.T) {
	for _, c := range []struct {
		expr, text string
		most       int
	}{
		{`[0-9]{3}7`, "7", 3},
		{`é?x(zap)`, "xzap", 2},
		{`.{2}qq`, "qq", 8},
		{`a*qq`, "qq", noBound},
		{`(a|bcd)qq`, "qq", 3},
		{`(a|b*)qq`, "qq", noBound},
		{`(?i)kqq`, "", 0},
		{`(?i)k7`, "7", 3},
		{`[^a]7+`, "7", 4},
		{`(x7)+`, "x7", 0},
		{`[\x{e9}-\x{ff}]q`, "q", 2},
		{`(x7)*`, "", 0},
		{`[\x{80}-\x{d800}]q`, "q", 3},
		{`x7|x7`, "x7", 0},
		{"a\ufffdzz", "zz", 4},
	} {
		tree, err := syntax.Parse(c.expr, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		lit, _ := required(tree.Simplify())
		if lit.text != c.text || lit.text != "" && lit.most != c.most {
			t.Errorf("%s: %+v, want %q, at most %d behind", c.expr, lit, c.text, c.most)
		}
	}
}

func FuzzScanner(f *testing.F) {
	f.Add(`[aeiou]{2}[bdg]`, []byte("aud\need\n"))
	f.Add(`\bé.*7$`, []byte("é\xff7\nx"))
	f.Add(`(?i)k|^$`, []byte("\u212a\n\n"))
	f.Fuzz(func(t *testing.T, expr string, block []byte) {
		if len(expr) > 100 {
			return
		}
		re, err := regexp.Compile(expr)
		if err != nil {
			return
		}
		e, err := Compile(expr)
		if err != nil {
			t.Fatal(err)
		}
		agree(t, e.NewScanner(), re, block)
		agree(t, e.scanner(limits{}), re, block)
	})
}
