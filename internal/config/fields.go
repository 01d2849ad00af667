package config

import (
	"encoding"
	"reflect"
	"strconv"
	"strings"

	"github.com/slackline/slackline/internal/maths/each"
)

// field is one key of a mapping, as the tags of a struct describe it.
type field struct {
	name            string
	doc             string
	need            bool
	some            bool   // a list, or a text, that is not empty
	label           string // of a name, or a list of some: what errors call it, "yes" = its key
	min, above, max *float64
	enum            []string
	def             string // what holds when the key is left out, as it would be written
	index           []int
	typ             reflect.Type
}

// otherwise says what holds without the key, to whoever writes 0 for that.
func (f *field) otherwise(x float64) string {
	without, said := strings.CutSuffix(f.doc, " if left out")
	if x != 0 || !said {
		return ""
	}
	if i := strings.LastIndex(without, "; "); i >= 0 {
		without = without[i+len("; "):]
	}
	return "; without the key it is: " + without
}

// filled tells whether the key is of a text that may be left out, and not be empty. One that is needed has a sentence
// of its own.
func (f *field) filled() bool {
	return !f.need && (f.label != "" || f.some && f.typ.Kind() == reflect.String)
}

type fieldList []field

// fieldsOf lists the keys of a struct in the order of its fields, those of embedded structs in their place.
func fieldsOf(t reflect.Type) fieldList {
	var list fieldList
	for i := range t.NumField() {
		sf := t.Field(i)
		if sf.Anonymous && sf.Type.Kind() == reflect.Struct {
			for _, f := range fieldsOf(sf.Type) {
				f.index = append([]int{i}, f.index...)
				list = append(list, f)
			}
			continue
		}
		name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
		if name == "" || name == "-" || !sf.IsExported() {
			continue
		}
		f := field{name: name, doc: sf.Tag.Get("doc"), need: sf.Tag.Get("need") != "", some: sf.Tag.Get("some") != "", label: sf.Tag.Get("label"), def: sf.Tag.Get("def"), index: []int{i}, typ: sf.Type,
			min: bound(sf.Tag, "min"), above: bound(sf.Tag, "above"), max: bound(sf.Tag, "max")}
		if e := sf.Tag.Get("enum"); e != "" {
			f.enum = strings.Split(e, "|")
		}
		list = append(list, f)
	}
	return list
}

func bound(tag reflect.StructTag, name string) *float64 {
	s, ok := tag.Lookup(name)
	if !ok {
		return nil
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic("config: tag " + name + " is not a number: " + s)
	}
	return &x
}

func (l fieldList) find(name string) (field, bool) {
	for _, f := range l {
		if f.name == name {
			return f, true
		}
	}
	return field{}, false
}

func (l fieldList) names() []string {
	return each.Of(l, func(f field) string { return f.name })
}

var textType = reflect.TypeFor[encoding.TextUnmarshaler]()

// wanted says what a value of the type looks like.
func wanted(t reflect.Type) string {
	switch v := reflect.New(t).Interface().(type) {
	case Former:
		return v.Form().Wanted
	case interface{ wanted() string }:
		return v.wanted()
	}
	if reflect.PointerTo(t).Implements(textType) {
		return "a text"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return wanted(t.Elem())
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Uint64:
		return "a whole number that is not negative"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "a mapping (key: value)"
	}
	return "a text"
}

// oneOf prints alternatives: "a", "b" or "c".
func oneOf(list []string) string {
	quoted := each.Of(list, quote)
	if len(quoted) == 1 {
		return quoted[0]
	}
	return strings.Join(quoted[:len(quoted)-1], ", ") + " or " + quoted[len(quoted)-1]
}

func quote(s string) string { return `"` + s + `"` }
