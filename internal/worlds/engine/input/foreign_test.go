package input_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/files/codec"
	"github.com/slackline/slackline/internal/worlds/engine/failure"
	"github.com/slackline/slackline/internal/worlds/engine/format"
	"github.com/slackline/slackline/internal/worlds/engine/input"
	"github.com/slackline/slackline/mapreduce"
)

// Nothing is counted that was not understood: what is no text is refused before the run, packed or
// not, however small, by each format that reads text, and by none that takes any bytes.
func TestForeignInput(t *testing.T) {
	tar := string(append(make([]byte, 257), "ustar\x0000"...))
	for name, c := range map[string]struct{ text, want string }{
		"a.parquet": {"PAR1\x15\x04\x15\x00", "it is a Parquet file, which is not read; write its rows as CSV or JSON lines (input_format: whole"},
		"part":      {"SEQ\x06\x19org.apache.hadoop.io.Text", "it is a SequenceFile of Hadoop"},
		"b.xz":      {"\xfd7zXZ\x00\x00\x04", "it is packed with xz, which is not read; unpack it"},
		"c.snappy":  {"\x00\x00\x00\x05\x00\x00", "Hadoop's own form of snappy"},
		"d.txt":     {"\xff\xfeh\x00i\x00", "it is in UTF-16, which is not read; save it as UTF-8"},
		"e.txt":     {"h\x00i\x00\n\x00", "it is in UTF-16"},
		"f.tgz":     {packed(t, tar), "unpacked it is a tar archive"},
		"g.gz":      {packed(t, packed(t, "text\n")), "it is packed twice, with gzip within gzip; unpack it once (input_format: whole"},
		"h.gz":      {packed(t, "\x28\xb5\x2f\xfd\x04\x00"), "it is packed twice, with zstd within gzip"},
		"l":         {"\x00\x00\x00\x0c\x00\x00\x00\x0e\x0c\x2chello world\n", "Hadoop's own form of snappy"},
		"g.zip":     {"PK\x03\x04\x14\x00", "it is a zip archive"},
		"h.txt":     {"PAR1 is how Parquet begins\n", ""},
		"i.txt.gz":  {packed(t, "text\n"), ""},
		"j.snappy":  {"text by an odd name\n", ""},
		"k":         {"", ""},
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		files, err := input.Find([]string{path})
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range append(format.Inputs, "records") {
			p := &mapreduce.Program{Name: "x", NewMapper: func(*mapreduce.Context) (mapreduce.Mapper, error) { return mapreduce.Identity{}, nil }}
			sources := []input.Source{{Format: &format.Spec{Name: form, NoHeader: true}}}
			if form == "records" {
				p.Records.Length, sources = 1, nil
			}
			want := c.want
			if form == "whole" || form == "records" {
				want = ""
			}
			_, _, err := input.Plan(files, 1<<20, p, sources)
			if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || failure.Of(err) != failure.Permanent) {
				t.Errorf("%s as %s: %v, want %s", name, form, err, want)
			}
		}
	}
}

// What is no text, and nobody knows by name, is read, and told.
func TestOddInput(t *testing.T) {
	for text, odd := range map[string]bool{
		"\x80\x04\x95\x11\x00\x00\x00\x00\x00\x00\x00}\x94(\x8c\x01a\x94K\x01": true,  // a pickle
		"\x83\xa2id\xcd\x07\xd0\xa1t\xcb\x00\x00":                              true,  // MessagePack
		"a line\nand \x00 another\n":                                           true,  // a hole in a log
		packed(t, "\x08\x96\x01\x12\x07"):                                      true,  // protobuf
		"caf\xe9 in Latin-1\r\nb\t\x1b[31mred\x1b[0m\f\n":                      false, // and the colours of a terminal
		"Hive\x01separates\x02by\x03these\n":                                   false,
		"":                                                                     false,
	} {
		path := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		files, err := input.Find([]string{path})
		if err != nil {
			t.Fatal(err)
		}
		p := &mapreduce.Program{Name: "x", NewMapper: func(*mapreduce.Context) (mapreduce.Mapper, error) { return mapreduce.Identity{}, nil }}
		for _, form := range []string{"text", "whole"} {
			_, told, err := input.Plan(files, 1<<20, p, []input.Source{{Format: &format.Spec{Name: form}}})
			if want := odd && form == "text"; err != nil || (len(told) == 1) != want || want && (told[0].Path != path || told[0].What != input.NoText) {
				t.Errorf("%q as %s: %v, %v", text, form, told, err)
			}
		}
	}
}

func packed(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	w, err := codec.Gzip.NewWriter(&out)
	if err == nil {
		_, err = w.Write([]byte(text))
	}
	if err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	return out.String()
}
