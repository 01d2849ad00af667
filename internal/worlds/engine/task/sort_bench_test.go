package task

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/slackline/slackline/internal/worlds/engine/input"
	"github.com/slackline/slackline/mapreduce"
)

// Half a million entries with random prefixes, as records of the sort benchmark have them.
func BenchmarkSortEntries(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	list := make([]entry, 500_000)
	for i := range list {
		list[i] = entry{prefix: r.Uint64(), off: uint32(i)}
	}
	work, scratch := make([]entry, len(list)), make([]entry, len(list))
	b.SetBytes(int64(len(list) * entrySize))
	for b.Loop() {
		copy(work, list)
		sortEntries(work, scratch, func(entry) []byte { panic("prefixes differ") })
	}
}

// Records of 100 bytes, sorted by their first ten: four maps, then one reduce, on one core.
func BenchmarkSortRecords(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	all := make([]byte, 64_000_000)
	for i := range all {
		all[i] = byte(r.Uint32())
	}
	dir := b.TempDir()
	path := filepath.Join(dir, "records")
	if err := os.WriteFile(path, all, 0o666); err != nil {
		b.Fatal(err)
	}
	p := &mapreduce.Program{Name: "sort", Records: mapreduce.Records{Length: 100, Key: 10}, Raw: true}
	splits := Cut([]input.File{{Path: path, Size: int64(len(all))}}, 16_000_000)
	b.SetBytes(int64(len(all)))
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
