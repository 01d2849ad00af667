package codec

import (
	"bytes"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/slackline/slackline/internal/files/codec/codectest"
	"pgregory.net/rapid"
)

// pack compresses a text in so many members, or frames, or blocks.
func pack(t rapid.TB, kind Kind, parts [][]byte) []byte {
	packed, err := codectest.Pack(kind.String(), parts)
	if err != nil {
		t.Fatal(err)
	}
	return packed
}

func texts(t *rapid.T) [][]byte {
	piece := rapid.OneOf(
		rapid.SliceOfN(rapid.ByteRange('a', 'd'), 0, 300),
		rapid.Map(rapid.IntRange(0, 400), func(n int) []byte { return bytes.Repeat([]byte("a"), n) }),
		rapid.SliceOfN(rapid.Byte(), 0, 100))
	return rapid.SliceOfN(piece, 0, 8).Draw(t, "texts")
}

var kinds = []Kind{Gzip, Zstd, Bzip2, Snappy, S2}

// Wherever a file is cut, what its pieces unpack to is the text, each byte once.
func TestPiecesAreTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom(kinds).Draw(t, "kind")
		parts := texts(t)
		want := bytes.Join(parts, nil)
		packed := pack(t, kind, parts)
		f, size := bytes.NewReader(packed), int64(len(packed))
		if got, err := Detect(f); (got != kind) || err != nil {
			t.Fatalf("%v is read as %v (%v)", kind, got, err)
		}
		cuts := cutsOf(t, kind, f, size, rapid.Int64Range(1, 200).Draw(t, "block"))
		cuts = append(append([]int64{0}, cuts...), size)
		var got []byte
		for i := range cuts[1:] {
			r := Open(kind, f, size, cuts[i], cuts[i+1])
			all, err := io.ReadAll(iotest.OneByteReader(r))
			if i%2 == 0 {
				r = Open(kind, f, size, cuts[i], cuts[i+1])
				all, err = io.ReadAll(r)
			}
			if err != nil {
				t.Fatalf("%v of %d from %d to %d: %v", kind, size, cuts[i], cuts[i+1], err)
			}
			own := r.Own()
			if own > int64(len(all)) {
				t.Fatalf("%v: %d bytes of %d belong to the piece", kind, own, len(all))
			}
			got = append(got, all[:own]...)
			rest := want[len(got):]
			if own > 0 || i == 0 {
				if !bytes.Equal(all[own:], rest) {
					t.Fatalf("%v: behind the piece stand %q, not %q", kind, all[own:], rest)
				}
			}
			r.Close()
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("%v: %q, want %q", kind, got, want)
		}
	})
}

// The encoder of the tests against the decoder of the standard library.
func TestEncoderOfTests(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var blocks [][]byte
		for _, p := range texts(t) {
			if len(p) > 0 {
				blocks = append(blocks, p)
			}
		}
		got, err := io.ReadAll(bzip2.NewReader(bytes.NewReader(codectest.Bzip2(blocks...))))
		if err != nil || !bytes.Equal(got, bytes.Join(blocks, nil)) {
			t.Fatalf("%q, %v", got, err)
		}
	})
}

// Whatever is damaged or cut off is never handed out as if it were the text.
func TestDamage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom(kinds).Draw(t, "kind")
		parts := [][]byte{bytes.Repeat([]byte("some text\n"), 20), rapid.SliceOfN(rapid.Byte(), 50, 90).Draw(t, "text"), []byte("end")}
		want := bytes.Join(parts, nil)
		packed := pack(t, kind, parts)
		at := rapid.IntRange(10, len(packed)-1).Draw(t, "at")
		if (kind == Snappy || kind == S2) && packed[at] <= 1 {
			at++ // seven flipped bits make padding of a chunk
		}
		cut := rapid.Bool().Draw(t, "cut off")
		if cut {
			packed = packed[:at]
		} else {
			packed[at] ^= byte(rapid.IntRange(1, 255).Draw(t, "bits"))
		}
		f, size := bytes.NewReader(packed), int64(len(packed))
		cuts := append(append([]int64{0}, cutsOf(t, kind, f, size, 64)...), size)
		var got []byte
		for i := range cuts[1:] {
			r := Open(kind, f, size, cuts[i], cuts[i+1])
			all, err := io.ReadAll(r)
			if err != nil {
				var d *Damage
				if !errors.As(err, &d) || d.Offset > size || d.Kind != kind {
					t.Fatalf("%v: %v", kind, err)
				}
				return // found
			}
			got = append(got, all[:r.Own()]...)
		}
		// A header's date, a frame that is passed over: not all bytes say something. Cut between
		// members, a file is a shorter one.
		if !cut && !bytes.Equal(got, want) && kind != Gzip && !(kind == Zstd || kind == Snappy || kind == S2) {
			t.Fatalf("%v: damage at byte %d gives %q", kind, at, got)
		}
		if !bytes.Equal(got, want) && !bytes.HasPrefix(want, got) {
			t.Fatalf("%v: damage at byte %d gives %q", kind, at, got)
		}
	})
}

// A last block that claims to be longer than it is has not come to a good end with the file.
func TestLastBlockWantsMore(t *testing.T) {
	packed := codectest.Bzip2([]byte("end"))
	found := 0
	for at := 14; at < len(packed)-11; at++ {
		for bits := 1; bits < 256; bits++ {
			damaged := bytes.Clone(packed)
			damaged[at] ^= byte(bits)
			got, err := io.ReadAll(Open(Bzip2, bytes.NewReader(damaged), int64(len(damaged)), 0, int64(len(damaged))))
			if err == nil && string(got) != "end" {
				t.Fatalf("byte %d, bits %#x: %q", at, bits, got)
			}
			if err != nil {
				found++
			}
		}
	}
	if found == 0 {
		t.Error("no damage was found at all")
	}
}

func TestDamageIsNamed(t *testing.T) {
	text := []byte(strings.Repeat("to be or not to be, that is the question\n", 300))
	for _, kind := range kinds {
		packed := pack(t, kind, [][]byte{text})
		_, err := io.ReadAll(Open(kind, bytes.NewReader(packed[:len(packed)-21]), int64(len(packed)-21), 0, int64(len(packed)-21)))
		if err == nil || !strings.Contains(err.Error(), "in the middle of its "+kind.String()+" data") {
			t.Errorf("%v cut off: %v", kind, err)
		}
		packed[len(packed)/2] ^= 0x10
		_, err = io.ReadAll(Open(kind, bytes.NewReader(packed), int64(len(packed)), 0, int64(len(packed))))
		if err == nil || !strings.Contains(err.Error(), "its "+kind.String()+" data are damaged before byte ") {
			t.Errorf("%v damaged: %v", kind, err)
		}
	}
	boom := errors.New("boom")
	if _, err := io.ReadAll(Open(Gzip, failing{boom}, 100, 0, 100)); !errors.Is(err, boom) {
		t.Errorf("%v", err)
	}
	if _, err := io.ReadAll(Open(Bzip2, failing{boom}, 100, 0, 100)); !errors.Is(err, boom) {
		t.Errorf("%v", err)
	}
}

type failing struct{ err error }

func (f failing) ReadAt([]byte, int64) (int, error) { return 0, f.err }

// Wherever bytes of a file are missing, doubled or changed, and however large a block of the job is:
// what is read is the text, or an error. words.bz2 is what bzip2 -1 makes of the numbers from 1 to
// 60000, a line each, in blocks of 100 kB.
func TestDamageAtSeams(t *testing.T) {
	words, err := os.ReadFile("testdata/words.bz2")
	if err != nil {
		t.Fatal(err)
	}
	var text []byte
	for i := range 60_000 {
		text = fmt.Appendln(text, i+1)
	}
	found, all := 0, 0
	try := func(kind Kind, h harm, want []byte, blocks ...int64) {
		damaged := h.do()
		f, size := bytes.NewReader(damaged), int64(len(damaged))
		for _, block := range append(blocks, size) {
			all++
			got, err := inPieces(t, kind, f, size, block)
			if err != nil {
				found++
			} else if !bytes.Equal(got, want) {
				t.Errorf("%v: %s of %d bytes at %d of %d, blocks of %d: %d bytes are read without a word, not %d",
					kind, [...]string{"drop", "double", "flip"}[h.how], h.n, h.at, len(h.file), block, len(got), len(want))
			}
		}
	}
	parts := [][]byte{bytes.Repeat([]byte("some text\n"), 20), []byte("the middle\n"), []byte("end of it\n"), []byte("more behind\n")}
	for _, kind := range kinds {
		small := pack(t, kind, parts)
		for at := 10; at < len(small); at++ { // what comes first tells the kind
			for _, n := range []int{1, 2, 7, 31} { // no whole frames or chunks: nothing tells that one is missing
				if at+n >= len(small) {
					continue // a file that ends behind a chunk is a shorter one
				}
				for how := range 3 {
					try(kind, harm{small, how, at, n}, bytes.Join(parts, nil), 16)
				}
			}
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		h := harm{words, rng.IntN(3), 10 + rng.IntN(len(words)-10), []int{3, 5000}[rng.IntN(2)]}
		try(Bzip2, h, text, 16<<10)
	}
	if found < all/2 {
		t.Errorf("only %d of %d are found", found, all)
	}
}

const (
	drop = iota
	double
	flip
)

// A harm is done to n bytes of a file.
type harm struct {
	file       []byte
	how, at, n int
}

func (h harm) do() []byte {
	end := min(h.at+h.n, len(h.file))
	switch h.how {
	case drop:
		return slices.Concat(h.file[:h.at], h.file[end:])
	case double:
		return slices.Concat(h.file[:end], h.file[h.at:])
	}
	damaged := bytes.Clone(h.file)
	for i := h.at; i < end; i++ {
		damaged[i] ^= 0x10
	}
	return damaged
}

// inPieces reads what belongs to the pieces of a file, and no more than the beginning of what lies
// behind each, as a task does.
func inPieces(t rapid.TB, kind Kind, f io.ReaderAt, size, block int64) (got []byte, err error) {
	cuts := append(append([]int64{0}, cutsOf(t, kind, f, size, block)...), size)
	for i := range cuts[1:] {
		r := Open(kind, f, size, cuts[i], cuts[i+1])
		from := len(got)
		buf := make([]byte, 1000)
		for int64(len(got)-from) < r.Own() && err == nil {
			var n int
			n, err = r.Read(buf)
			got = append(got, buf[:n]...)
		}
		r.Close()
		if err != nil && err != io.EOF {
			return nil, err
		}
		got, err = got[:from+int(r.Own())], nil
	}
	return got, nil
}

func TestDetectNothing(t *testing.T) {
	for _, head := range []string{"", "a", "BZh9 is how bzip2 begins", "\x1f\x8b\x08\xff", "\x50\x2a\x4d\x18\x01\x00\x00\x00xyyyy", "\xff\x06\x00\x00sNaPp"} {
		if kind, err := Detect(strings.NewReader(head)); kind != None || err != nil {
			t.Errorf("%q is read as %v, %v", head, kind, err)
		}
	}
}

func TestOutputs(t *testing.T) {
	for _, name := range Outputs {
		kind, err := ByName(name)
		if err != nil || kind.String() != name {
			t.Fatalf("%v, %v", kind, err)
		}
		var out bytes.Buffer
		w, err := kind.NewWriter(&out)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, "text"); err != nil || w.Close() != nil {
			t.Fatal(err)
		}
		var got []byte
		if kind == Gzip {
			z, err := gzip.NewReader(&out)
			if err != nil {
				t.Fatal(err)
			}
			got, _ = io.ReadAll(z)
		} else {
			z, err := zstd.NewReader(&out)
			if err != nil {
				t.Fatal(err)
			}
			got, _ = io.ReadAll(z)
			z.Close()
		}
		if string(got) != "text" {
			t.Errorf("%s: %q", name, got)
		}
	}
	if _, err := ByName("lzo"); err == nil {
		t.Error("there is lzo")
	}
	if _, err := None.NewWriter(nil); err == nil {
		t.Error("there is a writer of nothing")
	}
}

// FuzzOpen: no bytes make the readers panic, run on, or hand out a byte of a file that the standard library refuses.
func FuzzOpen(f *testing.F) {
	for _, kind := range kinds {
		f.Add(uint8(kind), pack(f, kind, [][]byte{[]byte("one\n"), []byte("two, three\n")}), uint8(9))
	}
	f.Fuzz(func(t *testing.T, k uint8, packed []byte, block uint8) {
		kind := kinds[int(k)%len(kinds)]
		file, size := bytes.NewReader(packed), int64(len(packed))
		if _, err := Detect(file); err != nil {
			t.Fatal(err)
		}
		cuts := append(append([]int64{0}, cutsOf(t, kind, file, size, max(int64(block), 1))...), size)
		var got []byte
		var failed error
		for i := range cuts[1:] {
			r := Open(kind, file, size, cuts[i], cuts[i+1])
			all, err := io.ReadAll(io.LimitReader(r, 1<<20))
			if failed = err; err != nil || len(all) == 1<<20 {
				r.Close()
				break
			}
			got = append(got, all[:r.Own()]...)
			r.Close()
		}
		if kind != Bzip2 || failed != nil || len(got) >= 1<<20 {
			return
		}
		want, err := io.ReadAll(io.LimitReader(bzip2.NewReader(bytes.NewReader(packed)), 1<<20))
		if err == nil && len(want) < 1<<20 && !bytes.Equal(want, got) {
			t.Fatalf("%q, and the standard library reads %q", got, want)
		}
	})
}

// cutsOf returns the cuts of what can be read.
func cutsOf(t rapid.TB, kind Kind, f io.ReaderAt, size, block int64) []int64 {
	cuts, err := kind.Cuts(f, size, block)
	if err != nil {
		t.Fatal(err)
	}
	return cuts
}

// unreadable fails from some byte on.
type unreadable struct {
	io.ReaderAt
	from int64
}

func (u unreadable) ReadAt(b []byte, at int64) (int, error) {
	if at+int64(len(b)) > u.from {
		return 0, errors.New("the disk is broken")
	}
	return u.ReaderAt.ReadAt(b, at)
}

// A file that cannot be read is not one without cuts: then the same file would be cut otherwise the next time.
func TestCutsOfWhatCannotBeRead(t *testing.T) {
	parts := [][]byte{bytes.Repeat([]byte("abc\n"), 50), bytes.Repeat([]byte("def\n"), 50), bytes.Repeat([]byte("ghi\n"), 50)}
	for name, kind := range map[string]Kind{"zstd": Zstd, "snappy": Snappy, "s2": S2} {
		packed, err := codectest.Pack(name, parts)
		if err != nil {
			t.Fatal(err)
		}
		f, size := bytes.NewReader(packed), int64(len(packed))
		if cuts := cutsOf(t, kind, f, size, 10); len(cuts) < 2 {
			t.Errorf("%s: cuts %v", name, cuts)
		}
		for from := range size {
			if cuts, err := kind.Cuts(unreadable{f, from}, size, 10); err == nil && from < size-100 || len(cuts) > 0 && err != nil {
				t.Errorf("%s, unreadable from byte %d of %d: %v, %v", name, from, size, cuts, err)
			}
		}
	}
}

// Zeros behind the last member of a gzip file are no damage, as they are none to the gzip command;
// whatever else lies there is, and zeros behind a bzip2 stream.
func TestPadding(t *testing.T) {
	parts := [][]byte{[]byte("one\n"), []byte("two\n")}
	for _, c := range []struct{ kind, behind, want string }{
		{"gzip", "", ""},
		{"gzip", "\x00", ""},
		{"gzip", strings.Repeat("\x00", 100_000), ""},
		{"gzip", "\x00\x00x", "its gzip data are damaged before byte %d: there is data after the zeros at its end"},
		{"gzip", "x", "it ends at byte %d, in the middle of its gzip data"},
		{"gzip", "xxxxxxxxxxxxxxxxxxxx", "its gzip data are damaged before byte "},
		{"gzip", "\x1f\x8b\x08", "it ends at byte %d, in the middle of its gzip data"},
		{"bzip2", "\x00\x00\x00\x00\x00", "its bzip2 data are damaged before byte "},
	} {
		packed, err := codectest.Pack(c.kind, parts)
		if err != nil {
			t.Fatal(err)
		}
		packed = append(packed, c.behind...)
		f := bytes.NewReader(packed)
		kind, err := Detect(f)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(Open(kind, f, int64(len(packed)), 0, int64(len(packed))))
		if string(got) != "one\ntwo\n" {
			t.Errorf("%s with %.10q behind it: %q", c.kind, c.behind, got)
		}
		want := strings.ReplaceAll(c.want, "%d", fmt.Sprint(len(packed)))
		if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s with %.10q behind it: %v, want %q", c.kind, c.behind, err, want)
		}
	}
}
