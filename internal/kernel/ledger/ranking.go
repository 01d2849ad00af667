package ledger

import "github.com/slackline/slackline/sched"

// chunkCap bounds what one insertion moves. 64 entries are 2.5 KB: about as long as the search before it.
const chunkCap = 64

// entry is one child of a queue in the order: a job (elem > 0) or a queue (elem < 0).
type entry struct {
	key  sched.Key
	seq  int64 // order of arrival, unique: breaks ties
	elem int32
}

func (e *entry) before(key sched.Key, seq int64) bool {
	switch {
	case e.key[0] != key[0]:
		return e.key[0] < key[0]
	case e.key[1] != key[1]:
		return e.key[1] < key[1]
	case e.key[2] != key[2]:
		return e.key[2] < key[2]
	}
	return e.seq < seq
}

// ranking keeps the children of one queue for one stage, sorted by (key, seq), in chunks of bounded size: insertion and
// removal cost O(log n) comparisons and one short move.
type ranking struct {
	chunks [][]entry
	spare  [][]entry // emptied chunks, kept for later
	n      int
}

// find returns the place of the first entry that does not stand before (key, seq).
func (r *ranking) find(key sched.Key, seq int64) (chunk, pos int) {
	lo, hi := 0, len(r.chunks)
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		if last(r.chunks[m]).before(key, seq) {
			lo = m + 1
		} else {
			hi = m
		}
	}
	if lo == len(r.chunks) {
		return lo, 0
	}
	return lo, search(r.chunks[lo], key, seq)
}

// search returns the place in a chunk of the first entry that does not stand before (key, seq).
func search(c []entry, key sched.Key, seq int64) int {
	a, b := 0, len(c)
	for a < b {
		m := int(uint(a+b) >> 1)
		if c[m].before(key, seq) {
			a = m + 1
		} else {
			b = m
		}
	}
	return a
}

func last(c []entry) *entry { return &c[len(c)-1] }

func (r *ranking) insert(e entry) {
	r.n++
	ci, pos := r.find(e.key, e.seq)
	if ci == len(r.chunks) {
		if ci == 0 || len(r.chunks[ci-1]) == chunkCap {
			r.chunks = append(r.chunks, append(r.fresh(), e))
			return
		}
		ci--
		pos = len(r.chunks[ci])
	}
	c := r.chunks[ci]
	if len(c) == chunkCap { // split in halves
		right := append(r.fresh(), c[chunkCap/2:]...)
		c = c[:chunkCap/2]
		r.chunks[ci] = c
		r.chunks = append(r.chunks, nil)
		copy(r.chunks[ci+2:], r.chunks[ci+1:])
		r.chunks[ci+1] = right
		if pos > chunkCap/2 {
			ci, pos, c = ci+1, pos-chunkCap/2, right
		}
	}
	c = append(c, entry{})
	copy(c[pos+1:], c[pos:])
	c[pos] = e
	r.chunks[ci] = c
}

// move gives the entry that was inserted with the key from its new key. It is the first of all most
// often, of which something was started. Most moves are short: within its chunk the entry is shifted
// in one go.
func (r *ranking) move(from sched.Key, e entry) {
	ci, pos := 0, 0
	if r.chunks[0][0].seq != e.seq {
		ci, pos = r.find(from, e.seq)
	}
	c, to := r.chunks[ci], pos
	if from.Less(e.key) {
		if pos+1 < len(c) && c[pos+1].before(e.key, e.seq) {
			to += 1 + search(c[pos+2:], e.key, e.seq)
		}
		if to+1 == len(c) && ci+1 < len(r.chunks) && r.chunks[ci+1][0].before(e.key, e.seq) {
			r.removeAt(ci, pos)
			r.insert(e)
			return
		}
		copy(c[pos:to], c[pos+1:])
	} else {
		if pos > 0 && !c[pos-1].before(e.key, e.seq) {
			to = search(c[:pos-1], e.key, e.seq)
		}
		if to == 0 && ci > 0 && !last(r.chunks[ci-1]).before(e.key, e.seq) {
			r.removeAt(ci, pos)
			r.insert(e)
			return
		}
		copy(c[to+1:pos+1], c[to:])
	}
	c[to] = e
}

func (r *ranking) fresh() []entry {
	if n := len(r.spare); n > 0 {
		c := r.spare[n-1]
		r.spare = r.spare[:n-1]
		return c
	}
	return make([]entry, 0, chunkCap)
}

// remove takes out the entry that was inserted with that key and seq.
func (r *ranking) remove(key sched.Key, seq int64) { r.removeAt(r.find(key, seq)) }

func (r *ranking) removeAt(ci, pos int) {
	c := r.chunks[ci]
	copy(c[pos:], c[pos+1:])
	c = c[:len(c)-1]
	r.chunks[ci] = c
	r.n--
	if len(c) == 0 {
		r.spare = append(r.spare, c)
		r.chunks = append(r.chunks[:ci], r.chunks[ci+1:]...)
	}
}

// first returns the first entry, nil if there is none.
func (r *ranking) first() *entry {
	if len(r.chunks) == 0 {
		return nil
	}
	return &r.chunks[0][0]
}

// after returns the first entry behind (key, seq), nil if there is none.
func (r *ranking) after(key sched.Key, seq int64) *entry {
	ci, pos := r.find(key, seq)
	if ci == len(r.chunks) {
		return nil
	}
	if e := &r.chunks[ci][pos]; e.key == key && e.seq == seq {
		if pos++; pos == len(r.chunks[ci]) {
			if ci++; ci == len(r.chunks) {
				return nil
			}
			pos = 0
		}
	}
	return &r.chunks[ci][pos]
}
