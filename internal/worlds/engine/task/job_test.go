package task

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/slackline/slackline/internal/files"
	"github.com/slackline/slackline/mapreduce"
)

// texts are files with many short lines over a small alphabet, so that keys repeat and pieces end
// at every kind of place.
func texts() *rapid.Generator[[]string] {
	letters := rapid.SampledFrom([]rune("aaabb c\x00\n\n\t\r"))
	file := rapid.Custom(func(t *rapid.T) string {
		// Left to itself, rapid draws short texts nearly always.
		n := rapid.SampledFrom([]int{0, 0, 1, 10, 60, 300}).Draw(t, "at least")
		text := rapid.StringOfN(letters, n, n+100, -1).Draw(t, "text")
		if what, _ := files.Foreign([]byte(text), ""); what != "" { // it looks like UTF-16
			text = strings.ReplaceAll(text, "\x00", "a")
		}
		return text
	})
	return rapid.SliceOfN(file, 1, 5)
}

// The heart of the matter: the same bytes as the reference, at any block size, buffer size and number of workers.
func TestJobEqualsReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"list", "combine", "first", "blocks", "identity"}).Draw(t, "program")
		j := job{
			program: programs[name],
			block:   rapid.Int64Range(1, 300).Draw(t, "block"),
			reduces: rapid.IntRange(0, 4).Draw(t, "reduces"),
			buffer:  rapid.IntRange(1, 600).Draw(t, "buffer"),
			workers: rapid.IntRange(1, 3).Draw(t, "workers"),
		}
		in := texts().Draw(t, "files")
		if name == "blocks" { // counts offsets of lines from that of the block
			in = strings.Split(strings.ReplaceAll(strings.Join(in, "\x01"), "\r", "\n"), "\x01")
		}
		dir, err := os.MkdirTemp("", "task")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		want, err := reference(j.program, in, j.reduces)
		if err != nil {
			t.Fatal(err)
		}
		got, counters, err := j.run(t.Context(), dir, write(t, dir, in))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("output differs from the reference (-want +got):\n%s", diff)
		}
		lines := 0
		for _, text := range in {
			lines += len(naive(text))
		}
		if got := count(counters, mapreduce.MapInputRecords); got != int64(lines) {
			t.Fatalf("%s is %d, the input has %d lines", mapreduce.MapInputRecords, got, lines)
		}
		if bytes := len(strings.Join(in, "")); count(counters, mapreduce.MapInputBytes) != int64(bytes) {
			t.Fatalf("%s is %d of %d", mapreduce.MapInputBytes, count(counters, mapreduce.MapInputBytes), bytes)
		}
	})
}

// More spills than are merged at once: neighbours are merged first, and order must survive it.
func TestManySpills(t *testing.T) {
	var text strings.Builder
	for range 300 {
		text.WriteString("b a c a\n")
	}
	for _, name := range []string{"list", "combine"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			in := []string{text.String()}
			j := job{program: programs[name], block: 1 << 20, reduces: 2, buffer: 10, workers: 1}
			want, err := reference(j.program, in, j.reduces)
			if err != nil {
				t.Fatal(err)
			}
			got, counters, err := j.run(t.Context(), dir, write(t, dir, in))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("output differs from the reference (-want +got):\n%s", diff)
			}
			if spilled := count(counters, mapreduce.SpilledRecords); name == "list" && spilled < 3*1200 {
				t.Errorf("%d records spilled; the test wants more than two passes over 1200", spilled)
			}
		})
	}
}

// With hash combining the records that reach the disk are as many as distinct words, not as words.
func TestCombiningKeepsMapOutputSmall(t *testing.T) {
	dir := t.TempDir()
	in := []string{strings.Repeat("to be or not to be\n", 1000)}
	j := job{program: programs["combine"], block: 1 << 20, reduces: 1, workers: 1}
	_, counters, err := j.run(t.Context(), dir, write(t, dir, in))
	if err != nil {
		t.Fatal(err)
	}
	if got := count(counters, mapreduce.ReduceInputRecords); got != 4 {
		t.Errorf("%d records reach the reduce, want 4: to be or not", got)
	}
	if in, out := count(counters, mapreduce.MapOutputRecords), count(counters, mapreduce.SpilledRecords); in != 6000 || out != 4 {
		t.Errorf("%d records emitted and %d spilled, want 6000 and 4", in, out)
	}
	if got := count(counters, mapreduce.CombineInputRecords); got < 6000 {
		t.Errorf("%d records combined, want each of 6000 at least once", got)
	}
	if got := count(counters, mapreduce.ReduceInputGroups); got != 4 {
		t.Errorf("%d groups, want 4", got)
	}
}

// The reducer of a fold that stands for a combiner counts as the fold: it never fills a buffer with what
// comes again.
func TestReducerOfFoldIsFold(t *testing.T) {
	dir := t.TempDir()
	p := mapreduce.Program{Name: "ones", NewCombiner: mapreduce.Sum.Reducer, NewMapper: newMapper(mapFunc(func(_, line []byte, out mapreduce.Emitter) error {
		for _, w := range strings.Fields(string(line)) {
			if err := out.Emit([]byte(w), []byte("1")); err != nil {
				return err
			}
		}
		return nil
	}))}
	j := job{program: &p, block: 1 << 20, reduces: 1, workers: 1, buffer: 2000}
	_, counters, err := j.run(t.Context(), dir, write(t, dir, []string{strings.Repeat("to be or not to be\n", 1000)}))
	if err != nil {
		t.Fatal(err)
	}
	if out := count(counters, mapreduce.SpilledRecords); out != 4 {
		t.Errorf("%d records spilled, want 4", out)
	}
}
