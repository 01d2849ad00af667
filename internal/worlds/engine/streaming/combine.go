package streaming

import (
	"bytes"
	"slices"

	"github.com/slackline/slackline/mapreduce"
)

// combiner holds back what a map emits and hands it, sorted, to a combine command whenever its buffer is full. The command sees the
// keys of all partitions, which is no matter to it: each record goes to its partition afterwards.
type combiner struct {
	a       *attempt
	user    *mapreduce.Context
	out     mapreduce.Emitter
	limit   int // bytes
	arena   []byte
	records []record
}

// record lies in the arena: the key, and the value behind it.
type record struct{ key, value, end int }

const recordSize = 24

// Emit holds a record back.
func (c *combiner) Emit(key, value []byte) error {
	at := len(c.arena)
	c.arena = append(append(c.arena, key...), value...)
	c.records = append(c.records, record{at, at + len(key), len(c.arena)})
	c.user.Counter(mapreduce.TaskGroup, mapreduce.CombineInputRecords).Add(1)
	c.emitted(1, len(key)+len(value))
	if len(c.arena)+recordSize*len(c.records) >= c.limit {
		return c.flush()
	}
	return nil
}

// emitted corrects what the engine counts: it sees what comes out of the combiner, and takes it for what the map emitted.
func (c *combiner) emitted(records, size int) {
	c.user.Counter(mapreduce.TaskGroup, mapreduce.MapOutputRecords).Add(int64(records))
	c.user.Counter(mapreduce.TaskGroup, mapreduce.MapOutputBytes).Add(int64(size))
}

// flush runs the command over what is held.
func (c *combiner) flush() error {
	if len(c.records) == 0 {
		return nil
	}
	slices.SortStableFunc(c.records, func(x, y record) int {
		return bytes.Compare(c.arena[x.key:x.value], c.arena[y.key:y.value])
	})
	cmd, err := c.a.start(c.user, "combine", c.a.x.job.Combine, nil)
	if err != nil {
		return err
	}
	take := func(line []byte) error {
		key, value := split(line, c.a.x.job.KeyFields)
		c.user.Counter(mapreduce.TaskGroup, mapreduce.CombineOutputRecords).Add(1)
		c.emitted(-1, -len(key)-len(value))
		return c.out.Emit(key, value)
	}
	block := cmd.block()
	for _, r := range c.records {
		block = append(append(append(append(block, c.arena[r.key:r.value]...), '\t'), c.arena[r.value:r.end]...), '\n')
		if len(block) >= blockSize-4<<10 {
			if err := cmd.feed(block, take); err != nil {
				return err
			}
			block = cmd.block()
		}
	}
	if len(block) > 0 {
		if err := cmd.feed(block, take); err != nil {
			return err
		}
	}
	c.arena, c.records = c.arena[:0], c.records[:0]
	return cmd.finish(c.a.x.ignoreExit, take)
}
