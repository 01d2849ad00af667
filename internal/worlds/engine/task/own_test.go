package task

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/files/codec/codectest"
	"github.com/slackline/slackline/mapreduce"
)

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
