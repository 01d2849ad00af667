package mapreduce_test

import (
	"bytes"
	"cmp"
	"iter"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/mapreduce"
	"pgregory.net/rapid"
)

// roundTrip checks that a codec reads what it wrote, and that its keys order as values do.
func roundTrip[T any](t *testing.T, c mapreduce.Codec[T], gen *rapid.Generator[T], compare func(a, b T) int) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := gen.Draw(t, "a"), gen.Draw(t, "b")
		text, err := c.Parse(c.Append(nil, a))
		if err != nil || compare(text, a) != 0 {
			t.Fatalf("%v as text is %v, %v", a, text, err)
		}
		ka, kb := c.AppendKey(nil, a), c.AppendKey(nil, b)
		key, err := c.ParseKey(ka)
		if err != nil || compare(key, a) != 0 {
			t.Fatalf("%v as a key is %v, %v", a, key, err)
		}
		if bytes.Compare(ka, kb) != compare(a, b) {
			t.Fatalf("%v and %v order otherwise as keys", a, b)
		}
	})
}

func TestCodecs(t *testing.T) {
	roundTrip(t, mapreduce.Int64, rapid.Int64(), cmp.Compare[int64])
	roundTrip(t, mapreduce.String, rapid.String(), cmp.Compare[string])
	roundTrip(t, mapreduce.Bytes, rapid.SliceOf(rapid.Byte()), bytes.Compare)
	roundTrip(t, mapreduce.Float64, rapid.Float64(), func(a, b float64) int {
		if a == b {
			return cmp.Compare(math.Copysign(1, a), math.Copysign(1, b)) // the two zeros
		}
		return cmp.Compare(a, b)
	})
	type pair struct {
		A string
		B []int
	}
	c := mapreduce.JSON[pair]()
	if p, err := c.Parse(c.Append(nil, pair{"a\nb", []int{1}})); err != nil || p.A != "a\nb" || p.B[0] != 1 {
		t.Errorf("%v, %v", p, err)
	}
	for _, err := range []error{
		second(c.Parse([]byte("{"))), second(mapreduce.Int64.Parse([]byte("1.5"))), second(mapreduce.Int64.ParseKey([]byte("1"))), second(mapreduce.Float64.Parse(nil)),
	} {
		if err == nil {
			t.Error("what is no value is read as one")
		}
	}
}

func second[T any](_ T, err error) error { return err }

// both runs a program as a pipeline of Streaming.
func both(t *testing.T, p mapreduce.Program, combine bool, in string) string {
	t.Helper()
	lines := sorted(must(t, &p, mapreduce.MapRole, in, nil))
	if combine {
		lines = sorted(must(t, &p, mapreduce.CombineRole, lines, nil))
	}
	return must(t, &p, mapreduce.ReduceRole, lines, nil)
}

func TestTypedWordcount(t *testing.T) {
	p := mapreduce.Typed[string, string, int64, int64]{Name: "words",
		Map: func(_ *mapreduce.Context, line string, emit func(string, int64)) error {
			for w := range strings.FieldsSeq(line) {
				emit(w, 1)
			}
			return nil
		},
		Combine: func(a, b int64) int64 { return a + b },
	}.Program()
	if p.Fold == nil {
		t.Error("numbers are not folded")
	}
	for _, combine := range []bool{false, true} {
		if out := both(t, p, combine, "the cat\nthe\n"); out != "cat\t1\nthe\t2\n" {
			t.Errorf("%q", out)
		}
	}
}

type visit struct {
	User string  `json:"user"`
	Day  int64   `json:"day"`
	Paid float64 `json:"paid"`
}

type spent struct {
	Sum  float64 `json:"sum"`
	Most float64 `json:"most"`
}

// JSON lines in, JSON out, keys that are numbers below and above 0, in their order.
func TestTypedRecords(t *testing.T) {
	p := mapreduce.Typed[visit, int64, spent, string]{Name: "days",
		Map: func(c *mapreduce.Context, v visit, emit func(int64, spent)) error {
			emit(v.Day, spent{v.Paid, v.Paid})
			return nil
		},
		Combine: func(a, b spent) spent { return spent{a.Sum + b.Sum, max(a.Most, b.Most)} },
		Reduce: func(_ *mapreduce.Context, day int64, all iter.Seq[spent], emit func(int64, string)) error {
			for s := range all {
				emit(day, strings.Repeat("*", int(s.Most)))
				break // the others are left
			}
			return nil
		},
	}.Program()
	in := `{"user":"a","day":10,"paid":2}` + "\n" + `{"user":"b","day":-3,"paid":1}` + "\n" + `{"user":"b","day":9,"paid":3}` + "\n" + `{"user":"c","day":9,"paid":4}` + "\n"
	if out := both(t, p, true, in); out != "-3\t*\n9\t****\n10\t**\n" {
		t.Errorf("%q", out)
	}
	if _, _, err := stream(t, &p, mapreduce.MapRole, "{}\nnonsense\n", nil); err == nil || !strings.Contains(err.Error(), `"nonsense" is not the JSON of a mapreduce_test.visit`) {
		t.Errorf("%v", err)
	}
}

func TestTypedWithoutReduce(t *testing.T) {
	p := mapreduce.Typed[string, string, []byte, []byte]{
		Map: func(_ *mapreduce.Context, line string, emit func(string, []byte)) error {
			emit(line[:1], []byte(line[1:]))
			return nil
		},
		Partition: func(key string, parts int) int { return int(key[0]) % parts },
	}.Program()
	if out := both(t, p, false, "ba\nab\nac\n"); out != "a\tb\na\tc\nb\ta\n" {
		t.Errorf("%q", out)
	}
	if n := p.Partition([]byte("a"), 10); n != 7 {
		t.Errorf("part %d", n)
	}
	if _, err := (mapreduce.Typed[string, string, string, string]{}).Program().NewMapper(nil); err == nil {
		t.Error("there is a mapper without a Map")
	}
}

// lengths emits a line under its length.
var lengths = mapreduce.Typed[string, int64, string, string]{
	Map: func(_ *mapreduce.Context, line string, emit func(int64, string)) error {
		emit(int64(len(line)), line)
		return nil
	},
}

// Without a Reduce and a Combine a job may have no reduces. Its keys are text then, as reduces would write them.
func TestTypedMapsOnly(t *testing.T) {
	p := lengths.Program()
	if p.NeedsReduces() {
		t.Error("it needs reduces")
	}
	if out := must(t, &p, mapreduce.MapRole, "four\nten, eleven\nsix\n", map[string]string{"mapreduce_job_reduces": "0"}); out != "4\tfour\n11\tten, eleven\n3\tsix\n" {
		t.Errorf("%q", out)
	}
	if out := both(t, p, false, "four\nten, eleven\nsix\n"); out != "3\tsix\n4\tfour\n11\tten, eleven\n" {
		t.Errorf("with reduces: %q", out)
	}
	combined := lengths
	combined.Combine = func(a, b string) string { return max(a, b) }
	if p := combined.Program(); !p.NeedsReduces() {
		t.Error("what is combined needs no reduces")
	}
}

// A join on the reduce side: each file has a mapper of its own, which knows when it ends.
func TestByInput(t *testing.T) {
	var c *mapreduce.Context
	construct := mapreduce.ByInput(func(_ *mapreduce.Context, in mapreduce.Input) (mapreduce.Mapper, error) { return tagged(in.Path), nil })
	c = mapreduce.NewContext(t.Context(), 0, 0, nil)
	m, err := construct(c)
	if err != nil {
		t.Fatal(err)
	}
	var got emitted
	for _, file := range []string{"users", "users", "visits"} {
		c.Reading(mapreduce.Input{Path: file})
		if err := m.Map(nil, []byte("x"), &got); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.(mapreduce.Closer).Close(&got); err != nil {
		t.Fatal(err)
	}
	if want := (emitted{"x users", "x users", "end users", "x visits", "end visits"}); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

type tagged string

func (f tagged) Map(_, line []byte, out mapreduce.Emitter) error { return out.Emit(line, []byte(f)) }

func (f tagged) Close(out mapreduce.Emitter) error { return out.Emit([]byte("end"), []byte(f)) }

type emitted []string

func (e *emitted) Emit(key, value []byte) error {
	*e = append(*e, string(key)+" "+string(value))
	return nil
}
