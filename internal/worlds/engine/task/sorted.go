package task

import (
	"bytes"
	"cmp"
	"slices"
)

// sorted is the buffer of a map without a combiner: records in an arena, and entries to sort in their place.
type sorted struct {
	collect
	arena   []byte
	entries []entry
}

// entry is a record in the arena. Its offset rises with the order of emission, so it breaks ties.
type entry struct {
	prefix uint64 // of the key
	part   uint32
	off    uint32 // of the key; the value stands behind it
	klen   uint32
	vlen   uint32 // plus 1; 0 = nil
}

const entrySize = 24

// Emit takes a record. When the buffer is full it is spilled.
func (s *sorted) Emit(key, value []byte) error {
	part, err := s.accept(key, value)
	if err != nil {
		return err
	}
	if part < 0 {
		part = int(partition(key, s.parts))
	}
	if n := len(s.arena) + len(s.entries)*entrySize; n > 0 && n+len(key)+len(value)+entrySize > s.limit {
		if err := s.spill(); err != nil {
			return s.a.broke(err)
		}
	}
	e := entry{prefix: prefix(key), part: uint32(part), off: uint32(len(s.arena)), klen: uint32(len(key))}
	if value != nil {
		e.vlen = uint32(len(value)) + 1
	}
	s.arena = append(append(s.arena, key...), value...)
	if len(key)+len(value) == 0 {
		s.arena = append(s.arena, 0) // so that no two records have one offset
	}
	s.entries = append(s.entries, e)
	return nil
}

func (s *sorted) spill() error {
	return s.a.sorting(func() error {
		slices.SortFunc(s.entries, s.compare)
		err := s.write(func(add func(int, []byte, []byte) error) error {
			for i := range s.entries {
				e := &s.entries[i]
				var value []byte
				if e.vlen > 0 {
					value = s.arena[e.off+e.klen : e.off+e.klen+e.vlen-1]
				}
				if err := add(int(e.part), s.key(e), value); err != nil {
					return err
				}
			}
			return nil
		})
		s.arena, s.entries = s.arena[:0], s.entries[:0]
		return err
	})
}

func (s *sorted) key(e *entry) []byte { return s.arena[e.off : e.off+e.klen] }

func (s *sorted) compare(a, b entry) int {
	if a.part != b.part {
		return cmp.Compare(a.part, b.part)
	}
	if a.prefix != b.prefix {
		return cmp.Compare(a.prefix, b.prefix)
	}
	if a.klen <= 8 && b.klen <= 8 {
		// The prefix is all of the key but its length: "a" comes before "a\x00".
		return cmp.Or(cmp.Compare(a.klen, b.klen), cmp.Compare(a.off, b.off))
	}
	if c := bytes.Compare(s.key(&a), s.key(&b)); c != 0 {
		return c
	}
	return cmp.Compare(a.off, b.off)
}

func (s *sorted) finish() (*Output, error) {
	if len(s.entries) > 0 || len(s.spills) == 0 {
		if err := s.spill(); err != nil {
			return nil, err
		}
	}
	return s.join()
}
