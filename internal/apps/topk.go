package apps

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/slackline/slackline/internal/maths/heap"
	"github.com/slackline/slackline/mapreduce"
)

var topk = App{
	Name: "topk",
	Doc: "the k lines that occur most often, or of lines \"item TAB number\" the k with the greatest numbers; of equal ones those that come " +
		"first in byte order. Run it with reduces: 1: each reduce has its own k",
	Output: "item TAB count or number, the first ones first",
	Params: []Param{
		{Name: "k", Type: Number, Default: "10", Unit: "items", Doc: "how many"},
		{Name: "by", Type: Text, Default: "count", Doc: "count: how often a line occurs; value: the number after its last TAB, compared exactly if it is a decimal integer of whatever length, else as a float64"},
		{Name: "smallest", Type: Bool, Default: "false", Doc: "the smallest instead of the greatest"},
	},
	check: func(s settings) error {
		if by := s["by"].(string); by != "count" && by != "value" {
			return fmt.Errorf("application topk, parameter \"by\": %q is neither count nor value", by)
		}
		if k := s["k"].(float64); k < 1 || k > 10_000_000 || k != math.Trunc(k) {
			return fmt.Errorf("application topk, parameter \"k\": %v is not a whole number from 1 to 10000000", k)
		}
		return nil
	},
	build: func(s settings) mapreduce.Program {
		k, smallest := int(s["k"].(float64)), s["smallest"].(bool)
		p := mapreduce.Program{
			NewReducer: func(*mapreduce.Context) (mapreduce.Reducer, error) {
				return &topReducer{best: newBest(k, smallest), counts: s["by"] == "count"}, nil
			},
		}
		if s["by"] == "value" {
			p.NewMapper = func(*mapreduce.Context) (mapreduce.Mapper, error) {
				return &topMapper{newBest(k, smallest)}, nil
			}
			return p
		}
		p.NewMapper = func(*mapreduce.Context) (mapreduce.Mapper, error) { return countLines{}, nil }
		p.Fold = mapreduce.Sum
		return p
	},
}

type countLines struct{}

// Map counts a line.
func (countLines) Map(_, line []byte, out mapreduce.Emitter) error { return out.Emit(line, one) }

// ranked is an item with its number, which is kept as it was written.
type ranked struct {
	item, text []byte
	x          float64 // the number, rounded if it is a long integer
}

// rank reads a number.
func rank(item, text []byte) (ranked, error) {
	n, err := strconv.ParseInt(string(text), 10, 64)
	x := float64(n)
	if err != nil {
		x, err = strconv.ParseFloat(string(text), 64)
	}
	// An integer beyond what a float64 holds has its digits.
	if err != nil && (!errors.Is(err, strconv.ErrRange) || digits(text) == nil) || math.IsNaN(x) {
		return ranked{}, bad("%q of the item %q is not a number", text, item)
	}
	return ranked{item, text, x}, nil
}

// digits are those of a decimal integer, without its sign and leading zeros; nil for other text.
func digits(text []byte) []byte {
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		text = text[1:]
	}
	if len(text) == 0 || slices.ContainsFunc(text, func(c byte) bool { return c < '0' || c > '9' }) {
		return nil
	}
	return bytes.TrimLeft(text, "0")
}

// compareNumbers compares the numbers of two items. Up to 2^53 a float64 tells all integers apart,
// and from there on each float64 is one, so that its digits can be compared with those of others.
func compareNumbers(a, b ranked) int {
	if by := cmp.Compare(a.x, b.x); by != 0 || math.Abs(a.x) < 1<<53 {
		return by
	}
	magnitude := func(r ranked) []byte {
		if d := digits(r.text); d != nil || math.IsInf(r.x, 0) {
			return d
		}
		return strconv.AppendFloat(nil, math.Abs(r.x), 'f', 0, 64)
	}
	x, y := magnitude(a), magnitude(b)
	by := cmp.Or(cmp.Compare(len(x), len(y)), bytes.Compare(x, y))
	if x == nil || y == nil { // infinity, which is beyond all digits
		by = -by
	}
	if a.x < 0 {
		return -by
	}
	return by
}

// best keeps the first k of what is put into it: a heap with the last of them on top.
type best struct {
	k        int
	smallest bool
	heap     heap.Heap[ranked]
}

func newBest(k int, smallest bool) *best {
	b := &best{k: k, smallest: smallest}
	b.heap.Before = func(x, y *ranked) bool { return b.compare(*x, *y) > 0 }
	return b
}

// compare orders by number, then item, then how the number is written: so that nothing depends on
// what came first.
func (b *best) compare(x, y ranked) int {
	by := compareNumbers(y, x)
	if b.smallest {
		by = -by
	}
	return cmp.Or(by, bytes.Compare(x.item, y.item), bytes.Compare(x.text, y.text))
}

// put takes an item, whose bytes it copies if it keeps them.
func (b *best) put(r ranked) {
	full := len(b.heap.List) == b.k
	if full && b.compare(r, b.heap.List[0]) >= 0 {
		return
	}
	r.item, r.text = bytes.Clone(r.item), bytes.Clone(r.text)
	if full {
		b.heap.List[0] = r
		b.heap.Fix(0)
		return
	}
	b.heap.Push(r)
}

// each emits them, the first one first.
func (b *best) each(out mapreduce.Emitter) error {
	slices.SortFunc(b.heap.List, b.compare)
	for _, r := range b.heap.List {
		if err := out.Emit(r.item, r.text); err != nil {
			return err
		}
	}
	return nil
}

// topMapper keeps the first k of its task.
type topMapper struct{ *best }

// Map takes a line.
func (m *topMapper) Map(_, line []byte, _ mapreduce.Emitter) error {
	tab := bytes.LastIndexByte(line, '\t')
	if tab < 0 {
		return bad("%q has no TAB followed by a number", line)
	}
	r, err := rank(line[:tab], bytes.TrimSuffix(line[tab+1:], []byte{'\r'}))
	if err != nil {
		return err
	}
	m.put(r)
	return nil
}

// Close emits them.
func (m *topMapper) Close(out mapreduce.Emitter) error { return m.each(out) }

// topReducer keeps the first k of its part.
type topReducer struct {
	*best
	counts bool
}

// Reduce takes an item with its counts, or numbers.
func (t *topReducer) Reduce(item []byte, values mapreduce.Values, _ mapreduce.Emitter) error {
	sum := int64(0)
	for values.Next() {
		if !t.counts {
			r, err := rank(item, values.Value())
			if err != nil {
				return err
			}
			t.put(r)
			continue
		}
		n, err := mapreduce.ParseCount(values.Value())
		if err == nil {
			sum, err = mapreduce.Sum.Add(sum, n)
		}
		if err != nil {
			return err
		}
	}
	if t.counts {
		t.put(ranked{item: item, text: strconv.AppendInt(nil, sum, 10), x: float64(sum)})
	}
	return nil
}

// Close emits them.
func (t *topReducer) Close(out mapreduce.Emitter) error { return t.each(out) }
