package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/slackline/slackline/internal/maths/spelling"
)

// decode reads a record into a struct, by its tags. Errors name the line within the record.
func (p *place) decode(text []byte, to any) *Error {
	p.bad = nil
	if utf8.Valid(text) {
		return p.fields(text, to)
	}
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

// fields reads those of an object. Which other keys there may be is said by the place.
func (p *place) fields(text []byte, to any) *Error {
	if !p.strict {
		return p.refused(text, kindOf(text), to, json.Unmarshal(text, to))
	}
	d := p.decoder(text)
	err := d.Decode(to)
	if _, more := d.Token(); err == nil && more == nil {
		err = errors.New("there is more behind it")
	}
	return p.refused(text, kindOf(text), to, err)
}

// decoder reads values of a text one by one.
func (p *place) decoder(text []byte) *json.Decoder {
	d := json.NewDecoder(bytes.NewReader(text))
	if p.strict {
		d.DisallowUnknownFields()
	}
	return d
}

// keysOf are those that a struct is read from.
func keysOf(to any) (keys []string) {
	for of := reflect.TypeOf(to).Elem(); len(keys) < of.NumField(); {
		name, _, _ := strings.Cut(of.Field(len(keys)).Tag.Get("json"), ",")
		keys = append(keys, name)
	}
	return keys
}

// refused says why a text could not be read into a struct.
func (p *place) refused(text []byte, kind string, to any, err error) *Error {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return p.within(text, int(syntax.Offset)-1, "", "it is not JSON: %v", err)
	}
	field, typed := "", (*json.UnmarshalTypeError)(nil)
	switch {
	case unknownKey(err) != "":
		key := unknownKey(err)
		return p.errorf("", "unknown key %q%s", key, spelling.Hint(key, keysOf(to)))
	case errors.As(err, &typed):
		field, kind = typed.Field, typed.Value
	case err != nil:
		return p.errorf("", "it is not JSON: %v", err)
	case kind == "object":
		return nil
	}
	return p.errorf(field, "a JSON %s is not allowed there", kind)
}

// unknownKey is the key of an error of the decoder about a key that is not read, where all should be.
func unknownKey(err error) string {
	if err == nil {
		return ""
	}
	quoted, is := strings.CutPrefix(err.Error(), "json: unknown field ")
	key, bad := strconv.Unquote(quoted)
	if !is || bad != nil {
		return ""
	}
	return key
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

// raw is a JSON value that is looked at later; of null there is none.
type raw []byte

// UnmarshalJSON takes the text.
func (r *raw) UnmarshalJSON(text []byte) error {
	if *r = append((*r)[:0], text...); string(text) == "null" {
		*r = nil
	}
	return nil
}

// kindOf names the kind of a JSON value.
func kindOf(text []byte) string {
	if text = trim(text); len(text) == 0 {
		return "nothing"
	}
	switch text[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "bool"
	case 'n':
		return "null"
	}
	return "number"
}

// list goes through the elements of a JSON array, with their number, up to so many; of one that is
// no array it tells so. What is wrong with an element is told with its place. Lists are not read as
// a whole, as one of millions of empty elements takes no room in a file and much in memory.
func list[T any](p *place, field string, from raw, most int, do func(e *T)) {
	if len(from) == 0 || p.bad != nil {
		return
	}
	d := p.decoder(from)
	if begin, err := d.Token(); err != nil || begin != json.Delim('[') {
		p.failf(field, "%s is not a list", quoted(from))
		return
	}
	for n := 0; d.More(); n++ {
		if n == most {
			p.failf(field, "there are more than %d, which no job has", most)
			return
		}
		var e T
		if p.bad = p.refused(from, "object", &e, d.Decode(&e)); p.bad == nil {
			do(&e)
		}
		if p.bad != nil {
			at := fmt.Sprintf("%s[%d]", field, n)
			if p.bad.Field != "" {
				at += "." + p.bad.Field
			}
			p.bad.Field = at
			return
		}
	}
}

func trim(b []byte) []byte { return bytes.Trim(b, " \n\t\r") }

// scalar is a JSON string or number, as tools do not agree on which of the two a number is.
type scalar struct {
	text []byte
	is   byte // 0 = absent or null, 's' a string, 'n' a number, 'x' anything else
}

// UnmarshalJSON takes the text.
func (s *scalar) UnmarshalJSON(text []byte) error {
	*s = scalar{bytes.Clone(text), 'x'}
	switch kindOf(text) {
	case "null":
		*s = scalar{}
	case "number":
		s.is = 'n'
	case "string":
		s.is = 's'
		if s.text = s.text[1 : len(text)-1]; bytes.IndexByte(s.text, '\\') >= 0 {
			var t string
			err := json.Unmarshal(text, &t)
			s.text = []byte(t)
			return err
		}
	case "object": // {"string": …}, as Avro writes what may be null
		var avro struct {
			String *string `json:"string"`
		}
		if json.Unmarshal(text, &avro) == nil && avro.String != nil {
			*s = scalar{[]byte(*avro.String), 's'}
		}
	}
	return nil
}

func (s *scalar) there() bool { return s.is != 0 }

// text reads a text that may be left out.
func (p *place) text(field string, s scalar) string {
	switch {
	case s.is == 0 || s.is == 's' && len(s.text) == 0:
		return ""
	case s.is == 'x':
		p.failf(field, "%s is not a text", quoted(s.text))
		return ""
	}
	return p.name(field, s.text)
}

// number reads a whole number that may be left out.
func (p *place) number(field string, s scalar, otherwise int64) int64 {
	if s.is == 0 {
		return otherwise
	}
	return p.count(field, s.text)
}

// tasks reads how many tasks or jobs there are of a kind; 1 may be left out.
func (p *place) tasks(field string, s scalar) int {
	n := p.number(field, s, 1)
	if n < 1 || n > MaxTasks {
		p.failf(field, "%d is not from 1 to %d", n, MaxTasks)
	}
	return int(n)
}

// known reads a whole number of a format that writes -1 where it knows none.
func (p *place) known(field string, s scalar) int64 {
	if string(s.text) == "-1" {
		return -1
	}
	return p.number(field, s, -1)
}
