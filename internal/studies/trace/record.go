package trace

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/slackline/slackline/units"
)

// MaxRecord is how long a record may be: the longest known are jobs of some ten thousand tasks.
const MaxRecord = 64 << 20

// Error is what is wrong with a record of a trace.
type Error struct {
	File  string
	Line  int64
	Field string // "" = the record as a whole
	Text  string

	fatal bool // nothing behind it can be read either, lenient or not
}

// Error prints file:line: field: text, without a line for what is no file.
func (e *Error) Error() string {
	field := ""
	if e.Field != "" {
		field = e.Field + ": "
	}
	if e.Line == 0 { // of an answer, which is one record
		return fmt.Sprintf("%s: %s%s", e.File, field, e.Text)
	}
	return fmt.Sprintf("%s:%d: %s%s", e.File, e.Line, field, e.Text)
}

// place is where a reader stands, and what it has left out. Whatever reads a field keeps the first
// error of the record and returns a zero value, so that errors are looked at once for many fields.
type place struct {
	o      Options
	at     int64 // number of the line last read, or where the record begins that was last read
	job    int64 // where the last job stands that was admitted
	kept   account
	strict bool // objects have no keys but those that are read
	sets   []*keySet
	bad    *Error // the first in the record
}

// failf notes an error of the record.
func (p *place) failf(field, format string, args ...any) {
	if p.bad == nil {
		p.bad = p.errorf(field, format, args...)
	}
}

// wrong returns the first error of the record, nil if there is none, and forgets it.
func (p *place) wrong() *Error {
	err := p.bad
	p.bad = nil
	return err
}

// nextJob calls read until it has a job, and leaves out records that cannot be read.
func (p *place) nextJob(read func() (*Job, error)) (*Job, error) {
	for {
		j, err := read()
		if err == nil && j != nil {
			return j, nil
		}
		if bad, ok := err.(*Error); err != nil && !(ok && p.skip(bad)) {
			return nil, err
		}
	}
}

// orNil makes an error of an *Error, nil of nil.
func orNil(err *Error) error {
	if err == nil {
		return nil
	}
	return err
}

// account is where what is left out is counted.
func (p *place) account() *account { return &p.kept }

// Line is where the job stands that was read last.
func (p *place) Line() int64 { return p.job }

func (p *place) errorf(field, format string, args ...any) *Error {
	return &Error{File: p.o.File, Line: p.at, Field: field, Text: fmt.Sprintf(format, args...)}
}

// lost is an error behind which nothing can be read.
func (p *place) lost(format string, args ...any) *Error {
	err := p.errorf("", format, args...)
	err.fatal = true
	return err
}

// skip tells whether a record with that error is to be left out, and counts it.
func (p *place) skip(err *Error) bool {
	if !p.o.Lenient || err.fatal {
		return false
	}
	p.kept.leaveOut(unreadable, "", err)
	return true
}

// lines reads records that are lines.
type lines struct {
	place
	in *bufio.Scanner
}

func newLines(in io.Reader, o Options) lines {
	l := lines{place: place{o: o}, in: bufio.NewScanner(in)}
	l.in.Buffer(make([]byte, 1<<16), MaxRecord)
	return l
}

// next returns the next line without its end, io.EOF behind the last. It is good until the next call.
func (l *lines) next() ([]byte, error) {
	l.at++
	more := l.in.Scan()
	switch err := l.in.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, l.lost("the line is longer than %v", units.Bytes(MaxRecord))
	case err != nil: // what may be there of a line is none
		return nil, l.lost("it cannot be read: %v", err)
	case !more:
		return nil, io.EOF
	}
	return l.in.Bytes(), nil
}

// count reads a whole number that is not negative. A decimal point with zeros behind it is allowed,
// as many tools write one.
func (p *place) count(field string, text []byte) int64 {
	n := int64(0)
	if bytes.IndexByte(text, '.') < 0 { // else it is none, and to find that out takes long
		var err error
		if n, err = strconv.ParseInt(string(text), 10, 64); err == nil && n >= 0 {
			return n
		}
	}
	x, err := strconv.ParseFloat(string(text), 64)
	switch {
	case err != nil || math.IsNaN(x):
		p.failf(field, "%s is not a number", quoted(text))
	case n < 0 && x == float64(n):
		p.failf(field, "%d is negative", n)
	case x < 0:
		p.failf(field, "%s is negative", quoted(text))
	case x >= math.MaxInt64:
		p.failf(field, "%s is too large", quoted(text))
	default:
		return int64(math.Round(x))
	}
	return 0
}

// unknown tells whether that stands in a field of which nothing is known.
func unknown(text []byte) bool {
	switch string(text) {
	case "", "-1", "-1.0", "-1.00", "NULL", "null", "NA":
		return true
	}
	return false
}

// size reads a number of bytes, which may be unknown.
func (p *place) size(field string, text []byte) units.Bytes {
	if unknown(text) {
		return Unknown
	}
	return units.Bytes(p.count(field, text))
}

// seconds reads a span or a point of time in seconds.
func (p *place) seconds(field string, text []byte) units.Duration {
	return p.secondsUpTo(field, text, 1e9)
}

func (p *place) secondsUpTo(field string, text []byte, most float64) units.Duration {
	x, err := strconv.ParseFloat(string(text), 64)
	switch {
	case err != nil || math.IsNaN(x):
		p.failf(field, "%s is not a time in seconds", quoted(text))
	case x < 0:
		p.failf(field, "%s is negative", quoted(text))
	case x > most && x < 9e9:
		p.failf(field, "%s seconds are more than 30 years; is that a time of UNIX? Times count from the start of the trace", quoted(text))
	case x > most:
		p.failf(field, "%s seconds are more than 30 years", quoted(text))
	default:
		return units.Duration(math.Round(x * 1e9))
	}
	return 0
}

// name reads a text that people are shown.
func (p *place) name(field string, text []byte) string {
	switch {
	case len(text) == 0:
		p.failf(field, "it is empty")
	case len(text) > 4096:
		p.failf(field, "it is longer than 4096 bytes")
	case !utf8.Valid(text):
		p.failf(field, "%s is not UTF-8", quoted(text))
	default:
		return string(text)
	}
	return ""
}

// quoted prints what stands in a file, cut where it is long.
func quoted(text []byte) string {
	if len(text) > 40 {
		return strconv.Quote(string(text[:40])) + "…"
	}
	return strconv.Quote(string(text))
}
