package task

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/slackline/slackline/internal/worlds/engine/input"
)

type line struct {
	At   int64
	Text string
}

// naive splits a file into lines: each ends at LF, CR LF or CR, and a byte order mark belongs to none.
func naive(file string) []line {
	var all []line
	now, at := "", 0
	runes := []byte(strings.TrimPrefix(file, "\xef\xbb\xbf"))
	bom := len(file) - len(runes)
	for i := 0; i < len(runes); i++ {
		switch {
		case runes[i] == '\r' && i+1 < len(runes) && runes[i+1] == '\n':
			i++
			fallthrough
		case runes[i] == '\r', runes[i] == '\n':
			all = append(all, line{int64(at), now})
			now, at = "", bom+i+1
		default:
			now += string(runes[i : i+1])
		}
	}
	if now != "" {
		all = append(all, line{int64(at), now})
	}
	return all
}

// inside is the offset of a line of which that is not known.
const inside = -1

// many returns the lines of several, which have LFs alone.
func many(text []byte) (all []line) {
	for text := range strings.Lines(string(text)) {
		all = append(all, line{inside, strings.TrimSuffix(text, "\n")})
	}
	return all
}

// same compares lines, less offsets that are not known.
func same(want, got []line) string {
	want = slices.Clone(want)
	for i := range min(len(want), len(got)) {
		if got[i].At == inside {
			want[i].At = inside
		}
	}
	return cmp.Diff(want, got)
}

// pieces reads a text piece by piece.
func pieces(t *testing.T, text string, block int, whole bool, wrap func(io.Reader) io.Reader) []line {
	t.Helper()
	var got []line
	// lines may be longer in the file than in a block
	odd := strings.Contains(text, "\r") || strings.HasPrefix(text, byteOrderMark)
	l := lines{buf: make([]byte, 3)} // small, so that it has to grow
	for start := 0; start < len(text); start += block {
		p := input.Piece{Start: int64(start), End: int64(min(start+block, len(text)))}
		if err := l.open(wrap(strings.NewReader(text[start:])), p); err != nil {
			t.Fatal(err)
		}
		for {
			next := l.next
			if whole {
				next = l.block
			}
			b, at, ok, err := next()
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				break
			}
			if !whole {
				got = append(got, line{at, string(b)})
				continue
			}
			if len(b) == 0 {
				t.Fatal("a block is empty")
			}
			for _, in := range many(b) {
				got = append(got, line{at, in.Text})
				if at += int64(len(in.Text)) + 1; odd {
					at = inside
				}
			}
		}
	}
	return got
}

// parted reads a text piece by piece, each in parts, and puts these together again.
func parted(t *testing.T, text string, block int, wrap func(io.Reader) io.Reader) []line {
	t.Helper()
	var got []line
	l := lines{buf: make([]byte, 3)}
	for start := 0; start < len(text); start += block {
		if err := l.open(wrap(strings.NewReader(text[start:])), input.Piece{Start: int64(start), End: int64(min(start+block, len(text)))}); err != nil {
			t.Fatal(err)
		}
		var all []byte
		for {
			b, ok, err := l.part()
			if err != nil || ok == (len(b) == 0) {
				t.Fatalf("a part of %d bytes, %v", len(b), err)
			}
			if all = append(all, b...); ok {
				continue
			}
			if l.within != (len(all) > 0 && all[len(all)-1] != '\n') {
				t.Fatalf("%q: within is %v", all, l.within)
			}
			got = append(got, many(all)...)
			break
		}
	}
	if len(l.buf) > 3 {
		t.Errorf("the buffer grew to %d bytes", len(l.buf))
	}
	return got
}

// FuzzLines: whatever the text and wherever it is cut, the lines of all pieces together are the lines of the text.
func FuzzLines(f *testing.F) {
	for _, text := range []string{"", "\n", "\n\n", "a", "a\n", "one\ntwo\n", "one\n\ntwo\nthree", "\r\nx\r\n", "a\rb\r\r\n\nc\r", "\xef\xbb\xbfa\r\nb", "\xef\xbb\xbf", "\xef\xbb\r\n", strings.Repeat("long", 50) + "\nz"} {
		for _, block := range []uint8{1, 2, 3, 4, 5, 200} {
			f.Add(text, block)
		}
	}
	f.Fuzz(func(t *testing.T, text string, block uint8) {
		size := max(int(block), 1)
		want := naive(text)
		for name, wrap := range map[string]func(io.Reader) io.Reader{
			"plain":         func(r io.Reader) io.Reader { return r },
			"byte by byte":  iotest.OneByteReader,
			"data with EOF": iotest.DataErrReader,
		} {
			if diff := same(want, parted(t, text, size, wrap)); diff != "" {
				t.Fatalf("lines of %q in pieces of %d, read %s, in parts (-want +got):\n%s", text, size, name, diff)
			}
			for _, whole := range []bool{false, true} {
				if diff := same(want, pieces(t, text, size, whole, wrap)); diff != "" {
					t.Fatalf("lines of %q in pieces of %d, read %s, in blocks %v (-want +got):\n%s", text, size, name, whole, diff)
				}
			}
		}
	})
}

// The same with texts of hardly anything but line ends, in splits of every size.
func TestLinesEndAsHadoops(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("aab\r\r\n\n")), 0, 40, -1).Draw(rt, "text")
		if rapid.IntRange(0, 3).Draw(rt, "mark") == 0 {
			text = byteOrderMark + text
		}
		want := naive(text)
		for block := 1; block <= len(text)+1; block++ {
			for _, wrap := range []func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r }, iotest.OneByteReader, iotest.HalfReader} {
				diff := same(want, parted(t, text, block, wrap))
				for _, whole := range []bool{false, true} {
					diff += same(want, pieces(t, text, block, whole, wrap))
				}
				if diff != "" {
					rt.Fatalf("lines of %q in pieces of %d (-want +got):\n%s", text, block, diff)
				}
			}
		}
	})
}

func TestLinesPassOnReadErrors(t *testing.T) {
	boom := errors.New("boom")
	var l lines
	src := io.MultiReader(strings.NewReader("one\ntw"), iotest.ErrReader(boom))
	if err := l.open(src, input.Piece{End: 100}); err != nil {
		t.Fatal(err)
	}
	if b, _, ok, err := l.next(); string(b) != "one" || !ok || err != nil {
		t.Fatalf("first line is %q, %v, %v", b, ok, err)
	}
	if _, _, ok, err := l.next(); ok || !errors.Is(err, boom) {
		t.Errorf("a line that cannot be read gives %v, %v", ok, err)
	}
}

// A piece is read to its end and little further.
func TestLinesReadLittleBeyondTheEnd(t *testing.T) {
	text := bytes.Repeat([]byte("0123456789\n"), 100_000)
	r := bytes.NewReader(text)
	var l lines
	if err := l.open(r, input.Piece{End: 110}); err != nil {
		t.Fatal(err)
	}
	n := 0
	for {
		_, _, ok, err := l.next()
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			break
		}
		n++
	}
	if n != 11 {
		t.Errorf("%d lines, want 11: the one that starts at the end belongs to the piece", n)
	}
	if read := len(text) - r.Len(); read > 110+2*overshoot {
		t.Errorf("%d bytes read for a piece of 110", read)
	}
}

// A line however long is read in few steps, each of more than the one before, and only by the piece that it belongs to.
func TestLongLines(t *testing.T) {
	text := "a\n" + strings.Repeat("b", 40<<20) + "\nc\n"
	for _, whole := range []bool{false, true} {
		r := &counting{r: strings.NewReader(text)}
		var l lines
		if err := l.open(r, input.Piece{End: 1 << 20}); err != nil {
			t.Fatal(err)
		}
		size := 0
		for {
			next := l.next
			if whole {
				next = l.block
			}
			b, _, ok, err := next()
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				break
			}
			size += len(bytes.TrimSuffix(b, []byte("\n")))
		}
		if size != 1+40<<20 && size != 2+40<<20 { // "a" LF may be in the block
			t.Errorf("%d bytes of lines", size)
		}
		if r.reads > 40 {
			t.Errorf("%d reads of a line of 40 MB", r.reads)
		}
	}
	r := &counting{r: strings.NewReader(text[1<<20:])}
	var l lines
	if err := l.open(r, input.Piece{Start: 1 << 20, End: 2 << 20}); err != nil {
		t.Fatal(err)
	}
	if _, _, ok, err := l.next(); ok || err != nil {
		t.Errorf("a piece within a line has %v, %v", ok, err)
	}
	if len(l.buf) != readSize || r.bytes > 1<<20+2*overshoot {
		t.Errorf("passing over a piece of 1 MB takes %d bytes of memory and reads %d", len(l.buf), r.bytes)
	}
}

// counting counts reads, and their bytes.
type counting struct {
	r            io.Reader
	reads, bytes int
}

func (c *counting) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.reads, c.bytes = c.reads+1, c.bytes+n
	return n, err
}
