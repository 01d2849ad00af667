package codec

import (
	"encoding/binary"
	"io"
)

// A marker takes the boundaries of a file as they come, and keeps the first at or behind each
// multiple of block.
type marker struct {
	block, next int64
	cuts        []int64
}

func (m *marker) boundary(at int64) {
	if at >= m.next {
		m.cuts = append(m.cuts, at)
		m.next = at/m.block*m.block + m.block
	}
}

// zstdCuts walks over frames by the sizes that stand in them (RFC 8878, section 3.1), without unpacking any.
func zstdCuts(f io.ReaderAt, size, block int64) []int64 {
	m := marker{block: block, next: block}
	for at := int64(0); at < size; {
		m.boundary(at)
		end := zstdFrame(f, at)
		if end < 0 || end > size {
			return nil
		}
		at = end
	}
	return m.cuts
}

// zstdFrame returns where the frame ends, -1 if there is none.
func zstdFrame(f io.ReaderAt, at int64) int64 {
	var h [9]byte
	if n, _ := f.ReadAt(h[:], at); n < 8 {
		return -1
	}
	magic := binary.LittleEndian.Uint32(h[:])
	if magic&^15 == skipMagic {
		return at + 8 + int64(binary.LittleEndian.Uint32(h[4:]))
	}
	if magic != zstdMagic {
		return -1
	}
	flags := h[4]
	single := flags&0x20 != 0
	head := int64(5) + [...]int64{0, 1, 2, 4}[flags&3] + [...]int64{0, 2, 4, 8}[flags>>6]
	if single && flags>>6 == 0 || !single {
		head++ // a content size of one byte, or the window
	}
	at += head
	for {
		if n, _ := f.ReadAt(h[:3], at); n < 3 {
			return -1
		}
		b := uint32(h[0]) | uint32(h[1])<<8 | uint32(h[2])<<16
		at += 3
		switch b >> 1 & 3 {
		case 1:
			at++ // one byte, many times
		case 3:
			return -1
		default:
			at += int64(b >> 3)
		}
		if b&1 != 0 {
			break
		}
	}
	if flags&4 != 0 {
		at += 4
	}
	return at
}

// snappyCuts walks over chunks of the framing format by their sizes.
func snappyCuts(f io.ReaderAt, size, block int64) []int64 {
	m := marker{block: block, next: block}
	var h [4]byte
	for at := int64(0); at < size; {
		if n, _ := f.ReadAt(h[:], at); n < 4 {
			return nil
		}
		switch t := h[0]; {
		case t <= 1 || t == 0xff:
			m.boundary(at)
		case t < 0x80:
			return nil // reserved, and not to be passed over
		}
		at += 4 + int64(h[1]) + int64(h[2])<<8 + int64(h[3])<<16
		if at > size {
			return nil
		}
	}
	return m.cuts
}
