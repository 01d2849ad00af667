package task

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unsafe"

	"github.com/cespare/xxhash/v2"
)

// table is a hash table from keys to numbers, by open addressing. Keys of up to 16 bytes stand in
// the slots as two machine words, so that finding one, the commonest thing that a map does, touches
// one cache line.
type table struct {
	slots []slot // a power of two
	shift uint   // of a hash, to the number of a slot
	used  int
	keys  []byte // of all slots, in the order in which they came
}

// slot is a key and its number.
type slot struct {
	lo, hi uint64 // the key, filled up with zeros; of a longer one its hash and its last 8 bytes
	n      int64
	off    uint32 // of the key
	size   uint32 // of the key plus 1; 0 = the slot is free
}

const (
	firstSlots = 1 << 10
	slotCost   = 160 // bytes: a slot at the lowest load and while the table doubles, and what sorting needs
)

func newTable() *table {
	t := &table{}
	t.make(firstSlots)
	return t
}

func (t *table) make(n int) {
	t.slots = make([]slot, n)
	largePages(unsafe.Slice((*byte)(unsafe.Pointer(&t.slots[0])), n*int(unsafe.Sizeof(slot{}))))
	t.shift = uint(64 - bits.TrailingZeros(uint(n)))
}

// cost is the memory that the table takes at most.
func (t *table) cost() int { return t.used*slotCost + len(t.keys) }

func (t *table) clear() {
	clear(t.slots)
	t.used, t.keys = 0, t.keys[:0]
}

// masks keep the first bytes of 16.
var masks = func() (m [17][2]uint64) {
	for n := range m {
		for i := range n {
			m[n][i/8] |= 0xff << (8 * (i % 8))
		}
	}
	return m
}()

// A probe is a key on its way to its slot.
type probe struct {
	lo, hi uint64 // as in a slot
	home   uint64 // its first bits say where the key is looked for first
	size   uint32 // of the key plus 1
}

// longKey is from what length on a key does not stand in a slot.
const longKey = 17

// of makes it the probe of a key.
func (p *probe) of(key []byte) {
	n := len(key)
	switch {
	case n >= longKey:
		p.lo, p.hi = xxhash.Sum64(key), binary.LittleEndian.Uint64(key[n-8:])
	case cap(key) >= 16: // it is a part of a buffer: two loads and a mask
		k := key[:16]
		m := &masks[n]
		p.lo, p.hi = binary.LittleEndian.Uint64(k)&m[0], binary.LittleEndian.Uint64(k[8:])&m[1]
	default:
		p.lo, p.hi = clipped(key)
	}
	p.size = uint32(n) + 1
}

// clipped reads a short key whose memory ends with it, as bytes.Fields and its like return them: by
// loads that overlap.
func clipped(key []byte) (lo, hi uint64) {
	n := len(key)
	switch {
	case n >= 8:
		return binary.LittleEndian.Uint64(key), binary.LittleEndian.Uint64(key[n-8:]) >> (8 * (16 - n))
	case n >= 4:
		return uint64(binary.LittleEndian.Uint32(key)) | uint64(binary.LittleEndian.Uint32(key[n-4:]))<<(8*(n-4)), 0
	case n > 0:
		return uint64(key[0]) | uint64(key[n/2])<<(8*(n/2)) | uint64(key[n-1])<<(8*(n-1)), 0
	}
	return 0, 0
}

// find returns the slot of a key, and whether it is new. The slot is good until the next call.
func (t *table) find(key []byte) (*slot, bool) {
	var p probe
	p.of(key)
	p.home = home(p.lo, p.hi, p.size)
	return t.seek(&p, key)
}

// look returns the slot of a probe, or the free one at which it is missing. Of a probe that is not
// long the key may be nil.
func (t *table) look(p *probe, key []byte) *slot {
	slots, mask := t.slots, uint64(len(t.slots)-1)
	for at := p.home >> t.shift; ; at++ {
		s := &slots[at&mask]
		if s.size == 0 || s.lo == p.lo && s.hi == p.hi && s.size == p.size && (p.size <= longKey || bytes.Equal(t.key(s), key)) {
			return s
		}
	}
}

// seek is find for a probe, as look is.
func (t *table) seek(p *probe, key []byte) (*slot, bool) {
	s := t.look(p, key)
	if s.size > 0 {
		return s, false
	}
	return t.insert(s, p, key), true
}

func (t *table) insert(s *slot, p *probe, key []byte) *slot {
	if 8*t.used >= 7*len(t.slots) {
		t.double()
		s = t.look(p, key)
	}
	*s = slot{lo: p.lo, hi: p.hi, off: uint32(len(t.keys)), size: p.size}
	if key != nil || p.size > longKey {
		t.keys = append(t.keys, key...)
	} else {
		var k [16]byte
		binary.LittleEndian.PutUint64(k[:], p.lo)
		binary.LittleEndian.PutUint64(k[8:], p.hi)
		t.keys = append(t.keys, k[:p.size-1]...)
	}
	t.used++
	return s
}

// home is the hash of a key.
func home(lo, hi uint64, size uint32) uint64 {
	a, b := bits.Mul64(lo^0x9e3779b97f4a7c15, hi^0xd1b54a32d192ed03^uint64(size))
	return (a ^ b) * 0x9e3779b97f4a7c15
}

func (t *table) key(s *slot) []byte {
	from, to := s.off, s.off+s.size-1
	return t.keys[from:to:to]
}

func (t *table) double() {
	old := t.slots
	t.make(2 * len(old))
	mask := uint64(len(t.slots) - 1)
	for i := range old {
		s := &old[i]
		if s.size == 0 {
			continue
		}
		to := home(s.lo, s.hi, s.size) >> t.shift
		for t.slots[to&mask].size != 0 {
			to++
		}
		t.slots[to&mask] = *s
	}
}
