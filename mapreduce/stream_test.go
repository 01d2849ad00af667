package mapreduce_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/mapreduce"
	"pgregory.net/rapid"
)

// words counts words, as the package's comment shows.
func words() *mapreduce.Program {
	return &mapreduce.Program{Name: "words",
		NewMapper: func(c *mapreduce.Context) (mapreduce.Mapper, error) { return split{c}, nil },
		Fold:      mapreduce.Sum, NewReducer: mapreduce.Sum.Reducer}
}

type split struct{ c *mapreduce.Context }

func (s split) Map(_, line []byte, out mapreduce.Emitter) error {
	s.c.Counter("words", "lines, all").Add(1)
	for _, w := range bytes.Fields(line) {
		if err := out.Emit(w, []byte("1")); err != nil {
			return err
		}
	}
	return nil
}

func stream(t testing.TB, p *mapreduce.Program, role mapreduce.Role, in string, env map[string]string) (out, report string, err error) {
	t.Helper()
	var o, r strings.Builder
	err = p.Stream(t.Context(), role, mapreduce.Streams{In: strings.NewReader(in), Out: &o, Report: &r, Env: func(n string) string { return env[n] }})
	return o.String(), r.String(), err
}

func must(t testing.TB, p *mapreduce.Program, role mapreduce.Role, in string, env map[string]string) string {
	t.Helper()
	out, _, err := stream(t, p, role, in, env)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// sorted is what a framework does between map and reduce.
func sorted(text string) string {
	lines := slices.Collect(strings.Lines(text))
	slices.SortStableFunc(lines, func(a, b string) int {
		ka, _, _ := strings.Cut(a, "\t")
		kb, _, _ := strings.Cut(b, "\t")
		return strings.Compare(ka, kb)
	})
	return strings.Join(lines, "")
}

func TestStreamWordcount(t *testing.T) {
	mapped, report, err := stream(t, words(), mapreduce.MapRole, "the cat\n\nthe end", nil)
	if err != nil || mapped != "cat\t1\nend\t1\nthe\t2\n" || report != "reporter:counter:words,lines, all,3\n" {
		t.Fatalf("%q %q %v", mapped, report, err)
	}
	for _, in := range []string{sorted(mapped), must(t, words(), mapreduce.CombineRole, sorted(mapped), nil)} {
		if out := must(t, words(), mapreduce.ReduceRole, in, nil); out != "cat\t1\nend\t1\nthe\t2\n" {
			t.Errorf("%q", out)
		}
	}
}

// A program that says how values are combined and has no reducer combines them to the end.
func TestStreamReducesAsItCombines(t *testing.T) {
	fold, combiner := words(), words()
	fold.NewReducer, combiner.NewReducer = nil, nil
	combiner.Fold, combiner.NewCombiner = nil, mapreduce.Sum.Reducer
	for _, p := range []*mapreduce.Program{fold, combiner} {
		if out := must(t, p, mapreduce.ReduceRole, "cat\t1\nthe\t2\nthe\t3\n", nil); out != "cat\t1\nthe\t5\n" {
			t.Errorf("%q", out)
		}
		if !p.NeedsReduces() {
			t.Error("without reduces nothing would be combined")
		}
	}
}

// A map with a fold writes each key once, unless its output is the job's, and what cannot be folded as it is.
func TestStreamFolds(t *testing.T) {
	if out := must(t, words(), mapreduce.MapRole, "a b a\n", map[string]string{"mapreduce_job_reduces": "0"}); out != "a\t1\nb\t1\na\t1\n" {
		t.Errorf("%q", out)
	}
	p := words()
	p.NewMapper = func(*mapreduce.Context) (mapreduce.Mapper, error) { return fields{}, nil }
	if out := must(t, p, mapreduce.MapRole, "a 1\nb x\na 2\na 9223372036854775807\nc 5\n", nil); out != "b\tx\na\t9223372036854775807\na\t3\nc\t5\n" {
		t.Errorf("%q", out)
	}
	var in strings.Builder
	for i := range 700_000 {
		fmt.Fprintf(&in, "key-%d %d\n", i%600_000, 1)
	}
	mapped := must(t, p, mapreduce.MapRole, in.String(), nil)
	if n := strings.Count(mapped, "\n"); n <= 600_000 || n > 700_000 {
		t.Errorf("%d records came of a map that cannot hold all", n)
	}
	if out := must(t, p, mapreduce.ReduceRole, sorted(mapped), nil); strings.Count(out, "\t2\n") != 100_000 || strings.Count(out, "\n") != 600_000 {
		t.Errorf("%d sums of 2, %d in all", strings.Count(out, "\t2\n"), strings.Count(out, "\n"))
	}
}

// fields takes the two words of a line for key and value.
type fields struct{}

func (fields) Map(_, line []byte, out mapreduce.Emitter) error {
	key, value, _ := bytes.Cut(line, []byte(" "))
	return out.Emit(key, value)
}

// Identity passes records through map and reduce; lines without a TAB come out as they went in,
// also when Hadoop put one behind.
func TestStreamKeepsLines(t *testing.T) {
	p := &mapreduce.Program{Name: "sort", NewMapper: func(*mapreduce.Context) (mapreduce.Mapper, error) { return lineIsKey{}, nil }}
	in := "b\na\tx\ty\n\nb\n"
	if mapped := must(t, p, mapreduce.MapRole, in, map[string]string{"mapreduce_job_reduces": "0"}); mapped != in {
		t.Errorf("map: %q", mapped)
	}
	mapped := must(t, p, mapreduce.MapRole, "a\tx\ra\n", nil)
	if mapped != "a\b\x29x\b\x2da\n" {
		t.Errorf("map before a reduce: %q", mapped)
	}
	if out := must(t, p, mapreduce.ReduceRole, strings.TrimSuffix(mapped, "\n")+"\t\n", nil); out != "a\tx\ra\n" {
		t.Errorf("and behind it: %q", out)
	}
	if out := must(t, p, mapreduce.ReduceRole, "\t\na\tx\ty\nb\t\nb\t\n", nil); out != "\na\tx\ty\nb\nb\n" {
		t.Errorf("reduce: %q", out)
	}
	env := map[string]string{"stream_num_map_output_key_fields": "1000"}
	if out := must(t, p, mapreduce.ReduceRole, "a\tx\ty\t\na\tx\tz\t\n", env); out != "a\tx\ty\na\tx\tz\n" {
		t.Errorf("reduce with key fields: %q", out)
	}
}

type lineIsKey struct{}

func (lineIsKey) Map(_, line []byte, out mapreduce.Emitter) error { return out.Emit(line, nil) }

// unread leaves values, and emits what it is told of its surroundings when it closes.
type unread struct{ c *mapreduce.Context }

func (u unread) Reduce(key []byte, v mapreduce.Values, out mapreduce.Emitter) error {
	v.Next()
	return out.Emit(key, v.Value())
}

func (u unread) Close(out mapreduce.Emitter) error {
	in := u.c.Input()
	return out.Emit([]byte("end"), []byte{byte('0' + u.c.Task()), byte('0' + u.c.Attempt()), in.Path[0], byte('0' + in.Start), byte('0' + in.Length)})
}

func TestStreamSurroundings(t *testing.T) {
	p := &mapreduce.Program{NewReducer: func(c *mapreduce.Context) (mapreduce.Reducer, error) { return unread{c}, nil }}
	env := map[string]string{"mapreduce_task_partition": "3", "mapreduce_task_attempt_id": "attempt_1_0001_r_000003_2",
		"mapreduce_map_input_file": "f", "mapreduce_map_input_start": "4", "mapreduce_map_input_length": "5"}
	if out := must(t, p, mapreduce.ReduceRole, "a\t1\na\t2\nb\t3\n", env); out != "a\t1\nb\t3\nend\t32f45\n" {
		t.Errorf("%q", out)
	}
	p.Group = func(key []byte) int { return 1 }
	if out := must(t, p, mapreduce.ReduceRole, "ax\t1\nay\t2\nb\t3\n", env); out != "a\t1\nb\t3\nend\t32f45\n" {
		t.Errorf("grouped: %q", out)
	}
}

func TestStreamRefuses(t *testing.T) {
	for want, p := range map[string]*mapreduce.Program{
		"its records are not lines": {Records: mapreduce.Records{Length: 10}},
		"holds a line feed":         {NewMapper: func(*mapreduce.Context) (mapreduce.Mapper, error) { return twoLines{}, nil }},
	} {
		if _, _, err := stream(t, p, mapreduce.MapRole, "x\n", nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, _, err := stream(t, words(), "shuffle", "", nil); err == nil {
		t.Error("there is a role shuffle")
	}
	if _, _, err := stream(t, words(), mapreduce.ReduceRole, "a\tone\n", nil); err == nil || !strings.Contains(err.Error(), `"one" is not a count`) {
		t.Errorf("%v", err)
	}
}

type twoLines struct{}

func (twoLines) Map(_, line []byte, out mapreduce.Emitter) error {
	return out.Emit([]byte("a"), []byte("b\nc"))
}

// Lines longer than any buffer, and block mappers, see the same bytes.
func TestStreamLines(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in := strings.Join(rapid.SliceOf(rapid.OneOf(rapid.StringMatching(`[a-z\t]{0,9}`), rapid.Just(strings.Repeat("long ", 60_000)))).Draw(rt, "lines"), "\n")
		want := in
		if in != "" && !strings.HasSuffix(in, "\n") {
			want += "\n"
		}
		p := &mapreduce.Program{NewMapper: func(*mapreduce.Context) (mapreduce.Mapper, error) { return lineIsKey{}, nil }}
		none := map[string]string{"mapreduce_job_reduces": "0"}
		if got := must(t, p, mapreduce.MapRole, in, none); got != want {
			rt.Fatalf("%d bytes became %d", len(want), len(got))
		}
		p.NewMapper = func(*mapreduce.Context) (mapreduce.Mapper, error) { return &blocks{}, nil }
		if got := must(t, p, mapreduce.MapRole, in, none); got != want {
			rt.Fatalf("in blocks %d bytes became %d", len(want), len(got))
		}
	})
}

// blocks emits each line, and fails if an offset is wrong.
type blocks struct {
	lineIsKey
	at int64
}

func (b *blocks) MapBlock(block []byte, offset int64, out mapreduce.Emitter) error {
	if offset != b.at {
		panic("a gap in the input")
	}
	b.at += int64(len(block))
	for line := range bytes.Lines(block) {
		if err := out.Emit(bytes.TrimSuffix(line, []byte("\n")), nil); err != nil {
			return err
		}
	}
	return nil
}

func FuzzSplitLine(f *testing.F) {
	f.Add([]byte("a\tb\tc"), 1)
	f.Fuzz(func(t *testing.T, line []byte, n int) {
		key, value := mapreduce.SplitLine(line, n)
		if whole := string(key) + "\t" + string(value); whole != string(line) && whole != string(line)+"\t" {
			t.Errorf("%q became %q and %q", line, key, value)
		}
	})
}

// What a mapper warns of stands in the log of the attempt.
func TestStreamWarns(t *testing.T) {
	p := &mapreduce.Program{NewMapper: func(c *mapreduce.Context) (mapreduce.Mapper, error) {
		c.Warn("it is slow")
		return mapreduce.Identity{}, nil
	}}
	if _, report, err := stream(t, p, mapreduce.MapRole, "a\n", nil); err != nil || report != "it is slow\n" {
		t.Errorf("%q, %v", report, err)
	}
}
