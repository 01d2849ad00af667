package task

import (
	"encoding/binary"
	"math"

	"github.com/slackline/slackline/mapreduce"
)

// folded is the buffer of a map with a fold: one number for each key, and nothing else. Records wait in a small queue until their
// slots are looked up together, so that the memory behind many slots is fetched at once and not one after the other.
type folded struct {
	collect
	fold  *mapreduce.Fold
	sum   bool // it is mapreduce.Sum
	table *table
	queue []waiting
	waits int // how many
	bytes int // of their keys and values
	text  []byte
	touch uint64
}

type waiting struct {
	probe
	n int64
}

const queueSize = 64

func newFolded(base collect, fold *mapreduce.Fold) *folded {
	return &folded{collect: base, fold: fold, sum: fold == mapreduce.Sum, table: newTable(),
		queue: make([]waiting, min(queueSize, base.limit/slotCost+1))}
}

// Emit takes a record. When the buffer is full it is spilled. What is common is done here and in the order of the queue; counting
// and looking whether to stop are left to drain.
func (f *folded) Emit(key, value []byte) error {
	if f.sum && len(value) == 1 && value[0]-'0' <= 9 && len(key) < longKey && f.waits < len(f.queue) {
		w := &f.queue[f.waits]
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
	return f.put(&p, key, n)
}

// drain folds what waits.
func (f *folded) drain() error {
	if err := f.check(nil, nil); err != nil {
		return err
	}
	if f.table.cost() > f.limit {
		if err := f.spill(); err != nil {
			return f.a.broke(err)
		}
	}
	queue := f.queue[:f.waits]
	f.a.count.mapOut += int64(f.waits)
	f.a.count.mapOutBytes += int64(f.bytes)
	f.waits, f.bytes = 0, 0
	slots, shift := f.table.slots, f.table.shift
	touch := uint64(0)
	for i := range queue { // none of these loads waits for another
		w := &queue[i]
		w.home = home(w.lo, w.hi, w.size)
		touch += slots[w.home>>shift].lo
	}
	f.touch = touch
	mask := uint64(len(slots) - 1)
next:
	for i := range queue {
		w := &queue[i]
		for at := w.home >> shift; ; at++ { // as table.seek, but without a call
			s := &slots[at&mask]
			if s.lo == w.lo && s.hi == w.hi && s.size == w.size && s.n <= math.MaxInt64-w.n {
				s.n += w.n
				continue next
			}
			if s.size == 0 || s.n > math.MaxInt64-w.n {
				break
			}
		}
		if err := f.put(&w.probe, nil, w.n); err != nil {
			return err
		}
		slots, shift = f.table.slots, f.table.shift
		mask = uint64(len(slots) - 1)
	}
	return nil
}

func (f *folded) put(p *probe, key []byte, n int64) error {
	s, made := f.table.seek(p, key)
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
