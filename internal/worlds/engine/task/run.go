package task

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/slackline/slackline/internal/fault"
	"github.com/slackline/slackline/units"
)

// castagnoli is the polynomial of CRC32C, which processors compute themselves.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

const (
	bufferSize = 128 << 10 // of a run or part file that is read or written
	blockSize  = 128 << 10 // of a run; a block ends with the record that fills it
)

// Block is a piece of a segment with a checksum of its own. Records do not cross its end, so a
// reader has checked every byte of a record before anybody sees it.
type Block struct {
	Size int64
	Sum  uint32 // CRC32C
}

// Segment is one partition of a run: records in order of their keys, each as the length of the key,
// the length of the value plus 1 (0 = nil) as uvarints, then key and value. Where its blocks end
// stands here and not in the file, so that no damage to the file can be mistaken for lengths.
type Segment struct {
	Offset, Length, Records int64
	Blocks                  []Block
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
	b = appendHead(b, key, value)
	return append(append(b, key...), value...)
}

// appendHead appends what stands before the key.
func appendHead(b, key, value []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(key)))
	if value == nil {
		return append(b, 0)
	}
	return binary.AppendUvarint(b, uint64(len(value))+1)
}

// cutRecord reads the record at the start of b, and returns its size; 0 if it is torn.
func cutRecord(b []byte) (key, value []byte, size int) {
	klen, vlen, head := uint64(0), uint64(0), 0
	if len(b) >= 2 && b[0] < 0x80 && b[1] < 0x80 {
		klen, vlen, head = uint64(b[0]), uint64(b[1]), 2
	} else {
		var n, m int
		if klen, n = binary.Uvarint(b); n <= 0 {
			return nil, nil, 0
		}
		if vlen, m = binary.Uvarint(b[n:]); m <= 0 || klen > maxRecord || vlen > maxRecord+1 {
			return nil, nil, 0
		}
		head = n + m
	}
	split := head + int(klen)
	if vlen == 0 {
		if split > len(b) {
			return nil, nil, 0
		}
		return b[head:split:split], nil, split
	}
	end := split + int(vlen) - 1
	if end > len(b) {
		return nil, nil, 0
	}
	return b[head:split:split], b[split:end:end], end
}

// runWriter writes a run. Partitions come in ascending order.
type runWriter struct {
	f    *fault.File
	buf  []byte // the block that is being filled
	off  int64  // bytes written
	segs []Segment
	part int
}

func createRun(path string, parts int) (*runWriter, error) {
	f, err := fault.CreateFile(path)
	if err != nil {
		return nil, err
	}
	return &runWriter{f: f, segs: make([]Segment, parts)}, nil
}

func (w *runWriter) add(part int, key, value []byte) error {
	if err := w.turn(part); err != nil {
		return err
	}
	if len(key)+len(value) >= blockSize { // is a block of its own, whose buffer is not kept
		return w.alone(appendRecord(make([]byte, 0, len(key)+len(value)+maxHead), key, value))
	}
	w.buf = appendRecord(w.buf, key, value)
	return w.added()
}

// addRecord adds a record that has the form of a segment already.
func (w *runWriter) addRecord(part int, record []byte) error {
	if err := w.turn(part); err != nil {
		return err
	}
	if len(record) >= blockSize {
		return w.alone(record)
	}
	w.buf = append(w.buf, record...)
	return w.added()
}

// alone writes a large record as a block of its own, without a copy.
func (w *runWriter) alone(record []byte) error {
	if err := w.flush(); err != nil {
		return err
	}
	w.segs[w.part].Records++
	return w.block(record)
}

func (w *runWriter) added() error {
	w.segs[w.part].Records++
	if len(w.buf) >= blockSize {
		return w.flush()
	}
	return nil
}

// turn ends partitions until it is at this one.
func (w *runWriter) turn(part int) error {
	for w.part < part {
		if err := w.flush(); err != nil {
			return err
		}
		if w.part++; w.part < len(w.segs) {
			w.segs[w.part].Offset = w.off
		}
	}
	if w.buf == nil {
		w.buf = make([]byte, 0, blockSize+4096)
	}
	return nil
}

// flush ends a block.
func (w *runWriter) flush() error {
	if len(w.buf) == 0 {
		return nil
	}
	err := w.block(w.buf)
	w.buf = w.buf[:0]
	return err
}

func (w *runWriter) block(b []byte) error {
	seg := &w.segs[w.part]
	seg.Blocks = append(seg.Blocks, Block{int64(len(b)), crc32.Checksum(b, castagnoli)})
	seg.Length += int64(len(b))
	n, err := w.f.Write(b)
	w.off += int64(n)
	return err
}

// finish ends the run. It closes the file in any case.
func (w *runWriter) finish() (*Output, int64, error) {
	err := w.turn(len(w.segs))
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

// A run yields the records of one segment, from a file or, without blocks, from memory.
type run struct {
	src      io.ReaderAt
	blocks   []Block       // still to be read
	off      int64         // of the first of them
	buf      []byte        // the block at hand
	rest     []byte        // what is unread of it
	more     func() []byte // if not nil, where the next record comes from; empty behind the last one
	key, val []byte        // the current record, good until next
	blame    func(error) error
}

var (
	errTorn = errors.New("a record is torn")
	errSum  = errors.New("the checksum does not match")
)

func memoryRun(segment []byte) *run { return &run{rest: segment} }

func openRun(f io.ReaderAt, s Segment) *run {
	return &run{src: f, blocks: s.Blocks, off: s.Offset}
}

// next moves to the next record.
func (r *run) next() (bool, error) {
	if r.more != nil {
		r.rest = r.more()
	}
	for len(r.rest) == 0 {
		if len(r.blocks) == 0 {
			return false, nil
		}
		if err := r.read(); err != nil {
			if r.blame != nil {
				err = r.blame(err)
			}
			return false, err
		}
	}
	key, value, size := cutRecord(r.rest)
	if size == 0 {
		return false, errTorn
	}
	r.key, r.val, r.rest = key, value, r.rest[size:]
	return true, nil
}

// read reads the next block and checks it.
func (r *run) read() error {
	b := r.blocks[0]
	if int64(cap(r.buf)) < b.Size {
		r.buf = make([]byte, b.Size)
	}
	r.buf = r.buf[:b.Size]
	if err := readBlock(r.src, r.off, b, r.buf); err != nil {
		return err
	}
	r.blocks, r.off, r.rest = r.blocks[1:], r.off+b.Size, r.buf
	return nil
}

func readBlock(src io.ReaderAt, off int64, b Block, to []byte) error {
	n, err := src.ReadAt(to, off)
	if n < len(to) {
		if err == io.EOF {
			return fmt.Errorf("the file ends %d bytes too early", len(to)-n)
		}
		return err
	}
	if crc32.Checksum(to, castagnoli) != b.Sum {
		return errSum
	}
	return nil
}

// readSegment reads a whole segment into memory.
func readSegment(src io.ReaderAt, s Segment) ([]byte, error) {
	all := make([]byte, s.Length)
	at := int64(0)
	for _, b := range s.Blocks {
		if b.Size > s.Length-at {
			return nil, errTorn
		}
		if err := readBlock(src, s.Offset+at, b, all[at:at+b.Size]); err != nil {
			return nil, err
		}
		at += b.Size
	}
	return all, nil
}
