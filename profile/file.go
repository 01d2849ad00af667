package profile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// FileSchema names the form of a file of profiles. Fields may be added to it, never renamed.
const FileSchema = "slackline/profiles/v2"

// file is what stands in one.
type file struct {
	Schema   string   `json:"schema"`
	Profiles []*Class `json:"profiles"` // sorted by class
}

// Format writes profiles as a file that Parse reads.
func Format(classes []*Class) ([]byte, error) {
	f := file{FileSchema, slices.Clone(classes)}
	if f.Profiles == nil {
		f.Profiles = []*Class{}
	}
	slices.SortFunc(f.Profiles, func(a, b *Class) int { return cmp.Compare(a.Name, b.Name) })
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(f)
	return b.Bytes(), err
}

// Parse reads a file of profiles. What cannot be is an error of one sentence with the line and the
// field; name is that of the file. Models are as they stand there: see Fit.
func Parse(name string, src []byte) ([]*Class, error) {
	p := parser{name: name, src: src, at: map[string]int{}}
	if err := p.walk(); err != nil {
		return nil, err
	}
	var f file
	d := json.NewDecoder(bytes.NewReader(src))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return nil, p.explain(err, d.InputOffset())
	}
	if f.Schema != FileSchema {
		return nil, p.fail("schema", "it is %q, this build reads %q", f.Schema, FileSchema)
	}
	seen := map[string]bool{}
	for i, c := range f.Profiles {
		at := fmt.Sprintf("profiles[%d]", i)
		switch {
		case c == nil:
			return nil, p.fail(at, "there is no profile")
		case c.Name == "":
			return nil, p.fail(at+".name", "the class has no name")
		case seen[c.Name]:
			return nil, p.fail(at+".name", "the class %q is given twice", c.Name)
		}
		seen[c.Name] = true
		if what, why := wrongIn(reflect.ValueOf(c).Elem()); why != "" {
			return nil, p.fail(at+what, "%s", why)
		}
	}
	return f.Profiles, nil
}

// parser knows where each field of a file begins.
type parser struct {
	name string
	src  []byte
	at   map[string]int // offset behind the first token of its value, by path
	all  []string       // the paths, in order
}

func (p *parser) line(offset int) int {
	return 1 + bytes.Count(p.src[:min(offset, len(p.src))], []byte("\n"))
}

// fail is an error at a field; of one that is left out, at what it should stand in.
func (p *parser) fail(path, format string, args ...any) error {
	offset, there := p.at[path]
	for above := path; !there && above != ""; {
		above = above[:max(0, strings.LastIndexAny(above, ".["))]
		offset, there = p.at[above]
	}
	return fmt.Errorf("%s:%d: %s: %s", p.name, p.line(offset), path, fmt.Sprintf(format, args...))
}

// walk finds the fields, and refuses what is no JSON, continues after its end, or has a key twice.
func (p *parser) walk() error {
	d := json.NewDecoder(bytes.NewReader(p.src))
	if err := p.value(d, ""); err != nil {
		return err
	}
	if _, err := d.Token(); err == nil {
		return fmt.Errorf("%s:%d: there is more after the end of the profiles", p.name, p.line(int(d.InputOffset())))
	}
	return nil
}

// deepest is how many brackets may stand in each other.
const deepest = 20

func (p *parser) value(d *json.Decoder, path string) error {
	t, err := d.Token()
	if err != nil {
		return p.explain(err, d.InputOffset())
	}
	p.at[path] = int(d.InputOffset())
	p.all = append(p.all, path)
	open, is := t.(json.Delim)
	if !is {
		return nil
	}
	if strings.Count(path, ".")+strings.Count(path, "[") > deepest {
		return p.fail(path, "brackets are nested too deeply")
	}
	for i := 0; d.More(); i++ {
		below := fmt.Sprintf("%s[%d]", path, i)
		if open == '{' {
			key, err := d.Token()
			if err != nil {
				return p.explain(err, d.InputOffset())
			}
			below = strings.TrimPrefix(fmt.Sprintf("%s.%v", path, key), ".")
			if _, twice := p.at[below]; twice {
				p.at[below] = int(d.InputOffset())
				return p.fail(below, "the key is given twice")
			}
		}
		if err := p.value(d, below); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return p.explain(err, d.InputOffset())
	}
	return nil
}

// explain turns an error of the decoder into a sentence with its line.
func (p *parser) explain(err error, offset int64) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	what, typed := strings.TrimPrefix(err.Error(), "json: "), ""
	switch {
	case errors.As(err, &kind):
		offset = kind.Offset
		what = "this is not a file of profiles, which is an object: " + article(kind.Value) + " stands here"
		if kind.Field != "" {
			what = fmt.Sprintf("%s: %s is not allowed here", kind.Field, article(kind.Value))
		}
	case errors.As(err, &syntax):
		offset = syntax.Offset
		what = "this is not JSON: " + what
	case strings.HasPrefix(what, "unknown field "):
		typed = strings.Trim(strings.TrimPrefix(what, "unknown field "), `"`)
		if i := slices.IndexFunc(p.all, func(path string) bool { return path == typed || strings.HasSuffix(path, "."+typed) }); i >= 0 {
			offset = int64(p.at[p.all[i]])
			what = p.all[i] + ": there is no such field"
		}
	case strings.HasSuffix(what, "EOF"):
		offset = int64(len(p.src))
		what = "the file ends too early"
	}
	err = fmt.Errorf("%s:%d: %s", p.name, p.line(int(offset)), what)
	if typed != "" {
		return &UnknownField{Name: typed, Known: fieldsOf(reflect.TypeFor[file](), 0), error: err}
	}
	return err
}

// UnknownField is the error of a field that no file of profiles has.
type UnknownField struct {
	Name  string
	Known []string // that there are
	error
}

// fieldsOf are the names of the fields of a type, and of all that stands in it.
func fieldsOf(of reflect.Type, depth int) (names []string) {
	for slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map}, of.Kind()) {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || depth > deepest {
		return nil
	}
	for i := range of.NumField() {
		f := of.Field(i)
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			names = append(names, name)
		}
		names = append(names, fieldsOf(f.Type, depth+1)...)
	}
	return names
}

// article puts the right article before what the decoder calls a value.
func article(kind string) string {
	switch {
	case kind == "bool":
		return "true or false"
	case strings.IndexAny(kind, "aeio") == 0:
		return "an " + kind
	}
	return "a " + kind
}

// wrongIn is the first field that cannot be and why, both empty if all can: of what stands in a value, then of
// what it tells of itself.
func wrongIn(v reflect.Value) (what, why string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return wrongIn(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			if what, why := wrongIn(v.Index(i)); why != "" {
				return fmt.Sprintf("[%d]%s", i, what), why
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			if name == "" || name == "-" {
				continue
			}
			if what, why := wrongIn(v.Field(i)); why != "" {
				return "." + name + what, why
			}
		}
	}
	if of, is := v.Addr().Interface().(interface{ wrong() (what, why string) }); is {
		if what, why := of.wrong(); why != "" {
			return "." + what, why
		}
	}
	return "", ""
}

func (c *Class) wrong() (what, why string) {
	switch i := slices.Index(c.Models, nil); {
	case c.Runs < 0:
		return "runs", "it is negative"
	case c.Cold != nil && c.Cold.Name != c.Name:
		return "cold.name", "it differs from that of the class"
	case c.Cold != nil && c.Cold.Cold != nil:
		return "cold.cold", "a profile of cold runs has no such part"
	case i >= 0:
		return fmt.Sprintf("models[%d]", i), "there is no model"
	}
	const order = "they must be sorted by stage, part, node class and container, each given once"
	return wrongOf(part{"errors", c.Errors.of(c.Error.N)}, part{"recent", c.wrongRecent},
		part{"models", sorted(order, c.Models, func(a, b *Model) int { return a.Key.compare(b.Key) })},
		part{"samples", sorted(order, c.Samples, func(a, b Sample) int { return a.Key.compare(b.Key) })},
		part{"scores", sorted(order, c.Scores, func(a, b Score) int { return a.Key.compare(b.Key) })},
		part{"stages", sorted("stages must be sorted by stage and node class, each given once", c.Stages, func(a, b Stage) int {
			return cmp.Or(cmp.Compare(a.Stage, b.Stage), cmp.Compare(a.Node, b.Node))
		})})
}

// sorted looks at the order of a list.
func sorted[T any](order string, list []T, compare func(a, b T) int) func() (what, why string) {
	return func() (what, why string) {
		for i := 1; i < len(list); i++ {
			if compare(list[i-1], list[i]) >= 0 {
				return fmt.Sprintf("[%d]", i), order
			}
		}
		return "", ""
	}
}

func (s *Stage) wrong() (what, why string) {
	if !(s.Share >= 0 && s.Share <= 1) {
		return "share", "it is not in 0 to 1"
	}
	return wrongOf(part{"spread", s.Spread.of(s.Task.N)}, part{"costs", s.Costs.of(s.PerByte.N)}, part{"fetches", s.Fetches.of(s.Fetch.N)})
}

// part is a field that knows what is wrong with it.
type part struct {
	name  string
	wrong func() (what, why string)
}

// wrongOf is what is wrong with the first field of which something is.
func wrongOf(parts ...part) (what, why string) {
	for _, p := range parts {
		if what, why := p.wrong(); why != "" {
			return p.name + what, why
		}
	}
	return "", ""
}

func (e *Estimate) wrong() (what, why string) {
	slack := 1e-9 * (math.Abs(e.Min) + math.Abs(e.Max)) // of rounding
	switch {
	case e.N < 0 || e.N > 1<<53:
		return "n", "it is negative, or more than can be counted"
	case e.N == 0 && *e != Estimate{}:
		return "n", "it is 0, but there is a value"
	case e.Min < 0:
		return "min", "it is negative, which no time, size or ratio can be"
	case e.Max >= mostAmount:
		return "max", "it is 1e18 or more, which no time, size or ratio is"
	case e.Max < e.Min:
		return "max", "it is below the minimum"
	case e.Mean < e.Min-slack || e.Mean > e.Max+slack:
		return "mean", "it is not between minimum and maximum"
	case e.M2 < 0:
		return "m2", "a sum of squares must not be negative"
	}
	return "", ""
}

// of looks at the distribution of so many values.
func (s Spread) of(values int64) func() (what, why string) {
	return func() (what, why string) { return s.wrong(values) }
}

// wrong is that: values that are not above 0 are not in the distribution.
func (s Spread) wrong(values int64) (what, why string) {
	const farthest = 1100 * perOctave // no number is farther from 1
	sum := int64(0)
	for i, b := range s {
		at := fmt.Sprintf("[%d]", i)
		switch {
		case b.N < 1 || b.N > values-sum:
			return at + ".n", "it is below 1, or there are more values in the bins than were measured"
		case b.At < -farthest || b.At > farthest:
			return at + ".at", "there is no such bin"
		case i > 0 && b.At <= s[i-1].At:
			return at + ".at", "bins must be sorted, each given once"
		}
		sum += b.N
	}
	return "", ""
}
