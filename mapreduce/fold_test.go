package mapreduce

import "testing"

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
