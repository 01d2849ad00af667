package automaton

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"testing"
)

// corpus is text of so many bytes with a vocabulary by Zipf's law, as natural text has, of words that look like words.
func corpus(size int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	const letters = "eeeeeeeeeeeetttttttttaaaaaaaaooooooooiiiiiiinnnnnnnsssssshhhhhhrrrrrrddddllllcccuuummmwwwffggyyppbbvkjxqz"
	words := make([][]byte, 100_000)
	for i := range words {
		w := make([]byte, 1+r.IntN(10))
		for j := range w {
			w[j] = letters[r.IntN(len(letters))]
		}
		if i%500 == 499 {
			w = fmt.Appendf(w[:0], "%d", r.IntN(100000))
		}
		words[i] = w
	}
	zipf := rand.NewZipf(r, 1.1, 1, uint64(len(words)-1))
	var text bytes.Buffer
	for text.Len() < size {
		for range 10 {
			text.Write(words[zipf.Uint64()])
			text.WriteByte(' ')
		}
		text.WriteByte('\n')
	}
	return text.Bytes()
}

var expressions = []struct{ name, expr string }{
	{"A", `qx[0-9]{3}7`},
	{"B", `[0-9]{3}7`},
	{"C", `[aeiou]{2}[bdg][aeiou]{2}[bdg][aeiou]{2}[bdg]`},
	{"literal", `qzjxk`},
	{"alternatives", `zebra|quartz|oxygen`},
	{"fold", `(?i)quartz`},
	{"any", `[aeiou]{4}.*[xyz]{3}`},
	{"words", `\bx[aeiou]{3}\b`},
	{"letters", `\pL{15}`},
	{"most lines", `e.*a`},
	{"dense literal", `a[0-9 ]`},
}

// Blocks of the size that the engine reads, so that what is measured is the automaton and not the memory.
func BenchmarkScan(b *testing.B) {
	text := corpus(64 << 20)
	for _, x := range expressions {
		b.Run(x.name, func(b *testing.B) {
			e, err := Compile(x.expr)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(text)))
			n := 0
			for b.Loop() {
				s := e.NewScanner()
				n = 0
				for at := 0; at < len(text); {
					end := min(at+window, len(text))
					end = at + bytes.LastIndexByte(text[at:end], '\n') + 1
					n += s.Count(text[at:end])
					at = end
				}
			}
			b.ReportMetric(float64(n), "lines")
		})
	}
}

// A literal whose letters are all over the text, and which is rare.
func BenchmarkCrowd(b *testing.B) {
	text := bytes.Repeat([]byte("the quick fox boxed a quiet squaxin with quartz xq qaqx\n"), window/56)
	for _, expr := range []string{`qx[0-9]`, `xin with z`, `the fog`} {
		b.Run(expr, func(b *testing.B) {
			e, err := Compile(expr)
			if err != nil {
				b.Fatal(err)
			}
			s := e.NewScanner()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				s.Count(text)
			}
		})
	}
}

// Text that is not ASCII, and partly no UTF-8 either.
func BenchmarkUnicode(b *testing.B) {
	text := bytes.Repeat([]byte("Η γλώσσα είναι дерево 日本語のテキスト, naïve \xff\xfe straße €\n"), 100_000)
	for _, expr := range []string{`\p{Greek}{4}.*\p{Han}{5}`, `(?i)STRASSE|ГОРОД`, `[^a-z]{20}x`} {
		b.Run(expr, func(b *testing.B) {
			e, err := Compile(expr)
			if err != nil {
				b.Fatal(err)
			}
			s := e.NewScanner()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				s.Count(text)
			}
		})
	}
}

// What a job of one line pays.
func BenchmarkCompile(b *testing.B) {
	for _, x := range expressions {
		b.Run(x.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				e, err := Compile(x.expr)
				if err != nil {
					b.Fatal(err)
				}
				e.NewScanner()
			}
		})
	}
}

// What regexp makes of the same lines.
func BenchmarkRegexp(b *testing.B) {
	text := corpus(4 << 20)
	for _, x := range expressions[:3] {
		b.Run(x.name, func(b *testing.B) {
			re := regexp.MustCompile(x.expr)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				want(re, text)
			}
		})
	}
}

// What it costs to look for a byte that is not there: no scanner is faster.
func BenchmarkFloor(b *testing.B) {
	text := corpus(64 << 20)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if bytes.IndexByte(text, 0) >= 0 {
			b.Fatal("it is there")
		}
	}
}
