package task

import "github.com/slackline/slackline/mapreduce"

// tabled is what the buffers have in common that find keys by a hash table. Short records wait in a
// queue until their slots are looked up together, so that the memory behind many slots is fetched at
// once and not one after the other.
type tabled struct {
	collect
	table *table
	own   interface {
		cost() int                  // memory that it takes
		spill() error               // and clears the table
		take(queue []waiting) error // what waited, in order
	}
	where func() string // names the key that is combined
	all   []waiting
	waits int // how many do
	bytes int // of their keys and values
	touch uint64
}

// waiting is a record on its way to its slot: a short key, and a number that stands for its value.
type waiting struct {
	probe
	n int64
}

const queueSize = 64

// newTabled makes a table with a queue that is in proportion to the limit of its memory.
func newTabled(base collect) tabled {
	return tabled{collect: base, table: newTable(), all: make([]waiting, min(queueSize, base.limit/slotCost+1))}
}

// drain brings what waits to its slots. What fails in that is not the fault of the record at hand, which may be a
// later one.
func (t *tabled) drain() error {
	if err := t.check(nil, nil); err != nil {
		return err
	}
	if t.table.used > 0 && t.own.cost() > t.limit {
		if err := t.own.spill(); err != nil {
			return t.a.broke(err)
		}
	}
	queue := t.all[:t.waits]
	t.a.count.mapOut += int64(t.waits)
	t.a.count.mapOutBytes += int64(t.bytes)
	t.waits, t.bytes = 0, 0
	for i := range queue { // none of these loads waits for another
		w := &queue[i]
		w.home = home(w.lo, w.hi, w.size)
		t.touch += t.table.slots[w.home>>t.table.shift].lo
	}
	return t.combining(func() error { return t.own.take(queue) })
}

// combining calls what combines other records than the one at hand.
func (t *tabled) combining(f func() error) error {
	outer, spot := t.a.where, t.a.spot
	t.a.where, t.a.spot = t.where, nil // stays if that panics
	if err := f(); err != nil {
		return t.a.broke(err)
	}
	t.a.where, t.a.spot = outer, spot
	return nil
}

// finish sorts, spills and merges all that was emitted.
func (t *tabled) finish() (*Output, error) {
	if err := t.drain(); err != nil {
		return nil, err
	}
	if t.table.used > 0 || len(t.spills) == 0 {
		if err := t.own.spill(); err != nil {
			return nil, err
		}
	}
	return t.join()
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
