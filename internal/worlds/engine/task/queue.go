package task

import "github.com/slackline/slackline/mapreduce"

// queue holds short records until their slots are looked up together, so that the memory behind
// many slots is fetched at once and not one after the other.
type queue struct {
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

// newQueue makes the queue of a buffer of so many bytes.
func newQueue(limit int) queue { return queue{all: make([]waiting, min(queueSize, limit/slotCost+1))} }

// takeAll empties the queue: it counts what waits and fetches its slots.
func (q *queue) takeAll(t *table, c *counts) []waiting {
	all := q.all[:q.waits]
	c.mapOut += int64(q.waits)
	c.mapOutBytes += int64(q.bytes)
	q.waits, q.bytes = 0, 0
	touch := uint64(0)
	for i := range all { // none of these loads waits for another
		w := &all[i]
		w.home = home(w.lo, w.hi, w.size)
		touch += t.slots[w.home>>t.shift].lo
	}
	q.touch = touch
	return all
}

// tally folds a number into that of a key that has a slot, unless no number holds the sum of both. It
// is table.seek for what comes most often.
func (t *table) tally(p *probe, n int64, kind mapreduce.Kind) bool {
	slots, mask := t.slots, uint64(len(t.slots)-1)
	for at := p.home >> t.shift; ; at++ {
		s := &slots[at&mask]
		if s.lo == p.lo && s.hi == p.hi && s.size == p.size {
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
		if s.size == 0 {
			return false
		}
	}
}
