package task

import (
	"math"

	"github.com/slackline/slackline/mapreduce"
)

// folded is the buffer of a map with a fold: one number for each key, and nothing else.
type folded struct {
	collect
	fold  *mapreduce.Fold
	sum   bool // it is mapreduce.Sum
	table *table
	text  []byte
}

// Emit takes a record. When the buffer is full it is spilled.
func (f *folded) Emit(key, value []byte) error {
	if err := f.accept(key, value); err != nil {
		return err
	}
	var n int64
	if f.sum && len(value) == 1 && value[0]-'0' <= 9 {
		n = int64(value[0] - '0')
	} else {
		var err error
		if n, err = f.fold.Parse(value); err != nil {
			return f.a.broke(f.a.failed(err))
		}
	}
	if f.table.cost() > f.limit {
		if err := f.spill(); err != nil {
			return f.a.broke(err)
		}
	}
	s, made := f.table.find(key)
	switch {
	case made:
		s.n = n
	case f.sum && s.n <= math.MaxInt64-n:
		s.n += n
	default:
		both, err := f.fold.Add(s.n, n)
		if err != nil {
			return f.a.broke(f.a.failed(err))
		}
		s.n = both
	}
	return nil
}

func (f *folded) spill() error {
	a := f.a
	a.count.combineIn += a.count.mapOut - f.spilledAt
	f.spilledAt = a.count.mapOut
	slots := f.table.slots
	var g grouped
	g.key = func(e entry) []byte { return f.table.key(&slots[e.off]) }
	g.put = func(e entry, key []byte, add addRecord) error {
		a.count.combineOut++
		f.text = f.fold.Append(f.text[:0], slots[e.off].n)
		return add(key, f.text)
	}
	return f.writeGroups(len(slots), func(i int) bool { return slots[i].size > 0 }, g, f.table.clear)
}

func (f *folded) finish() (*Output, error) {
	if f.table.used > 0 || len(f.spills) == 0 {
		if err := f.spill(); err != nil {
			return nil, err
		}
	}
	return f.join()
}
