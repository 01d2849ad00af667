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
	soon  []due      // entries before until, the first at the end
	until units.Time // the others are not before it
	seq   uint64
	later []later // [0] unused
	free  int32   // those that are not in use, as a list
	n     int     // those that are
	slots []int32 // a list of later entries each
	some  nodeset // slots that are not empty
	shift uint8   // a slot is 1<<shift ns wide

	turns, found int // slots that came soon since the width was looked at, and entries that did
}

// later is an entry in a slot.
type later struct {
	due
	next int32
}

const (
	fewestSlots = 256
	firstShift  = 24 // 17 ms
)

func (q *queue) push(at units.Time, c class, arg int32, gen uint32) {
	q.seq++
	d := due{at: at, key: uint64(c)<<56 | q.seq, arg: arg, gen: gen}
	if at >= q.until && q.until != units.Never {
		q.put(d)
		return
	}
	i := len(q.soon)
	q.soon = append(q.soon, d)
	for ; i > 0 && q.soon[i-1].before(&d); i-- {
		q.soon[i] = q.soon[i-1]
	}
	q.soon[i] = d
	if q.found++; q.turns+q.found/8 > max(fewestSlots, q.n) {
		q.adapt()
	}
}

// put enters an entry into its slot.
func (q *queue) put(d due) {
	if q.slots == nil {
		q.later, q.shift = make([]later, 1), firstShift
		q.lay(fewestSlots)
	}
	i := q.free
	if i == 0 {
		i = int32(len(q.later))
		q.later = append(q.later, later{})
	}
	q.n++
	e, s := &q.later[i], int(d.at>>(q.shift&63))&(len(q.slots)-1)
	q.free = e.next
	e.due, e.next = d, q.slots[s]
	if q.slots[s] = i; e.next == 0 {
		q.some.put(s, true)
	}
}

// lay makes so many empty slots, a power of two.
func (q *queue) lay(n int) { q.slots, q.some = make([]int32, n), newNodeset(n) }

// top returns the earliest entry, nil if there is none. It is good until the next push or pop.
func (q *queue) top() *due {
	if len(q.soon) == 0 {
		if q.n == 0 {
			return nil
		}
		q.fill()
	}
	return &q.soon[len(q.soon)-1]
}

// pop removes the earliest entry, which top has returned.
func (q *queue) pop() { q.soon = q.soon[:len(q.soon)-1] }

// fill sorts the entries of the next slot that has some of this round; if there is none for a whole
// round, the next round is that of the earliest entry. Nothing comes soon, and some slot is not empty.
func (q *queue) fill() {
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
			if q.until = units.Time(turn) << q.shift; q.until < 0 {
				q.until = units.Never
			}
			break
		}
		q.until = units.Never
		for _, i := range q.slots {
			for ; i != 0; i = q.later[i].next {
				q.until = min(q.until, q.later[i].at)
			}
		}
	}
	q.turns++
	q.found += len(q.soon)
}

// take takes the entries of a slot whose turn it is.
func (q *queue) take(turn int) {
	s, rest := turn&(len(q.slots)-1), int32(0)
	for i := q.slots[s]; i != 0; {
		e := &q.later[i]
		next := e.next
		if int(e.at>>(q.shift&63)) == turn {
			q.soon = append(q.soon, e.due)
			e.next, q.free = q.free, i
			q.n--
		} else {
			e.next, rest = rest, i
		}
		i = next
	}
	if q.slots[s] = rest; rest == 0 {
		q.some.put(s, false)
	}
	if len(q.soon) > 32 {
		slices.SortFunc(q.soon, func(a, b due) int { return int(a.earlier(&b)) - int(b.earlier(&a)) })
		return
	}
	for i := 1; i < len(q.soon); i++ {
		d, k := q.soon[i], i
		for ; k > 0 && q.soon[k-1].before(&d); k-- {
			q.soon[k] = q.soon[k-1]
		}
		q.soon[k] = d
	}
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
	all := q.n + len(q.soon)
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
	old, soon := q.slots, q.soon
	q.lay(slots)
	q.shift = shift
	for _, i := range old {
		for i != 0 {
			e := &q.later[i]
			next := e.next
			e.next, q.free = q.free, i
			q.n--
			q.put(e.due)
			i = next
		}
	}
	if len(soon) == 0 {
		return
	}
	until := (soon[len(soon)-1].at>>shift + 1) << shift
	if until < 0 || until >= q.until {
		return
	}
	q.until = until
	k := 0
	for ; soon[k].at >= until; k++ { // it does not come so soon any more
		q.put(soon[k])
	}
	q.soon = soon[:copy(soon, soon[k:])]
}

// clear removes all entries.
func (q *queue) clear() { *q = queue{seq: q.seq} }
