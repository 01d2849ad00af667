package task

import (
	"bytes"
	"strings"
)

// unix ends the lines of what has just been read with LFs alone, in place, and returns how much that
// is. The first bytes are a CR that was held back, if it was. Most text holds no CR: one look tells.
func (l *lines) unix(raw []byte, held int) int {
	if held == 0 && bytes.IndexByte(raw, '\r') < 0 {
		return len(raw)
	}
	l.cr = false
	to := 0
	for from := 0; from < len(raw); {
		n := bytes.IndexByte(raw[from:], '\r')
		if n < 0 {
			n = len(raw) - from
		}
		if to < from {
			copy(raw[to:], raw[from:from+n])
		}
		to, from = to+n, from+n
		switch {
		case from == len(raw):
			return to
		case from+1 == len(raw) && !l.eof: // where its line ends depends on what comes
			raw[to], l.cr = '\r', true
			return to
		}
		raw[to] = '\n'
		to, from = to+1, from+1
		if from < len(raw) && raw[from] == '\n' {
			from++
			l.gaps = append(l.gaps, l.w+to)
		}
	}
	return to
}

// before returns how many of the unread bytes at hand, and more, lie wholly before a position of the
// file.
func (l *lines) before(end int64) int64 {
	n := end - l.pos
	for _, g := range l.gaps {
		if int64(g-l.r) > n {
			break
		}
		n--
	}
	return n
}

// even returns how much of a block ends with the first line behind which the file has more bytes
// than the block: so offsets within a block are those of the file.
func (l *lines) even(block []byte) int {
	if len(l.gaps) > 0 {
		if gap := l.gaps[0] - l.r; gap < len(block) {
			if n := bytes.IndexByte(block[gap-1:], '\n'); n >= 0 {
				return gap + n
			}
		}
	}
	return len(block)
}

const byteOrderMark = "\xef\xbb\xbf"

// mark passes over a byte order mark at the start of a file. As in Hadoop the first line still is at
// byte 0.
func (l *lines) mark() error {
	for l.w < len(byteOrderMark) && strings.HasPrefix(byteOrderMark, string(l.buf[:l.w])) && !l.cr && !l.eof {
		if err := l.fill(); err != nil {
			return err
		}
	}
	if bytes.HasPrefix(l.buf[:l.w], []byte(byteOrderMark)) {
		l.r = len(byteOrderMark)
		first := l.r + 1
		l.gaps = append([]int{first, first, first}, l.gaps...)
	}
	return nil
}
