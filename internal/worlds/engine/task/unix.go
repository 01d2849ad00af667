package task

import (
	"bytes"
	"strings"
)

// ending finds the first line end in unread bytes, from one of them on. The line ends before end, and the
// next one begins at next, which is 0 if none ends, or with a CR of which it is not known what comes behind it.
func (l *lines) ending(have []byte, from int) (end, next int) {
	cr := l.cr - l.r
	if cr < from {
		cr = len(have)
		if i := bytes.IndexByte(have[from:], '\r'); i >= 0 {
			cr = from + i
		}
	}
	if i := bytes.IndexByte(have[from:cr], '\n'); i >= 0 {
		return from + i, from + i + 1
	}
	switch {
	case cr == len(have), cr+1 == len(have) && !l.eof:
		return 0, 0
	case cr+1 < len(have) && have[cr+1] == '\n':
		return cr, cr + 2
	}
	return cr, cr + 1
}

// settled returns how much of the unread bytes does not end with a CR of which it is not known what
// comes behind it.
func (l *lines) settled(have []byte) int {
	if n := len(have); n > 0 && have[n-1] == '\r' && !l.eof {
		return n - 1
	}
	return len(have)
}

// ended returns what is behind the last line end in a part of a text; 0 if there is none.
func ended(text []byte, from, to int) int {
	for to > from && text[to-1] != '\n' && text[to-1] != '\r' {
		to--
	}
	if to <= from {
		return 0
	}
	return to
}

// unix ends the lines of unread bytes with LFs alone, in place. Most text holds no CR, which is known.
func (l *lines) unix(text []byte) []byte {
	from := l.cr - l.r
	if from >= len(text) {
		return text
	}
	to := from
	for from < len(text) {
		text[to] = '\n'
		to, from = to+1, from+1
		if from < len(text) && text[from] == '\n' {
			from++
		}
		n := bytes.IndexByte(text[from:], '\r')
		if n < 0 {
			n = len(text) - from
		}
		copy(text[to:], text[from:from+n])
		to, from = to+n, from+n
	}
	return text[:to]
}

const byteOrderMark = "\xef\xbb\xbf"

// pass passes over a byte order mark at the start of a file. As in Hadoop the first line still is at
// byte 0.
func (l *lines) pass() error {
	for l.w < len(byteOrderMark) && strings.HasPrefix(byteOrderMark, string(l.buf[:l.w])) && !l.eof {
		if err := l.fill(); err != nil {
			return err
		}
	}
	if bytes.HasPrefix(l.buf[:l.w], []byte(byteOrderMark)) {
		l.mark = len(byteOrderMark)
		l.r = l.mark
	}
	return nil
}
