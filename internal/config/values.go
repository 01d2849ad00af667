package config

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/slackline/slackline/units"
)

// Former is a type whose values are texts in a form of their own, read by UnmarshalText.
type Former interface{ Form() Form }

// Form is how values of a type are written.
type Form struct {
	Wanted   string // as errors say it: "a size with a unit, such as 64MB"
	Pattern  string // regular expression of the whole text, but for spaces around it
	Examples []string
	Bare     string // numbers that need no quotes: integer or number, not negative; "" for 0 alone
}

// shape is the JSON Schema of such values.
func (f Form) shape() map[string]any {
	s := map[string]any{"type": []string{"string", "integer"}, "pattern": `^\s*(` + f.Pattern + `)\s*$`, "minimum": 0, "examples": f.Examples}
	switch f.Bare {
	case "":
		s["maximum"] = 0
	case "number":
		s["type"] = []string{"string", "number"}
	}
	return s
}

// Patterns of what many forms are made of: numbers that may have an exponent, numbers with units of
// time, and instants.
const (
	Number   = `[0-9.]+([eE][-+]?[0-9]+)?`
	Duration = `([0-9.]+(ns|us|µs|ms|s|min|m|h|d))+`
	DateTime = `[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)? ?(Z|[+-][0-9]{2}:?[0-9]{2})?( [A-Za-z][A-Za-z0-9_+/-]+)?`
)

// OneOrMore is a list, which may be written as its only element.
type OneOrMore[T any] []T

func (OneOrMore[T]) oneOrMore() {}

func (OneOrMore[T]) wanted() string { return wanted(reflect.TypeFor[T]()) + " or a list of such" }

// Kinds is a text, or one for CPUs and one for GPUs.
type Kinds struct {
	CPU string `json:"cpu" need:"yes" doc:"on CPUs"`
	GPU string `json:"gpu" need:"yes" doc:"on GPUs"`
}

func (k *Kinds) read(d *Document, n ast.Node, path string) {
	if text, ok := scalar(n); ok {
		k.CPU = text
		return
	}
	type pair Kinds
	d.mapping(n, reflect.ValueOf((*pair)(k)).Elem(), path)
}

func (Kinds) wanted() string { return "a text, or one each for cpu and gpu" }

func (Kinds) shape() map[string]any {
	type pair Kinds
	return map[string]any{"anyOf": []any{map[string]any{"type": []string{"string", "number", "boolean"}}, shapeOf(reflect.TypeFor[pair](), map[reflect.Type]bool{})}}
}

// Texts is one text or a list of them.
type Texts = OneOrMore[string]

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

// Form is how spans are written.
func (Span) Form() Form {
	return Form{Wanted: "a span of time with a unit, such as 90s or 10m", Pattern: `-?(0|` + Duration + `)`, Examples: []string{"90s", "10m", "1h30m"}}
}

// Range reads a value, or the two ends of a range with ".." between them.
func Range[T any](text string, parse func(string) (T, error)) (from, to T, err error) {
	first, last, ranged := strings.Cut(text, "..")
	if from, err = parse(strings.TrimSpace(first)); err != nil || !ranged {
		return from, from, err
	}
	to, err = parse(strings.TrimSpace(last))
	return from, to, err
}

// Spans is a span of time, or a range of spans such as 20s..40s.
type Spans struct{ From, To units.Duration }

// UnmarshalText reads a span or a range.
func (s *Spans) UnmarshalText(text []byte) (err error) {
	if s.From, s.To, err = Range(string(text), units.ParseDuration); err != nil {
		return err
	}
	if s.From < 0 || s.To < s.From {
		return fmt.Errorf("%s is not a range; write the shorter span first, such as 20s..40s", text)
	}
	return nil
}

// Form is how they are written.
func (Spans) Form() Form {
	return Form{Wanted: "a span of time, such as 30s, or a range of spans, such as 20s..40s", Pattern: `(0|` + Duration + `)(\.\.` + Duration + `)?`,
		Examples: []string{"30s", "20s..40s"}}
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

// Form is how sizes are written.
func (Size) Form() Form {
	return Form{Wanted: "a size with a unit, such as 64MB", Pattern: `-?(0|[0-9.]+\s*([Bb]|[KkMmGgTt]([Ii]?[Bb])?))`, Examples: []string{"64MB", "1.5GB"}}
}

// Chance is how likely something is to be, written as a percentage: 99%.
type Chance float64

// UnmarshalText reads a percentage.
func (c *Chance) UnmarshalText(text []byte) error {
	p, err := units.ParseChance(string(text))
	*c = Chance(p)
	switch {
	case errors.Is(err, units.ErrCertain):
		return fmt.Errorf("it is %w; for the worst case seen so far, which one job cannot be promised among jobs that are promised less, use the policy rtmr, bound: upper for a capacity plan", err)
	case err != nil:
		return fmt.Errorf("it is %w", err)
	}
	return nil
}

// String prints the chance as it is written.
func (c Chance) String() string {
	return strconv.FormatFloat(math.Round(float64(c)*1e6)/1e4, 'f', -1, 64) + "%"
}

// Form is how chances are written.
func (Chance) Form() Form {
	return Form{Wanted: "a percentage from 50% to 99.99%", Pattern: Number + `\s*%`, Examples: []string{"99%", "99.9%"}}
}

// Confidence is how likely a deadline is to be met if it is promised: 99%, or at least 90%.
type Confidence struct {
	Chance float64
	Least  bool // a higher one is better
}

// UnmarshalText reads a percentage, or the least of one.
func (c *Confidence) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	least, ok := strings.CutPrefix(s, "at least ")
	var is Chance
	err := is.UnmarshalText([]byte(least))
	*c = Confidence{float64(is), ok}
	return err
}

// String prints it as it is written.
func (c Confidence) String() string {
	if c.Least {
		return "at least " + Chance(c.Chance).String()
	}
	return Chance(c.Chance).String()
}

// Form is how it is written.
func (Confidence) Form() Form {
	return Form{Wanted: "a percentage from 50% to 99.99%, or the least that will do, such as at least 90%", Pattern: `(at least\s+)?` + Number + `\s*%`,
		Examples: []string{"99%", "at least 90%"}}
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
		return fmt.Errorf("%q is not a power; write a number with a unit, such as 235W or 1.5kW", text)
	}
	*p = Power(x * scale)
	return nil
}

// String prints the power as it is written.
func (p Power) String() string { return units.Watts(p).String() }

// Form is how power is written.
func (Power) Form() Form {
	return Form{Wanted: "a power with a unit, such as 235W or 1.5kW", Pattern: `-?(0|` + Number + `\s*[kM]?W)`, Examples: []string{"235W", "1.5kW"}}
}
