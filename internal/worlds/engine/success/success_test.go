package success

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Whatever the files are called: what is written is read again, in order of name; and cut off, or
// with a byte more, it is no list of files.
func TestTextIsReadAgain(t *testing.T) {
	name := rapid.OneOf(rapid.StringMatching(`part-[mr]-[0-9]{5}`), rapid.SampledFrom([]string{"a b", "\"quoted\"", "end 1", "line\nend", "\xff", "\ufffd", "é"}))
	rapid.Check(t, func(t *rapid.T) {
		var want []Part
		for _, n := range rapid.SliceOfNDistinct(name, 0, 6, rapid.ID).Draw(t, "names") {
			want = append(want, Part{Name: n, Size: rapid.Int64Range(0, 1<<62).Draw(t, "size"), Sum: rapid.Uint32().Draw(t, "sum")})
		}
		text := Text(want)
		slices.SortFunc(want, byName)
		if got, err := Parse(text); err != nil || !slices.Equal(got, want) {
			t.Fatalf("%q is read as %+v, %v", text, got, err)
		}
		cut := rapid.IntRange(1, len(text)-1).Draw(t, "cut")
		if got, err := Parse(text[:cut]); err == nil {
			t.Fatalf("%q is read as %+v", text[:cut], got)
		}
		if got, err := Parse(append(text, 'x')); err == nil {
			t.Fatalf("%q and more is read as %+v", text, got)
		}
	})
}

func TestForeign(t *testing.T) {
	for _, text := range []string{"", "{\"name\": \"org.apache.hadoop.fs.s3a.commit.files.SuccessData/1\"}\n", "slackline output 2\nx\n"} {
		if parts, err := Parse([]byte(text)); parts != nil || err != nil {
			t.Errorf("%q: %v, %v", text, parts, err)
		}
	}
	for _, text := range []string{"00000000 0 a\n", "00000000 -1 a\nend 1\n", "x 0 a\nend 1\n", "00000000 0 a/b\nend 1\n", "00000000 0 \"a\nend 1\n", "00000000 0 a\nend 2\n", "end 0"} {
		if parts, err := Parse([]byte(head + text)); err == nil {
			t.Errorf("%q: %v", text, parts)
		}
	}
}

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), make([]byte, 1000), 0o666); err != nil {
		t.Fatal(err)
	}
	for p, want := range map[Part]string{
		{Name: "a", Size: 1000}: "",
		{Name: "a", Size: 2e6}:  "a is not as _SUCCESS says (1000B for ~1.91MB); make it again, or remove " + filepath.Join(dir, Name) + " if it is meant to be so",
		{Name: "b", Size: 5}:    "b is missing, which _SUCCESS names (5B)",
	} {
		if err := p.Check(dir); (err == nil) != (want == "") || err != nil && !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", p, err, want)
		}
	}
}

// FuzzParse: no bytes make a list of files that would not be written so.
func FuzzParse(f *testing.F) {
	f.Add(Text([]Part{{"a", 1, 2}, {"b\n", 0, 0}}))
	f.Fuzz(func(t *testing.T, text []byte) {
		parts, err := Parse(text)
		if err != nil || parts == nil {
			return
		}
		if again, err := Parse(Text(parts)); err != nil || !slices.Equal(again, parts) {
			t.Fatalf("%+v becomes %+v, %v", parts, again, err)
		}
	})
}
