package task

import (
	"fmt"
	"math"
	"path/filepath"

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
	partitioner mapreduce.Partitioner // nil = the default
	limit       int                   // bytes of memory
}

func newCollector(a *attempt, c *MapConfig) (collector, error) {
	base := collect{
		spiller:     spiller{a: a, dir: c.Local, parts: c.Parts},
		partitioner: c.Program.Partition,
		limit:       c.buffer(),
	}
	if c.Program.NewCombiner == nil {
		return &sorted{collect: base}, nil
	}
	combiner, err := setUp(a, "combine", c.Program.NewCombiner)
	if err != nil {
		return nil, err
	}
	base.combiner = combiner
	return newHashed(base), nil
}

// accept counts a record and returns its partition, or -1 if the default partitioner is to choose it.
func (c *collect) accept(key, value []byte) (int, error) {
	a := c.a
	if a.broken != nil {
		return 0, a.broken
	}
	if err := a.err(); err != nil {
		return 0, a.broke(err)
	}
	if len(key) > maxRecord || len(value) > maxRecord || len(key)+len(value) > math.MaxUint32/2 {
		return 0, a.broke(fmt.Errorf("application %s: %s emitted a record of %d bytes, more than 1 GB", a.app, a.where(), len(key)+len(value)))
	}
	a.count.mapOut++
	a.count.mapOutBytes += int64(len(key) + len(value))
	if c.partitioner == nil {
		return -1, nil
	}
	part := c.partitioner(key, c.parts)
	if part < 0 || part >= c.parts {
		return 0, a.broke(fmt.Errorf("application %s: %s: the partitioner chose part %d of %d", a.app, a.where(), part, c.parts))
	}
	return part, nil
}

// partition is the default partitioner, as mapreduce.Hash is.
func partition(key []byte, parts int) uint64 {
	if parts == 1 {
		return 0
	}
	return xxhash.Sum64(key) % uint64(parts)
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
	a.where = func() string { return "closing " + verb }
	return a.call(func() error {
		if err := closer.Close(out); err != nil {
			return a.failed(err)
		}
		return a.broken
	})
}

func (s *spiller) path(name string) string { return filepath.Join(s.dir, name) }
