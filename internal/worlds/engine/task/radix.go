package task

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"
)

// entry stands for a record in an arena while it is sorted.
type entry struct {
	prefix uint64 // 8 bytes of the key, the first at the start
	off    uint32 // of the record in the arena
	size   uint32 // of the record, at most maxUint32
}

const entrySize = 16

// fewEntries is up to how many entries insertion is faster than counting.
const fewEntries = 24

// sortEntries sorts by key, those of equal keys in the order in which they stand: by the bits of
// the prefix in which entries differ, eight at a time from the first, and then by what follows in
// the key. key returns the key of an entry. scratch has room for as many entries.
func sortEntries(list, scratch []entry, key func(entry) []byte) {
	s := radix{scratch: scratch, key: key}
	s.sort(list, 0)
}

type radix struct {
	scratch []entry
	key     func(entry) []byte
}

// sort sorts entries whose keys agree in so many first bytes, and whose prefix holds the 8 bytes behind them.
func (s *radix) sort(list []entry, depth int) {
	if len(list) <= fewEntries {
		s.insert(list, depth)
		return
	}
	first, differ := list[0].prefix, uint64(0)
	for i := range list {
		differ |= list[i].prefix ^ first
	}
	if differ == 0 {
		s.deeper(list, depth)
		return
	}
	shift := max(0, 56-bits.LeadingZeros64(differ))
	var ends [256]int32
	for i := range list {
		ends[uint8(list[i].prefix>>shift)]++
	}
	sum := int32(0)
	for i, n := range ends {
		ends[i] = sum
		sum += n
	}
	to := s.scratch[:len(list)]
	for i := range list {
		at := &ends[uint8(list[i].prefix>>shift)]
		to[*at] = list[i]
		*at++
	}
	copy(list, to)
	from := int32(0)
	for _, end := range ends {
		if end-from > 1 {
			s.sort(list[from:end], depth)
		}
		from = end
	}
}

// deeper sorts entries that agree in 8 bytes more. Keys that end there come first, by length: 8
// bytes are filled up with zeros, and "a" stands before "a\x00".
func (s *radix) deeper(list []entry, depth int) {
	longer := s.scratch[:0]
	n := 0
	for _, e := range list {
		if len(s.key(e)) > depth+8 {
			longer = append(longer, e)
		} else {
			list[n] = e
			n++
		}
	}
	copy(list[n:], longer)
	slices.SortStableFunc(list[:n], func(a, b entry) int { return cmp.Compare(len(s.key(a)), len(s.key(b))) })
	if len(list)-n < 2 {
		return
	}
	list = list[n:]
	for i := range list {
		list[i].prefix = prefix(s.key(list[i])[depth+8:])
	}
	s.sort(list, depth+8)
}

// insert sorts few entries.
func (s *radix) insert(list []entry, depth int) {
	for i := 1; i < len(list); i++ {
		e := list[i]
		j := i
		for ; j > 0 && (e.prefix < list[j-1].prefix || e.prefix == list[j-1].prefix && s.less(e, list[j-1], depth)); j-- {
			list[j] = list[j-1]
		}
		list[j] = e
	}
}

func (s *radix) less(a, b entry, depth int) bool {
	return bytes.Compare(s.key(a)[depth:], s.key(b)[depth:]) < 0
}
