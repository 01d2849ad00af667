package compose

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Kind says what an entry of the catalogue is.
type Kind string

// The kinds. A scheme is a whole policy; the others are parts of one.
const (
	KindScheme    Kind = "scheme"
	KindOrder     Kind = "order"
	KindPlan      Kind = "plan"
	KindAdmit     Kind = "admit"
	KindShare     Kind = "share"
	KindPlace     Kind = "place"
	KindPreempt   Kind = "preempt"
	KindSpeculate Kind = "speculate"
	KindScale     Kind = "scale"
)

// Entry is one line of the catalogue: a scheme or a part that people can ask for by name.
type Entry struct {
	Name   string
	Kind   Kind
	Doc    string  // one line
	Cite   string  // where it is described
	Params []Param // what can be set
	Traits         // of a part; a scheme has those of its parts

	// What could be set once, and what there is instead.
	Gone map[string]string

	// Order makes an order, Step any other part. An error says in one sentence what does not go
	// together; Args.Misused makes one about a parameter.
	Order func(a Args) (sched.Order, error)
	Step  func(a Args) (Step, error)

	// Of a scheme.
	Whole  bool     // its parts keep a promise together: no other part goes with it
	Beside []string // but for parts of these names
	// Joint are the kinds of its parts that work as one, so no other takes their places.
	Joint []Kind
	// What it is made of; they read those of its parameters that have the names of theirs.
	Parts []Entry
	// Fill puts the parts into a recipe, if that is not all of them with the arguments as they are. An
	// order has it that is kept up to date by a step of its own.
	Fill func(r *Recipe, a Args) error
}

// Param is one parameter of an entry.
type Param struct {
	Name    string   `json:"name"`
	Type    Type     `json:"type"`
	Default string   `json:"default"`
	Unit    string   `json:"unit"`              // "" = none
	Choices []string `json:"choices,omitempty"` // of a Choice
	Part    Kind     `json:"-"`                 // of a scheme's parameter: the part that reads it, "" = several
	Doc     string   `json:"doc"`
}

// Of returns the parameters of a part as a scheme lists them among its own.
func Of(part Kind, params []Param) []Param {
	mine := slices.Clone(params)
	for i := range mine {
		mine[i].Part = part
	}
	return mine
}

// Type is the type of a parameter.
type Type string

// The types.
const (
	Count  Type = "count"  // a whole number, not negative
	Switch Type = "switch" // true or false
	Span   Type = "span"   // a span of time with its unit, not negative
	Choice Type = "choice" // one of a few words
	Chance Type = "chance" // a probability as a percentage
)

// Canonical returns the value as it is always written, or an error that says what would be right.
func (p *Param) Canonical(text string) (string, error) {
	switch p.Type {
	case Count:
		n, err := strconv.ParseInt(text, 10, 32)
		switch {
		case err == nil && n >= 0:
			return strconv.FormatInt(n, 10), nil
		case n > 0 && errors.Is(err, strconv.ErrRange):
			return "", fmt.Errorf("%s is %q, which is too large: the maximum is %d", p.Name, text, math.MaxInt32)
		}
		return "", fmt.Errorf("%s is %q, it must be a whole number, 0 or more", p.Name, text)
	case Switch:
		if text == "true" || text == "false" {
			return text, nil
		}
		return "", fmt.Errorf("%s is %q, it must be true or false", p.Name, text)
	case Chance:
		if _, err := units.ParseChance(text); err != nil {
			return "", fmt.Errorf("%s is %w", p.Name, err)
		}
		return text, nil
	case Span:
		d, err := units.ParseDuration(text)
		if err != nil {
			return "", fmt.Errorf("%s: %w", p.Name, err)
		}
		if d < 0 {
			return "", fmt.Errorf("%s is %q, it must not be negative", p.Name, text)
		}
		return d.String(), nil
	}
	if slices.Contains(p.Choices, text) {
		return text, nil
	}
	return "", fmt.Errorf("%s is %q, it must be one of %s", p.Name, text, strings.Join(p.Choices, ", "))
}

// Args are the parameters of an entry as asked for, defaults filled in, and the description of queues.
type Args struct {
	Queues queues.Config
	params []Param
	values map[string]string // canonical
}

// NewArgs returns the arguments of an entry with these parameters; values are canonical and complete.
func NewArgs(q queues.Config, params []Param, values map[string]string) Args {
	return Args{q, params, values}
}

// of returns the arguments of a part of the entry.
func (a Args) of(params []Param) Args {
	part := Args{Queues: a.Queues, params: params, values: make(map[string]string, len(params))}
	for i := range params {
		p := &params[i]
		value, given := a.values[p.Name]
		if !given {
			var err error
			if value, err = p.Canonical(p.Default); err != nil {
				panic(fmt.Sprintf("compose: the default of the parameter %q: %v", p.Name, err))
			}
		}
		part.values[p.Name] = value
	}
	return part
}

// Params returns the parameters that the entry has.
func (a Args) Params() []Param { return a.params }

// Misuse is a parameter whose value is right by itself but has no effect beside the others, which is
// an error.
type Misuse struct {
	Param string
	Says  string
}

// Error says what is wrong.
func (m *Misuse) Error() string { return m.Says }

// Misused returns the error of a parameter.
func (a Args) Misused(name, format string, args ...any) error {
	return &Misuse{name, fmt.Sprintf(format, args...)}
}

// Set tells whether the parameter has another value than its default.
func (a Args) Set(name string) bool {
	v := a.get(name)
	i := slices.IndexFunc(a.params, func(p Param) bool { return p.Name == name })
	usual, err := a.params[i].Canonical(a.params[i].Default)
	return err != nil || v != usual
}

func (a Args) get(name string) string {
	v, ok := a.values[name]
	if !ok {
		panic(fmt.Sprintf("compose: a part reads the parameter %q, which its entry does not list", name))
	}
	return v
}

// Count returns a Count.
func (a Args) Count(name string) int {
	n, err := strconv.Atoi(a.get(name))
	if err != nil {
		panic(fmt.Sprintf("compose: parameter %q: %v", name, err))
	}
	return n
}

// Switch returns a Switch.
func (a Args) Switch(name string) bool { return a.get(name) == "true" }

// Span returns a Span.
func (a Args) Span(name string) units.Duration {
	d, err := units.ParseDuration(a.get(name))
	if err != nil {
		panic(fmt.Sprintf("compose: parameter %q: %v", name, err))
	}
	return d
}

// Chance returns a Chance.
func (a Args) Chance(name string) float64 {
	p, err := units.ParseChance(a.get(name))
	if err != nil {
		panic(fmt.Sprintf("compose: parameter %q: %v", name, err))
	}
	return p
}

// Choice returns a Choice.
func (a Args) Choice(name string) string { return a.get(name) }
