package codec

import (
	"bufio"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// maxWindow bounds the memory of a zstd decoder. It is what the zstd command takes without being asked.
const maxWindow = 128 << 20

// Unknown is what Own returns while the end of a piece has not been reached.
const Unknown = math.MaxInt64 / 2

// Reader unpacks a file from where a piece of it starts. It goes on behind the piece's end, as the
// last record of a piece may end in the next one.
type Reader struct {
	kind       Kind
	f          io.ReaderAt
	all        io.Reader // instead of f: the file from its beginning to its end
	size       int64
	start, end int64 // of the section at hand: the piece, then the rest of the file
	own        int64

	produced int64
	from     *unpacker // nil = none yet
	err      error
}

// Open returns a reader of the piece of a file of that kind and size. start is 0 or one of the
// file's Cuts; end is one of them or the size.
func Open(k Kind, f io.ReaderAt, size, start, end int64) *Reader {
	return &Reader{kind: k, f: f, size: size, start: start, end: end, own: Unknown}
}

// Stream returns a reader of the whole of a file that can only be read from its beginning, as a pipe can.
func Stream(k Kind, all io.Reader) *Reader { return &Reader{kind: k, all: all, own: Unknown} }

// Own returns how many unpacked bytes belong to the piece, once a Read has come behind them, else Unknown.
func (r *Reader) Own() int64 { return r.own }

// Offset returns how far the compressed file has been read.
func (r *Reader) Offset() int64 {
	if r.from == nil {
		return r.start
	}
	return r.from.offset()
}

// Read reads unpacked bytes. An error other than io.EOF is a *Damage, or what reading the file failed with.
func (r *Reader) Read(p []byte) (int, error) {
	for r.err == nil && len(p) > 0 {
		if r.from == nil {
			if r.from, r.err = r.section(); r.err != nil {
				break
			}
		}
		n, err := r.from.Read(p)
		r.produced += int64(n)
		if err != nil && err != io.EOF {
			r.err = r.damage(err)
			r.from.close()
		}
		if err == io.EOF {
			r.next()
		}
		if n > 0 {
			return n, nil
		}
	}
	if len(p) == 0 {
		return 0, nil
	}
	return 0, r.err
}

// next turns to what lies behind the section that has been read.
func (r *Reader) next() {
	r.from.close()
	if r.own == Unknown {
		r.own = r.produced
	}
	if r.end >= r.size {
		r.err = io.EOF
		return
	}
	r.start, r.end, r.from = r.end, r.size, nil
}

// Close gives up what the reader holds. The file stays open.
func (r *Reader) Close() {
	if r.from != nil {
		r.from.close()
	}
	if r.err == nil {
		r.err = errors.New("the reader is closed")
	}
}

func (r *Reader) section() (*unpacker, error) {
	packed := &counted{r: r.all, at: r.start}
	if r.all == nil {
		packed.r = io.NewSectionReader(r.f, r.start, r.end-r.start)
	}
	packed.Reader = bufio.NewReaderSize((*counting)(packed), 64<<10)
	switch r.kind {
	case Gzip:
		z, err := gzip.NewReader(packed.Reader)
		if err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return nil, r.damageAt(err, packed.offset())
		}
		z.Multistream(false)
		return &unpacker{&members{z, packed.Reader}, packed, func() {}}, nil
	case Bzip2:
		return &unpacker{bzip2.NewReader(packed.Reader), packed, func() {}}, nil
	case Zstd:
		z, err := zstd.NewReader(packed.Reader, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, r.damageAt(err, packed.offset())
		}
		return &unpacker{z, packed, z.Close}, nil
	default:
		opts := onlyKnown
		if r.start > 0 {
			opts = append(slices.Clone(opts), s2.ReaderIgnoreStreamIdentifier())
		}
		return &unpacker{s2.NewReader(packed.Reader, opts...), packed, func() {}}, nil
	}
}

// onlyKnown refuses chunks that the formats let readers pass over: a chunk of data of which one bit
// is flipped looks like that.
var onlyKnown = func() (opts []s2.ReaderOption) {
	for id := uint8(0x80); id <= 0xfd; id++ {
		if id != s2.ChunkTypeIndex {
			opts = append(opts, s2.ReaderSkippableCB(id, func(io.Reader) error { return fmt.Errorf("there is a chunk of unknown type %#x", id) }))
		}
	}
	return opts
}()

func (r *Reader) damage(err error) error { return r.damageAt(err, r.from.offset()) }

func (r *Reader) damageAt(err error, at int64) error {
	if _, is := errors.AsType[*Damage](err); is {
		return err
	}
	if file, ok := errors.AsType[*fileError](err); ok {
		return file.error
	}
	ended := r.from != nil && r.from.packed.ended
	return &Damage{Kind: r.kind, Offset: at, Err: err, Cut: errors.Is(err, io.ErrUnexpectedEOF) || ended && errors.Is(err, s2.ErrCorrupt)}
}

// members reads the members of a gzip file (RFC 1952, section 2.2), one behind the other. Zeros
// behind the last one are passed over, as the gzip command does: tapes and copies in whole blocks
// leave them there. Anything else is damage.
type members struct {
	*gzip.Reader
	packed *bufio.Reader
}

// Read reads unpacked bytes.
func (m *members) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	for n == 0 && err == io.EOF {
		if err = m.padding(); err != nil {
			return 0, err
		}
		if err = m.Reset(m.packed); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return 0, err
		}
		m.Multistream(false)
		n, err = m.Reader.Read(p)
	}
	if err == io.EOF {
		err = nil // there may be another member
	}
	return n, err
}

// padding passes over zeros up to the end of the file. Its error is nil if another member follows,
// and there are none.
func (m *members) padding() error {
	for padded := false; ; padded = true {
		switch b, err := m.packed.ReadByte(); {
		case err != nil:
			return err
		case b != 0 && padded:
			return errors.New("there is data after the zeros at its end")
		case b != 0:
			return m.packed.UnreadByte()
		}
	}
}

// unpacker reads a section.
type unpacker struct {
	io.Reader
	packed *counted
	stop   func()
}

func (u *unpacker) offset() int64 { return u.packed.offset() } // in the compressed file
func (u *unpacker) close()        { u.stop() }

// counted counts what is read of a file, less what is still in the buffer.
type counted struct {
	*bufio.Reader
	r     io.Reader
	at    int64
	ended bool // there is no more, and more was asked for
}

func (c *counted) offset() int64 { return c.at - int64(c.Buffered()) }

type counting counted

// Read reads from the file. Its errors are told apart from those of the decoder.
func (c *counting) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.at += int64(n)
	if err == io.EOF {
		c.ended = true
	} else if err != nil {
		err = &fileError{err}
	}
	return n, err
}

// fileError is an error of the file beneath.
type fileError struct{ error }
