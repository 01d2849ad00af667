package task

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slackline/slackline/internal/worlds/engine/format"
	"github.com/slackline/slackline/internal/worlds/engine/input"
	"github.com/slackline/slackline/mapreduce"
)

// ways to read the same 600 kB, more than is read at a time.
var readers = map[string]struct {
	program mapreduce.Program
	format  string
	record  string
}{
	"lines":         {record: "a line\n"},
	"blocks":        {record: "a line\n", program: mapreduce.Program{NewMapper: func(*mapreduce.Context) (mapreduce.Mapper, error) { return silentBlocks{}, nil }}},
	"fixed records": {record: "0123456789", program: mapreduce.Program{Records: mapreduce.Records{Length: 10, Key: 2}}},
	"key and value": {record: "k\tv\n", format: "kv"},
	"csv":           {record: "\"a\",b\n", format: "csv"},
	"json":          {record: "{\"a\": 1}\n", format: "json"},
	"whole":         {record: "anything", format: "whole"},
}

type silentBlocks struct{ mapreduce.Identity }

func (silentBlocks) MapBlock([]byte, int64, mapreduce.Emitter) error { return nil }

// reading is a map without reduces over a file of so many bytes. first is called at the first record.
func reading(t *testing.T, how string, first func(path string)) (MapConfig, int) {
	t.Helper()
	r := readers[how]
	dir := t.TempDir()
	path := filepath.Join(dir, "in")
	text := strings.Repeat(r.record, 600_000/len(r.record))
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	files, err := input.Find([]string{path})
	if err != nil {
		t.Fatal(err)
	}
	p := r.program
	p.Name = "x"
	made := p.NewMapper
	p.NewMapper = func(c *mapreduce.Context) (mapreduce.Mapper, error) {
		if made != nil {
			first(path)
			return made(c)
		}
		return mapFunc(func([]byte, []byte, mapreduce.Emitter) error {
			if first != nil {
				first(path)
			}
			first = nil
			return nil
		}), nil
	}
	c := MapConfig{Config: Config{Program: &p, Out: filepath.Join(dir, "out")}, Split: Cut(files, 1<<20)[0]}
	if r.format != "" {
		c.Sources = []input.Source{{Format: &format.Spec{Name: r.format}}}
	}
	return c, len(text)
}

// An input that ends too early is no shorter input, whichever way it is read.
func TestInputThatEndsTooEarly(t *testing.T) {
	for how := range readers {
		t.Run(how, func(t *testing.T) {
			c, size := reading(t, how, func(string) {})
			c.Split.Pieces[0].Wrote = 0 // so that only the reading finds out
			c.Split.Pieces[0].End += 1000
			_, _, err := Map(t.Context(), c)
			want := fmt.Sprintf("input %q: it ends at byte %d, but had at least %d bytes when the job started", c.Split.Pieces[0].Path, size, size+1000)
			if err == nil || err.Error() != want {
				t.Errorf("map says %v, want %s", err, want)
			}
		})
	}
}

// What a task made of a file that changed meanwhile is not committed, and the reason is reported, not its effect.
func TestInputThatChanges(t *testing.T) {
	for how := range readers {
		for change, f := range map[string]func(path string) error{
			"is cut":      func(path string) error { return os.Truncate(path, 300_003) },
			"grows":       func(path string) error { return os.Truncate(path, 700_000) },
			"is touched":  func(path string) error { return os.Chtimes(path, time.Time{}, time.Unix(1, 0)) },
			"stays as is": func(path string) error { return nil },
		} {
			t.Run(how+" "+change, func(t *testing.T) {
				c, _ := reading(t, how, func(path string) {
					if err := f(path); err != nil {
						t.Error(err)
					}
				})
				_, _, err := Map(t.Context(), c)
				if change == "stays as is" {
					if err != nil {
						t.Error(err)
					}
					return
				}
				want := fmt.Sprintf("input %q: it has changed since the job started: ", c.Split.Pieces[0].Path)
				if err == nil || !strings.HasPrefix(err.Error(), want) {
					t.Errorf("map says %v, want %s…", err, want)
				}
				if _, err := os.Stat(c.Out); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("the attempt left something, %v", err)
				}
			})
		}
	}
}

// A line that is longer than the memory of a task is an error and no more memory. It is told where
// it begins, and tasks that only have to pass over it do that.
func TestLongLineAndLittleMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "in")
	text := "short\n" + strings.Repeat("long", 1<<20) + "\nlast\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	files, err := input.Find([]string{path})
	if err != nil {
		t.Fatal(err)
	}
	splits := Cut(files, 1<<20)
	for i, s := range splits {
		c := MapConfig{Config: Config{Program: programs["list"], Buffer: 4 << 20, Local: filepath.Join(t.TempDir(), "m")}, Split: s, Parts: 1}
		_, _, err := Map(t.Context(), c)
		want := fmt.Sprintf("input %q: the line at byte 6 is longer than 2MB, half of the memory of a task; give more memory, or fewer slots", path)
		if i > 0 {
			want = "<nil>"
		}
		if fmt.Sprint(err) != want {
			t.Errorf("map %d of %d says %v, want %s", i+1, len(splits), err, want)
		}
	}
}
