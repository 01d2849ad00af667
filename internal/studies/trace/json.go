package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
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

// fields reads those of an object. Which other keys there may be is said by the place; none that is read may stand
// twice.
func (p *place) fields(text []byte, to any) *Error {
	if bad := p.refused(text, kindOf(text), json.Unmarshal(text, to)); bad != nil {
		return bad
	}
	return p.unknown(text, reflect.TypeOf(to).Elem())
}

// keySet are the keys that a struct is read from. Of a map it has none, and all are known.
type keySet struct {
	of   reflect.Type
	read []string
}

func keysOf(of reflect.Type) *keySet {
	k := &keySet{of: of}
	if of.Kind() != reflect.Struct {
		return k
	}
	for i := range of.NumField() {
		name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
		k.read = append(k.read, name)
	}
	return k
}

// keysFor are those of a type, found out once for all records; nil if it has none to look at.
func (p *place) keysFor(of reflect.Type) *keySet {
	if of == reflect.TypeFor[scalar]() || of.Kind() != reflect.Struct && of.Kind() != reflect.Map {
		return nil
	}
	for _, k := range p.sets {
		if k.of == of {
			return k
		}
	}
	p.sets = append(p.sets, keysOf(of))
	return p.sets[len(p.sets)-1]
}

// unknown finds a key of an object, which is JSON, that should not be there, or is read and stands twice.
// Keys are compared where they stand: most of a trace are records without fault, and nothing is made for them.
func (p *place) unknown(text []byte, of reflect.Type) *Error {
	keys := p.keysFor(of)
	if keys == nil {
		return nil
	}
	var seen [24][]byte
	before := seen[:0]
	depth, named := 0, false
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			end := i + 1 + closing(text[i+1:])
			if depth == 1 && !named {
				key := text[i+1 : end]
				if bytes.IndexByte(key, '\\') >= 0 {
					var plain string
					_ = json.Unmarshal(text[i:end+1], &plain)
					key = []byte(plain)
				}
				if keys.has(key) {
					for _, k := range before {
						if bytes.Equal(k, key) {
							return p.within(text, i, "", "the key %q is given twice", key)
						}
					}
					before = append(before, key)
				} else if bad := p.key(string(key), keys); bad != nil {
					return bad
				}
			}
			i = end
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ':':
			named = named || depth == 1
		case ',':
			named = named && depth != 1
		}
	}
	return nil
}

// closing finds the quotation mark that ends the text before it.
func closing(text []byte) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(text)
}

// has tells whether a key is one of those.
func (k *keySet) has(key []byte) bool {
	for _, name := range k.read {
		if string(key) == name {
			return true
		}
	}
	return k.of.Kind() != reflect.Struct
}

// key refuses a key that is not read, where all should be.
func (p *place) key(key string, keys *keySet) *Error {
	if !p.strict {
		return nil
	}
	return p.errorf("", "unknown key %q%s", key, spelling.Hint(key, keys.read))
}

// refused says why a text could not be read into a struct.
func (p *place) refused(text []byte, kind string, err error) *Error {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return p.within(text, int(syntax.Offset)-1, "", "it is not JSON: %v", err)
	}
	field, typed := "", (*json.UnmarshalTypeError)(nil)
	switch {
	case errors.As(err, &typed):
		field, kind = typed.Field, typed.Value
	case err != nil:
		return p.errorf("", "it is not JSON: %v", err)
	case kind == "object":
		return nil
	}
	return p.errorf(field, "a JSON %s is not allowed there", kind)
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
	d := json.NewDecoder(bytes.NewReader(from))
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
		begin := d.InputOffset()
		if err := d.Decode(&e); err != nil {
			p.bad = p.refused(from, "object", err)
		} else if p.bad = p.unknown(from[begin:d.InputOffset()], reflect.TypeFor[T]()); p.bad == nil {
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
