package task

import (
	"fmt"
	"math"

	"github.com/cespare/xxhash/v2"

	"github.com/slackline/slackline/mapreduce"
)

// collector takes what a map emits.
type collector interface {
	mapreduce.Emitter
	finish() (*Output, error) // sorts, spills and merges what is held
}

// collect is what the buffers of a map have in common.
type collect struct {
	spiller
	program   *mapreduce.Program
	cuts      [][]byte // of a total order
	limit     int      // bytes of memory
	spilledAt int64    // records emitted by then
}

func newCollector(a *attempt, c *MapConfig, cuts [][]byte) (collector, error) {
	p := c.Program
	base := collect{
		spiller: spiller{a: a, dir: c.Local, parts: c.Parts, factor: c.mergeFactor()},
		program: p, cuts: cuts, limit: c.buffer(),
	}
	if construct := p.Combiner(); construct != nil {
		var err error
		if base.combiner, err = setUp(a, "combine", construct); err != nil {
			return nil, err
		}
		if f, is := base.combiner.(interface{ Folds() *mapreduce.Fold }); is {
			return newFolded(base, f.Folds()), nil
		}
		base.limit = min(base.limit, combinedAt)
	}
	return &sorted{collect: base, parts: make([][]entry, c.Parts)}, nil
}

// combinedAt is how much memory records take at most before they are combined.
const combinedAt = 8 << 20

// stopEvery is how many records a mapper may emit, from one that it was given, before it hears that
// it is to stop. A power of two.
const stopEvery = 64

// accept counts a record.
func (c *collect) accept(key, value []byte) error {
	n := &c.a.count
	if n.mapOut%stopEvery == 0 || c.a.broken != nil || uint(len(key)|len(value)) >= maxRecord {
		if err := c.check(key, value); err != nil {
			return err
		}
	}
	n.mapOut++
	n.mapOutBytes += int64(len(key) + len(value))
	return nil
}

// check tells why a record cannot be taken, nil if it can.
func (c *collect) check(key, value []byte) error {
	a := c.a
	if a.broken != nil {
		return a.broken
	}
	if err := a.err(); err != nil {
		return a.broke(err)
	}
	a.meter.beat()
	if len(key) > maxRecord || len(value) > maxRecord || len(key)+len(value) > math.MaxUint32/2 {
		return a.broke(fmt.Errorf("application %s: %s emitted a record of %d bytes, more than 1 GB", a.app, a.where(), len(key)+len(value)))
	}
	return nil
}

// part chooses the partition of a key.
func (c *collect) part(key []byte) (int, error) {
	p := c.program
	if p.Group != nil {
		key = groupOf(key, p.Group)
	}
	switch {
	case p.Partition != nil:
		part := p.Partition(key, c.parts)
		if part < 0 || part >= c.parts {
			return 0, fmt.Errorf("application %s: %s: the partitioner chose part %d of %d", c.a.app, c.a.where(), part, c.parts)
		}
		return part, nil
	case c.parts == 1:
		return 0, nil
	case p.TotalOrder:
		return cutPart(c.cuts, key), nil
	}
	return int(xxhash.Sum64(key) % uint64(c.parts)), nil // as mapreduce.Hash
}

type addRecord func(key, value []byte) error

// writeGroups spills and clears a table, in order of its keys. put writes what a slot stands for.
func (c *collect) writeGroups(t *table, put func(s *slot, key []byte, add addRecord) error) error {
	keyOf := func(e entry) []byte { return t.key(&t.slots[e.off]) }
	var at entry // whose key a partitioner has; the record at hand has nothing to do with it
	outer, spot := c.a.where, c.a.spot
	c.a.where, c.a.spot = func() string { return "what was emitted with key " + quoted(keyOf(at)) }, nil
	err := c.a.sorting(func() error {
		parts := make([][]entry, c.parts)
		most := 0
		for i := range t.slots {
			if t.slots[i].size == 0 {
				continue
			}
			e := entry{off: uint32(i)}
			at = e
			key := keyOf(e)
			e.prefix = prefix(key)
			part, err := c.part(key)
			if err != nil {
				return err
			}
			parts[part] = append(parts[part], e)
			most = max(most, len(parts[part]))
		}
		scratch := make([]entry, most)
		err := c.write(func(w *runWriter) error {
			for part, list := range parts {
				sortEntries(list, scratch, keyOf)
				add := func(key, value []byte) error { return w.add(part, key, value) }
				for i, e := range list {
					at = e
					if err := put(&t.slots[e.off], keyOf(e), add); err != nil {
						return err
					}
					if i%beatEvery == 0 {
						c.a.meter.beat()
						if err := c.a.err(); err != nil {
							return err
						}
					}
				}
			}
			return nil
		})
		t.clear()
		return err
	})
	if err == nil { // else they stay for whom it is told
		c.a.where, c.a.spot = outer, spot
	}
	return err
}

// setUp constructs a mapper or reducer. The identity stands for a missing one.
func setUp[T any](a *attempt, verb string, construct func(*mapreduce.Context) (T, error)) (made T, err error) {
	if construct == nil {
		return any(mapreduce.Identity{}).(T), nil
	}
	a.where = func() string { return "setting up " + verb }
	err = a.call(func() error {
		var err error
		if made, err = construct(a.user); err != nil {
			return a.failed(err)
		}
		return nil
	})
	return made, err
}

// tearDown calls Close where there is one.
func tearDown(a *attempt, verb string, of any, out mapreduce.Emitter) error {
	closer, ok := of.(mapreduce.Closer)
	if !ok {
		return nil
	}
	a.where = func() string { return "the end of the " + verb }
	return a.call(func() error {
		if err := closer.Close(out); err != nil {
			return a.failed(err)
		}
		return a.broken
	})
}
