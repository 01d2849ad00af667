package task

import (
	"bytes"
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
// it often, since a call for many values costs little more than one for few. The value that most
// records have, such as the 1 of every count, is only counted beside the key until another comes or
// the values are asked for; the combiner sees each of them all the same.
type hashed struct {
	tabled         // of where regions stand, and from bit 32 on of how often the common value came since
	common  []byte // the first value that came
	waiting []byte // values of the records that wait, as records without a key
	arena   []byte // regions, each behind a head: how many of its bytes are used, and its room
	out     combined
	at      *slot  // whose values are combined
	held    values // what is combined, in a copy, as the region is to be written again meanwhile
	copied  []byte
	counted []byte // the record of what was counted
	made    []byte // of what the combiner made
}

const (
	headSize    = 8
	firstRegion = 24  // bytes
	largeRegion = 512 // to which regions of busy groups grow

	mostWaiting = 1 << 10 // bytes of values
	commonValue = -1      // stands for the common one, others for where they begin and end
	oneMore     = 1 << 32
)

// head reads and writes what stands before a region.
type head []byte

func (h head) used() int { return int(binary.LittleEndian.Uint32(h)) }
func (h head) room() int { return int(binary.LittleEndian.Uint32(h[4:])) }

func (h head) use(n int) { binary.LittleEndian.PutUint32(h, uint32(n)) }

func newHashed(base collect) *hashed {
	h := &hashed{tabled: newTabled(base), arena: make([]byte, headSize)} // an empty region of whoever has none
	h.out = combined{a: base.a, to: func(value []byte) error {
		h.made = appendRecord(h.made[:0], nil, value)
		return h.add(h.made)
	}}
	h.own, h.where = h, h.out.where
	return h
}

// Emit takes a record. When the buffer is full it is spilled.
func (h *hashed) Emit(key, value []byte) error {
	if len(key) < longKey && h.waits < len(h.all) && len(h.waiting)+len(value) <= mostWaiting {
		w := &h.all[h.waits]
		w.of(key)
		if w.n = commonValue; value == nil || h.common == nil || string(value) != string(h.common) {
			from := len(h.waiting)
			h.waiting = appendRecord(h.waiting, nil, value)
			w.n = int64(from)<<32 | int64(len(h.waiting))
		}
		h.waits++
		h.bytes += len(key) + len(value)
		return nil
	}
	if err := h.drain(); err != nil {
		return err
	}
	if err := h.accept(key, value); err != nil {
		return err
	}
	h.at, _ = h.table.find(key)
	h.waiting = appendRecord(h.waiting[:0], nil, value)
	if err := h.append(h.waiting); err != nil {
		return h.a.broke(err)
	}
	h.waiting = h.waiting[:0]
	return nil
}

func (h *hashed) cost() int { return h.table.cost() + len(h.arena) }

func (h *hashed) take(queue []waiting) error {
	for i := range queue {
		if w := &queue[i]; w.n != commonValue { // likewise, of the regions of slots that are found at once
			h.touch += uint64(h.arena[uint32(h.table.slots[w.home>>h.table.shift].n)])
		}
	}
	for i := range queue {
		w := &queue[i]
		if w.n == commonValue && h.table.tally(&w.probe, oneMore, mapreduce.SumFold) {
			continue
		}
		h.at, _ = h.table.seek(&w.probe, nil)
		if w.n == commonValue {
			if err := h.flush(); err != nil {
				return err
			}
			h.at.n += oneMore
			continue
		}
		record := h.waiting[w.n>>32 : uint32(w.n)]
		if h.common == nil {
			_, value, _ := cutRecord(record)
			h.common = bytes.Clone(value)
		}
		if err := h.append(record); err != nil {
			return err
		}
	}
	h.waiting = h.waiting[:0]
	return nil
}

// region is that of the slot at hand, with its head.
func (h *hashed) region() head { return h.arena[uint32(h.at.n):] }

// values are those in the region of the slot at hand.
func (h *hashed) values() []byte { return h.region()[headSize:][:h.region().used()] }

// append adds a value to the slot at hand, and combines what is there first if that leaves no room.
func (h *hashed) append(record []byte) error {
	if err := h.flush(); err != nil {
		return err
	}
	return h.put(record)
}

// flush brings what was counted of the slot at hand into its region.
func (h *hashed) flush() error {
	times := h.at.n / oneMore
	if h.at.n %= oneMore; times == 0 {
		return nil
	}
	var buf [binary.MaxVarintLen64]byte
	h.counted = appendRecord(h.counted[:0], binary.AppendUvarint(buf[:0], uint64(times)), h.common)
	return h.put(h.counted)
}

// put is append to the region alone.
func (h *hashed) put(record []byte) error {
	if of := h.region(); of.used()+len(record) > of.room() && several(h.values()) {
		if err := h.combine(); err != nil {
			return err
		}
		if of := h.region(); of.used() > of.room()/2 || of.room() < largeRegion {
			if err := h.grow(2 * of.room()); err != nil {
				return err
			}
		}
	}
	return h.add(record)
}

// add is put however many values are there.
func (h *hashed) add(record []byte) error {
	of := h.region()
	used := of.used()
	if used+len(record) > of.room() {
		if err := h.grow(max(used+len(record), 2*of.room(), firstRegion)); err != nil {
			return err
		}
		of = h.region()
	}
	of.use(used + copy(of[headSize+used:], record))
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
	copy(to, h.region()[:headSize+h.region().used()])
	binary.LittleEndian.PutUint32(to[4:], uint32(room))
	h.at.n = int64(at)
	return nil
}

// combine replaces the values at hand by what the combiner makes of them.
func (h *hashed) combine() error {
	h.copied = append(h.copied[:0], h.values()...)
	h.held = values{region: h.copied, seen: &h.a.count.combineIn}
	h.region().use(0)
	h.out.key = h.table.key(h.at)
	return h.combining(func() error {
		if err := h.combiner.Reduce(h.out.key, &h.held, &h.out); err != nil {
			return h.a.failed(err)
		}
		return h.a.broken
	})
}

func (h *hashed) spill() error {
	var n int64
	err := h.writeGroups(h.table, func(s *slot, key []byte, add addRecord) error {
		h.at = s
		if err := h.flush(); err != nil {
			return err
		}
		if several(h.values()) {
			if err := h.combine(); err != nil {
				return err
			}
		}
		for left := (values{region: h.values(), seen: &n}); left.Next(); {
			if err := add(key, left.Value()); err != nil {
				return err
			}
		}
		return nil
	})
	h.arena = h.arena[:headSize]
	return err
}

// values walks the values of a region: records whose key is how often they come, empty for once.
type values struct {
	region []byte // what is left
	value  []byte
	again  uint64 // how often the value comes still
	seen   *int64
}

// several tells whether a region has more than one value.
func several(region []byte) bool {
	var seen int64
	v := values{region: region, seen: &seen}
	_ = v.Next()
	return v.Next()
}

// Next moves to the next value.
func (v *values) Next() bool {
	switch {
	case v.again > 0:
		v.again--
	case len(v.region) == 0:
		return false
	default:
		times, value, size := cutRecord(v.region)
		if v.value, v.region = value, v.region[size:]; len(times) > 0 {
			v.again, _ = binary.Uvarint(times)
			v.again--
		}
	}
	*v.seen++
	return true
}

// Value returns the current value.
func (v *values) Value() []byte { return v.value }
