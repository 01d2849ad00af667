package task

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/slackline/slackline/mapreduce"
)

// A bit that flips in the last block of one map's output is found when that block is read, whether
// segments are merged where they lie or copied first, and into memory or not; the map is named, and
// no record of the block reaches the user's code.
func TestLateDamageIsFound(t *testing.T) {
	for _, maps := range []int{2, mergeFactor + 1} {
		for _, buffer := range []int{0, 1} {
			t.Run(fmt.Sprintf("%d maps, buffer %d", maps, buffer), func(t *testing.T) {
				dir := t.TempDir()
				out := filledRun(t, filepath.Join(dir, "run"), 50_000)
				damaged := filledRun(t, filepath.Join(dir, "damaged"), 50_000)
				blocks := damaged.Segments[0].Blocks
				if len(blocks) < 3 {
					t.Fatalf("%d blocks, the test wants some", len(blocks))
				}
				b, err := os.ReadFile(damaged.Path)
				if err != nil {
					t.Fatal(err)
				}
				b[len(b)-10] ^= 4
				if err := os.WriteFile(damaged.Path, b, 0o666); err != nil {
					t.Fatal(err)
				}
				seen := 0
				p := mapreduce.Program{Name: "x", NewReducer: newReducer(reduceFunc(func(key []byte, values mapreduce.Values, _ mapreduce.Emitter) error {
					for values.Next() {
						seen++
						if string(values.Value()) != "value of "+string(key) {
							t.Errorf("key %q came with %q", key, values.Value())
						}
					}
					return nil
				}))}
				_, err = Reduce(t.Context(), ReduceConfig{
					Config: Config{Program: &p, Buffer: buffer, Local: filepath.Join(dir, "r"), Out: filepath.Join(dir, "o")},
					Maps:   maps,
					Fetch: func(_ context.Context, m int) (*Output, error) {
						if m == 1 {
							return damaged, nil
						}
						return out, nil
					},
				})
				var fetch *FetchError
				if !errors.As(err, &fetch) || fetch.Map != 1 || fetch.Output != damaged || !errors.Is(err, errSum) {
					t.Errorf("it says %v, want a FetchError for map 1", err)
				}
				if copied := maps > mergeFactor; copied && seen > 0 || !copied && seen == 0 {
					t.Errorf("%d values seen before the damage", seen)
				}
				leftBehind(t, dir, "damaged", "run")
			})
		}
	}
}

func filledRun(t *testing.T, path string, records int) *Output {
	t.Helper()
	w, err := createRun(path, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range records {
		if err := w.add(0, fmt.Appendf(nil, "%06d", i), fmt.Appendf(nil, "value of %06d", i)); err != nil {
			t.Fatal(err)
		}
	}
	out, n, err := w.finish()
	if err != nil || n != int64(records) {
		t.Fatalf("%d records, %v", n, err)
	}
	return out
}

// Damage to an attempt's own spill is its failure, which names the file.
func TestDamagedSpill(t *testing.T) {
	dir := t.TempDir()
	out := filledRun(t, filepath.Join(dir, "run-0"), 50_000)
	b, err := os.ReadFile(out.Path)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	if err := os.WriteFile(out.Path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	s := spiller{a: newAttempt(t.Context(), Config{Program: &mapreduce.Program{}}), dir: dir, parts: 1, made: 1, factor: mergeFactor,
		spills: []*Output{out, filledRun(t, filepath.Join(dir, "other"), 10)}}
	_, err = s.join()
	if want := fmt.Sprintf("spill %s: the checksum does not match", out.Path); err == nil || err.Error() != want {
		t.Errorf("it says %v\nwant    %s", err, want)
	}
}
