package task

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/slackline/slackline/mapreduce"
)

// hashed is the buffer of a map with a combiner. It finds the group of a key by a hash table and keeps the values of each in a
// small region of the arena, in order. When a region is full they are combined on the spot, so a word that comes often costs
// neither memory nor sorting; a region that combining does not empty by half is doubled, and so is, a few times, that of a group
// that fills it often, since a call for many values costs little more than one for few.
type hashed struct {
	collect
	table  *table // of places in groups
	groups []group
	arena  []byte // regions
	out    combined
	at     int    // group being combined
	held   values // what is combined
	where  func() string
}

type group struct {
	key  uint32 // offset in the table's keys
	klen uint32
	vals uint32 // offset of the region
	used uint32 // bytes of it
	room uint32
	n    uint32 // values in it
}

const (
	groupSize   = 24
	firstRegion = 24  // bytes; eight or so small numbers
	largeRegion = 512 // to which regions of busy groups grow
)

func newHashed(base collect) *hashed {
	h := &hashed{collect: base, table: newTable()}
	h.out = combined{a: base.a, to: h.put}
	h.where = h.out.where
	return h
}

// Emit takes a record. When the buffer is full it is spilled.
func (h *hashed) Emit(key, value []byte) error {
	if err := h.accept(key, value); err != nil {
		return err
	}
	if h.table.cost()+len(h.groups)*groupSize+len(h.arena)+len(key)+len(value) > h.limit && len(h.groups) > 0 {
		if err := h.spill(); err != nil {
			return h.a.broke(err)
		}
	}
	s, made := h.table.find(key)
	if made {
		s.n = int64(len(h.groups))
		h.groups = append(h.groups, group{key: s.off, klen: s.size - 1})
	}
	h.at = int(s.n)
	if err := h.append(value); err != nil {
		return h.a.broke(err)
	}
	return nil
}

func (h *hashed) key(g *group) []byte { return h.table.keys[g.key : g.key+g.klen : g.key+g.klen] }

// append adds a value to the group at hand, and combines its values first if they leave no room.
func (h *hashed) append(value []byte) error {
	g := &h.groups[h.at]
	if n := uint32(len(value)); n < 0x7f && g.used+n < g.room && value != nil {
		h.arena[g.vals+g.used] = byte(n + 1)
		copy(h.arena[g.vals+g.used+1:], value)
		g.used += n + 1
		g.n++
		return nil
	}
	need := uint32(len(value)) + binary.MaxVarintLen32
	if uint64(g.used)+uint64(need) > uint64(g.room) && g.n > 1 {
		if err := h.combine(); err != nil {
			return err
		}
		if g.used > g.room/2 || g.room < largeRegion {
			if err := h.grow(g, 2*int(g.room)); err != nil {
				return err
			}
		}
	}
	return h.put(value)
}

// put adds a value to the group at hand.
func (h *hashed) put(value []byte) error {
	g := &h.groups[h.at]
	if need := int(g.used) + len(value) + binary.MaxVarintLen32; need > int(g.room) {
		if err := h.grow(g, max(need, 2*int(g.room), firstRegion)); err != nil {
			return err
		}
	}
	region := h.arena[g.vals+g.used : g.vals+g.used : g.vals+g.room]
	g.used += uint32(len(appendValue(region, value)))
	g.n++
	return nil
}

// grow moves the values of a group to a larger region. The old one is lost until the next spill.
func (h *hashed) grow(g *group, room int) error {
	at := len(h.arena)
	if at+room > math.MaxUint32 {
		return fmt.Errorf("application %s: its combiner makes more of its values instead of less, beyond 4 GB", h.a.app)
	}
	h.arena = slices.Grow(h.arena, room)[:at+room]
	copy(h.arena[at:], h.arena[g.vals:g.vals+g.used])
	g.vals, g.room = uint32(at), uint32(room)
	return nil
}

// combine replaces the values of the group at hand by what the combiner makes of them.
func (h *hashed) combine() error {
	g := &h.groups[h.at]
	h.held.take(h.arena[g.vals:g.vals+g.used], &h.a.count.combineIn)
	g.used, g.n = 0, 0
	h.out.key = h.key(g)
	outer := h.a.where
	h.a.where = h.where // stays if the combiner panics
	if err := h.combiner.Reduce(h.out.key, &h.held, &h.out); err != nil {
		return h.a.failed(err)
	}
	h.a.where = outer
	return h.a.broken
}

func (h *hashed) spill() error {
	var g grouped
	g.key = func(e entry) []byte { return h.key(&h.groups[e.off]) }
	g.put = func(e entry, key []byte, add addRecord) error {
		h.at = int(e.off)
		of := &h.groups[h.at]
		if of.n > 1 {
			if err := h.combine(); err != nil {
				return err
			}
		}
		var n int64
		vals := values{region: h.arena[of.vals : of.vals+of.used], seen: &n}
		for vals.Next() {
			if err := add(key, vals.Value()); err != nil {
				return err
			}
		}
		return nil
	}
	return h.writeGroups(len(h.groups), func(int) bool { return true }, g, func() {
		h.table.clear()
		h.arena, h.groups = h.arena[:0], h.groups[:0]
	})
}

func (h *hashed) finish() (*Output, error) {
	if len(h.groups) > 0 || len(h.spills) == 0 {
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

// take walks a copy of the region, which is to be written anew meanwhile.
func (v *values) take(region []byte, seen *int64) {
	v.copied = append(v.copied[:0], region...)
	v.region, v.value, v.seen = v.copied, nil, seen
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
	size, n := binary.Uvarint(v.region)
	v.region = v.region[n:]
	if size == 0 {
		v.value = nil
	} else {
		v.value, v.region = v.region[:size-1:size-1], v.region[size-1:]
	}
	*v.seen++
	return true
}

// Value returns the current value.
func (v *values) Value() []byte { return v.value }
