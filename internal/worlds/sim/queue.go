package sim

import (
	"math/bits"
	"slices"

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

// due is an entry of the event queue: no pointer.
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

// queue is ordered totally by (time, class, sequence). What comes soon is sorted. What comes later
// lies in slots of equal width, round about, in no order (Brown 1988); when nothing is left of what
// comes soon, the next slot is sorted. The width follows what was found in the slots, and there are
// about as many of them as entries, so an entry costs O(1) on the average.
type queue struct {
	soon  []due      // entries before until: a slot whose turn has come, from first on in order
	first int        // of these that has not come out
	until units.Time // the others are not before it
	seq   uint64
	n     int     // later entries
	slots [][]due // these
	spare [][]due // arrays of slots that are empty
	some  nodeset // slots that are not
	shift uint8   // a slot is 1<<shift ns wide

	turns, found int // slots that came soon since the width was looked at, and entries that did
}

const (
	fewestSlots = 256
	firstShift  = 24 // 17 ms
)

func (q *queue) push(at units.Time, c class, arg int32, gen uint32) {
	q.seq++
	d := due{at: at, key: uint64(c)<<56 | q.seq, arg: arg, gen: gen}
	if at >= q.until && q.until != units.Never {
		if q.put(d); q.n > 8*len(q.slots) { // many come at once, as to a world that begins from a book
			q.adapt()
		}
		return
	}
	if q.first > len(q.soon)/2 {
		q.soon, q.first = q.soon[:copy(q.soon, q.soon[q.first:])], 0
	}
	q.soon = append(q.soon, d)
	sift(q.soon[q.first:], len(q.soon)-1-q.first)
	if q.found++; q.turns+q.found/8 > max(fewestSlots, q.n) {
		q.adapt()
	}
}

// put enters an entry into its slot.
func (q *queue) put(d due) {
	if q.slots == nil {
		q.shift = firstShift
		q.lay(fewestSlots)
	}
	at := int(d.at>>(q.shift&63)) & (len(q.slots) - 1)
	s := &q.slots[at]
	if len(*s) == 0 {
		q.some.put(at, true)
		if n := len(q.spare); n > 0 {
			*s, q.spare = q.spare[n-1], q.spare[:n-1]
		} else {
			*s = make([]due, 0, 8)
		}
	}
	*s = append(*s, d)
	q.n++
}

// lay makes so many empty slots, a power of two.
func (q *queue) lay(n int) { q.slots, q.some = make([][]due, n), newNodeset(n) }

// top returns the earliest entry, nil if there is none. It is good until the next push or pop.
func (q *queue) top() *due {
	if q.first == len(q.soon) {
		if q.n == 0 {
			return nil
		}
		q.fill()
	}
	return &q.soon[q.first]
}

// pop removes the earliest entry, which top has returned.
func (q *queue) pop() { q.first++ }

// fill sorts the entries of the next slot that has some of this round; if there is none for a whole
// round, the next round is that of the earliest entry. Nothing comes soon, and some slot is not empty.
func (q *queue) fill() {
	q.soon, q.first = q.soon[:0], 0
	if q.turns+q.found/8 > max(fewestSlots, q.n) {
		q.adapt()
	}
	for len(q.soon) == 0 {
		turn := int(q.until >> q.shift) // of the slot that is looked at, counted from time 0
		for last := turn + len(q.slots); turn < last && len(q.soon) == 0; turn++ {
			at := turn & (len(q.slots) - 1)
			s := q.some.next(at)
			if s < 0 { // on with the first
				s = q.some.next(0) + len(q.slots)
			}
			if turn += s - at; turn < last {
				q.take(turn)
			}
		}
		if len(q.soon) > 0 {
			break
		}
		q.until = units.Never
		for _, s := range q.slots {
			for i := range s {
				q.until = min(q.until, s[i].at)
			}
		}
	}
	q.turns++
	q.found += len(q.soon)
}

// take takes the entries of a slot whose turn it is.
func (q *queue) take(turn int) {
	if q.until = units.Time(turn+1) << q.shift; q.until < 0 {
		q.until = units.Never
	}
	at := turn & (len(q.slots) - 1)
	q.some.put(at, false)
	if cap(q.soon) > 0 {
		q.spare = append(q.spare, q.soon)
	}
	q.soon, q.slots[at] = q.slots[at], nil
	q.n -= len(q.soon)
	if len(q.soon) > 32 {
		slices.SortFunc(q.soon, func(a, b due) int { return int(b.earlier(&a)) - int(a.earlier(&b)) })
	} else {
		for i := range q.soon {
			sift(q.soon, i)
		}
	}
	for i := len(q.soon) - 1; i >= 0 && q.soon[i].at >= q.until && q.until != units.Never; i-- { // of another round
		q.put(q.soon[i])
		q.soon = q.soon[:i]
	}
}

// sift moves an entry to its place among those before it, which are sorted.
func sift(list []due, i int) {
	d := list[i]
	for ; i > 0 && d.before(&list[i-1]); i-- {
		list[i] = list[i-1]
	}
	list[i] = d
}

// adapt makes slots in which a few entries are to be expected, and about as many as there are entries.
func (q *queue) adapt() {
	shift, slots, found := q.shift, len(q.slots), q.found
	for ; found > 8*q.turns && shift > 0; found /= 2 {
		shift--
	}
	for ; found < 2*q.turns && shift < 40; found *= 2 {
		shift++
	}
	soon := q.soon[q.first:]
	all := q.n + len(soon)
	for slots < all {
		slots *= 2
	}
	for slots > fewestSlots && slots > 8*all {
		slots /= 2
	}
	q.turns, q.found = 0, 0
	if shift == q.shift && slots == len(q.slots) {
		return
	}
	old := q.slots
	q.lay(slots)
	q.shift, q.n = shift, 0
	for _, s := range old {
		for i := range s {
			q.put(s[i])
		}
		if cap(s) > 0 {
			q.spare = append(q.spare, s[:0])
		}
	}
	if len(soon) == 0 {
		return
	}
	until := (soon[0].at>>shift + 1) << shift
	if until < 0 || until >= q.until {
		return
	}
	q.until = until
	for i := len(soon) - 1; soon[i].at >= until; i-- { // it does not come so soon any more
		q.put(soon[i])
		q.soon = q.soon[:q.first+i]
	}
}

// clear removes all entries.
func (q *queue) clear() { *q = queue{seq: q.seq} }
