package apps

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// wanted is the oracle: regexp, line by line.
func wanted(re *regexp.Regexp, block []byte) []string {
	var out []string
	for line := range bytes.Lines(block) {
		if line = bytes.TrimSuffix(line, []byte{'\n'}); re.Match(line) {
			out = append(out, string(line))
		}
	}
	return out
}

// agree compares a pattern with the oracle.
func agree(t interface{ Fatalf(string, ...any) }, p *pattern, block []byte) {
	var lines []string
	if err := p.each(block, func(line []byte) error { lines = append(lines, string(line)); return nil }); err != nil {
		t.Fatalf("%v", err)
	}
	if want := wanted(regexp.MustCompile(p.String()), block); !slices.Equal(lines, want) {
		t.Fatalf("%q (texts %q, whole %v) in %q\nfinds %q\n want %q", p, p.printed(), p.whole, block, lines, want)
	}
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

// Random expressions on random texts, half of them around a literal.
func TestPatternEqualsRegexp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := expression(t, rapid.IntRange(0, 5).Draw(t, "depth"))
		if rapid.Bool().Draw(t, "around a literal") {
			text = "(?:" + text + ")" + rapid.SampledFrom([]string{"x", "7", "_", "x7", "€", "K_"}).Draw(t, "literal") +
				"(?:" + expression(t, rapid.IntRange(0, 2).Draw(t, "depth behind")) + ")"
		}
		p, err := compile(text)
		if err != nil {
			t.Skip(err)
		}
		for range 3 {
			agree(t, p, textOf(t))
		}
	})
}

// Cases that a random test meets rarely.
func TestPatternCases(t *testing.T) {
	long := strings.Repeat("ab cd\n", 300)
	for _, expr := range []string{
		`foo`, `o\b`, `^$`, `^\s*$`, `\Bx\B`, `é.é`, `.`, `..`, `^.{3}$`, `[^a]$`, `$`, `\z`, `a|$`, `^a|b$`, `\b`, `\B`, `(^|b)\b`, `(\b|^)*x`, `\b^a`, `$\b`,
		"\ufffd", "\ufffd{2}", "^\ufffd{3}$", `[\x{10000}-\x{10ffff}]`, `(?i)K`, `(?i)ſ`, `a{2}.*b`, `\r$`, `(?s).`, `\n`, `[0-9]{3}7`, `x*`, `(a*)+$`, `7.*x`, `x.*7`, `^x`, `x$`, `^x$`, `^x7$`, `\Ax\z`, `\bx\b`, `x7\b`, `^[a ]x`, `\x{fffd}x`, `.x`, `[\x{d000}-\x{e000}]`, `[\x{d000}-\x{e000}]$`,
	} {
		p, err := compile(expr)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{
			"", "\n", "\n\n", "a", "a\n", "foo", "foo\n", "\nfoo", "fo\no", "foofoo\nfoo", "xx\nx", "é\xc3\xa9\xc3\na", "\xe2\x82", "\xe2\x82\n", "\xe2\x82\xac", "\xf0\x9f\x98", "\xed\xa0\x80",
			"é\xff\xc3", "a\r\nb\r\n", "1237", "1237\n", "12\n37", "x1237x\n", "\x00", "\u212a", "ſ", "\ufffd\xef\xbf", "ab cd", "  \n\t\n", "7x", "x7\n7", "x\nx7", "x7", "a\nx", " x x\nx\n", "é\xa9x", "\xe2\x82x", "ax7 x7\nax", "日本x", "😀x", "\xed\x9f\xbf\xed\xa0\x80\n\xed\xbf\xbf",
			long, long + "foo", long + "foo\n" + long + "12 377\n1237", long + "é\xff\xf0\x9f\n" + long[:77], strings.Repeat("x", 500) + "7\n" + strings.Repeat("7", 500),
		} {
			agree(t, p, []byte(text))
		}
	}
}

// Only speed depends on the texts, and on whether regexp is asked at all.
func TestTextsOfPattern(t *testing.T) {
	for _, c := range []struct {
		expr, texts string
		whole       bool
	}{
		{`foo`, "foo", true},
		{`é`, "é", true},
		{`(foo)`, "foo", true},
		{`fooo?`, "foo", true},
		{`^foo`, "foo", false},
		{`\bfoo\b`, "foo", false},
		{`((foo))`, "foo", true},
		{`a long literal`, "a long literal", true},
		{`a long (litera[l]?)`, "a long litera", true},
		{`qx[0-9]{3}7`, "qx[0-9][0-9][0-9]7", true},
		{`qx[0-9]+7`, "qx[0-9]", false},
		{`[a-z]+the[A-Z](zzzz)+`, "[a-z]the[A-Z]zzzz", true},
		{`.zap.`, "zap", false},
		{`(foo|bar)zap`, "foozap|barzap", true},
		{`foo|bar`, "foo|bar", true},
		{`foo|bar.*`, "foo|bar", true},
		{`foo|.*`, "", false},
		{`foo|ba`, "foo|ba", true},
		{`foo|bazar`, "foo|bazar", true},
		{`ab|cd|ef|gh|ij|kl|mn|op`, "ab|cd|ef|gh|ij|kl|mn|op", true},
		{`ab|cd|ef|gh|ij|kl|mn|op|qr`, "ab|cd|ef|gh|ij|kl|mn|op|qr", true},
		{`(foo)?[0-9]`, "[0-9]", true},
		{`a(foo)?[0-9]`, "afoo[0-9]|a[0-9]", true},
		{`(ab*)+c`, "a", false},
		{`(ab+)c`, "ab", false},
		{`(foo)*`, "", false},
		{`(?:foo){0,2}`, "", false},
		{`(?i)fo`, "[Ff][Oo]", true},
		{`(?i)k`, "[Kk]|\u212a", true},
		{`[é]`, "é", true},
		{`[éx]`, "x|é", true},
		{`[éü]`, "\xc3[\xa9\xbc]", false}, // exact, but counted as if it were not
		{`[^a]`, "", false},
		{"\ufffd", "", false},
		{"a\ufffdb", "a", false},
		{`a\nb`, "a[]b", true}, // and none stands anywhere,
		{``, "", false},
	} {
		p, err := compile(c.expr)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.printed(); got != c.texts || p.whole != c.whole {
			t.Errorf("%s: texts %q, whole %v; want %q, %v", c.expr, got, p.whole, c.texts, c.whole)
		}
	}
}

func (p *pattern) printed() string {
	var all []string
	if p.sieve == nil {
		return ""
	}
	for _, text := range p.sieve.texts {
		line := ""
		for _, s := range text {
			switch bytes := s.bytes(); {
			case len(bytes) == 1:
				line += string(bytes)
			case len(bytes) > 2:
				line += fmt.Sprintf("[%c-%c]", bytes[0], bytes[len(bytes)-1])
			default:
				line += "[" + string(bytes) + "]"
			}
		}
		all = append(all, line)
	}
	return strings.Join(all, "|")
}

// A text is found wherever it stands in a long block, and a part of it nowhere.
func TestTextAnywhere(t *testing.T) {
	for _, c := range []struct{ expr, text, part string }{
		{`foo|bazars|12345678`, "12345678", "1234567"},
		{`foo|bazars|12345678`, "bazars", "bazar"},
		{`[a-f][0-9]{8}g`, "a12345678g", "a12345678"},
		{`shoulder`, "shoulder", "should"},
		{`(?i)order`, "oRdeR", "rder"},
	} {
		p, err := compile(c.expr)
		if err != nil || p.sieve == nil {
			t.Fatal(err)
		}
		for at := range 3 * half {
			block := bytes.Repeat([]byte("_"), 4*half)
			copy(block[at:], c.text)
			agree(t, p, block)
			copy(block[at:], strings.Repeat("_", len(c.text)))
			copy(block[at:], c.part)
			agree(t, p, block)
		}
	}
}

func TestPatternErrors(t *testing.T) {
	for _, expr := range []string{"(", "a**", `\8`, "a{1001}", "\xff", "(?=a)"} {
		_, err := compile(expr)
		_, want := regexp.Compile(expr)
		if want == nil || err == nil || err.Error() != want.Error() {
			t.Errorf("%q: %v, want %v", expr, err, want)
		}
	}
	p, err := compile("a")
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("full")
	n := 0
	if err := p.each([]byte("a\na\na\n"), func([]byte) error { n++; return full }); err != full || n != 1 {
		t.Errorf("%v after %d lines", err, n)
	}
}

func FuzzPattern(f *testing.F) {
	f.Add(`[aeiou]{2}[bdg]`, []byte("aud\need\n"))
	f.Add(`\bé.*7$`, []byte("é\xff7\nx"))
	f.Add(`(?i)k|^$`, []byte("\u212a\n\n"))
	f.Fuzz(func(t *testing.T, expr string, block []byte) {
		if len(expr) > 100 {
			return
		}
		if p, err := compile(expr); err == nil {
			agree(t, p, block)
		}
	})
}
