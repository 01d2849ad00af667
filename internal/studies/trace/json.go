package trace

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"unicode/utf8"

	"github.com/slackline/slackline/units"
)

// records reads records that are JSON objects, one behind the other or as the elements of one array, over any number of lines. A
// record's end is found before it is looked at, so one that is too long is refused after MaxRecord bytes.
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
			return nil, r.lost("the record is longer than %v, none is", units.Bytes(MaxRecord))
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

// decode reads a record into v. Errors name the line within the record, and the field.
func (p *place) decode(text []byte, v any) *Error {
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
	err := json.Unmarshal(text, v)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax):
		return p.within(text, int(syntax.Offset)-1, "", "it is not JSON: %v", err)
	case errors.As(err, &kind):
		return p.within(text, int(kind.Offset)-1, kind.Field, "it is a JSON %s, which cannot stand there", kind.Value)
	}
	return p.errorf("", "it is not JSON: %v", err)
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

// UnmarshalJSON keeps the text.
func (r *raw) UnmarshalJSON(text []byte) error {
	if string(text) != "null" {
		*r = text
	}
	return nil
}

// list goes through the elements of a JSON array, with their number; of one that is no array it tells so. Lists are not decoded as
// a whole, as a list of millions of empty elements takes no room in a file and much in memory.
func (p *place) list(field string, r raw, do func(i int, element []byte) *Error) *Error {
	if len(r) == 0 {
		return nil
	}
	if r[0] != '[' {
		return p.errorf(field, "%s is no list", quoted(r))
	}
	n := 0
	for element := range elements(r) {
		if err := do(n, element); err != nil {
			return err
		}
		n++
	}
	return nil
}

// elements cuts a JSON array, which is known to be one.
func elements(array []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		inner := trim(array[1 : len(array)-1])
		from, e := 0, extent{}
		for i, c := range inner {
			if c == ',' && e.depth == 0 && !e.text {
				if !yield(trim(inner[from:i])) {
					return
				}
				from = i + 1
				continue
			}
			e.take(c)
		}
		if len(inner) > 0 {
			yield(trim(inner[from:]))
		}
	}
}

func trim(b []byte) []byte {
	space := func(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
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

// UnmarshalJSON keeps the text; of a string without escapes, in place.
func (s *scalar) UnmarshalJSON(text []byte) error {
	*s = scalar{text, 'x'}
	switch c := text[0]; {
	case c == 'n':
		*s = scalar{}
	case c == '"':
		s.is = 's'
		s.text = text[1 : len(text)-1]
		for _, c := range s.text {
			if c == '\\' {
				var t string
				err := json.Unmarshal(text, &t)
				s.text = []byte(t)
				return err
			}
		}
	case c == '-' || c >= '0' && c <= '9':
		s.is = 'n'
	case c == '{': // {"string": …}, as Avro writes what may be null
		var u struct {
			String *string `json:"string"`
		}
		if json.Unmarshal(text, &u) == nil && u.String != nil {
			*s = scalar{[]byte(*u.String), 's'}
		}
	}
	return nil
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
