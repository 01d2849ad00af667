package task

import (
	"encoding/binary"

	"github.com/slackline/slackline/mapreduce"
)

// folded is the buffer of a map with a fold: one number for each key, and nothing else.
type folded struct {
	collect
	queue
	fold  *mapreduce.Fold
	kind  mapreduce.Kind // of the fold
	table *table
	text  []byte  // of the number that is spilled
	value []byte  // of the one that is emitted
	sizes [10]int // of the texts of 0 to 9, 0 = not known yet
	at    *slot   // whose number is folded
	where func() string
}

func newFolded(base collect, fold *mapreduce.Fold) *folded {
	f := &folded{collect: base, queue: newQueue(base.limit), fold: fold, kind: fold.Kind, table: newTable()}
	f.where = func() string { return "combine at key " + quoted(f.table.key(f.at)) }
	return f
}

// Emit takes a record. When the buffer is full it is spilled. What is common is done here and in
// the order of the queue; counting and looking whether to stop are left to drain.
func (f *folded) Emit(key, value []byte) error {
	if f.kind != mapreduce.OwnFold && len(value) == 1 && value[0]-'0' <= 9 && len(key) < longKey && f.waits < len(f.all) {
		w := &f.all[f.waits]
		if cap(key) >= 16 { // as in probe.of, which is too long to be inlined
			k := key[:16]
			m := &masks[len(key)]
			w.lo, w.hi = binary.LittleEndian.Uint64(k)&m[0], binary.LittleEndian.Uint64(k[8:])&m[1]
		} else {
			w.lo, w.hi = clipped(key)
		}
		w.size = uint32(len(key)) + 1
		w.n = int64(value[0] - '0')
		f.waits++
		f.bytes += len(key) + 1
		return nil
	}
	return f.emit(key, value)
}

// EmitNumber takes a record whose value is the text of a number.
func (f *folded) EmitNumber(key []byte, n int64) error {
	if len(key) < longKey && f.waits < len(f.all) {
		w := &f.all[f.waits]
		w.of(key)
		w.n = n
		f.waits++
		f.bytes += len(key) + f.size(n)
		return nil
	}
	f.value = f.fold.Append(f.value[:0], n)
	return f.Emit(key, f.value)
}

// size is the length of the text of a number.
func (f *folded) size(n int64) int {
	if uint64(n) < uint64(len(f.sizes)) && f.sizes[n] > 0 {
		return f.sizes[n]
	}
	f.value = f.fold.Append(f.value[:0], n)
	if uint64(n) < uint64(len(f.sizes)) {
		f.sizes[n] = len(f.value)
	}
	return len(f.value)
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
	var p probe
	p.of(key)
	p.home = home(p.lo, p.hi, p.size)
	outer, spot := f.a.where, f.a.spot
	f.a.where, f.a.spot = f.where, nil
	err = f.put(&p, key, n)
	f.a.where, f.a.spot = outer, spot
	return err
}

// drain folds what waits. What fails in that is not the fault of the record at hand, which may be a later one.
func (f *folded) drain() error {
	if err := f.check(nil, nil); err != nil {
		return err
	}
	if f.table.cost() > f.limit {
		if err := f.spill(); err != nil {
			return f.a.broke(err)
		}
	}
	queue := f.takeAll(f.table, &f.a.count)
	outer, spot := f.a.where, f.a.spot
	f.a.where, f.a.spot = f.where, nil // stays if a fold panics
	for i := range queue {
		if w := &queue[i]; f.kind == mapreduce.OwnFold || !f.table.tally(&w.probe, w.n, f.kind) {
			if err := f.put(&w.probe, nil, w.n); err != nil {
				return err
			}
		}
	}
	f.a.where, f.a.spot = outer, spot
	return nil
}

func (f *folded) put(p *probe, key []byte, n int64) error {
	s, made := f.table.seek(p, key)
	switch {
	case made:
		s.n = n
	default:
		f.at = s
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
	return f.writeGroups(f.table, func(s *slot, key []byte, add addRecord) error {
		a.count.combineOut++
		f.text = f.fold.Append(f.text[:0], s.n)
		return add(key, f.text)
	})
}

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
