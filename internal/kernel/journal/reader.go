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

	"github.com/slackline/slackline/units"
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
	most   int    // bytes that a line may have
	long   []byte // a line that is longer than the buffer, reused
}

// longest is how many bytes a line may have: more than the description of any job that a machine can hold.
const longest = 512 << 20

// start is how each journal begins.
const start = "1 journal "

// NewReader reads the header.
func NewReader(r io.Reader) (*Reader, error) {
	j := &Reader{in: newBuffer(r), most: longest}
	begin, err := j.in.Peek(len(start)) // rather than to look for the end of a line in what has none
	if err == nil && string(begin) != start {
		word, _, _ := strings.Cut(string(begin), "\n")
		return nil, bad(1, "it begins with %q; a journal begins with \"1 journal\" and what it is of", word)
	}
	l, err := j.Next()
	if errors.Is(err, ErrCut) {
		return nil, bad(1, "it is empty, or cut off there; a journal begins with \"1 journal\" and what it is of")
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(l.Rest), &j.Header); err != nil {
		return nil, bad(1, "what the journal is of cannot be read: %v", err)
	}
	if v := j.Header.Version; v != Version && v != untold {
		who := "a newer build"
		if old, ok := readers[v]; ok {
			who = old
		}
		return nil, bad(1, "the journal has format %d, this build reads format %d; %s reads it", v, Version, who)
	}
	return j, nil
}

// untold is the format in which what jobs are told of their finish stood in the reasons. Events are the same, and so
// are items that tell a job nothing.
const untold = 2

// readers says which builds read a format of before.
var readers = map[int]string{
	1: "slackline before 0.1.0 (revision 93031db)",
	2: "slackline before 0.1.0 (revision ed9a2fa)",
}

func newBuffer(r io.Reader) *bufio.Reader { return bufio.NewReaderSize(r, 1<<16) }

// Next returns the next line: io.EOF behind the end line, ErrCut if the journal stops before it, a
// *LineError for a line that is damaged.
func (j *Reader) Next() (Line, error) {
	text, err := j.read()
	if err == io.EOF {
		switch {
		case text == "" && j.ended:
			return Line{}, io.EOF
		case j.ended:
			return Line{}, bad(j.line+1, "there is text after the end")
		case text == "" || !j.damaged(text):
			return Line{}, ErrCut
		}
		return Line{}, bad(j.line+1, "it is not a line of a journal")
	}
	if errors.Is(err, bufio.ErrBufferFull) {
		return Line{}, bad(j.line+1, "it has more than %v, which no line of a journal has", units.Bytes(j.most))
	}
	if err != nil {
		return Line{}, fmt.Errorf("line %d: %w", j.line+1, err)
	}
	j.line++
	if j.ended {
		return Line{}, bad(j.line, "there is text after the end")
	}
	return j.split(strings.TrimSuffix(text, "\n"))
}

// read returns the text up to the end of the line, which is in it: io.EOF if there is none,
// bufio.ErrBufferFull if it is too far.
func (j *Reader) read() (string, error) {
	part, err := j.in.ReadSlice('\n')
	if err != bufio.ErrBufferFull {
		return string(part), err
	}
	for j.long = j.long[:0]; err == bufio.ErrBufferFull; {
		if j.long = append(j.long, part...); len(j.long) > j.most {
			return "", err
		}
		part, err = j.in.ReadSlice('\n')
	}
	j.long = append(j.long, part...)
	return string(j.long), err
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
		return Line{}, bad(j.line, "it begins with %q, it must begin with its number; a line was added, lost or damaged", number)
	}
	mark := strings.LastIndex(rest, " #")
	if mark < 0 || len(rest)-mark != len(" #00000000") {
		return Line{}, bad(j.line, "its checksum is missing; the line was altered or cut")
	}
	sum, err := strconv.ParseUint(rest[mark+2:], 16, 32)
	body := text[:len(number)+1+mark]
	if err != nil || uint32(sum) != crc32.Checksum([]byte(body), castagnoli) {
		return Line{}, bad(j.line, "its checksum is %s, its text has %08x; the line was altered", rest[mark+2:], crc32.Checksum([]byte(body), castagnoli))
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
