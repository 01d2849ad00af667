package task

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/worlds/engine/codec/codectest"
	"github.com/slackline/slackline/mapreduce"
)

// FuzzRowCuts: whatever the text, its quotes closed or not, the rows of all pieces are those of the whole.
func FuzzRowCuts(f *testing.F) {
	for _, text := range []string{"a,b\n1,2\n\"x\ny\",3\n", "\"", "a\n\"\n\"\n\"\n", "\n\n\r\n\"h\n\"\n1\n2\n", "a\"b\nc\"\nd\n", "\xef\xbb\xbf\n\na\n1\n"} {
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
					head, err := headerOf(file)
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

// semicolons is a format as somebody might write one: records end with a semicolon.
type semicolons struct{}

func (semicolons) Cutting() mapreduce.Cutting { return mapreduce.Uncut }

func (semicolons) Open(in io.Reader, of mapreduce.Input) (mapreduce.RecordReader, error) {
	return &semicolonReader{in: bufio.NewReader(in), path: filepath.Base(of.Path)}, nil
}

type semicolonReader struct {
	in   *bufio.Reader
	path string
}

func (s *semicolonReader) Next() (key, value []byte, err error) {
	text, err := s.in.ReadBytes(';')
	if err != nil && len(text) > 0 {
		return nil, nil, &mapreduce.BadRecord{Err: errors.New("it does not end")}
	}
	return []byte(s.path), bytes.TrimSuffix(text, []byte{';'}), err
}

// A format of one's own, on plain and packed files; and a program in Go's types on CSV.
func TestFormatsOfPrograms(t *testing.T) {
	p := &mapreduce.Program{Name: "own", Input: semicolons{}}
	for _, kind := range packings {
		packed, err := codectest.Pack(kind, [][]byte{[]byte("a\n;b"), []byte("c;")})
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := mapOne(t, MapConfig{Config: Config{Program: p}}, string(packed), 3)
		if err != nil || got != "in-000\ta\n\nin-000\tbc\n" {
			t.Errorf("%s: %q, %v", kind, got, err)
		}
	}
	if _, _, err := mapOne(t, MapConfig{Config: Config{Program: p}}, "a;b", 100); err == nil || !strings.Contains(err.Error(), `in-000": record 2: it does not end`) {
		t.Errorf("%v", err)
	}

	type user struct {
		Name string
		Age  int `json:",string"`
	}
	ages := mapreduce.Typed[user, string, int64, int64]{Name: "ages", Map: func(_ *mapreduce.Context, u user, emit func(string, int64)) error {
		emit(u.Name, int64(u.Age))
		return nil
	}}.Program()
	ages.Input, ages.Output = mapreduce.CSV{Comma: ';'}, mapreduce.JSONLines{}
	got, _, err := mapOne(t, MapConfig{Config: Config{Program: &ages}}, "Name;Age\n\"A;B\";7\nC;8\n", 12)
	if err != nil || got != "{\"key\":\"A;B\",\"value\":7}\n{\"key\":\"C\",\"value\":8}\n" {
		t.Errorf("%q, %v", got, err)
	}
}
