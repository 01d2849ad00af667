package codec

import (
	"compress/bzip2"
	"encoding/binary"
	"errors"
	"io"
)

// bzip2Reader reads the blocks of a file that begin in a piece, then those behind them.
//
// The decoder of the standard library reads streams from their beginning only, and blocks begin at
// any bit. So each block is moved to the next whole byte and handed to it as a stream of its own,
// with a header in front and an end behind. It checks the block's checksum; that of the whole
// stream is checked here, where a piece holds the whole of it.
type bzip2Reader struct {
	f          io.ReaderAt
	size       int64
	start, end int64 // of the piece
	buf        []byte
	base       int64 // offset of buf in the file
	filled     bool  // to the end of the file

	at     int64 // bit at which the next block or end of a stream begins
	stream struct {
		whole bool // it has been read from its beginning
		sum   uint32
	}
	began, beyond bool   // some block has begun; the one at hand lies behind the piece
	rest          []byte // of the stream that the decoder reads
	made          []byte
	from          io.Reader
	err           error
}

const (
	maxBlock = 2 << 20 // bytes of a compressed block at most, and more: it unpacks to 900 kB
	readMore = 256 << 10
)

func newBzip2Reader(f io.ReaderAt, size, start, end int64) *bzip2Reader {
	b := &bzip2Reader{f: f, size: size, start: start, end: end, base: start, at: 8 * start}
	b.from = bzip2.NewReader((*bzip2Feed)(b))
	return b
}

func (b *bzip2Reader) offset() int64 { return min(b.at/8, b.size) }
func (b *bzip2Reader) close()        {}

// Read reads bytes of one block.
func (b *bzip2Reader) Read(p []byte) (int, error) {
	if !b.began && b.err == nil {
		b.began = true
		b.err = b.first()
	}
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.from.Read(p)
	switch {
	case err == nil:
	case b.err != nil && b.err != io.EOF:
		err = b.err
	case err != io.EOF: // also where the decoder wants more than the last block has
		b.err = &Damage{Kind: Bzip2, Offset: min(b.at/8, b.size), Err: err}
		err = b.err
	}
	return n, err
}

// bzip2Feed is what the decoder reads from.
type bzip2Feed bzip2Reader

// Read is there as the decoder asks for a reader; it only calls ReadByte.
func (f *bzip2Feed) Read(p []byte) (int, error) {
	c, err := f.ReadByte()
	if err != nil || len(p) == 0 {
		return 0, err
	}
	p[0] = c
	return 1, nil
}

// ReadByte returns the next byte of the streams that are made of blocks.
func (f *bzip2Feed) ReadByte() (byte, error) {
	if len(f.rest) == 0 {
		if f.err != nil {
			return 0, f.err
		}
		if err := (*bzip2Reader)(f).next(); err != nil {
			f.err = err
			return 0, err
		}
	}
	c := f.rest[0]
	f.rest = f.rest[1:]
	return c, nil
}

// first finds the first block of the piece, and makes a stream of it.
func (b *bzip2Reader) first() error {
	if b.start == 0 {
		if err := b.header(); err != nil {
			return err
		}
		return b.next()
	}
	for at := 8 * b.start; ; {
		found, magic, err := b.find(at, b.end)
		if err != nil {
			return err
		}
		if found < 0 || found >= 8*b.end {
			return io.EOF // the piece lies within a block
		}
		if magic == blockMagic {
			b.at = found
			return b.next()
		}
		at = found + 48
	}
}

// header passes over the header of a stream.
func (b *bzip2Reader) header() error {
	at := (b.at + 7) / 8
	if err := b.need(at + 4); err != nil {
		return err
	}
	h := b.buf[at-b.base:]
	if len(h) < 4 {
		return b.cut()
	}
	if string(h[:3]) != "BZh" || h[3] < '1' || h[3] > '9' {
		return &Damage{Kind: Bzip2, Offset: at, Err: errors.New("what follows is not a stream")}
	}
	b.at = 8*at + 32
	b.stream.whole, b.stream.sum = true, 0
	return nil
}

func (b *bzip2Reader) cut() error { return &Damage{Kind: Bzip2, Offset: b.size, Cut: true} }

// next makes a stream of the next block.
func (b *bzip2Reader) next() error {
	for {
		head, err := b.bits(b.at, 80)
		if err != nil {
			return err
		}
		sum := binary.BigEndian.Uint32(head[6:])
		switch magic := high48(binary.BigEndian.Uint64(head[:])); magic {
		case blockMagic:
			return b.make(sum)
		case endMagic:
			if b.stream.whole && b.stream.sum != sum {
				return &Damage{Kind: Bzip2, Offset: b.at/8 + 10, Err: errors.New("the checksum of the stream does not match")}
			}
			b.at = (b.at + 80 + 7) / 8 * 8
			if b.at/8 >= b.size {
				b.beyond = true
				return io.EOF
			}
			if err := b.header(); err != nil {
				return err
			}
		default:
			return &Damage{Kind: Bzip2, Offset: b.at / 8, Err: errors.New("there is neither a block nor the end of a stream")}
		}
	}
}

// make makes a stream of the block that begins at the bit b.at.
func (b *bzip2Reader) make(sum uint32) error {
	end, _, err := b.find(b.at+48, b.at/8+maxBlock)
	if err != nil {
		return err
	}
	if end < 0 {
		if b.filled {
			return b.cut()
		}
		return &Damage{Kind: Bzip2, Offset: b.at/8 + maxBlock, Err: errors.New("the block does not end")}
	}
	b.beyond = b.at >= 8*b.end
	b.stream.sum = (b.stream.sum<<1 | b.stream.sum>>31) ^ sum

	made := append(b.made[:0], "BZh9"...)
	shift := uint(b.at % 8)
	from, bits := b.buf[b.at/8-b.base:], end-b.at
	for i := int64(0); i < bits/8; i++ {
		made = append(made, from[i]<<shift|from[i+1]>>(8-shift))
	}
	// What is left of the block, then the end of the stream, 80 bits.
	var tail [11]byte
	binary.BigEndian.PutUint64(tail[:], endMagic<<16)
	binary.BigEndian.PutUint32(tail[6:], sum)
	left := uint(bits % 8)
	last := from[bits/8] << shift
	if bits/8+1 < int64(len(from)) {
		last |= from[bits/8+1] >> (8 - shift)
	}
	last &^= 0xff >> left
	for _, t := range tail {
		made = append(made, last|t>>left)
		last = t << (8 - left)
	}
	if left == 0 {
		made = made[:len(made)-1]
	}
	b.made, b.rest = made, made
	b.at = end
	b.drop(end / 8)
	return nil
}

// need reads the file such that the buffer holds it up to an offset, or to its end.
func (b *bzip2Reader) need(to int64) error {
	for !b.filled && b.base+int64(len(b.buf)) < to {
		n := len(b.buf)
		want := int(max(to-b.base-int64(n), readMore))
		if cap(b.buf) < n+want {
			grown := make([]byte, n, max(2*cap(b.buf), n+want))
			copy(grown, b.buf)
			b.buf = grown
		}
		got, err := b.f.ReadAt(b.buf[n:n+want], b.base+int64(n))
		b.buf = b.buf[:n+got]
		if err == io.EOF {
			b.filled = true
		} else if err != nil {
			return &fileError{err}
		}
	}
	return nil
}

// drop forgets what lies before an offset.
func (b *bzip2Reader) drop(before int64) {
	n := copy(b.buf, b.buf[before-b.base:])
	b.buf, b.base = b.buf[:n], before
}

// bits returns up to 80 bits from the one at on.
func (b *bzip2Reader) bits(at, n int64) (out [10]byte, err error) {
	if err := b.need((at+n+7)/8 + 1); err != nil {
		return out, err
	}
	from := b.buf[at/8-b.base:]
	if int64(len(from))*8 < at%8+n {
		return out, b.cut()
	}
	shift := uint(at % 8)
	for i := range out {
		out[i] = from[i] << shift
		if shift > 0 {
			out[i] |= from[i+1] >> (8 - shift)
		}
	}
	return out, nil
}

// fits tells by the second byte of what lies at hand, which holds 8 bits of a magic that began in
// the first, at which of its bits that can be.
var fits = func() (set [256]uint8) {
	for shift := range 8 {
		for _, magic := range []uint64{blockMagic, endMagic} {
			set[magic>>(32+shift)&0xff] |= 1 << shift
		}
	}
	return set
}()

// find returns the first bit from the one at on, and before the byte end, at which a block or the
// end of a stream begins; -1 if there is none.
func (b *bzip2Reader) find(at, end int64) (int64, uint64, error) {
	const whole = 1<<48 - 1
	for i := at / 8; i < end; {
		if err := b.need(min(i+readMore, end+8)); err != nil {
			return 0, 0, err
		}
		have := b.buf[i-b.base:]
		n := min(int64(len(have))-7, end-i)
		for k := int64(0); k < n; k++ {
			set := fits[have[k+1]]
			if set == 0 {
				continue
			}
			word := binary.BigEndian.Uint64(have[k:])
			for shift := range 8 {
				if set>>shift&1 == 0 || 8*(i+k)+int64(shift) < at {
					continue
				}
				if m := word >> (16 - shift) & whole; m == blockMagic || m == endMagic {
					return 8*(i+k) + int64(shift), m, nil
				}
			}
		}
		if n > 0 {
			i += n
		}
		if b.filled {
			break
		}
	}
	return -1, 0, nil
}
