package task

import (
	"encoding/binary"

	"github.com/slackline/slackline/mapreduce"
)

// folded is the buffer of a map with a fold: one number for each key, and nothing else.
type folded struct {
	tabled
	fold *mapreduce.Fold
	kind mapreduce.Kind // of the fold
	text []byte         // of the number that is spilled
	at   *slot          // whose number is folded
}

func newFolded(base collect, fold *mapreduce.Fold) *folded {
	f := &folded{tabled: newTabled(base), fold: fold, kind: fold.Kind}
	f.own = f
	f.where = func() string { return "combine at key " + quoted(f.table.key(f.at)) }
	return f
}

// Emit takes a record. When the buffer is full it is spilled. What is common is done here and in
// the order of the queue; counting and looking whether to stop are left to drain.
func (f *folded) Emit(key, value []byte) error {
	if len(key) >= longKey || f.waits >= len(f.all) {
		return f.emit(key, value)
	}
	w := &f.all[f.waits]
	if f.kind != mapreduce.OwnFold && len(value) == 1 && value[0]-'0' <= 9 {
		w.n = int64(value[0] - '0')
	} else {
		var err error
		if w.n, err = f.fold.Parse(value); err != nil {
			return f.emit(key, value) // which says so
		}
	}
	if cap(key) >= 16 { // as in probe.of, which is too long to be inlined
		k := key[:16]
		m := &masks[len(key)]
		w.lo, w.hi = binary.LittleEndian.Uint64(k)&m[0], binary.LittleEndian.Uint64(k[8:])&m[1]
	} else {
		w.lo, w.hi = clipped(key)
	}
	w.size = uint32(len(key)) + 1
	f.waits++
	f.bytes += len(key) + len(value)
	return nil
}

// emit is Emit for what is less common.
func (f *folded) emit(key, value []byte) error {
	if err := f.drain(); err != nil {
		return err
	}
	if err := f.accept(key, value); err != nil {
		return err
	}
	n, err := f.fold.Parse(value)
	if err != nil {
		return f.a.broke(f.a.failed(err))
	}
	s, made := f.table.find(key)
	return f.combining(func() error { return f.put(s, made, n) })
}

func (f *folded) cost() int { return f.table.cost() }

func (f *folded) take(queue []waiting) error {
	for i := range queue {
		if w := &queue[i]; f.kind == mapreduce.OwnFold || !f.table.tally(&w.probe, w.n, f.kind) {
			s, made := f.table.seek(&w.probe, nil)
			if err := f.put(s, made, w.n); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *folded) put(s *slot, made bool, n int64) error {
	if f.at = s; made {
		s.n = n
		return nil
	}
	both, err := f.fold.Add(s.n, n)
	if err != nil {
		return f.a.failed(err)
	}
	s.n = both
	return nil
}

func (f *folded) spill() error {
	a := f.a
	a.count.combineIn += a.count.mapOut - f.spilledAt
	f.spilledAt = a.count.mapOut
	return f.writeGroups(f.table, func(s *slot, key []byte, add addRecord) error {
		a.count.combineOut++
		f.text = f.fold.Append(f.text[:0], s.n)
		return add(key, f.text)
	})
}
