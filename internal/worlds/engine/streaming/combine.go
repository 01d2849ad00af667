package streaming

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/slackline/slackline/mapreduce"
)

// combiner holds back what a map emits and hands it, sorted, to a combine command whenever its
// buffer is full. The command sees the keys of all partitions, which is no matter to it: each
// record goes to its partition afterwards.
type combiner struct {
	a       *attempt
	user    *mapreduce.Context
	out     mapreduce.Emitter
	limit   int  // bytes
	vain    bool // it left more than half of the records, so no more are given to it
	arena   []byte
	records []record
	seen    struct{ in, out, records, bytes int64 } // since they were published
}

// record lies in the arena: the key, and the value behind it.
type record struct {
	prefix          uint64 // of the key
	key, value, end int32
}

const recordSize = 24

// Emit holds a record back.
func (c *combiner) Emit(key, value []byte) error {
	if c.vain {
		return c.out.Emit(key, value)
	}
	if len(c.arena)+len(key)+len(value) > c.limit { // else a long record would come to lie beside a full arena
		if err := c.flush(); err != nil {
			return err
		}
	}
	at := len(c.arena)
	if at == 0 {
		c.arena = slices.Grow(c.arena, len(key)+len(value))
	}
	c.arena = append(append(c.arena, key...), value...)
	var first [8]byte
	copy(first[:], key)
	c.records = append(c.records, record{binary.BigEndian.Uint64(first[:]), int32(at), int32(at + len(key)), int32(len(c.arena))})
	c.seen.in++
	c.seen.records++
	c.seen.bytes += int64(len(key) + len(value))
	if len(c.arena)+recordSize*len(c.records) >= c.limit {
		return c.flush()
	}
	return nil
}

// compare orders records by key, and those of one key as they came.
func (c *combiner) compare(x, y record) int {
	if x.prefix != y.prefix {
		return cmp.Compare(x.prefix, y.prefix)
	}
	if d := bytes.Compare(c.arena[x.key:x.value], c.arena[y.key:y.value]); d != 0 {
		return d
	}
	return cmp.Compare(x.end, y.end)
}

// publish adds to the counters. The engine sees what comes out of the combiner and takes it for
// what the map emitted; that is put right.
func (c *combiner) publish() {
	for name, n := range map[string]int64{
		mapreduce.CombineInputRecords: c.seen.in, mapreduce.CombineOutputRecords: c.seen.out,
		mapreduce.MapOutputRecords: c.seen.records, mapreduce.MapOutputBytes: c.seen.bytes,
	} {
		c.user.Counter(mapreduce.TaskGroup, name).Add(n)
	}
	c.seen.in, c.seen.out, c.seen.records, c.seen.bytes = 0, 0, 0, 0
}

// flush runs the command over what is held.
func (c *combiner) flush() error {
	if len(c.records) == 0 {
		return nil
	}
	slices.SortFunc(c.records, c.compare)
	defer c.publish()
	cmd, err := c.a.start(c.user, "combine", c.a.x.job.Combine, nil)
	if err != nil {
		return err
	}
	take := func(line []byte) error {
		key, value := split(line, c.a.x.job.KeyFields)
		c.seen.out++
		c.seen.records--
		c.seen.bytes -= int64(len(key) + len(value))
		return c.out.Emit(key, value)
	}
	var block []byte
	for _, r := range c.records {
		if block, err = cmd.record(block, c.arena[r.key:r.value], c.arena[r.value:r.end], take); err != nil {
			return err
		}
	}
	if len(block) > 0 {
		if err := cmd.feed(block, take); err != nil {
			return err
		}
	}
	c.arena, c.records = c.arena[:0], c.records[:0]
	if cap(c.arena) > 2*c.limit {
		c.arena = nil
	}
	err = cmd.finish(c.a.x.ignoreExit, take)
	c.vain = 2*c.seen.out > c.seen.in
	return err
}
