package task

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/worlds/engine/input"
	"github.com/slackline/slackline/mapreduce"
)

// corpus writes text of so many bytes with a vocabulary by Zipf's law, as natural text has.
func corpus(b *testing.B, size int) []input.File {
	b.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(r, 1.1, 1, 100_000)
	var text bytes.Buffer
	for text.Len() < size {
		for range 10 {
			fmt.Fprintf(&text, "w%x ", zipf.Uint64()*2654435761%(1<<24))
		}
		text.WriteByte('\n')
	}
	path := filepath.Join(b.TempDir(), "corpus")
	if err := os.WriteFile(path, text.Bytes(), 0o666); err != nil {
		b.Fatal(err)
	}
	return []input.File{{Path: path, Size: int64(text.Len())}}
}

// wordcount is written as an application would be.
type wordcount struct{ sum []byte }

func (*wordcount) Map(_, line []byte, out mapreduce.Emitter) error {
	for i := 0; i < len(line); {
		for i < len(line) && line[i] == ' ' {
			i++
		}
		from := i
		for i < len(line) && line[i] != ' ' {
			i++
		}
		if i > from {
			if err := out.Emit(line[from:i], one); err != nil {
				return err
			}
		}
	}
	return nil
}

var one = []byte("1")

func (w *wordcount) Reduce(key []byte, values mapreduce.Values, out mapreduce.Emitter) error {
	total := 0
	for values.Next() {
		n := 0
		for _, d := range values.Value() {
			n = 10*n + int(d-'0')
		}
		total += n
	}
	w.sum = strconv.AppendInt(w.sum[:0], int64(total), 10)
	return out.Emit(key, w.sum)
}

func byLine(_ *mapreduce.Context) (mapreduce.Mapper, error) {
	return mapFunc(func(_, line []byte, out mapreduce.Emitter) error { return out.Emit(line, nil) }), nil
}

// Each runs one map and one reduce at a time, so MB/s is per core.
func benchmarkJob(b *testing.B, p *mapreduce.Program) {
	files := corpus(b, 32<<20)
	splits := Cut(files, 16<<20)
	dir := b.TempDir()
	b.SetBytes(files[0].Size)
	b.ReportAllocs()
	for b.Loop() {
		outputs := make([]*Output, len(splits))
		for i := range splits {
			out, _, err := Map(context.Background(), MapConfig{
				Config: Config{Program: p, Task: i, Local: filepath.Join(dir, strconv.Itoa(i))}, Split: splits[i], Parts: 1,
			})
			if err != nil {
				b.Fatal(err)
			}
			outputs[i] = out
		}
		_, err := Reduce(context.Background(), ReduceConfig{
			Config: Config{Program: p, Local: filepath.Join(dir, "r"), Out: filepath.Join(dir, "o")},
			Maps:   len(splits),
			Fetch:  func(_ context.Context, m int) (*Output, error) { return outputs[m], nil },
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWordcount(b *testing.B) {
	w := func(*mapreduce.Context) (mapreduce.Reducer, error) { return &wordcount{}, nil }
	benchmarkJob(b, &mapreduce.Program{
		Name: "wordcount", NewCombiner: w, NewReducer: w,
		NewMapper: func(*mapreduce.Context) (mapreduce.Mapper, error) { return &wordcount{}, nil },
	})
}

// A fold in place of the combiner.
func BenchmarkWordcountFold(b *testing.B) {
	benchmarkJob(b, &mapreduce.Program{
		Name: "wordcount", Fold: mapreduce.Sum, NewReducer: mapreduce.Sum.Reducer,
		NewMapper: func(*mapreduce.Context) (mapreduce.Mapper, error) { return &wordcount{}, nil },
	})
}

// The shortest way to write it: functions of Go's own types.
func BenchmarkWordcountTyped(b *testing.B) {
	p := mapreduce.Typed[string, string, int64, int64]{
		Map: func(_ *mapreduce.Context, line string, emit func(string, int64)) error {
			for word := range strings.FieldsSeq(line) {
				emit(word, 1)
			}
			return nil
		},
		Combine: func(a, b int64) int64 { return a + b },
	}.Program()
	benchmarkJob(b, &p)
}

// Without a combiner every word is sorted, spilled and merged.
func BenchmarkWordcountWithoutCombiner(b *testing.B) {
	w := func(*mapreduce.Context) (mapreduce.Reducer, error) { return &wordcount{}, nil }
	benchmarkJob(b, &mapreduce.Program{
		Name: "wordcount", NewReducer: w,
		NewMapper: func(*mapreduce.Context) (mapreduce.Mapper, error) { return &wordcount{}, nil },
	})
}

func BenchmarkSortLines(b *testing.B) {
	benchmarkJob(b, &mapreduce.Program{Name: "sort", NewMapper: byLine})
}

func BenchmarkReadLines(b *testing.B) {
	none := func(*mapreduce.Context) (mapreduce.Mapper, error) {
		return mapFunc(func(_, _ []byte, _ mapreduce.Emitter) error { return nil }), nil
	}
	benchmarkJob(b, &mapreduce.Program{Name: "none", NewMapper: none})
}
