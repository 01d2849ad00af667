package task

import (
	"bytes"
	"fmt"
	"io"

	"github.com/slackline/slackline/internal/files/codec"
	"github.com/slackline/slackline/internal/worlds/engine/failure"
	"github.com/slackline/slackline/internal/worlds/engine/input"
	"github.com/slackline/slackline/units"
)

const (
	readSize = 256 << 10 // read at a time
	// read beyond a piece's end for the line that crosses it; if it is longer, twice as much each
	// time
	overshoot = 4 << 10
	maxRecord = 1 << 30 // no key, value or line may be longer
)

// lines reads the lines of pieces, one piece after another with the same buffer.
//
// A line ends at LF, CR LF or CR, whichever comes first, as it does for Hadoop's LineReader, and a
// byte order mark at the start of a file belongs to none. The buffer has the bytes of the file, so
// positions are known; whoever gets lines sees LFs alone (unix.go).
//
// A line that starts at p belongs to the piece from start to end if start < p ≤ end, or if p is 0
// and so is start. So a piece passes over the line that runs, or starts, at its start, and reads
// the one that crosses, or starts at, its end: each line of a file belongs to exactly one of its
// pieces, and no piece needs to look at what lies before it.
//
// With a length it reads records of so many bytes instead. One that starts at p belongs to the
// piece with start ≤ p < end.
type lines struct {
	length int64
	src    io.Reader
	buf    []byte
	r, w   int   // unread bytes are buf[r:w]
	pos    int64 // offset of buf[r] in the file
	read   int64 // offset in the file of what has not been read
	mark   int   // bytes of a byte order mark before buf[r], still to be counted in pos
	cr     int   // of lines: buf[cr] is the first unread CR; w = there is none
	end    int64
	must   int64 // the file goes at least so far, or else it has changed; of a compressed file 0
	eof    bool
	most   int           // no line may be longer; 0 = maxRecord
	within bool          // of a line that part has begun
	packed *codec.Reader // of a compressed file, which tells the end once it is known; else nil
}

// from is where to begin to read a piece.
func (l *lines) from(p input.Piece) int64 {
	if l.length > 0 {
		return (p.Start + l.length - 1) / l.length * l.length
	}
	return p.Start
}

// open starts to read a piece. src begins where from says.
func (l *lines) open(src io.Reader, p input.Piece) error {
	if l.buf == nil {
		l.buf = make([]byte, readSize)
	}
	l.src, l.pos, l.end, l.must, l.packed = src, l.from(p), p.End, p.End, nil
	if l.length > 0 {
		l.end-- // so that a record which starts at the end is not read
	}
	return l.begin(p)
}

// unpack starts to read a piece of a compressed file. Positions count unpacked bytes from where the piece starts.
func (l *lines) unpack(src *codec.Reader, p input.Piece) error {
	if l.buf == nil {
		l.buf = make([]byte, readSize)
	}
	l.src, l.pos, l.end, l.must, l.packed = src, 0, codec.Unknown, 0, src
	return l.begin(p)
}

// begin turns to the first line of a piece.
func (l *lines) begin(p input.Piece) error {
	l.r, l.w, l.read, l.mark, l.cr, l.eof, l.within = 0, 0, l.pos, 0, 0, false, false
	switch {
	case l.length > 0:
		return nil
	case p.Start > 0:
		return l.skip()
	}
	return l.pass()
}

// skip passes over the line that runs at the start of the piece, without keeping it, or over the
// whole piece if it does not end there.
func (l *lines) skip() error {
	for l.pos <= l.end {
		have := l.buf[l.r:l.w]
		if _, next := l.ending(have, 0); next > 0 {
			l.take(next)
			return nil
		}
		l.take(l.settled(have))
		if l.eof {
			return nil
		}
		if err := l.fill(); err != nil {
			return err
		}
	}
	return nil
}

// records counts those of a block.
func (l *lines) records(block []byte) int64 {
	if l.length > 0 {
		return int64(len(block)) / l.length
	}
	n := int64(bytes.Count(block, []byte{'\n'}))
	if block[len(block)-1] != '\n' {
		n++
	}
	return n
}

// next returns the next line without its LF, and its offset. The line is good until the next call.
func (l *lines) next() (line []byte, at int64, ok bool, err error) {
	if l.pos > l.end {
		return nil, 0, false, nil
	}
	if l.length > 0 {
		return l.fixed(false)
	}
	return l.line()
}

// fixed returns a record of the length, or all that are in the buffer.
func (l *lines) fixed(all bool) (record []byte, at int64, ok bool, err error) {
	for {
		have := int64(l.w - l.r)
		if have >= l.length {
			n := l.length
			if all {
				n = min(have, l.end-l.pos+l.length) / l.length * l.length
			}
			record = l.buf[l.r : l.r+int(n)]
			return record, l.take(int(n)), true, nil
		}
		if l.eof {
			if have == 0 {
				return nil, 0, false, nil
			}
			return nil, 0, false, input.TornRecord(l.pos, have, l.length)
		}
		if err := l.fill(); err != nil {
			return nil, 0, false, err
		}
	}
}

// block returns whole lines or records, lines with their LFs, as many as are in the buffer, and the
// offset of the first. They are good until the next call. The lines of all blocks are those that next
// would return.
func (l *lines) block() (block []byte, at int64, ok bool, err error) {
	if l.pos > l.end {
		return nil, 0, false, nil
	}
	if l.length > 0 {
		return l.fixed(true)
	}
	looked := 0 // so much of what is unread holds no line end that could end the block
	for {
		have := l.buf[l.r:l.w]
		sure := l.settled(have)
		n := 0
		if ahead := l.ahead(); ahead < len(have) {
			// The last line of the piece ends with the first line end at its end or behind it.
			if _, n = l.ending(have, max(looked, ahead)); n == 0 && !l.eof {
				n = ended(have, looked, min(ahead, sure)) // the lines before it
			}
		} else {
			n = ended(have, looked, sure)
		}
		looked = sure
		if n == 0 && l.eof {
			n = len(have)
		}
		if n > 0 {
			block = l.unix(have[:n])
			return block, l.take(n), true, nil
		}
		if l.eof {
			return nil, 0, false, nil
		}
		if err := l.fill(); err != nil {
			return nil, 0, false, err
		}
	}
}

// part returns what is in the buffer of the lines of the piece, whole or not. All parts, one behind
// the other, are the lines that next would return; no line is held as a whole, however long it is.
func (l *lines) part() (part []byte, ok bool, err error) {
	for l.pos <= l.end || l.within {
		have := l.buf[l.r:l.w]
		n := l.settled(have)
		// the last line ends with the first line end at the piece's end or behind it
		if from := l.ahead(); from < len(have) {
			if _, next := l.ending(have, from); next > 0 {
				n = next
			}
		}
		if n > 0 {
			part = l.unix(have[:n])
			l.take(n)
			l.within = part[len(part)-1] != '\n'
			return part, true, nil
		}
		if l.eof {
			return nil, false, nil
		}
		if err := l.fill(); err != nil {
			return nil, false, err
		}
	}
	return nil, false, nil
}

func (l *lines) line() (line []byte, at int64, ok bool, err error) {
	looked := 0
	for {
		have := l.buf[l.r:l.w]
		if end, next := l.ending(have, looked); next > 0 {
			return have[:end], l.take(next), true, nil
		}
		if l.eof {
			return have, l.take(len(have)), len(have) > 0, nil
		}
		looked = l.settled(have)
		if err := l.fill(); err != nil {
			return nil, 0, false, err
		}
	}
}

// ahead returns how many of the unread bytes, and more, lie before the end of the piece.
func (l *lines) ahead() int { return int(max(l.end-l.pos-int64(l.mark), 0)) }

// take passes over n bytes and returns where they began.
func (l *lines) take(n int) int64 {
	at := l.pos
	l.r += n
	l.pos += int64(n + l.mark)
	l.mark = 0
	if l.length == 0 && l.cr < l.r {
		l.cr = l.r
		l.look()
	}
	return at
}

// look finds the first CR from cr on.
func (l *lines) look() {
	if i := bytes.IndexByte(l.buf[l.cr:l.w], '\r'); i >= 0 {
		l.cr += i
	} else {
		l.cr = l.w
	}
}

// fill reads more behind what is unread.
func (l *lines) fill() error {
	if l.r > 0 {
		copy(l.buf, l.buf[l.r:l.w])
		l.w, l.cr, l.r = l.w-l.r, l.cr-l.r, 0
	}
	if l.w == len(l.buf) {
		if most := l.longest(); len(l.buf) >= most {
			if most == maxRecord {
				return failure.As(failure.Permanent, fmt.Errorf("the line at byte %d is longer than 1 GB", l.pos))
			}
			return failure.As(failure.Permanent, fmt.Errorf("the line at byte %d is longer than %v, half of the memory of a task; give more memory, or fewer slots", l.pos, units.Bytes(most)))
		}
		grown := make([]byte, min(2*len(l.buf), l.longest()))
		copy(grown, l.buf[:l.w])
		l.buf = grown
	}
	free := l.buf[l.w:]
	if ahead := max(l.end-l.read, 0) + max(l.read-l.end, overshoot); int64(len(free)) > ahead {
		free = free[:ahead]
	}
	n, err := l.src.Read(free)
	l.read += int64(n)
	if err == io.EOF {
		l.eof, err = true, nil
		if l.read < l.must {
			err = &endedError{l.read, l.must}
		}
	}
	none := l.cr == l.w
	if l.w += n; none && l.length == 0 {
		l.look()
	}
	if l.packed != nil {
		l.end = min(l.end, l.packed.Own())
	}
	return err
}

// longest is the size that the buffer may grow to.
func (l *lines) longest() int {
	if l.most == 0 {
		return maxRecord
	}
	return min(max(l.most, readSize), maxRecord)
}

// endedError says that a file does not go as far as it did when its pieces were cut.
type endedError struct{ at, must int64 }

// Error is the error as one sentence.
func (e *endedError) Error() string {
	return fmt.Sprintf("it ends at byte %d, but had at least %d bytes when the job started", e.at, e.must)
}
