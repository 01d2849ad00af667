package task

import "sync"

// sorted is the buffer of a map without a fold: records in an arena, in the form of a segment,
// and entries to sort in their place.
type sorted struct {
	collect
	chunks  [][]byte
	parts   [][]entry
	scratch []entry
	bytes   int // of records
	count   int // of records
}

const (
	chunkBits  = 22
	chunkSize  = 1 << chunkBits // of the arena; a larger record has a chunk of its own
	mostChunks = 1 << (32 - chunkBits)
	maxHead    = 10 // bytes before a key
)

// chunks passes them on from one attempt to the next, so that the system has to clear their memory once.
var chunks = sync.Pool{New: func() any { return new([chunkSize]byte) }}

// Emit takes a record. When the buffer is full it is spilled.
func (s *sorted) Emit(key, value []byte) error {
	if err := s.accept(key, value); err != nil {
		return err
	}
	part, err := s.part(key)
	if err != nil {
		return s.a.broke(err)
	}
	need := len(key) + len(value) + maxHead
	if s.bytes+need+(s.count+1)*2*entrySize > s.limit && s.count > 0 || len(s.chunks) == mostChunks {
		if err := s.spill(); err != nil {
			return s.a.broke(err)
		}
	}
	last := len(s.chunks) - 1
	if last < 0 || cap(s.chunks[last])-len(s.chunks[last]) < need {
		s.chunk(need)
		last++
	}
	from := len(s.chunks[last])
	s.chunks[last] = appendRecord(s.chunks[last], key, value)
	size := len(s.chunks[last]) - from
	s.parts[part] = append(s.parts[part], entry{prefix(key), uint32(last<<chunkBits | from), uint32(size)})
	s.bytes += size
	s.count++
	return nil
}

// chunk begins a chunk with so much room.
func (s *sorted) chunk(need int) {
	switch {
	case need > chunkSize || s.limit < chunkSize:
		s.chunks = append(s.chunks, make([]byte, 0, max(need, min(s.limit, chunkSize))))
	default:
		s.chunks = append(s.chunks, chunks.Get().(*[chunkSize]byte)[:0])
	}
}

func (s *sorted) record(e entry) []byte {
	from := e.off & (chunkSize - 1)
	return s.chunks[e.off>>chunkBits][from:][:e.size]
}

func (s *sorted) key(e entry) []byte {
	key, _, _ := cutRecord(s.record(e))
	return key
}

func (s *sorted) spill() error {
	return s.a.sorting(func() error {
		err := s.write(func(w *runWriter) error {
			for part, list := range s.parts {
				if len(s.scratch) < len(list) {
					s.scratch = make([]entry, cap(list))
				}
				sortEntries(list, s.scratch, s.key)
				if err := s.hand(part, list, w); err != nil {
					return err
				}
				s.parts[part] = list[:0]
			}
			return nil
		})
		s.free()
		return err
	})
}

// hand writes the records of a part, or what the combiner makes of them.
func (s *sorted) hand(part int, list []entry, w *runWriter) error {
	if s.combiner != nil {
		outer, spot := s.a.where, s.a.spot
		at := 0
		err := s.combine(part, []*run{{more: func() []byte {
			if at == len(list) {
				return nil
			}
			at++
			return s.record(list[at-1])
		}}}, w)
		if err == nil { // else they stay for whom it is told
			s.a.where, s.a.spot = outer, spot
		}
		return err
	}
	for i, e := range list {
		if err := w.addRecord(part, s.record(e)); err != nil {
			return err
		}
		if i%beatEvery == 0 {
			s.a.meter.beat()
			if err := s.a.err(); err != nil {
				return err
			}
		}
	}
	return nil
}

// free passes the chunks on.
func (s *sorted) free() {
	for _, c := range s.chunks {
		if cap(c) == chunkSize {
			chunks.Put((*[chunkSize]byte)(c[:chunkSize]))
		}
	}
	clear(s.chunks)
	s.chunks, s.bytes, s.count = s.chunks[:0], 0, 0
}

func (s *sorted) finish() (*Output, error) {
	if s.count > 0 || len(s.spills) == 0 {
		if err := s.spill(); err != nil {
			return nil, err
		}
	}
	return s.join()
}
