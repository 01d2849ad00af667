package profile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// Parse reads a file of profiles. What cannot be is an error of one sentence: with the line where it is no such JSON,
// else with the field. name is that of the file. Models are as they stand there: see Fit.
func Parse(name string, src []byte) ([]*Class, error) {
	var f file
	d := json.NewDecoder(bytes.NewReader(src))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return nil, explain(name, src, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: there is more after the end of the profiles", name)
	}
	fail := func(path, format string, args ...any) error {
		return fmt.Errorf("%s: %s: %s", name, path, fmt.Sprintf(format, args...))
	}
	if f.Schema != FileSchema {
		return nil, fail("schema", "it is %q, this build reads %q", f.Schema, FileSchema)
	}
	seen := map[string]bool{}
	for i, c := range f.Profiles {
		at := fmt.Sprintf("profiles[%d]", i)
		switch {
		case c == nil:
			return nil, fail(at, "there is no profile")
		case c.Name == "":
			return nil, fail(at+".name", "the class has no name")
		case seen[c.Name]:
			return nil, fail(at+".name", "the class %q is given twice", c.Name)
		}
		seen[c.Name] = true
		if what, why := wrongIn(reflect.ValueOf(c).Elem()); why != "" {
			return nil, fail(at+what, "%s", why)
		}
	}
	return f.Profiles, nil
}

// explain turns an error of the decoder into a sentence, with its line where the decoder tells of one.
func explain(name string, src []byte, err error) error {
	line := func(offset int64) int { return 1 + bytes.Count(src[:min(offset, int64(len(src)))], []byte("\n")) }
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s: the file ends too early", name)
	case errors.As(err, &syntax):
		return fmt.Errorf("%s:%d: this is not JSON: %w", name, line(syntax.Offset), err)
	case errors.As(err, &kind) && kind.Field != "":
		return fmt.Errorf("%s:%d: %s: a JSON %s is not allowed here", name, line(kind.Offset), kind.Field, kind.Value)
	case errors.As(err, &kind):
		return fmt.Errorf("%s:%d: this is not a file of profiles, which is an object", name, line(kind.Offset))
	}
	return fmt.Errorf("%s: %s", name, strings.TrimPrefix(err.Error(), "json: "))
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
