package task

import (
	"bytes"
	"fmt"
	"io"
)

const (
	readSize  = 256 << 10 // read at a time
	overshoot = 4 << 10   // read beyond a piece's end for the line that crosses it
	maxRecord = 1 << 30   // no key, value or line may be longer
)

// lines reads the lines of pieces, one piece after another with the same buffer.
//
// A line that starts at p belongs to the piece from start to end if start < p ≤ end, or if p is 0 and so is start. So a piece
// passes over the line that runs, or starts, at its start, and reads the one that crosses, or starts at, its end: each line of a
// file belongs to exactly one of its pieces, and no piece needs to look at what lies before it.
type lines struct {
	src  io.Reader
	buf  []byte
	r, w int   // unread bytes are buf[r:w]
	pos  int64 // offset of buf[r] in the file
	end  int64
	eof  bool
}

// open starts to read a piece. src begins at its start.
func (l *lines) open(src io.Reader, p Piece) error {
	if l.buf == nil {
		l.buf = make([]byte, readSize)
	}
	l.src, l.r, l.w, l.pos, l.end, l.eof = src, 0, 0, p.Start, p.End, false
	if p.Start > 0 {
		_, _, _, err := l.line()
		return err
	}
	return nil
}

// next returns the next line without its LF, and its offset. The line is good until the next call.
func (l *lines) next() (line []byte, at int64, ok bool, err error) {
	if l.pos > l.end {
		return nil, 0, false, nil
	}
	return l.line()
}

// block returns whole lines, with their LFs, as many as are in the buffer, and the offset of the first. They are good until the
// next call. The lines of all blocks are those that next would return.
func (l *lines) block() (block []byte, at int64, ok bool, err error) {
	if l.pos > l.end {
		return nil, 0, false, nil
	}
	for {
		have := l.buf[l.r:l.w]
		n := 0
		if ahead := l.end - l.pos; ahead < int64(len(have)) {
			// The last line of the piece ends with the first LF at its end or behind it.
			if i := bytes.IndexByte(have[ahead:], '\n'); i >= 0 {
				n = int(ahead) + i + 1
			}
		} else {
			n = bytes.LastIndexByte(have, '\n') + 1
		}
		if n == 0 && l.eof {
			n = len(have)
		}
		if n > 0 {
			return have[:n], l.take(n), true, nil
		}
		if l.eof {
			return nil, 0, false, nil
		}
		if err := l.fill(); err != nil {
			return nil, 0, false, err
		}
	}
}

func (l *lines) line() (line []byte, at int64, ok bool, err error) {
	looked := 0
	for {
		if i := bytes.IndexByte(l.buf[l.r+looked:l.w], '\n'); i >= 0 {
			line = l.buf[l.r : l.r+looked+i]
			return line, l.take(looked + i + 1), true, nil
		}
		looked = l.w - l.r
		if l.eof {
			if looked == 0 {
				return nil, 0, false, nil
			}
			line = l.buf[l.r:l.w]
			return line, l.take(looked), true, nil
		}
		if err := l.fill(); err != nil {
			return nil, 0, false, err
		}
	}
}

// take passes over n bytes and returns where they began.
func (l *lines) take(n int) int64 {
	at := l.pos
	l.r += n
	l.pos += int64(n)
	return at
}

// fill reads more behind what is unread.
func (l *lines) fill() error {
	if l.r > 0 {
		copy(l.buf, l.buf[l.r:l.w])
		l.w -= l.r
		l.r = 0
	}
	if l.w == len(l.buf) {
		if len(l.buf) >= maxRecord {
			return fmt.Errorf("the line at byte %d is longer than 1 GB", l.pos)
		}
		grown := make([]byte, 2*len(l.buf))
		copy(grown, l.buf[:l.w])
		l.buf = grown
	}
	free := l.buf[l.w:]
	if ahead := max(l.end-(l.pos+int64(l.w)), 0) + overshoot; int64(len(free)) > ahead {
		free = free[:ahead]
	}
	n, err := l.src.Read(free)
	l.w += n
	if err == io.EOF {
		l.eof, err = true, nil
	}
	return err
}
