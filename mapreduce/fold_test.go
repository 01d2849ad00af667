package mapreduce

import (
	"math"
	"testing"
)

type emitFunc func(key, value []byte)

func (f emitFunc) Emit(key, value []byte) error {
	f(key, value)
	return nil
}

type walk struct {
	rest [][]byte
	now  []byte
}

func (w *walk) Next() bool {
	if len(w.rest) == 0 {
		return false
	}
	w.now, w.rest = w.rest[0], w.rest[1:]
	return true
}

func (w *walk) Value() []byte { return w.now }

func TestSumRefusesWhatIsNoCount(t *testing.T) {
	total, err := Sum.Reducer(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"", "x", "-1", "99999999999999999999", "9223372036854775808"} {
		if err := total.Reduce([]byte("k"), &walk{rest: [][]byte{[]byte(bad)}}, emitFunc(func(_, _ []byte) {})); err == nil {
			t.Errorf("the count %q is taken", bad)
		}
	}
	big := []byte("9223372036854775807")
	if err := total.Reduce([]byte("k"), &walk{rest: [][]byte{big, []byte("1")}}, emitFunc(func(_, _ []byte) {})); err == nil {
		t.Error("a sum beyond 63 bits wraps")
	}
	if err := total.Reduce([]byte("k"), &walk{rest: [][]byte{big}}, emitFunc(func(_, v []byte) {
		if string(v) != string(big) {
			t.Errorf("sum of %s is %s", big, v)
		}
	})); err != nil {
		t.Error(err)
	}
}

func TestMinAndMaxReadNumbers(t *testing.T) {
	for text, want := range map[string]int64{"-3": -3, "4": 4, "-0": 0, "-9223372036854775807": -math.MaxInt64} {
		if n, err := Min.Parse([]byte(text)); err != nil || n != want {
			t.Errorf("%s is read as %d, %v", text, n, err)
		}
	}
	for _, text := range []string{"", "-", "--1", "1.5", "x"} {
		if _, err := Max.Parse([]byte(text)); err == nil {
			t.Errorf("%q is read as a number", text)
		}
	}
}

func TestTypedFold(t *testing.T) {
	two := func(a, b int64) int64 { return a + b }
	nothing := func(*Context, string, func(string, int64)) error { return nil }
	if _, err := (Typed[string, string, int64, int64]{Map: nothing, Fold: Sum, Combine: two}).Program().NewMapper(nil); err == nil {
		t.Error("it has both a Fold and a Combine")
	}
	text := Typed[string, string, string, string]{Map: func(*Context, string, func(string, string)) error { return nil }, Fold: Sum}.Program()
	if _, err := text.NewMapper(nil); err == nil || text.Fold != nil {
		t.Error("texts are folded")
	}
	wide := Typed[string, string, int64, int64]{Map: nothing, Fold: Sum, Values: Codec[int64]{Append: Int64.AppendKey, Parse: Int64.ParseKey}}.Program()
	if wide.Fold.Kind != OwnFold {
		t.Error("values that are no text are folded as if they were")
	}
}

func TestProgramCheck(t *testing.T) {
	for want, p := range map[string]Program{
		"": {Name: "x", Fold: Sum, NewReducer: Sum.Reducer, Records: Records{100, 10}, TotalOrder: true},
		"application x: it has both a combiner and a fold":           {Name: "x", Fold: Sum, NewCombiner: Sum.Reducer},
		"application x: it has both a partitioner and a total order": {Name: "x", Partition: Hash, TotalOrder: true},
		"application x: records of 10 bytes cannot have keys of 11":  {Name: "x", Records: Records{10, 11}},
		"application x: records of -1 bytes cannot have keys of 0":   {Name: "x", Records: Records{Length: -1}},
	} {
		got := ""
		if err := p.Check(); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
}
