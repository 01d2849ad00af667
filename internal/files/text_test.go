package files

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/slackline/slackline/internal/files/codec/codectest"
)

var packings = []string{"none", "gzip", "zstd", "bzip2", "snappy", "s2"}

func pack(t interface{ Fatal(...any) }, kind string, parts ...string) []byte {
	var all [][]byte
	for _, p := range parts {
		all = append(all, []byte(p))
	}
	packed, err := codectest.Pack(kind, all)
	if err != nil {
		t.Fatal(err)
	}
	return packed
}

// ends is every end of a line.
var ends = regexp.MustCompile(`\r\n|\r`)

// Whatever a text is packed with, whatever ends its lines and however few bytes come at a time, the
// same text is read.
func TestText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"\r", "\n", "\r\n", "a", "bc", "é", strings.Repeat("long ", 300)}), 0, 40).Draw(t, "text"), "")
		want := ends.ReplaceAllString(text, "\n")
		if rapid.Bool().Draw(t, "mark") {
			text = "\ufeff" + text
		}
		cut := rapid.IntRange(0, len(text)).Draw(t, "cut")
		packed := pack(t, rapid.SampledFrom(packings).Draw(t, "packing"), text[:cut], text[cut:])
		var in io.Reader = bytes.NewReader(packed)
		if rapid.Bool().Draw(t, "slow") {
			in = iotest.OneByteReader(in)
		}
		got, err := Read("x", in)
		if err != nil {
			t.Fatal(err)
		}
		var out io.Reader = got
		if rapid.Bool().Draw(t, "small") {
			out = iotest.OneByteReader(out)
		}
		if all, err := io.ReadAll(out); err != nil || string(all) != want {
			t.Fatalf("%q, %v, want %q", all, err, want)
		}
	})
}

// Foreign formats are named, and text that looks like them is read.
func TestForeign(t *testing.T) {
	tar := make([]byte, 512)
	copy(tar, "a.csv")
	copy(tar[257:], "ustar\x0000")
	for _, c := range []struct{ head, name, want string }{
		{"PAR1\x15\x04\x15\x10", "a", "it is a Parquet file, which is not read; write its rows as CSV or JSON lines"},
		{"ORC\x0a\x02\x00", "a", "it is an ORC file, which is not read; write its rows"},
		{"Obj\x01\x04\x16avro", "a", "it is an Avro file"},
		{"ARROW1\x00\x00\xff", "a", "it is an Arrow file"},
		{"SEQ\x06\x19org.apache", "a", "it is a SequenceFile of Hadoop, which is not read; write it as text, as hadoop fs -text does"},
		{"\xfd7zXZ\x00\x00", "a", "it is packed with xz, which is not read; unpack it, or pack it with gzip or zstd"},
		{"\x04\x22\x4d\x18d", "a", "it is packed with lz4"},
		{"\x89LZO\x00\r\n\x1a\n", "a", "it is packed with lzop"},
		{"\x1f\x9d\x90", "a", "it is packed with compress (.Z)"},
		{"\x78\x9c\x4b\x4c", "a", "it is packed with deflate"},
		{"x\x01\x00\x05", "a", "it is packed with deflate"},
		{"PK\x03\x04\x14", "a.xlsx", "it is a zip archive, which is not read; unzip it, or save a spreadsheet as CSV"},
		{string(tar), "a", "it is a tar archive"},
		{"\xff\xfea\x00", "a", "it is in UTF-16, which is not read; save it as UTF-8"},
		{"\xfe\xff\x00a", "a", "it is in UTF-16"},
		{"a\x00,\x00b\x00\n\x00", "a", "it is in UTF-16"},
		{"\x00a\x00,\x00b\x00\n", "a", "it is in UTF-16"},
		{"\xff\xfe\x00\x00a\x00\x00\x00", "a", "it is in UTF-32"},
		{"\x00\x00\x00\x05\x00", "x/a.snappy", "it is packed with Hadoop's own form of snappy, which is not read; unpack it with hadoop fs -text"},
		{"\x00\x00\x00\x05\x00", "a.LZ4", "it is packed with Hadoop's own form of lz4"},
		{"\x00\x00\x00\x05\x00", "a.lzo_deflate", "it is packed with lzo"},
		{"\x00\x00\x00\x0c\x00\x00\x00\x0e\x0c\x2chello world\n", "a", "it is packed with Hadoop's own form of snappy, which is not read; unpack it with hadoop fs -text"},
		{"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "a", "it is a PNG image, which is not read; name a file of text"},
		{"\xff\xd8\xff\xe0\x00\x10JFIF", "a", "it is a JPEG image"}, {"GIF89a\x01\x00\x01\x00", "a", "it is a GIF image"},
		{"Rar!\x1a\x07\x01\x00", "a", "it is a RAR archive, which is not read; unpack it"}, {"\x7fELF\x02\x01\x01\x00", "a", "it is a program (ELF)"},
		{"\xca\xfe\xba\xbe\x00\x00\x00\x34", "a", "it is a class file of Java"}, {"\x93NUMPY\x01\x00", "a", "it is a NumPy array"},
		{"PGDMP\x01\x0e\x00", "a", "it is a dump of PostgreSQL in its own format"}, {"\xd4\xc3\xb2\xa1\x02\x00\x04\x00", "a", "it is a capture of packets"},
		// text
		{"GIF89a is a format\n", "a", ""}, {"RIFFs\n", "a", ""}, {"PGDMP,1\n", "a", ""}, {"Rar! it is\n", "a", ""},
		{"\x00\x00\x00\x0c\x00\x00\x00\x0e\x0d\x2chello world\n", "a", ""}, {"\x00\x00\x00\x0c\x00\x00\x01\x0e\x0c\x2chello world\n", "a", ""},
		{"PAR1,2,3\n", "a.parquet", ""}, {"ORCHID;1\n", "a", ""}, {"SEQ,1\n", "a", ""}, {"x^2\n", "a", ""}, {"x\x01y\x01z\n", "a", ""},
		{"ORCA\x01w\x01z\n", "a", ""}, {"PKs\n", "a", ""}, {"LZIP codes\n", "a", ""}, {"words\n", "a.snappy", ""}, {"gr\xf6\xdfe\n", "a.lzo", ""}, {"", "a.lz4", ""},
		{"a", "a", ""}, {"\x00\x00\x00\x05\x00", "a", ""},
	} {
		_, err := Read(c.name, strings.NewReader(c.head))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.name+": "+c.want)) {
			t.Errorf("%q %s: %v, want %q", c.head, c.name, err, c.want)
		}
		if c.want == "" || c.name != "a" {
			continue
		}
		if _, err := Read("in", bytes.NewReader(pack(t, "gzip", c.head))); err == nil || !strings.HasPrefix(err.Error(), "in: "+c.want) {
			t.Errorf("%q within gzip: %v", c.head, err)
		}
	}
}

// What cannot be read is one sentence that names the file.
func TestUnread(t *testing.T) {
	dir := clean(t)
	put(t, filepath.Join(dir, "f"), "")
	twice := filepath.Join(dir, "twice")
	put(t, twice, string(pack(t, "gzip", string(pack(t, "zstd", "a")))))
	for name, want := range map[string]string{
		"":                           "the name of the file is empty",
		dir:                          dir + " is a folder; name a file",
		filepath.Join(dir, "n"):      filepath.Join(dir, "n") + ": there is no such file",
		filepath.Join(dir, "f", "n"): filepath.Join(dir, "f", "n") + ": there is no such file",
		twice:                        twice + ": it is packed twice, with zstd within gzip; unpack it once",
	} {
		if _, err := ReadAll(name); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := Open(filepath.Join(dir, "n")); !errors.Is(err, os.ErrNotExist) {
		t.Error("it is not said that there is none")
	}
	if _, err := Read("standard input", iotest.ErrReader(io.ErrClosedPipe)); err == nil || err.Error() != "standard input: it cannot be read: io: read/write on closed pipe" {
		t.Error(err)
	}
	if text, err := ReadAll(filepath.Join(dir, "f")); err != nil || len(text) > 0 {
		t.Errorf("%q, %v", text, err)
	}
	put(t, filepath.Join(dir, "f"), strings.Repeat("x", MaxBytes+1))
	if _, err := ReadAll(filepath.Join(dir, "f")); err == nil || !strings.HasSuffix(err.Error(), "the file is larger than 64 MB") {
		t.Error(err)
	}
}

// A packed text that is cut off or altered is never taken for a whole one.
func TestDamage(t *testing.T) {
	dir := clean(t)
	name := filepath.Join(dir, "x")
	text := strings.Repeat("some text of many words\n", 1000)
	rapid.Check(t, func(rt *rapid.T) {
		kind := rapid.SampledFrom(packings[1:]).Draw(rt, "packing")
		packed := pack(rt, kind, text)
		at := rapid.IntRange(16, len(packed)-1).Draw(rt, "at")
		if rapid.Bool().Draw(rt, "cut") {
			packed = packed[:at]
		} else {
			packed[at] ^= byte(1 << rapid.IntRange(0, 7).Draw(rt, "bit"))
		}
		put(t, name, string(packed))
		got, err := ReadAll(name)
		switch {
		case err == nil && string(got) == text:
		case err == nil && kind == "gzip" && strings.HasPrefix(text, string(got)) && len(got) == len(text):
		case err == nil:
			rt.Fatalf("%s of %d bytes: %d bytes read", kind, len(packed), len(got))
		case !strings.HasPrefix(err.Error(), name+": it cannot be read: it") && !strings.HasPrefix(err.Error(), name+": it cannot be read: its"):
			rt.Fatalf("%v", err)
		}
	})
}

func BenchmarkText(b *testing.B) {
	name := filepath.Join(b.TempDir(), "x")
	line := strings.Repeat("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 ", 2) + "\n"
	text := []byte(strings.Repeat(line, 100_000))
	if err := os.WriteFile(name, text, 0o666); err != nil {
		b.Fatal(err)
	}
	buf := make([]byte, 64<<10)
	read := func(b *testing.B, open func() (io.ReadCloser, error)) {
		b.SetBytes(int64(len(text)))
		for range b.N {
			f, err := open()
			if err != nil {
				b.Fatal(err)
			}
			for err == nil {
				_, err = f.Read(buf)
			}
			f.Close()
		}
	}
	b.Run("os", func(b *testing.B) { read(b, func() (io.ReadCloser, error) { return os.Open(name) }) })
	b.Run("text", func(b *testing.B) { read(b, func() (io.ReadCloser, error) { return Open(name) }) })
}
