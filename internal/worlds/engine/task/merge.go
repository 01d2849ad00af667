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

// merger yields the records of several runs in order of key, those of equal keys in the order of
// the runs. It is a tree of losers: a leaf for each run, in each node above the run that lost
// there, and the winner on top, so that a record costs one comparison on each level.
type merger struct {
	runs []source
	lost []int32 // by node: node i has the children 2i and 2i+1, and runs begin at len(runs)
	won  int32
	left int  // runs that have a record
	used bool // the record on top has been yielded
}

type source struct {
	prefix uint64
	over   bool
	run    *run
}

func newMerger(runs []*run) (*merger, error) {
	m := &merger{runs: make([]source, len(runs)), lost: make([]int32, len(runs))}
	for i, r := range runs {
		m.runs[i].run = r
		ok, err := r.next()
		if err != nil {
			return nil, err
		}
		if m.runs[i].over = !ok; ok {
			m.runs[i].prefix = prefix(r.key)
			m.left++
		}
	}
	if len(runs) > 0 {
		m.won = m.play(1)
	}
	return m, nil
}

// play plays all games below a node and returns the winner.
func (m *merger) play(node int) int32 {
	if node >= len(m.runs) {
		return int32(node - len(m.runs))
	}
	a, b := m.play(2*node), m.play(2*node+1)
	if m.less(b, a) {
		a, b = b, a
	}
	m.lost[node] = b
	return a
}

// less tells whether run i comes before run j.
func (m *merger) less(i, j int32) bool {
	a, b := &m.runs[i], &m.runs[j]
	switch {
	case a.over || b.over:
		return !a.over
	case a.prefix != b.prefix:
		return a.prefix < b.prefix
	}
	if c := bytes.Compare(a.run.key, b.run.key); c != 0 {
		return c < 0
	}
	return i < j
}

// next moves to the next record, which is then in top.
func (m *merger) next() (bool, error) {
	if m.used && m.left > 0 {
		s := &m.runs[m.won]
		ok, err := s.run.next()
		if err != nil {
			return false, err
		}
		if ok {
			s.prefix = prefix(s.run.key)
		} else {
			s.over = true
			m.left--
		}
		won := m.won
		for node := (int(won) + len(m.runs)) / 2; node > 0; node /= 2 {
			if m.less(m.lost[node], won) {
				m.lost[node], won = won, m.lost[node]
			}
		}
		m.won = won
	}
	m.used = true
	return m.left > 0, nil
}

// top is the run whose record is the current one.
func (m *merger) top() *run { return m.runs[m.won].run }

// groups hands the records of a merge to a reducer, group by group. It is the Values of the group at hand.
type groups struct {
	a       *attempt
	m       *merger
	size    func(key []byte) int // bytes of a key that make its group; nil = all
	key     []byte               // of the group
	started bool
	ahead   bool // the current record of the merge has not been handed out
	first   bool // and is the first of its group
	skips   bool // groups at which attempts before failed may be passed over
	seen    *int64
	got     func() // called every so many records
	err     error
}

var _ mapreduce.Values = (*groups)(nil)
var _ mapreduce.Keys = (*groups)(nil)

// beatEvery is how many records pass between two signs of life: often enough for any time-out, too
// rare to be felt.
const beatEvery = 1024

// next moves to the next group, past what is left of this one.
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
	g.key = append(g.key[:0], g.group()...)
	g.first = true
	return true
}

// group is the part of the current key that makes its group.
func (g *groups) group() []byte {
	key := g.m.top().key
	if g.size == nil {
		return key
	}
	return groupOf(key, g.size)
}

// groupOf cuts a key to what makes its group, however long user code says that is.
func groupOf(key []byte, size func(key []byte) int) []byte {
	return key[:min(max(size(key), 0), len(key))]
}

// Next moves to the next value of the group.
func (g *groups) Next() bool {
	if !g.first {
		if !g.ahead {
			g.advance()
		}
		if !g.ahead || !bytes.Equal(g.group(), g.key) {
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

// Key returns the whole key of the current value.
func (g *groups) Key() []byte { return g.m.top().key }

func (g *groups) advance() {
	if g.err == nil {
		g.err = g.a.err()
	}
	if g.err != nil {
		return
	}
	g.ahead, g.err = g.m.next()
}

// each calls the reducer for every group.
func (g *groups) each(r mapreduce.Reducer, out mapreduce.Emitter, keyed func(key []byte)) error {
	for g.next() {
		keyed(g.key)
		g.a.meter.beat()
		if g.skips && g.a.passes() {
			continue
		}
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
