package codec

import (
	"encoding/binary"
	"fmt"
	"io"
)

// Kind is what a file is compressed with.
type Kind uint8

// The kinds.
const (
	None Kind = iota
	Gzip
	Zstd
	Bzip2
	Snappy // with the framing format
	S2
)

// String is the name of the kind.
func (k Kind) String() string {
	return [...]string{"none", "gzip", "zstd", "bzip2", "snappy", "s2"}[k]
}

const (
	zstdMagic    = 0xfd2fb528
	skipMagic    = 0x184d2a50 // of frames that are passed over; the last four bits are free
	blockMagic   = 0x314159265359
	endMagic     = 0x177245385090
	snappyStream = "\xff\x06\x00\x00sNaPpY"
	s2Stream     = "\xff\x06\x00\x00S2sTwO"
)

// headSize is how much of a file tells its kind.
const headSize = 16

// Detect tells what a file is compressed with.
func Detect(f io.ReaderAt) (Kind, error) {
	var buf [headSize]byte
	n, err := f.ReadAt(buf[:], 0)
	if err != nil && err != io.EOF {
		return None, err
	}
	h := buf[:n]
	switch {
	case n < 4:
	case h[0] == 0x1f && h[1] == 0x8b && h[2] == 8 && h[3]&0xe0 == 0:
		return Gzip, nil
	case string(h[:3]) == "BZh" && h[3] >= '1' && h[3] <= '9' && n >= 10:
		if magic := high48(binary.BigEndian.Uint64(buf[4:12])); magic == blockMagic || magic == endMagic {
			return Bzip2, nil
		}
	case binary.LittleEndian.Uint32(h) == zstdMagic:
		return Zstd, nil
	case binary.LittleEndian.Uint32(h)&^15 == skipMagic && n >= 8:
		return skipped(f, 8+int64(binary.LittleEndian.Uint32(h[4:])))
	case n >= 10 && string(h[:10]) == snappyStream:
		return Snappy, nil
	case n >= 10 && string(h[:10]) == s2Stream:
		return S2, nil
	}
	return None, nil
}

// skipped tells whether zstd follows a frame that is passed over.
func skipped(f io.ReaderAt, at int64) (Kind, error) {
	var magic [4]byte
	if _, err := f.ReadAt(magic[:], at); err != nil && err != io.EOF {
		return None, err
	}
	if m := binary.LittleEndian.Uint32(magic[:]); m == zstdMagic || m&^15 == skipMagic {
		return Zstd, nil
	}
	return None, nil
}

func high48(bits uint64) uint64 { return bits >> 16 }

// Whole tells whether files of the kind are never cut.
func (k Kind) Whole() bool { return k == Gzip || k == Bzip2 }

// Cuts returns offsets at which a file may be cut, ascending: the first possible one at or behind
// each multiple of block. There are none if a damaged file hides them; whoever reads it will find
// out. An error is that the file cannot be read: where it is cut must not depend on that.
func (k Kind) Cuts(f io.ReaderAt, size, block int64) (cuts []int64, err error) {
	r := &attentive{ReaderAt: f}
	switch k {
	case None:
		for at := block; at < size; at += block {
			cuts = append(cuts, at)
		}
	case Zstd:
		cuts = zstdCuts(r, size, block)
	case Snappy, S2:
		cuts = snappyCuts(r, size, block)
	}
	if r.err != nil {
		return nil, r.err
	}
	return cuts, nil
}

// attentive keeps the first error of reading but for the end of the file.
type attentive struct {
	io.ReaderAt
	err error
}

// ReadAt reads.
func (a *attentive) ReadAt(b []byte, at int64) (int, error) {
	n, err := a.ReaderAt.ReadAt(b, at)
	if err != nil && err != io.EOF && a.err == nil {
		a.err = err
	}
	return n, err
}

// Damage says where compressed data cannot be read.
type Damage struct {
	Kind   Kind
	Offset int64 // in the compressed file, at which the reader stood
	Cut    bool  // the file ends too early
	Err    error
}

// Error is the error as one sentence.
func (d *Damage) Error() string {
	if d.Cut {
		return fmt.Sprintf("it ends at byte %d, in the middle of its %s data", d.Offset, d.Kind)
	}
	return fmt.Sprintf("its %s data are damaged before byte %d: %v", d.Kind, d.Offset, d.Err)
}

// Unwrap returns what the decoder said.
func (d *Damage) Unwrap() error { return d.Err }
