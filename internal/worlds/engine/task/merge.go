package task

import (
	"bytes"
	"encoding/binary"

	"github.com/slackline/slackline/mapreduce"
)

// prefix returns the first 8 bytes of a key as a number that orders like them.
func prefix(key []byte) uint64 {
	if len(key) >= 8 {
		return binary.BigEndian.Uint64(key)
	}
	var p uint64
	for i, b := range key {
		p |= uint64(b) << (56 - 8*i)
	}
	return p
}

// merger yields the records of several runs in order of key, those of equal keys in the order of the runs. It is a binary heap
// of runs by their current record.
type merger struct {
	heap []source
	used bool // the record on top has been yielded
}

type source struct {
	prefix uint64
	order  int // of the run
	run    *run
}

func newMerger(runs []*run) (*merger, error) {
	m := &merger{heap: make([]source, 0, len(runs))}
	for i, r := range runs {
		ok, err := r.next()
		if err != nil {
			return nil, err
		}
		if ok {
			m.heap = append(m.heap, source{prefix(r.key), i, r})
		}
	}
	for i := len(m.heap)/2 - 1; i >= 0; i-- {
		m.down(i)
	}
	return m, nil
}

// next moves to the next record, which is then in top.
func (m *merger) next() (bool, error) {
	if m.used && len(m.heap) > 0 {
		top := &m.heap[0]
		ok, err := top.run.next()
		if err != nil {
			return false, err
		}
		if ok {
			top.prefix = prefix(top.run.key)
		} else {
			last := len(m.heap) - 1
			m.heap[0] = m.heap[last]
			m.heap = m.heap[:last]
		}
		m.down(0)
	}
	m.used = true
	return len(m.heap) > 0, nil
}

// top is the run whose record is the current one.
func (m *merger) top() *run { return m.heap[0].run }

func (m *merger) down(i int) {
	for {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(m.heap); c++ {
			if m.heap[c].less(&m.heap[least]) {
				least = c
			}
		}
		if least == i {
			return
		}
		m.heap[i], m.heap[least] = m.heap[least], m.heap[i]
		i = least
	}
}

func (s *source) less(o *source) bool {
	if s.prefix != o.prefix {
		return s.prefix < o.prefix
	}
	if c := bytes.Compare(s.run.key, o.run.key); c != 0 {
		return c < 0
	}
	return s.order < o.order
}

// groups hands the records of a merge to a reducer, key by key. It is the Values of the key at hand.
type groups struct {
	a       *attempt
	m       *merger
	key     []byte
	started bool
	ahead   bool // the current record of the merge has not been handed out
	first   bool // and is the first of its key
	seen    *int64
	got     func() // called every so many records
	err     error
}

var _ mapreduce.Values = (*groups)(nil)

// beatEvery is how many records pass between two signs of life: often enough for any time-out, too rare to be felt.
const beatEvery = 1024

// next moves to the next key, past what is left of this one.
func (g *groups) next() bool {
	if !g.started {
		g.started = true
		g.key = []byte{} // an empty key is not a nil one
		g.advance()
	} else {
		for g.Next() {
		}
	}
	if !g.ahead {
		return false
	}
	g.key = append(g.key[:0], g.m.top().key...)
	g.first = true
	return true
}

// Next moves to the next value of the key.
func (g *groups) Next() bool {
	if !g.first {
		if !g.ahead {
			g.advance()
		}
		if !g.ahead || !bytes.Equal(g.m.top().key, g.key) {
			return false
		}
	}
	g.first, g.ahead = false, false
	*g.seen++
	if *g.seen%beatEvery == 0 {
		g.got()
	}
	return true
}

// Value returns the current value.
func (g *groups) Value() []byte { return g.m.top().val }

func (g *groups) advance() {
	if g.err == nil {
		g.err = g.a.err()
	}
	if g.err != nil {
		return
	}
	g.ahead, g.err = g.m.next()
}

// each calls the reducer for every key.
func (g *groups) each(r mapreduce.Reducer, out mapreduce.Emitter, keyed func(key []byte)) error {
	for g.next() {
		keyed(g.key)
		g.a.meter.beat()
		if err := r.Reduce(g.key, g, out); err != nil {
			if g.err != nil {
				return g.err
			}
			return g.a.failed(err)
		}
		if g.a.broken != nil {
			return g.a.broken
		}
	}
	return g.err
}
