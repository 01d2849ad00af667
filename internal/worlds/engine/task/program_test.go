package task

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/slackline/slackline/internal/worlds/engine/failure"
	"github.com/slackline/slackline/internal/worlds/engine/input"
	"github.com/slackline/slackline/mapreduce"
)

// What a Program can ask for beyond a mapper and a reducer, each against the same result made in a dumb way.

// repeated emits every word with short values that often come again, and a long one at times.
func repeated(_, line []byte, out mapreduce.Emitter) error {
	for i, w := range bytes.Fields(line) {
		value := []byte(strings.Repeat("1", 1+len(w)%9))
		if i%5 == 4 {
			value = []byte(strconv.Itoa(i))
		}
		if err := out.Emit(w, value); err != nil {
			return err
		}
	}
	return nil
}

// largest is a fold that is not the one which the engine knows.
var largest = &mapreduce.Fold{
	Parse:  mapreduce.ParseCount,
	Add:    func(a, b int64) (int64, error) { return max(a, b), nil },
	Append: func(to []byte, n int64) []byte { return strconv.AppendInt(to, n, 10) },
}

// A fold gives what its reducer gives without one.
func TestFoldEqualsReducer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for name, fold := range map[string]*mapreduce.Fold{"sum": mapreduce.Sum, "min": mapreduce.Min, "max": mapreduce.Max, "largest": largest} {
			program := &mapreduce.Program{Name: name, NewMapper: newMapper(mapFunc(repeated)), Fold: fold, NewReducer: fold.Reducer}
			compare(t, program, someJob(t))
		}
	})
}

// textOnly hides what an emitter can do besides.
type textOnly struct{ mapreduce.Emitter }

// Numbers that typed programs emit as they are give the bytes and the counts that their texts give.
func TestNumbersNeedNoText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		programs := []mapreduce.Program{}
		for _, combine := range []func(a, b int64) int64{
			func(a, b int64) int64 { return a + b },
			func(a, b int64) int64 { return max(a, b) },
			func(a, b int64) int64 { return a ^ b },
		} {
			programs = append(programs, mapreduce.Typed[string, string, int64, int64]{
				Map: func(_ *mapreduce.Context, line string, emit func(string, int64)) error {
					for i, w := range strings.Fields(line) {
						emit(w, int64(len(w)-3)*int64(i*i*i))
						emit(w+w+w, math.MinInt64+int64(i))
						emit("", 1)
					}
					return nil
				},
				Combine: combine,
			}.Program())
		}
		program := rapid.SampledFrom(programs).Draw(t, "program")
		hidden := program
		hidden.NewMapper = func(c *mapreduce.Context) (mapreduce.Mapper, error) {
			m, err := program.NewMapper(c)
			return mapFunc(func(key, value []byte, out mapreduce.Emitter) error { return m.Map(key, value, textOnly{out}) }), err
		}
		j, in := someJob(t), texts().Draw(t, "files")
		var got [2]map[string]string
		var counts [2]*mapreduce.Counters
		for i, p := range []*mapreduce.Program{&program, &hidden} {
			j.program = p
			got[i], counts[i] = runCounted(t, j, in)
		}
		if diff := cmp.Diff(got[1], got[0]); diff != "" {
			t.Fatalf("output differs from that of texts (-texts +numbers):\n%s", diff)
		}
		for _, name := range []string{mapreduce.MapOutputRecords, mapreduce.MapOutputBytes} {
			if a, b := counts[0].Get(mapreduce.TaskGroup, name), counts[1].Get(mapreduce.TaskGroup, name); a != b {
				t.Fatalf("%s is %d, with texts %d", name, a, b)
			}
		}
	})
}

// A fold of each kind gives what a function that does the same gives, of negative numbers and of long keys, too.
func TestFoldIsCombine(t *testing.T) {
	plain := mapreduce.Typed[string, string, int64, int64]{Map: func(_ *mapreduce.Context, line string, emit func(string, int64)) error {
		for i, w := range strings.Fields(line) {
			emit(w, int64(len(w)-3)*int64(i*i*i))
			emit(w+w+w, int64(5-i))
			emit("", int64(i-1))
		}
		return nil
	}}
	rapid.Check(t, func(t *rapid.T) {
		folded, combined := plain, plain
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0:
			folded.Fold, combined.Combine = mapreduce.Sum, func(a, b int64) int64 { return a + b }
		case 1:
			folded.Fold, combined.Combine = mapreduce.Min, func(a, b int64) int64 { return min(a, b) }
		case 2:
			folded.Fold, combined.Combine = mapreduce.Max, func(a, b int64) int64 { return max(a, b) }
		}
		j, in := someJob(t), texts().Draw(t, "files")
		var got [2]map[string]string
		for i, p := range []mapreduce.Program{folded.Program(), combined.Program()} {
			if i == 0 && p.Fold.Kind == mapreduce.OwnFold {
				t.Fatal("the engine is not told of its kind")
			}
			j.program = &p
			got[i], _ = runCounted(t, j, in)
		}
		if diff := cmp.Diff(got[1], got[0]); diff != "" {
			t.Fatalf("output differs from that of the function (-function +fold):\n%s", diff)
		}
	})
}

// longest keeps the two longest values of a key, a nil one among them if there are no others.
func longest(key []byte, values mapreduce.Values, out mapreduce.Emitter) error {
	var best [][]byte
	for values.Next() {
		best = append(best, bytes.Clone(values.Value()))
		slices.SortStableFunc(best, func(a, b []byte) int {
			if len(a) != len(b) {
				return len(b) - len(a)
			}
			return bytes.Compare(a, b)
		})
		best = best[:min(len(best), 2)]
	}
	for _, v := range best {
		if err := out.Emit(key, v); err != nil {
			return err
		}
	}
	return nil
}

// Groups that fill their regions again and again, with values of many lengths, beside the same without a combiner.
func TestCombinersSeeAllValues(t *testing.T) {
	emits := func(_, line []byte, out mapreduce.Emitter) error {
		for i, w := range bytes.Fields(line) {
			value := bytes.Repeat([]byte{'a' + byte(i%7)}, i*i%331%(1<<(i%10)))
			if err := out.Emit(w, value); err != nil {
				return err
			}
		}
		return nil
	}
	line := ""
	for i := range 3000 {
		line += fmt.Sprintf("w%d ", i*i%97%(1+i%23))
	}
	reducer := func(*mapreduce.Context) (mapreduce.Reducer, error) { return reduceFunc(longest), nil }
	for _, buffer := range []int{0, 20_000, 4000} {
		var got [2]map[string]string
		for i, combiner := range []func(*mapreduce.Context) (mapreduce.Reducer, error){nil, reducer} {
			dir := t.TempDir()
			p := &mapreduce.Program{Name: "longest", NewMapper: newMapper(mapFunc(emits)), NewCombiner: combiner, NewReducer: reducer}
			var err error
			if got[i], _, err = (job{program: p, block: 1 << 20, reduces: 2, buffer: buffer, workers: 1}).run(t.Context(), dir, write(t, dir, []string{line + "\n"})); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(got[0], got[1]); diff != "" {
			t.Errorf("buffer %d: output differs from that without a combiner:\n%s", buffer, diff)
		}
	}
}

// A sum that no number holds is an error, wherever the table finds that.
func TestSumsDoNotWrap(t *testing.T) {
	for _, n := range []int64{math.MaxInt64, math.MinInt64} {
		p := mapreduce.Typed[string, string, int64, int64]{Fold: mapreduce.Sum, Map: func(_ *mapreduce.Context, line string, emit func(string, int64)) error {
			emit(line, n)
			emit(line, n/2)
			return nil
		}}.Program()
		for _, key := range []string{"short", strings.Repeat("long", 10)} {
			dir := t.TempDir()
			_, _, err := (job{program: &p, block: 100, reduces: 1}).run(t.Context(), dir, write(t, dir, []string{key + "\n"}))
			if err == nil || !strings.Contains(err.Error(), "beyond 9223372036854775807") && !strings.Contains(err.Error(), "below -9223372036854775808") {
				t.Errorf("%d and a half of it: %v", n, err)
			}
		}
	}
}

// A job without reduces has the mapper that is meant for that.
func TestMapOnly(t *testing.T) {
	p := mapreduce.Typed[string, int64, string, string]{Map: func(_ *mapreduce.Context, line string, emit func(int64, string)) error {
		emit(int64(len(line)), line)
		return nil
	}}.Program()
	for reduces, want := range []map[string]string{{"all": "4\tfour\n3\tten\n"}, {"part-r-00000": "3\tten\n4\tfour\n"}} {
		dir := t.TempDir()
		got, _, err := (job{program: &p, block: 100, reduces: reduces}).run(t.Context(), dir, write(t, dir, []string{"four\nten\n"}))
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%d reduces: %v\n%s", reduces, err, diff)
		}
	}
}

// Numbers that a fold writes in another way than decimal count with the bytes of their text.
func TestNumbersCountAsText(t *testing.T) {
	wide := &mapreduce.Fold{Parse: func(v []byte) (int64, error) { return int64(binary.BigEndian.Uint64(v)), nil }, Add: largest.Add,
		Append: func(to []byte, n int64) []byte { return binary.BigEndian.AppendUint64(to, uint64(n)) }}
	p := &mapreduce.Program{Name: "wide", Fold: wide, NewReducer: wide.Reducer, NewMapper: newMapper(mapFunc(func(_, line []byte, out mapreduce.Emitter) error {
		for n := range int64(300) {
			if err := out.Emit(line, wide.Append(nil, n%20)); err != nil {
				return err
			}
		}
		return nil
	}))}
	dir := t.TempDir()
	_, counts, err := (job{program: p, block: 100, reduces: 1}).run(t.Context(), dir, write(t, dir, []string{"abc\n"}))
	if err != nil || counts.Get(mapreduce.TaskGroup, mapreduce.MapOutputBytes) != 300*11 {
		t.Errorf("%v\n%v", err, counts)
	}
}

// A table of more keys than its memory has room for is spilled, beside a combiner and beside a fold.
func TestTablesSpill(t *testing.T) {
	keys := mapFunc(func(_, _ []byte, out mapreduce.Emitter) error {
		for i := range 2000 {
			if err := out.Emit(strconv.AppendInt(nil, int64(i), 10), []byte("7")); err != nil {
				return err
			}
		}
		return nil
	})
	for _, p := range []*mapreduce.Program{{NewCombiner: mapreduce.Sum.Reducer}, {Fold: mapreduce.Sum}} {
		p.Name, p.NewMapper = "keys", newMapper(keys)
		for buffer, spilled := range map[int]int64{1 << 20: 2000, 20_000: 4000} {
			dir := t.TempDir()
			_, counts, err := (job{program: p, block: 100, reduces: 1, buffer: buffer}).run(t.Context(), dir, write(t, dir, []string{"one\n"}))
			if n := counts.Get(mapreduce.TaskGroup, mapreduce.SpilledRecords); err != nil || n != spilled {
				t.Errorf("of %d bytes %d records were spilled, want %d: %v", buffer, n, spilled, err)
			}
		}
	}
}

// A combiner sees each of the values that are counted instead of kept, empty ones and none among them.
func TestRepeatedValues(t *testing.T) {
	hollow := func(key, line []byte, out mapreduce.Emitter) error {
		for i, w := range bytes.Fields(line) {
			if err := out.Emit(w, [][]byte{{}, nil, {}}[i%3]); err != nil {
				return err
			}
		}
		return repeated(key, line, out)
	}
	rapid.Check(t, func(t *rapid.T) {
		mapper := newMapper(mapFunc(rapid.SampledFrom([]func(key, line []byte, out mapreduce.Emitter) error{repeated, hollow}).Draw(t, "mapper")))
		program := &mapreduce.Program{Name: "list", NewMapper: mapper, NewCombiner: newReducer(list{}), NewReducer: newReducer(list{})}
		compare(t, program, someJob(t))
	})
}

func someJob(t *rapid.T) job {
	return job{
		block:   rapid.Int64Range(1, 2000).Draw(t, "block"),
		reduces: rapid.IntRange(1, 4).Draw(t, "reduces"),
		buffer:  rapid.SampledFrom([]int{1, 600, 10_000, 1 << 20}).Draw(t, "buffer"),
		workers: rapid.IntRange(1, 3).Draw(t, "workers"),
	}
}

// compare runs a job on some text and holds it against the reference.
func compare(t *rapid.T, program *mapreduce.Program, j job) {
	j.program = program
	in := texts().Draw(t, "files")
	want, err := reference(program, in, j.reduces)
	if err != nil {
		t.Fatal(err)
	}
	got := runIn(t, j, in)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("output differs from the reference (-want +got):\n%s", diff)
	}
}

func runIn(t *rapid.T, j job, in []string) map[string]string {
	got, _ := runCounted(t, j, in)
	return got
}

func runCounted(t *rapid.T, j job, in []string) (map[string]string, *mapreduce.Counters) {
	dir, err := os.MkdirTemp("", "task")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	got, counts, err := j.run(t.Context(), dir, write(t, dir, in))
	if err != nil {
		t.Fatal(err)
	}
	return got, counts
}

// byPlace emits word, NUL, length of the line: a secondary sort by length.
func byPlace(key, line []byte, out mapreduce.Emitter) error {
	for _, w := range bytes.FieldsFunc(line, func(r rune) bool { return r <= ' ' }) {
		if err := out.Emit(fmt.Appendf(nil, "%s\x00%03d", w, len(line)), key); err != nil {
			return err
		}
	}
	return nil
}

// keysOfGroup prints the whole keys that come in one call.
type keysOfGroup struct{}

func (keysOfGroup) Reduce(group []byte, values mapreduce.Values, out mapreduce.Emitter) error {
	var all []string
	for values.Next() {
		key := values.(mapreduce.Keys).Key()
		all = append(all, fmt.Sprintf("%s@%d", key[len(group)+1:], mapreduce.Offset(values.Value())))
	}
	return out.Emit(group, []byte(strings.Join(all, ",")))
}

func TestGroupSortsWithinAndPartitionsByGroup(t *testing.T) {
	program := &mapreduce.Program{
		Name: "group", NewMapper: newMapper(mapFunc(byPlace)), NewReducer: newReducer(keysOfGroup{}),
		Group: func(key []byte) int { return bytes.IndexByte(key, 0) },
	}
	rapid.Check(t, func(t *rapid.T) {
		j := someJob(t)
		j.program = program
		in := texts().Draw(t, "files")
		type item struct{ group, rest string }
		var items []item
		for _, text := range in {
			for _, l := range naive(text) {
				for _, w := range strings.FieldsFunc(l.Text, func(r rune) bool { return r <= ' ' }) {
					items = append(items, item{w, fmt.Sprintf("%03d@%d", len(l.Text), l.At)})
				}
			}
		}
		sort.SliceStable(items, func(i, k int) bool {
			if items[i].group != items[k].group {
				return items[i].group < items[k].group
			}
			return items[i].rest[:3] < items[k].rest[:3]
		})
		want := map[string]string{}
		for p := range j.reduces {
			var text strings.Builder
			for i := 0; i < len(items); {
				group, rest := items[i].group, []string(nil)
				for ; i < len(items) && items[i].group == group; i++ {
					rest = append(rest, items[i].rest)
				}
				if mapreduce.Hash([]byte(group), j.reduces) == p {
					fmt.Fprintf(&text, "%s\t%s\n", group, strings.Join(rest, ","))
				}
			}
			want[PartName(true, p)] = text.String()
		}
		if diff := cmp.Diff(want, runIn(t, j, in)); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

// Parts of a total order are sorted one behind the other, and cut at the same keys however the input is split.
func TestTotalOrder(t *testing.T) {
	line := mapFunc(func(_, line []byte, out mapreduce.Emitter) error { return out.Emit(line, nil) })
	rapid.Check(t, func(t *rapid.T) {
		in := texts().Draw(t, "files")
		j := someJob(t)
		j.program = &mapreduce.Program{Name: "order", NewMapper: newMapper(line), TotalOrder: true}
		var want []string
		for _, text := range in {
			for _, l := range naive(text) {
				want = append(want, l.Text)
			}
		}
		slices.Sort(want)
		if want != nil {
			want = append(want, "") // an LF behind the last
		}
		got := runIn(t, j, in)
		var all strings.Builder
		for p := range j.reduces {
			all.WriteString(got[PartName(true, p)])
		}
		if diff := cmp.Diff(strings.Join(want, "\n"), all.String()); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		j.block, j.buffer, j.workers = 100, 100, 2
		if diff := cmp.Diff(got, runIn(t, j, in)); diff != "" {
			t.Fatalf("other blocks make other parts (-want +got):\n%s", diff)
		}
	})
}

// The sample of a large input looks at all of it, in windows, and cuts it into parts of about one size.
func TestSampleIsSpread(t *testing.T) {
	files := []input.Piece{piece("a", 0, 100<<20), piece("b", 0, 10), piece("c", 0, 300<<20)}
	s := windows(files)
	if len(s.Pieces) != sampleWindows || s.Size > sampleWindows*sampleWindow {
		t.Fatalf("%d windows of %d bytes", len(s.Pieces), s.Size)
	}
	inA := 0
	for _, p := range s.Pieces {
		if p.Start < 0 || p.End <= p.Start || p.End > 300<<20 {
			t.Errorf("window %+v", p)
		}
		if p.Path == "a" {
			inA++
		}
	}
	if inA < 15 || inA > 17 {
		t.Errorf("%d windows in a quarter of the input", inA)
	}
	whole := NewCuts(Cut([]input.File{file("a", 250), file("b", 0), file("c", 30), file("d", 100)}, 100)).Files
	for i := range whole {
		whole[i].FileSize = 0
	}
	if diff := cmp.Diff([]input.Piece{piece("a", 0, 250), piece("c", 0, 30), piece("d", 0, 100)}, whole); diff != "" {
		t.Errorf("files of the splits (-want +got):\n%s", diff)
	}
}

func TestCutPart(t *testing.T) {
	cuts := [][]byte{[]byte("b"), []byte("d"), []byte("d")}
	for key, want := range map[string]int{"": 0, "a": 0, "b": 1, "c": 1, "d": 3, "e": 3} {
		if got := cutPart(cuts, []byte(key)); got != want {
			t.Errorf("%q is in part %d, want %d", key, got, want)
		}
	}
}

// pass emits records of three bytes by their first two, one by one or by blocks.
type pass struct{ mapreduce.Identity }

type passBlocks struct{ mapreduce.Identity }

func (passBlocks) MapBlock(block []byte, offset int64, out mapreduce.Emitter) error {
	for i := 0; i < len(block); i += 3 {
		if (offset+int64(i))%3 != 0 {
			return fmt.Errorf("a block begins at %d, within a record", offset)
		}
		if err := out.Emit(block[i:i+2], block[i+2:i+3]); err != nil {
			return err
		}
	}
	return nil
}

func TestRecordsOfOneLength(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := someJob(t)
		var in, want []string
		for range rapid.IntRange(1, 3).Draw(t, "files") {
			record := rapid.StringOfN(rapid.SampledFrom([]rune("ab\x00\n")), 3, 3, 3)
			records := rapid.SliceOf(record).Draw(t, "records")
			in = append(in, strings.Join(records, ""))
			want = append(want, records...)
		}
		slices.SortStableFunc(want, func(a, b string) int { return strings.Compare(a[:2], b[:2]) })
		for _, m := range []mapreduce.Mapper{pass{}, passBlocks{}} {
			j.program = &mapreduce.Program{Name: "records", NewMapper: newMapper(m), Records: mapreduce.Records{Length: 3, Key: 2}, Raw: true, TotalOrder: true}
			got, all := runIn(t, j, in), ""
			for p := range j.reduces {
				all += got[PartName(true, p)]
			}
			if diff := cmp.Diff(strings.Join(want, ""), all); diff != "" {
				t.Fatalf("(-want +got):\n%s", diff)
			}
		}
	})
}

func TestRecordCutOff(t *testing.T) {
	dir := t.TempDir()
	in := write(t, dir, []string{"abcab"})
	p := &mapreduce.Program{Name: "records", NewMapper: newMapper(pass{}), Records: mapreduce.Records{Length: 3, Key: 2}}
	_, _, err := job{program: p, block: 100, reduces: 1}.run(t.Context(), dir, in)
	want := fmt.Sprintf("input %q: the record at byte 3 has 2 bytes instead of 3", in[0])
	if err == nil || err.Error() != want || failure.Of(err) != failure.Permanent {
		t.Errorf("it says %v\nwant    %s", err, want)
	}
	files, err := input.Find(in)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := input.Plan(files, 100, p, nil); err == nil || err.Error() != want {
		t.Errorf("the plan says %v\nwant    %s", err, want)
	}
}

// An error of a fold names the record, and a cancelled attempt stops within few records.
func TestFoldErrors(t *testing.T) {
	dir := t.TempDir()
	in := write(t, dir, []string{"one\ntwo x\n"})
	p := &mapreduce.Program{Name: "x", Fold: mapreduce.Sum, NewMapper: newMapper(mapFunc(func(_, line []byte, out mapreduce.Emitter) error {
		return out.Emit([]byte("k"), line)
	}))}
	_, _, err := job{program: p, block: 100, reduces: 1}.run(t.Context(), dir, in)
	want := fmt.Sprintf(`application x: map of %s at byte 0 failed: "one" is not a count`, in[0])
	if err == nil || err.Error() != want || failure.Of(err) != failure.Permanent {
		t.Errorf("it says %v\nwant    %s", err, want)
	}
	var user *UserError
	if !errors.As(err, &user) {
		t.Errorf("%T is no UserError", err)
	}
}
