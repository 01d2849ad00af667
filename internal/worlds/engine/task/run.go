package task

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"

	"github.com/slackline/slackline/units"
)

// castagnoli is the polynomial of CRC32C, which processors compute themselves.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

const bufferSize = 64 << 10 // of a run or part file that is read or written

// Segment is one partition of a run: records in order of their keys, each as the length of the key, the length of the value
// plus 1 (0 = nil) as uvarints, then key and value.
type Segment struct {
	Offset, Length, Records int64
	Sum                     uint32 // CRC32C
}

// Output is a run on disk with a segment for each partition: a spill, or what a map attempt leaves for the reduces.
type Output struct {
	Path     string
	Segments []Segment
}

// Size returns the bytes of all segments.
func (o *Output) Size() units.Bytes {
	var sum int64
	for i := range o.Segments {
		sum += o.Segments[i].Length
	}
	return units.Bytes(sum)
}

// appendRecord appends the record in the form of a segment.
func appendRecord(b, key, value []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(key)))
	if value == nil {
		b = append(b, 0)
	} else {
		b = binary.AppendUvarint(b, uint64(len(value))+1)
	}
	return append(append(b, key...), value...)
}

// runWriter writes a run. Partitions come in ascending order.
type runWriter struct {
	f      *os.File
	buf    []byte
	off    int64 // bytes written
	summed int   // bytes of buf that are in the sum
	segs   []Segment
	part   int
}

func createRun(path string, parts int) (*runWriter, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	return &runWriter{f: f, buf: make([]byte, 0, bufferSize+4096), segs: make([]Segment, parts)}, nil
}

func (w *runWriter) add(part int, key, value []byte) error {
	for w.part < part {
		w.turn()
	}
	w.buf = appendRecord(w.buf, key, value)
	w.segs[part].Records++
	if len(w.buf) >= bufferSize {
		return w.flush()
	}
	return nil
}

// turn ends a partition and begins the next.
func (w *runWriter) turn() {
	w.sum()
	seg := &w.segs[w.part]
	end := w.off + int64(len(w.buf))
	seg.Length = end - seg.Offset
	if w.part++; w.part < len(w.segs) {
		w.segs[w.part].Offset = end
	}
}

func (w *runWriter) sum() {
	seg := &w.segs[w.part]
	seg.Sum = crc32.Update(seg.Sum, castagnoli, w.buf[w.summed:])
	w.summed = len(w.buf)
}

func (w *runWriter) flush() error {
	if w.part < len(w.segs) {
		w.sum()
	}
	n, err := w.f.Write(w.buf)
	w.off += int64(n)
	w.buf, w.summed = w.buf[:0], 0
	return err
}

// finish ends the run. It closes the file in any case.
func (w *runWriter) finish() (*Output, int64, error) {
	for w.part < len(w.segs) {
		w.turn()
	}
	err := w.flush()
	if e := w.f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return nil, 0, err
	}
	var records int64
	for i := range w.segs {
		records += w.segs[i].Records
	}
	return &Output{w.f.Name(), w.segs}, records, nil
}

func (w *runWriter) abandon() { w.f.Close() }

// A run yields the records of one segment, from a file or, with src nil, from memory.
type run struct {
	src       io.Reader
	buf       []byte
	r, w      int   // unread bytes are buf[r:w]
	left      int64 // bytes still in src
	sum, want uint32
	key, val  []byte // the current record, good until next
}

var (
	errTorn = errors.New("a record is torn")
	errSum  = errors.New("the checksum does not match")
)

func memoryRun(segment []byte) *run { return &run{buf: segment, w: len(segment)} }

func openRun(f io.ReaderAt, s Segment) *run {
	return &run{
		src: io.NewSectionReader(f, s.Offset, s.Length), left: s.Length, want: s.Sum,
		buf: make([]byte, min(s.Length, bufferSize)),
	}
}

// next moves to the next record. The checksum is compared when the last byte has been read.
func (r *run) next() (bool, error) {
	for {
		have := r.buf[r.r:r.w]
		klen, n := binary.Uvarint(have)
		vlen, m := uint64(0), 0
		if n > 0 {
			vlen, m = binary.Uvarint(have[n:])
		}
		if n < 0 || m < 0 || klen > maxRecord || vlen > maxRecord+1 {
			return false, errTorn
		}
		need := len(have) + 1
		if n > 0 && m > 0 {
			head, body := n+m, int(klen)
			if vlen > 0 {
				body += int(vlen) - 1
			}
			if head+body <= len(have) {
				r.key = have[head : head+int(klen) : head+int(klen)]
				r.val = nil
				if vlen > 0 {
					r.val = have[head+int(klen) : head+body : head+body]
				}
				r.r += head + body
				return true, nil
			}
			need = head + body
		}
		if int64(need-len(have)) > r.left {
			if len(have) == 0 && r.left == 0 {
				return false, nil
			}
			return false, errTorn
		}
		if err := r.fill(need); err != nil {
			return false, err
		}
	}
}

// fill reads more, with room for a record of need bytes.
func (r *run) fill(need int) error {
	copy(r.buf, r.buf[r.r:r.w])
	r.w -= r.r
	r.r = 0
	if need > len(r.buf) {
		grown := make([]byte, max(need, min(2*len(r.buf), maxRecord)))
		copy(grown, r.buf[:r.w])
		r.buf = grown
	}
	n, err := r.src.Read(r.buf[r.w:])
	r.sum = crc32.Update(r.sum, castagnoli, r.buf[r.w:r.w+n])
	r.w += n
	r.left -= int64(n)
	if r.left == 0 {
		if r.sum != r.want {
			return errSum
		}
		return nil
	}
	if err == io.EOF {
		return fmt.Errorf("the file ends %d bytes too early", r.left)
	}
	return err
}
