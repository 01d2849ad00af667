package journal

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"strings"
)

// LineError is what is wrong with a line of a journal.
type LineError struct {
	Line int64
	What string
}

// Error names the line first.
func (e *LineError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.What) }

func bad(line int64, format string, args ...any) error {
	return &LineError{line, fmt.Sprintf(format, args...)}
}

// ErrCut says that a journal stops before its end line: the run was cut off, or has not finished.
var ErrCut = errors.New("the journal stops before the end of the run")

// Line is one line of a journal without its number and sum.
type Line struct {
	Number int64
	Word   string // journal, round, event, plan, item or end
	Rest   string
}

// Reader reads the lines of a journal one by one and checks their numbers and sums.
type Reader struct {
	Header Header
	in     *bufio.Reader
	line   int64
	ended  bool
}

// NewReader reads the header.
func NewReader(r io.Reader) (*Reader, error) {
	j := &Reader{in: bufio.NewReaderSize(r, 1<<16)}
	l, err := j.Next()
	if errors.Is(err, ErrCut) {
		return nil, bad(1, "it is empty, or cut off there; a journal begins with \"1 journal\" and what it is of")
	}
	if err != nil {
		return nil, err
	}
	if l.Word != "journal" {
		return nil, bad(1, "it begins with %q; a journal begins with \"1 journal\" and what it is of", l.Word)
	}
	if err := json.Unmarshal([]byte(l.Rest), &j.Header); err != nil {
		return nil, bad(1, "what the journal is of cannot be read: %v", err)
	}
	if v := j.Header.Version; v != Version {
		return nil, bad(1, "the journal has format %d, this build reads format %d", v, Version)
	}
	return j, nil
}

// Next returns the next line: io.EOF behind the end line, ErrCut if the journal stops before it, a *LineError for a line that is
// damaged.
func (j *Reader) Next() (Line, error) {
	text, err := j.in.ReadString('\n')
	if err == io.EOF {
		switch {
		case text == "" && j.ended:
			return Line{}, io.EOF
		case j.ended:
			return Line{}, bad(j.line+1, "something follows the end")
		case text == "" || !j.damaged(text):
			return Line{}, ErrCut
		}
		return Line{}, bad(j.line+1, "it is no line of a journal")
	}
	if err != nil {
		return Line{}, fmt.Errorf("line %d: %w", j.line+1, err)
	}
	j.line++
	if j.ended {
		return Line{}, bad(j.line, "something follows the end")
	}
	return j.split(strings.TrimSuffix(text, "\n"))
}

// damaged tells whether the start of a line cannot be that of the next one.
func (j *Reader) damaged(text string) bool {
	want := strconv.FormatInt(j.line+1, 10) + " "
	return !strings.HasPrefix(text, want) && !strings.HasPrefix(want, text)
}

func (j *Reader) split(text string) (Line, error) {
	number, rest, ok := strings.Cut(text, " ")
	if !ok || number != strconv.FormatInt(j.line, 10) {
		if len(number) > 20 {
			number = number[:20] + "…"
		}
		if j.line == 1 {
			return Line{}, bad(1, "it begins with %q; a journal begins with \"1 journal\" and what it is of", number)
		}
		return Line{}, bad(j.line, "it begins with %q, it must begin with its number; a line was added, lost or damaged", number)
	}
	mark := strings.LastIndex(rest, " #")
	if mark < 0 || len(rest)-mark != len(" #00000000") {
		return Line{}, bad(j.line, "its check sum is missing; the line was altered or cut")
	}
	sum, err := strconv.ParseUint(rest[mark+2:], 16, 32)
	body := text[:len(number)+1+mark]
	if err != nil || uint32(sum) != crc32.Checksum([]byte(body), castagnoli) {
		return Line{}, bad(j.line, "its check sum is %s, its text has %08x; the line was altered", rest[mark+2:], crc32.Checksum([]byte(body), castagnoli))
	}
	l := Line{Number: j.line}
	l.Word, l.Rest, _ = strings.Cut(rest[:mark], " ")
	switch l.Word {
	case "journal", "round", "event", "plan", "item":
	case "end":
		j.ended = true
	default:
		return Line{}, bad(j.line, "there is no line %q; there are: journal, round, event, plan, item, end", l.Word)
	}
	return l, nil
}
