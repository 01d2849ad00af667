package scenario

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/units"
)

// Span is a span of time, written with its unit: 90s, 10m, 1h30m.
type Span units.Duration

// UnmarshalText reads a span.
func (s *Span) UnmarshalText(text []byte) error {
	d, err := units.ParseDuration(string(text))
	*s = Span(d)
	return err
}

// String prints the span as it is written.
func (s Span) String() string { return units.Duration(s).String() }

// Duration returns the span.
func (s Span) Duration() units.Duration { return units.Duration(s) }

func (Span) wanted() string { return "a span of time with its unit, such as 90s or 10m" }

func (Span) shape() map[string]any { return written(`-?(0|`+spans+`)`, "90s", "10m", "1h30m") }

// number is the pattern of numbers that may have an exponent.
const number = `[0-9.]+([eE][-+]?[0-9]+)?`

// spans is the pattern of numbers with units of time.
const spans = `([0-9.]+(ns|us|µs|ms|s|min|m|h|d))+`

// written is the schema of a text of that pattern; a bare 0 needs no unit.
func written(pattern string, examples ...string) map[string]any {
	return map[string]any{"type": []string{"string", "integer"}, "pattern": `^\s*(` + pattern + `)\s*$`, "minimum": 0, "maximum": 0, "examples": examples}
}

// Spans is a span of time, or a range of spans such as 20s..40s.
type Spans struct{ From, To units.Duration }

// UnmarshalText reads a span or a range.
func (s *Spans) UnmarshalText(text []byte) (err error) {
	from, to, ranged := strings.Cut(string(text), "..")
	if s.From, err = units.ParseDuration(from); err != nil {
		return err
	}
	s.To = s.From
	if ranged {
		if s.To, err = units.ParseDuration(to); err != nil {
			return err
		}
	}
	if s.From < 0 || s.To < s.From {
		return fmt.Errorf("%s is no range; write the shorter span first, such as 20s..40s", text)
	}
	return nil
}

func (Spans) wanted() string {
	return "a span of time, such as 30s, or a range of spans, such as 20s..40s"
}

func (Spans) shape() map[string]any {
	return written(`(0|`+spans+`)(\.\.`+spans+`)?`, "30s", "20s..40s")
}

// Factors is a number above 0, or a range of such, such as 1.5..3.
type Factors struct{ From, To float64 }

// UnmarshalText reads a number or a range.
func (f *Factors) UnmarshalText(text []byte) (err error) {
	from, to, ranged := strings.Cut(string(text), "..")
	bad := fmt.Errorf("%s is no range of factors; write a number, or the smaller one first, such as 1.5..3", text)
	if f.From, err = strconv.ParseFloat(strings.TrimSpace(from), 64); err != nil {
		return bad
	}
	f.To = f.From
	if ranged {
		if f.To, err = strconv.ParseFloat(strings.TrimSpace(to), 64); err != nil {
			return bad
		}
	}
	if !(f.From > 0) || !(f.To >= f.From) || f.To > 1e6 {
		return bad
	}
	return nil
}

func (Factors) wanted() string { return "a number, such as 2, or a range, such as 1.5..3" }

func (Factors) shape() map[string]any {
	return map[string]any{"type": []string{"string", "number"}, "pattern": `^\s*` + number + `(\.\.` + number + `)?\s*$`, "exclusiveMinimum": 0, "examples": []string{"2", "1.5..3"}}
}

// Counts is a number, or a range of numbers such as 10..50.
type Counts struct{ From, To int }

// UnmarshalText reads a number or a range.
func (c *Counts) UnmarshalText(text []byte) error {
	from, to, ranged := strings.Cut(string(text), "..")
	a, err1 := strconv.Atoi(strings.TrimSpace(from))
	b, err2 := a, error(nil)
	if ranged {
		b, err2 = strconv.Atoi(strings.TrimSpace(to))
	}
	if err1 != nil || err2 != nil || a < 0 || b < a || b > maxTasks {
		return fmt.Errorf("%s is no number of tasks and no range of such; write one up to %d, or the smaller one first, such as 10..50", text, maxTasks)
	}
	c.From, c.To = a, b
	return nil
}

// String prints it as it is written.
func (c Counts) String() string {
	if c.From == c.To {
		return strconv.Itoa(c.From)
	}
	return fmt.Sprintf("%d..%d", c.From, c.To)
}

// draw takes a number from the range, each as likely.
func (c Counts) draw(d draw.Draw) int { return c.From + d.Below(c.To-c.From+1) }

func (Counts) wanted() string { return "a whole number, such as 10, or a range, such as 10..50" }

func (Counts) shape() map[string]any {
	return map[string]any{"type": []string{"string", "integer"}, "pattern": `^\s*[0-9]+(\.\.[0-9]+)?\s*$`, "minimum": 0, "examples": []string{"10", "10..50"}}
}

// Size is an amount of data, written with its unit: 64MB, 1.5GB. The units are powers of 1024.
type Size units.Bytes

// UnmarshalText reads a size.
func (s *Size) UnmarshalText(text []byte) error {
	b, err := units.ParseBytes(string(text))
	*s = Size(b)
	return err
}

// String prints the size as it is written.
func (s Size) String() string { return units.Bytes(s).String() }

func (Size) wanted() string { return "a size with its unit, such as 64MB" }

func (Size) shape() map[string]any {
	return written(`-?(0|[0-9.]+\s*([Bb]|[KkMmGgTt]([Ii]?[Bb])?))`, "64MB", "1.5GB")
}

// Kinds is one kind of container, or a list of them.
type Kinds []Needs

func (k *Kinds) read(d *decoder, n ast.Node, path string) {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		var one Needs
		d.value(n, reflect.ValueOf(&one).Elem(), path, field{})
		*k = Kinds{one}
		return
	}
	for i, e := range seq.Values {
		var one Needs
		d.value(e, reflect.ValueOf(&one).Elem(), path+"["+strconv.Itoa(i)+"]", field{})
		*k = append(*k, one)
	}
	if len(seq.Values) == 0 || len(seq.Values) > 255 {
		d.failf(n, "%s lists %d kinds of containers, it must be 1 to 255", nameOf(path), len(seq.Values))
	}
}

func (Kinds) wanted() string { return "a mapping such as {vcores: 1, memory: 1GB}, or a list of such" }

func (Kinds) shape() map[string]any {
	one := shapeOf(reflect.TypeFor[Needs](), map[reflect.Type]bool{})
	return map[string]any{"anyOf": []any{one, map[string]any{"type": "array", "items": one, "minItems": 1}}}
}

// Power is power, written with its unit: 235W, 1.5kW.
type Power units.Watts

// UnmarshalText reads a power.
func (p *Power) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	scale := 0.0
	for unit, x := range map[string]float64{"MW": 1e6, "kW": 1e3, "W": 1} {
		if number, ok := strings.CutSuffix(s, unit); ok && scale == 0 && !strings.HasSuffix(number, "k") && !strings.HasSuffix(number, "M") {
			s, scale = strings.TrimSpace(number), x
		}
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x*scale, 0) || scale == 0 && x != 0 {
		return fmt.Errorf("%q is no power; write a number with a unit, such as 235W or 1.5kW", text)
	}
	*p = Power(x * scale)
	return nil
}

// String prints the power as it is written.
func (p Power) String() string { return units.Watts(p).String() }

func (Power) wanted() string { return "a power with its unit, such as 235W or 1.5kW" }

func (Power) shape() map[string]any { return written(`-?(0|`+number+`\s*[kM]?W)`, "235W", "1.5kW") }

// Texts is one text or a list of them.
type Texts []string

func (t *Texts) read(d *decoder, n ast.Node, path string) {
	if s, ok := scalar(n); ok {
		*t = Texts{s}
		return
	}
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		d.failf(n, "%s is %s, it must be %s", nameOf(path), kindOf(n), t.wanted())
		return
	}
	for i, e := range seq.Values {
		s, ok := d.scalarAt(e, path+"["+strconv.Itoa(i)+"]")
		if !ok {
			d.failf(e, "%s[%d] is %s, it must be a text", nameOf(path), i, kindOf(e))
			continue
		}
		*t = append(*t, s)
	}
}

func (Texts) wanted() string { return "a text or a list of texts" }

func (Texts) shape() map[string]any {
	text := map[string]any{"type": []string{"string", "number", "boolean"}}
	return map[string]any{"anyOf": []any{text, map[string]any{"type": "array", "items": text}}}
}

// scalarAt notes the place of a node and returns its text.
func (d *decoder) scalarAt(n ast.Node, path string) (string, bool) {
	d.nodes++
	d.at[path] = place(n)
	r, release := d.resolve(n)
	defer release()
	if r == nil {
		return "", true // reported
	}
	return scalar(r)
}

// Moment is a deadline in a job file: a span after the submission, or an absolute time. The zero value is none.
type Moment struct {
	After units.Duration
	At    time.Time // zero: After counts
}

// Set tells whether there is one.
func (m Moment) Set() bool { return m.After != 0 || !m.At.IsZero() }

// Since returns the span from the submission to the moment.
func (m Moment) Since(submitted time.Time) units.Duration {
	if m.At.IsZero() {
		return m.After
	}
	return units.Duration(m.At.Sub(submitted)) // 292 years at most
}

// UnmarshalText reads a span or an RFC 3339 time.
func (m *Moment) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	if d, err := units.ParseDuration(s); err == nil {
		if d <= 0 {
			return fmt.Errorf("%s is not after the submission; it must be above 0", s)
		}
		m.After = d
		return nil
	}
	at, err := time.Parse(time.RFC3339, s)
	if err == nil {
		m.At = at
		return nil
	}
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02"} {
		if at, err := time.Parse(layout, s); err == nil {
			return fmt.Errorf("%q does not say in which zone; write %s or with an offset such as %s", s,
				at.Format("2006-01-02T15:04:05Z"), at.Format("2006-01-02T15:04:05")+"+01:00")
		}
	}
	return fmt.Errorf("%q is neither a span after the submission, such as 60s or 10m, nor an absolute time with its zone, such as 2030-01-31T18:00:00+01:00", s)
}

func (Moment) wanted() string {
	return "a span after the submission, such as 60s, or an absolute time with its zone, such as 2030-01-31T18:00:00Z"
}

func (Moment) shape() map[string]any {
	return written(spans+`|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{1,2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})`, "60s", "2030-01-31T18:00:00+01:00")
}

// Due is a deadline in a scenario: a time of the run, or with a plus sign a span after the job's arrival. The zero value is none.
type Due struct {
	Span        units.Duration
	FromArrival bool
	Set         bool
}

// Of returns the deadline of a job that arrives then, units.Never if there is none.
func (d Due) Of(arrive units.Time) units.Time {
	switch {
	case !d.Set:
		return units.Never
	case d.FromArrival:
		return arrive.Add(d.Span)
	}
	return units.Time(d.Span)
}

// UnmarshalText reads 10m or +10m.
func (d *Due) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	s, d.FromArrival = strings.CutPrefix(s, "+")
	span, err := units.ParseDuration(s)
	if err == nil && span <= 0 {
		err = fmt.Errorf("%s is not above 0", s)
	}
	d.Span, d.Set = span, true
	return err
}

func (Due) wanted() string {
	return "a time of the run, such as 10m, or a span after the arrival, such as +10m"
}

func (Due) shape() map[string]any { return written(`\+?`+spans, "10m", "+10m") }

// Seeds are the seeds of a grid: a list, or a range such as 1..30.
type Seeds []uint64

const maxSeeds = 100000

func (s *Seeds) read(d *decoder, n ast.Node, path string) {
	if text, ok := scalar(n); ok {
		list, err := parseSeeds(text)
		if err != nil {
			d.failf(n, "%s: %v", nameOf(path), err)
			return
		}
		*s = list
		return
	}
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		d.failf(n, "%s is %s, it must be %s", nameOf(path), kindOf(n), s.wanted())
		return
	}
	seen := map[uint64]bool{}
	for i, e := range seq.Values {
		text, ok := d.scalarAt(e, path+"["+strconv.Itoa(i)+"]")
		if !ok {
			d.failf(e, "a seed is %s, it must be a whole number that is not negative, or a range such as 1..30", kindOf(e))
			continue
		}
		list, err := parseSeeds(text)
		if err != nil {
			d.failf(e, "%s: %v", nameOf(path), err)
			continue
		}
		for _, x := range list {
			if seen[x] {
				d.failf(e, "the seed %d stands here a second time", x)
				break
			}
			seen[x] = true
			*s = append(*s, x)
		}
	}
	if len(seq.Values) == 0 {
		d.failf(n, "%s is empty; give at least one seed, or leave the key out", nameOf(path))
	}
}

func (Seeds) wanted() string { return "a list of whole numbers, or a range such as 1..30" }

func (Seeds) shape() map[string]any {
	seed := map[string]any{"anyOf": []any{map[string]any{"type": "integer", "minimum": 0}, map[string]any{"type": "string", "pattern": `^[0-9]+(\.\.[0-9]+)?$`}}}
	return map[string]any{"anyOf": []any{seed, map[string]any{"type": "array", "items": seed, "minItems": 1}}}
}

// ParseSeeds reads seeds as a command line gives them: 7, or 1..30, or several of these separated by commas.
func ParseSeeds(text string) (Seeds, error) {
	var all Seeds
	seen := map[uint64]bool{}
	for part := range strings.SplitSeq(text, ",") {
		list, err := parseSeeds(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		for _, x := range list {
			if seen[x] {
				return nil, fmt.Errorf("the seed %d stands there a second time", x)
			}
			seen[x] = true
			all = append(all, x)
		}
	}
	return all, nil
}

func parseSeeds(text string) (Seeds, error) {
	from, to, ranged := strings.Cut(text, "..")
	a, err := strconv.ParseUint(from, 10, 64)
	if err == nil && !ranged {
		return Seeds{a}, nil
	}
	b := uint64(0)
	if err == nil {
		b, err = strconv.ParseUint(to, 10, 64)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%q is no seed, it must be a whole number that is not negative, or a range such as 1..30", text)
	case b < a:
		return nil, fmt.Errorf("%q runs backwards; write the smaller seed first, such as 1..30", text)
	case b-a >= maxSeeds:
		return nil, fmt.Errorf("%q are too many seeds, at most %d are possible", text, maxSeeds)
	}
	var list Seeds
	for x := a; ; x++ {
		list = append(list, x)
		if x == b {
			return list, nil
		}
	}
}
