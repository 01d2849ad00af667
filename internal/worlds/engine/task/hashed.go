package task

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/slackline/slackline/mapreduce"
)

// hashed is the buffer of a map with a combiner. It finds the group of a key by a hash table and
// keeps the values of each in a small region of the arena, in order. When a region is full they are
// combined on the spot, so a word that comes often costs neither memory nor sorting; a region that
// combining does not empty by half is doubled, and so is, a few times, that of a group that fills
// it often, since a call for many values costs little more than one for few.
type hashed struct {
	collect
	table *table // of where regions stand
	arena []byte // regions, each behind a head: how many of its bytes and values there are, and its room
	out   combined
	at    *slot  // whose values are combined
	held  values // what is combined
	where func() string
}

const (
	headSize    = 12
	firstRegion = 20  // bytes
	largeRegion = 512 // to which regions of busy groups grow
)

// head reads and writes what stands before a region.
type head []byte

func (h head) used() int { return int(binary.LittleEndian.Uint32(h)) }
func (h head) room() int { return int(binary.LittleEndian.Uint32(h[4:])) }
func (h head) n() int    { return int(binary.LittleEndian.Uint32(h[8:])) }

func (h head) set(used, n int) {
	binary.LittleEndian.PutUint32(h, uint32(used))
	binary.LittleEndian.PutUint32(h[8:], uint32(n))
}

func newHashed(base collect) *hashed {
	h := &hashed{collect: base, table: newTable()}
	h.out = combined{a: base.a, to: h.add}
	h.where = h.out.where
	return h
}

// Emit takes a record. When the buffer is full it is spilled.
func (h *hashed) Emit(key, value []byte) error {
	if err := h.accept(key, value); err != nil {
		return err
	}
	if h.table.cost()+len(h.arena) > h.limit && h.table.used > 0 {
		if err := h.spill(); err != nil {
			return h.a.broke(err)
		}
	}
	s, made := h.table.find(key)
	h.at = s
	if made {
		s.n = -1
	}
	if err := h.append(value); err != nil {
		return h.a.broke(err)
	}
	return nil
}

// head is that of the region at hand.
func (h *hashed) head() head { return head(h.arena[h.at.n:][:headSize]) }

// values are those in the region of a slot.
func (h *hashed) values(s *slot) []byte {
	return h.arena[s.n+headSize:][:head(h.arena[s.n:]).used()]
}

// append adds a value to the region at hand, and combines what is there first if that leaves no room.
func (h *hashed) append(value []byte) error {
	if h.at.n < 0 {
		return h.add(value)
	}
	if of := h.head(); of.used()+need(value) > of.room() && of.n() > 1 {
		if err := h.combine(); err != nil {
			return err
		}
		if of := h.head(); of.used() > of.room()/2 || of.room() < largeRegion {
			if err := h.grow(2 * of.room()); err != nil {
				return err
			}
		}
	}
	return h.add(value)
}

// need is how long a value may become in a region.
func need(value []byte) int { return len(value) + binary.MaxVarintLen32 }

// add adds a value to the region at hand, however many are there.
func (h *hashed) add(value []byte) error {
	used, room, n := 0, 0, 0
	if h.at.n >= 0 {
		of := h.head()
		used, room, n = of.used(), of.room(), of.n()
	}
	if used+need(value) > room {
		if err := h.grow(max(used+need(value), 2*room, firstRegion)); err != nil {
			return err
		}
	}
	from := int(h.at.n) + headSize + used
	h.head().set(used+len(appendValue(h.arena[from:from:from+need(value)], value)), n+1)
	return nil
}

// grow moves the values at hand to a larger region. The old one is lost until the next spill.
func (h *hashed) grow(room int) error {
	at := len(h.arena)
	if at+headSize+room > math.MaxUint32 {
		return fmt.Errorf("application %s: its combiner makes more values instead of fewer, beyond 4 GB", h.a.app)
	}
	h.arena = slices.Grow(h.arena, headSize+room)[:at+headSize+room]
	to := head(h.arena[at:])
	to.set(0, 0)
	if h.at.n >= 0 {
		copy(to, h.arena[h.at.n:][:headSize+h.head().used()])
	}
	binary.LittleEndian.PutUint32(to[4:], uint32(room))
	h.at.n = int64(at)
	return nil
}

// combine replaces the values at hand by what the combiner makes of them.
func (h *hashed) combine() error {
	h.held.take(h.values(h.at), &h.a.count.combineIn)
	h.head().set(0, 0)
	h.out.key = h.table.key(h.at)
	outer, spot := h.a.where, h.a.spot
	h.a.where, h.a.spot = h.where, nil // stays if the combiner panics
	if err := h.combiner.Reduce(h.out.key, &h.held, &h.out); err != nil {
		return h.a.failed(err)
	}
	h.a.where, h.a.spot = outer, spot
	return h.a.broken
}

func (h *hashed) spill() error {
	var left values // they stand in the arena until the next group is combined
	var n int64
	err := h.writeGroups(h.table, func(s *slot, key []byte, add addRecord) error {
		h.at = s
		if h.head().n() > 1 {
			if err := h.combine(); err != nil {
				return err
			}
		}
		left.walk(h.values(s), &n)
		for left.Next() {
			if err := add(key, left.Value()); err != nil {
				return err
			}
		}
		return nil
	})
	h.arena = h.arena[:0]
	return err
}

func (h *hashed) finish() (*Output, error) {
	if h.table.used > 0 || len(h.spills) == 0 {
		if err := h.spill(); err != nil {
			return nil, err
		}
	}
	return h.join()
}

// values walks the values of a region.
type values struct {
	region []byte // what is left
	value  []byte
	copied []byte
	seen   *int64
}

var _ mapreduce.Values = (*values)(nil)

// take walks a copy of the region, which is to be written again meanwhile.
func (v *values) take(region []byte, seen *int64) {
	v.copied = append(v.copied[:0], region...)
	v.walk(v.copied, seen)
}

func (v *values) walk(region []byte, seen *int64) {
	v.region, v.value, v.seen = region, nil, seen
}

// appendValue appends a value as values reads it.
func appendValue(b, value []byte) []byte {
	if value == nil {
		return append(b, 0)
	}
	return append(binary.AppendUvarint(b, uint64(len(value))+1), value...)
}

// Next moves to the next value.
func (v *values) Next() bool {
	if len(v.region) == 0 {
		return false
	}
	*v.seen++
	size, n := binary.Uvarint(v.region)
	v.region = v.region[n:]
	if size == 0 {
		v.value = nil
	} else {
		v.value, v.region = v.region[:size-1:size-1], v.region[size-1:]
	}
	return true
}

// Value returns the current value.
func (v *values) Value() []byte { return v.value }
