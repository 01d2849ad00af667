package trace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/slackline/slackline/units"
)

// records reads records that are JSON objects, one behind the other or as the elements of one
// array, over any number of lines. A record's end is found before it is looked at, so one that is
// too long is refused after MaxRecord bytes.
type records struct {
	place
	in     *bufio.Reader
	buf    []byte
	line   int64
	listed bool // within an array
	begun  bool
}

func newRecords(in io.Reader, o Options) records {
	return records{place: place{o: o}, in: bufio.NewReaderSize(in, 1<<16), line: 1}
}

// next returns the text of the next object, io.EOF behind the last. It is good until the next call.
func (r *records) next() ([]byte, error) {
	for {
		c, err := r.in.ReadByte()
		if err != nil {
			return nil, r.ended(err)
		}
		r.at = r.line
		switch {
		case c == '\n':
			r.line++
		case c == ' ' || c == '\t' || c == '\r' || c == ',' && r.listed:
		case c == '{':
			r.begun = true
			return r.object()
		case c == '[' && !r.begun:
			r.begun, r.listed = true, true
		case c == ']' && r.listed:
			r.listed = false
		default:
			r.begun = true
			err := r.errorf("", "%q stands there, a record is an object in braces", c)
			if lost := r.restOfLine(); lost != nil {
				return nil, lost
			}
			return nil, err
		}
	}
}

func (r *records) ended(err error) error {
	if !errors.Is(err, io.EOF) {
		return r.lost("it cannot be read: %v", err)
	}
	if r.listed {
		r.listed = false
		r.at = r.line
		return r.errorf("", "the file ends before its list does")
	}
	return io.EOF
}

// restOfLine leaves out what stands behind something that is not JSON.
func (r *records) restOfLine() error {
	for {
		_, err := r.in.ReadSlice('\n')
		switch {
		case err == nil:
			r.line++
			return nil
		case errors.Is(err, io.EOF):
			return nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return r.lost("it cannot be read: %v", err)
		}
	}
}

// object reads on to the brace that closes the one just read.
func (r *records) object() ([]byte, error) {
	r.buf = append(r.buf[:0], '{')
	e := extent{depth: 1}
	for {
		if _, err := r.in.Peek(1); err != nil {
			if errors.Is(err, io.EOF) {
				return nil, r.errorf("", "the file ends within the record")
			}
			return nil, r.lost("it cannot be read: %v", err)
		}
		chunk, _ := r.in.Peek(r.in.Buffered())
		for i, c := range chunk {
			if c == '\n' {
				r.line++
			}
			if e.take(c) {
				r.buf = append(r.buf, chunk[:i+1]...)
				_, _ = r.in.Discard(i + 1)
				return r.buf, nil
			}
		}
		if len(r.buf)+len(chunk) > MaxRecord {
			return nil, r.lost("the record is longer than %v, no record is", units.Bytes(MaxRecord))
		}
		r.buf = append(r.buf, chunk...)
		_, _ = r.in.Discard(len(chunk))
	}
}

// extent finds where a JSON value in braces or brackets ends.
type extent struct {
	depth   int
	text    bool // within a string
	escaped bool
}

// take tells whether the value ends with this byte.
func (e *extent) take(c byte) bool {
	switch {
	case e.escaped:
		e.escaped = false
	case e.text:
		e.escaped = c == '\\'
		e.text = c != '"'
	case c == '"':
		e.text = true
	case c == '{' || c == '[':
		e.depth++
	case c == '}' || c == ']':
		e.depth--
		return e.depth == 0
	}
	return false
}

// decode checks that a record is JSON, and reads its fields. Errors name the line within the record, and the field.
func (p *place) decode(text []byte, slots []slot) *Error {
	if !utf8.Valid(text) {
		n := 0
		for n < len(text) {
			c, size := utf8.DecodeRune(text[n:])
			if c == utf8.RuneError && size == 1 {
				break
			}
			n += size
		}
		return p.within(text, n, "", "%s is not UTF-8", quoted(text[max(0, n-10):min(len(text), n+10)]))
	}
	if !json.Valid(text) {
		var any json.RawMessage
		err := json.Unmarshal(text, &any)
		if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
			return p.within(text, int(syntax.Offset)-1, "", "it is not JSON: %v", err)
		}
		return p.errorf("", "it is not JSON: %v", err)
	}
	return p.object(trim(text), slots)
}

// within is an error at a place within a record.
func (p *place) within(text []byte, at int, field, format string, args ...any) *Error {
	err := p.errorf(field, format, args...)
	for _, c := range text[:max(0, min(at, len(text)))] {
		if c == '\n' {
			err.Line++
		}
	}
	return err
}

// raw is a JSON value that is looked at later, in place: the text of the record must still be there.
type raw []byte

// slot says where the value of a key goes, as a scalar or as it stands.
type slot struct {
	key    string
	scalar *scalar
	raw    *raw
}

// form is a JSON object with known keys, read into the same value again and again.
type form[T any] struct {
	value T
	slots []slot
}

func newForm[T any](slots func(*T) []slot) *form[T] {
	f := &form[T]{}
	f.slots = slots(&f.value)
	return f
}

// record reads a whole record.
func (f *form[T]) record(p *place, text []byte) (*T, *Error) {
	var zero T
	f.value = zero
	return &f.value, p.decode(text, f.slots)
}

// part reads what is part of a record, which is known to be JSON.
func (f *form[T]) part(p *place, text []byte) (*T, *Error) {
	var zero T
	f.value = zero
	return &f.value, p.object(text, f.slots)
}

// object reads the fields of an object that is known to be JSON. Other keys are passed over; of one
// that stands twice, the last value counts.
func (p *place) object(text []byte, slots []slot) *Error {
	if len(text) == 0 || text[0] != '{' {
		return p.errorf("", "it is a JSON %s, which cannot stand there", kindOf(text))
	}
	for i := 1; ; {
		key, value, next := member(text, i)
		if next < 0 {
			return nil
		}
		i = next
		for k := range slots {
			if s := &slots[k]; string(key) == s.key {
				if s.scalar != nil {
					s.scalar.set(value)
				} else if *s.raw = raw(value); string(value) == "null" {
					*s.raw = nil
				}
				break
			}
		}
	}
}

func kindOf(text []byte) string {
	switch {
	case len(text) == 0:
		return "nothing"
	case text[0] == '[':
		return "array"
	case text[0] == '"':
		return "string"
	case text[0] == 't' || text[0] == 'f':
		return "bool"
	case text[0] == 'n':
		return "null"
	}
	return "number"
}

// member returns the next member of an object, which is known to be JSON, and where to go on; -1 behind the last.
func member(text []byte, i int) (key, value []byte, next int) {
	for text[i] != '"' {
		if text[i] == '}' {
			return nil, nil, -1
		}
		i++
	}
	end := valueEnd(text, i)
	if key = text[i+1 : end-1]; bytes.IndexByte(key, '\\') >= 0 {
		var t string
		_ = json.Unmarshal(text[i:end], &t)
		key = []byte(t)
	}
	for i = end; text[i] == ':' || space(text[i]); i++ {
	}
	end = valueEnd(text, i)
	return key, text[i:end], end
}

// valueEnd is where the value ends that begins at i, in what is known to be JSON.
func valueEnd(text []byte, i int) int {
	depth := 0
	for i < len(text) {
		switch c := text[i]; c {
		case '"':
			for i++; ; i++ {
				i += bytes.IndexByte(text[i:], '"')
				slashes := i
				for text[slashes-1] == '\\' {
					slashes--
				}
				if (i-slashes)%2 == 0 {
					break
				}
			}
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth <= 0 {
				return i + 1 + depth // of a number, before the bracket around it
			}
		case ',', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return i
}

// list goes through the elements of a JSON array, with their number, up to so many; of one that is
// no array it tells so. What is wrong with an element is told with its place. Lists are not read as
// a whole, as one of millions of empty elements takes no room in a file and much in memory.
func (p *place) list(field string, r raw, most int, do func(i int, element []byte) *Error) *Error {
	if len(r) == 0 {
		return nil
	}
	if r[0] != '[' {
		return p.errorf(field, "%s is no list", quoted(r))
	}
	i := 1
	for n := 0; ; n++ {
		for r[i] == ',' || space(r[i]) {
			i++
		}
		if r[i] == ']' {
			return nil
		}
		if n == most {
			return p.errorf(field, "there are more than %d, no job has so many", most)
		}
		end := valueEnd(r, i)
		if err := do(n, r[i:end]); err != nil {
			at := fmt.Sprintf("%s[%d]", field, n)
			if err.Field != "" {
				at += "." + err.Field
			}
			err.Field = at
			return err
		}
		i = end
	}
}

func space(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func trim(b []byte) []byte {
	for len(b) > 0 && space(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && space(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

// scalar is a JSON string or number, as tools do not agree on which of the two a number is.
type scalar struct {
	text []byte
	is   byte // 0 = absent or null, 's' a string, 'n' a number, 'x' anything else
}

// set takes the text; of a string without escapes, in place.
func (s *scalar) set(text []byte) {
	*s = scalar{text, 'x'}
	switch c := text[0]; {
	case c == 'n':
		*s = scalar{}
	case c == '"':
		s.is = 's'
		if s.text = text[1 : len(text)-1]; bytes.IndexByte(s.text, '\\') >= 0 {
			var t string
			_ = json.Unmarshal(text, &t) // it is known to be a string
			s.text = []byte(t)
		}
	case c == '-' || c >= '0' && c <= '9':
		s.is = 'n'
	case c == '{': // {"string": …}, as Avro writes what may be null
		if key, value, next := member(text, 1); next >= 0 && string(key) == "string" && value[0] == '"' {
			s.set(value)
		}
	}
}

func (s *scalar) there() bool { return s.is != 0 }

// text reads a text that may be left out.
func (p *place) text(field string, s scalar) (string, *Error) {
	switch {
	case s.is == 0 || s.is == 's' && len(s.text) == 0:
		return "", nil
	case s.is == 'x':
		return "", p.errorf(field, "%s is no text", quoted(s.text))
	}
	return p.name(field, s.text)
}

// number reads a whole number that may be left out.
func (p *place) number(field string, s scalar, otherwise int64) (int64, *Error) {
	if s.is == 0 {
		return otherwise, nil
	}
	return p.count(field, s.text)
}

// known reads a whole number of a format that writes -1 where it knows none.
func (p *place) known(field string, s scalar) (int64, *Error) {
	if s.is == 'n' && string(s.text) == "-1" {
		return -1, nil
	}
	return p.number(field, s, -1)
}
