package task

import (
	"encoding/binary"

	"github.com/slackline/slackline/mapreduce"
)

// folded is the buffer of a map with a fold: one number for each key, and nothing else. Short records wait in a
// queue until their slots are looked up together, so that the memory behind many slots is fetched at
// once and not one after the other.
type folded struct {
	collect
	table *table
	fold  *mapreduce.Fold
	kind  mapreduce.Kind // of the fold
	text  []byte         // of the number that is spilled
	at    *slot          // whose number is folded
	queue []waiting
	waits int // how many do
	bytes int // of their keys and values
	touch uint64
}

// waiting is a record on its way to its slot: a short key, and its number.
type waiting struct {
	probe
	n int64
}

const queueSize = 64

// newFolded makes a table with a queue that is in proportion to the limit of its memory.
func newFolded(base collect, fold *mapreduce.Fold) *folded {
	return &folded{collect: base, table: newTable(), fold: fold, kind: fold.Kind, queue: make([]waiting, min(queueSize, base.limit/slotCost+1))}
}

// Emit takes a record. When the buffer is full it is spilled. What is common is done here and in
// the order of the queue; counting and looking whether to stop are left to drain.
func (f *folded) Emit(key, value []byte) error {
	if len(key) >= longKey || f.waits >= len(f.queue) {
		return f.emit(key, value)
	}
	w := &f.queue[f.waits]
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

// drain brings what waits to its slots. What fails in that is not the fault of the record at hand, which may be a
// later one.
func (f *folded) drain() error {
	if err := f.check(nil, nil); err != nil {
		return err
	}
	if f.table.used > 0 && f.table.cost() > f.limit {
		if err := f.spill(); err != nil {
			return f.a.broke(err)
		}
	}
	queue := f.queue[:f.waits]
	f.a.count.mapOut += int64(f.waits)
	f.a.count.mapOutBytes += int64(f.bytes)
	f.waits, f.bytes = 0, 0
	for i := range queue { // none of these loads waits for another
		w := &queue[i]
		w.home = home(w.lo, w.hi, w.size)
		f.touch += f.table.slots[w.home>>f.table.shift].lo
	}
	return f.combining(func() error { return f.take(queue) })
}

// combining calls what combines other records than the one at hand.
func (f *folded) combining(do func() error) error {
	outer, spot := f.a.where, f.a.spot
	f.a.where, f.a.spot = func() string { return "combine at key " + quoted(f.table.key(f.at)) }, nil // for who panics
	if err := do(); err != nil {
		return f.a.broke(err)
	}
	f.a.where, f.a.spot = outer, spot
	return nil
}

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

// finish sorts, spills and merges all that was emitted.
func (f *folded) finish() (*Output, error) {
	if err := f.drain(); err != nil {
		return nil, err
	}
	if f.table.used > 0 || len(f.spills) == 0 {
		if err := f.spill(); err != nil {
			return nil, err
		}
	}
	return f.join()
}

// tally folds a number into that of a key that has a slot, unless no number holds the sum of both.
func (t *table) tally(p *probe, n int64, kind mapreduce.Kind) bool {
	s := t.look(p, nil)
	if s.size == 0 {
		return false
	}
	switch kind {
	case mapreduce.SumFold:
		sum := s.n + n
		if (s.n^sum)&(n^sum) < 0 {
			return false
		}
		s.n = sum
	case mapreduce.MinFold:
		s.n = min(s.n, n)
	case mapreduce.MaxFold:
		s.n = max(s.n, n)
	}
	return true
}
