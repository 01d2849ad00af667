package task

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/slackline/slackline/mapreduce"
)

// hashed is the buffer of a map with a combiner. It finds the group of a key by a hash table and keeps the values of each in a
// small region of the arena, in order. When a region is full they are combined on the spot, so a word that comes often costs
// neither memory nor sorting; a region that combining does not empty by half is doubled.
type hashed struct {
	collect
	arena  []byte // keys and regions
	groups []group
	table  []slot // open addressing, a power of two
	out    combined
	at     int    // group being combined
	held   values // what is combined
	where  func() string
}

type group struct {
	prefix uint64
	hash   uint64
	part   uint32
	key    uint32 // offset
	klen   uint32
	vals   uint32 // offset of the region
	used   uint32 // bytes of it
	room   uint32
	n      uint32 // values in it
}

// slot holds some bits of a hash, so that most other keys are told apart without a look at their group, and the group's place
// plus 1.
type slot struct{ tag, place uint32 }

const (
	groupSize   = 48 + 2*8 // with its share of the table
	firstRegion = 24       // bytes; eight or so small numbers
	firstTable  = 1 << 10
)

func newHashed(base collect) *hashed {
	h := &hashed{collect: base, table: make([]slot, firstTable)}
	h.out = combined{a: base.a, to: h.put}
	h.where = h.out.where
	return h
}

// Emit takes a record. When the buffer is full it is spilled.
func (h *hashed) Emit(key, value []byte) error {
	part, err := h.accept(key, value)
	if err != nil {
		return err
	}
	if len(h.arena)+len(h.groups)*groupSize+len(key)+len(value) > h.limit && len(h.groups) > 0 {
		if err := h.spill(); err != nil {
			return h.a.broke(err)
		}
	}
	sum := xxhash.Sum64(key)
	if part < 0 {
		part = int(sum % uint64(h.parts))
	}
	h.at = h.find(key, sum, uint32(part))
	if err := h.append(value); err != nil {
		return h.a.broke(err)
	}
	return nil
}

// find returns the place of the key's group, made if it is new.
func (h *hashed) find(key []byte, sum uint64, part uint32) int {
	mask := uint64(len(h.table) - 1)
	tag := uint32(sum >> 32)
	i := sum & mask
	for ; h.table[i].place != 0; i = (i + 1) & mask {
		if h.table[i].tag != tag {
			continue
		}
		at := int(h.table[i].place - 1)
		if g := &h.groups[at]; g.hash == sum && bytes.Equal(h.key(g), key) {
			return at
		}
	}
	h.groups = append(h.groups, group{
		prefix: prefix(key), hash: sum, part: part, key: uint32(len(h.arena)), klen: uint32(len(key)),
	})
	h.arena = append(h.arena, key...)
	h.table[i] = slot{tag, uint32(len(h.groups))}
	if 2*len(h.groups) > len(h.table) {
		h.rehash()
	}
	return len(h.groups) - 1
}

func (h *hashed) rehash() {
	h.table = make([]slot, 2*len(h.table))
	mask := uint64(len(h.table) - 1)
	for at := range h.groups {
		sum := h.groups[at].hash
		i := sum & mask
		for h.table[i].place != 0 {
			i = (i + 1) & mask
		}
		h.table[i] = slot{uint32(sum >> 32), uint32(at + 1)}
	}
}

func (h *hashed) key(g *group) []byte { return h.arena[g.key : g.key+g.klen : g.key+g.klen] }

// append adds a value to the group at hand, and combines its values first if they leave no room.
func (h *hashed) append(value []byte) error {
	g := &h.groups[h.at]
	need := uint32(len(value)) + binary.MaxVarintLen32
	if uint64(g.used)+uint64(need) > uint64(g.room) && g.n > 1 {
		if err := h.combine(); err != nil {
			return err
		}
		if g.used > g.room/2 {
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
	return h.a.sorting(func() error {
		slices.SortFunc(h.groups, h.compare)
		err := h.write(func(add func(int, []byte, []byte) error) error {
			for i := range h.groups {
				g := &h.groups[i]
				if g.n > 1 {
					h.at = i
					if err := h.combine(); err != nil {
						return err
					}
				}
				var vals values
				var n int64
				vals.region, vals.seen = h.arena[g.vals:g.vals+g.used], &n
				for vals.Next() {
					if err := add(int(g.part), h.key(g), vals.Value()); err != nil {
						return err
					}
				}
				if i%beatEvery == 0 {
					if err := h.a.err(); err != nil {
						return err
					}
				}
			}
			return nil
		})
		h.arena, h.groups = h.arena[:0], h.groups[:0]
		clear(h.table)
		return err
	})
}

func (h *hashed) compare(a, b group) int {
	if a.part != b.part {
		return cmp.Compare(a.part, b.part)
	}
	if a.prefix != b.prefix {
		return cmp.Compare(a.prefix, b.prefix)
	}
	return bytes.Compare(h.key(&a), h.key(&b))
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
