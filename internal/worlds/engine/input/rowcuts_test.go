package input

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/mapreduce"
)

// FuzzRowCuts: whatever the text, its quotes closed or not, the rows of all pieces are those of the whole.
func FuzzRowCuts(f *testing.F) {
	for _, text := range []string{"a,b\n1,2\n\"x\ny\",3\n", "\"", "a\n\"\n\"\n\"\n", "\n\n\r\n\"h\n\"\n1\n2\n", "a\"b\nc\"\nd\n", "\xef\xbb\xbf\n\na\n1\n", "a\r1\r\n\r\"\r\"\r2", "a\rb\r\r\n"} {
		f.Add(text, uint8(1))
		f.Add(text, uint8(3))
	}
	f.Fuzz(func(t *testing.T, text string, block uint8) {
		file, size := strings.NewReader(text), int64(len(text))
		for _, noHeader := range []bool{false, true} {
			cuts, err := rowCuts(file, size, max(int64(block), 1), !noHeader)
			if err != nil {
				t.Fatal(err)
			}
			form := mapreduce.CSV{NoHeader: noHeader}
			want, wrong := rowsOf(form, strings.NewReader(text), 0)
			var got []string
			failed := false
			ends := append(slices.Clone(cuts), size)
			start := int64(0)
			for _, end := range ends {
				var in io.Reader = strings.NewReader(text[start:end])
				if start > 0 && !noHeader {
					head, err := HeaderOf(file)
					if err != nil {
						t.Fatal(err)
					}
					in = io.MultiReader(bytes.NewReader(head), in)
				}
				rows, wrong := rowsOf(form, in, start)
				got = append(got, rows...)
				failed = failed || wrong
				start = end
			}
			if failed != wrong || !failed && !slices.Equal(got, want) {
				t.Fatalf("%q cut at %d: %q, want %q", text, cuts, got, want)
			}
		}
	})
}

// rowsOf reads rows, "bad" for those that cannot be read, and tells whether not even the header could be.
func rowsOf(form mapreduce.CSV, in io.Reader, start int64) (rows []string, wrong bool) {
	r, err := form.Open(in, mapreduce.Input{Start: start})
	if err != nil {
		return nil, true
	}
	for {
		_, value, err := r.Next()
		if err == io.EOF {
			return rows, false
		}
		if err != nil {
			value = []byte("bad")
		}
		rows = append(rows, string(value))
	}
}
