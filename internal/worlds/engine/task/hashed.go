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
//
// Short values that come again and again are counted and do not fill the region: the combiner sees
// each of them all the same. The commonest, such as the 1 of every count, is counted beside the
// key, so that its group is not even looked at. The values of a key are, in order, those of its
// region, then the group's last value, as often as it came, then the commonest, as often as that
// came.
type hashed struct {
	collect
	queue
	table  *table // of places in groups, and from bit 32 on of how often the commonest value came
	common uint64 // packed: the first short value that came
	groups []group
	arena  []byte // regions
	out    combined
	at     int    // group being combined
	held   values // what is combined
	where  func() string
}

type group struct {
	key    uint32 // offset in the table's keys
	klen   uint32
	vals   uint32 // offset of the region
	used   uint32 // bytes of it
	room   uint32
	n      uint32 // runs of values in it
	repeat uint32 // how often the last value came so far; it is not in the region yet
	last   uint64 // that value, packed
}

const (
	groupSize   = 40
	firstRegion = 24  // bytes
	largeRegion = 512 // to which regions of busy groups grow
	shortValue  = 7   // bytes that can be packed

	noValue     = math.MaxUint64 // is not packed of any
	oneMore     = 1 << 32
	mostCounted = 1 << 62
)

// pack makes a number of a short value, another one for each.
func pack(value []byte) uint64 {
	if len(value) == 1 {
		return 2<<56 | uint64(value[0])
	}
	if value == nil {
		return 0
	}
	p := uint64(len(value)+1) << 56
	for i, b := range value {
		p |= uint64(b) << (8 * i)
	}
	return p
}

// unpack appends a packed value, which must not be nil.
func unpack(to []byte, p uint64) []byte {
	for n := p >> 56; n > 1; n-- {
		to = append(to, byte(p))
		p >>= 8
	}
	return to
}

func newHashed(base collect) *hashed {
	h := &hashed{collect: base, queue: newQueue(base.limit), table: newTable(), common: noValue}
	h.out = combined{a: base.a, to: h.put}
	h.where = h.out.where
	return h
}

// Emit takes a record. When the buffer is full it is spilled.
func (h *hashed) Emit(key, value []byte) error {
	if len(value) <= shortValue && len(key) < longKey && h.waits < len(h.all) {
		w := &h.all[h.waits]
		w.of(key)
		w.n = int64(pack(value))
		h.waits++
		h.bytes += len(key) + len(value)
		return nil
	}
	return h.emit(key, value)
}

// emit is Emit for what is less common.
func (h *hashed) emit(key, value []byte) error {
	if err := h.drain(); err != nil {
		return err
	}
	if err := h.accept(key, value); err != nil {
		return err
	}
	s, made := h.table.find(key)
	h.open(s, made)
	var err error
	if len(value) <= shortValue {
		err = h.take(s, pack(value))
	} else if err = h.flush(s); err == nil {
		if err = h.settle(); err == nil {
			err = h.append(value, 1)
		}
	}
	if err != nil {
		return h.a.broke(err)
	}
	return nil
}

// drain brings what waits to its groups.
func (h *hashed) drain() error {
	if err := h.check(nil, nil); err != nil {
		return err
	}
	if h.table.cost()+len(h.groups)*groupSize+len(h.arena) > h.limit && len(h.groups) > 0 {
		if err := h.spill(); err != nil {
			return h.a.broke(err)
		}
	}
	queue := h.takeAll(h.table, &h.a.count)
	if h.common == noValue && len(queue) > 0 {
		h.common = uint64(queue[0].n)
	}
	for i := range queue {
		w := &queue[i]
		value := uint64(w.n)
		if value == h.common && h.table.tally(&w.probe, oneMore, mostCounted) {
			continue
		}
		s, made := h.table.seek(&w.probe, nil)
		h.open(s, made)
		if err := h.take(s, value); err != nil {
			return h.a.broke(err)
		}
	}
	return nil
}

// open makes the group of a new slot.
func (h *hashed) open(s *slot, made bool) {
	if made {
		s.n = int64(len(h.groups))
		h.groups = append(h.groups, group{key: s.off, klen: s.size - 1})
	}
	h.at = int(uint32(s.n))
}

// take adds a packed value to the group at hand, which is that of the slot.
func (h *hashed) take(s *slot, value uint64) error {
	if value == h.common && s.n < mostCounted {
		s.n += oneMore
		return nil
	}
	if err := h.flush(s); err != nil {
		return err
	}
	return h.count(value)
}

// flush brings what was counted in the slot into the region of its group, which is at hand.
func (h *hashed) flush(s *slot) error {
	times := uint32(s.n >> 32)
	if times == 0 {
		return nil
	}
	s.n = int64(uint32(s.n))
	if err := h.settle(); err != nil {
		return err
	}
	return h.appendPacked(h.common, times)
}

func (h *hashed) key(g *group) []byte { return h.table.keys[g.key : g.key+g.klen : g.key+g.klen] }

// count adds a packed value to the group at hand.
func (h *hashed) count(value uint64) error {
	g := &h.groups[h.at]
	if g.repeat > 0 && (g.last != value || g.repeat == math.MaxUint32) {
		if err := h.settle(); err != nil {
			return err
		}
		g = &h.groups[h.at]
	}
	g.last = value
	g.repeat++
	return nil
}

// settle brings the value that was counted into the region.
func (h *hashed) settle() error {
	g := &h.groups[h.at]
	if g.repeat == 0 {
		return nil
	}
	n := g.repeat
	g.repeat = 0
	return h.appendPacked(g.last, n)
}

func (h *hashed) appendPacked(value uint64, times uint32) error {
	if value == 0 {
		return h.append(nil, times)
	}
	var buf [shortValue]byte
	return h.append(unpack(buf[:0], value), times)
}

// append adds a value to the region of the group at hand, so many times, and combines what is there
// first if that leaves no room.
func (h *hashed) append(value []byte, times uint32) error {
	g := &h.groups[h.at]
	if h.need(g, value) > int(g.room) && g.n > 1 {
		if err := h.combine(); err != nil {
			return err
		}
		if g.used > g.room/2 || g.room < largeRegion {
			if err := h.grow(g, 2*int(g.room)); err != nil {
				return err
			}
		}
	}
	return h.add(value, times)
}

// need is how long a region has to be that takes one value more.
func (h *hashed) need(g *group, value []byte) int {
	return int(g.used) + len(value) + 2*binary.MaxVarintLen32
}

// put adds a value that comes of combining.
func (h *hashed) put(value []byte) error { return h.add(value, 1) }

func (h *hashed) add(value []byte, times uint32) error {
	g := &h.groups[h.at]
	if need := h.need(g, value); need > int(g.room) {
		if err := h.grow(g, max(need, 2*int(g.room), firstRegion)); err != nil {
			return err
		}
	}
	region := h.arena[g.vals+g.used : g.vals+g.used : g.vals+g.room]
	g.used += uint32(len(binary.AppendUvarint(appendValue(region, value), uint64(times))))
	g.n++
	return nil
}

// grow moves the values of a group to a larger region. The old one is lost until the next spill.
func (h *hashed) grow(g *group, room int) error {
	at := len(h.arena)
	if at+room > math.MaxUint32 {
		return fmt.Errorf("application %s: its combiner makes more values instead of fewer, beyond 4 GB", h.a.app)
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
	outer, spot := h.a.where, h.a.spot
	h.a.where, h.a.spot = h.where, nil // stays if the combiner panics
	if err := h.combiner.Reduce(h.out.key, &h.held, &h.out); err != nil {
		return h.a.failed(err)
	}
	h.a.where, h.a.spot = outer, spot
	return h.a.broken
}

func (h *hashed) spill() error {
	for i := range h.table.slots {
		if s := &h.table.slots[i]; s.n >= oneMore {
			h.at = int(uint32(s.n))
			if err := h.flush(s); err != nil {
				return err
			}
		}
	}
	var g grouped
	g.key = func(e entry) []byte { return h.key(&h.groups[e.off]) }
	var left values // they stand in the arena until the next group is combined
	var n int64
	g.put = func(e entry, key []byte, add addRecord) error {
		h.at = int(e.off)
		if err := h.settle(); err != nil {
			return err
		}
		of := &h.groups[h.at]
		left.walk(h.arena[of.vals:of.vals+of.used], &n)
		if left.Next() && left.more() {
			if err := h.combine(); err != nil {
				return err
			}
		}
		left.walk(h.arena[of.vals:of.vals+of.used], &n)
		for left.Next() {
			if err := add(key, left.Value()); err != nil {
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
	if err := h.drain(); err != nil {
		return nil, err
	}
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
	again  uint64 // how often the value comes still
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
	v.region, v.value, v.again, v.seen = region, nil, 0, seen
}

// more tells whether there are values behind the current one.
func (v *values) more() bool { return v.again > 0 || len(v.region) > 0 }

// appendValue appends a value as values reads it, but for how often it comes.
func appendValue(b, value []byte) []byte {
	if value == nil {
		return append(b, 0)
	}
	return append(binary.AppendUvarint(b, uint64(len(value))+1), value...)
}

// Next moves to the next value.
func (v *values) Next() bool {
	*v.seen++
	if v.again > 0 {
		v.again--
		return true
	}
	if len(v.region) == 0 {
		*v.seen--
		return false
	}
	size, n := binary.Uvarint(v.region)
	v.region = v.region[n:]
	if size == 0 {
		v.value = nil
	} else {
		v.value, v.region = v.region[:size-1:size-1], v.region[size-1:]
	}
	times, n := binary.Uvarint(v.region)
	v.region, v.again = v.region[n:], times-1
	return true
}

// Value returns the current value.
func (v *values) Value() []byte { return v.value }
