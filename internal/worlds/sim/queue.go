package sim

import (
	"math/bits"

	"github.com/slackline/slackline/units"
)

// class orders the events of one instant: first what becomes of nodes, then what ends, then the
// limit of the run, then what arrives.
type class uint8

const (
	scripted      class = iota // the next change of the configuration; arg = its index
	breakdown                  // a node fails by chance; arg = node, gen = how often it was up
	repair                     // a node that failed by chance is back; arg = node
	rackBreakdown              // a rack fails by chance; arg = its place, gen = how often it did
	rackRepair                 // it is back
	awake                      // a node has woken up; arg = node, gen = how often it was up
	// an administrator takes a node off the blacklist; arg = node, gen = how often it was up
	restored
	masterUp       // an ApplicationMaster is ready for work; arg, gen = its attempt
	fetched        // the next shuffle over the network is over; gen = that of the fabric
	attemptEnd     // arg, gen = the attempt
	limit          // the run is cut off
	arrival        // arg = place in order of arrival
	progressReport // attempts tell how far they are
)

// due is an entry of the event queue: 24 bytes, no pointer.
type due struct {
	at  units.Time
	key uint64 // class in the top byte, sequence below: the order within an instant
	arg int32
	gen uint32 // an entry whose generation is not its attempt's any more is stale and dropped when it is met
}

func (d *due) class() class { return class(d.key >> 56) }

func (d *due) before(o *due) bool { return d.earlier(o) != 0 }

// earlier is 1 if d comes before o, else 0: the borrow of a subtraction of 128 bits (times are not
// negative), as a branch that depends on it could not be predicted.
func (d *due) earlier(o *due) uint64 {
	_, borrow := bits.Sub64(d.key, o.key, 0)
	_, borrow = bits.Sub64(uint64(d.at), uint64(o.at), borrow)
	return borrow
}

// queue is a binary heap of values, ordered totally by (time, class, sequence). Pushing and popping
// allocate nothing once the array has grown; binary beats 4-ary and pointer heaps for entries of
// this size.
type queue struct {
	heap []due
	seq  uint64
}

func (q *queue) push(at units.Time, c class, arg int32, gen uint32) {
	q.seq++
	d := due{at: at, key: uint64(c)<<56 | q.seq, arg: arg, gen: gen}
	i := len(q.heap)
	q.heap = append(q.heap, d)
	for i > 0 {
		up := (i - 1) / 2
		if !d.before(&q.heap[up]) {
			break
		}
		q.heap[i] = q.heap[up]
		i = up
	}
	q.heap[i] = d
}

// top returns the earliest entry, nil if there is none. It is good until the next push or pop.
func (q *queue) top() *due {
	if len(q.heap) == 0 {
		return nil
	}
	return &q.heap[0]
}

// pop removes the earliest entry. The hole at the root sinks to the bottom along the earlier
// children and the last entry rises from there: about one comparison a level, as the last entry is
// a late one most of the time.
func (q *queue) pop() {
	n := len(q.heap) - 1
	last := q.heap[n]
	q.heap = q.heap[:n]
	if n == 0 {
		return
	}
	h, i, kid := q.heap, 0, 1
	for kid+1 < n {
		pair := h[kid : kid+2]
		kid += int(pair[1].earlier(&pair[0]))
		h[i] = h[kid]
		i, kid = kid, 2*kid+1
	}
	if kid < n {
		h[i] = h[kid]
		i = kid
	}
	for i > 0 {
		up := (i - 1) / 2
		if !last.before(&h[up]) {
			break
		}
		h[i] = h[up]
		i = up
	}
	h[i] = last
}
