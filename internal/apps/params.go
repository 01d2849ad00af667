package apps

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/slackline/slackline/internal/maths/spelling"
	"github.com/slackline/slackline/units"
)

// Type is the type of a parameter.
type Type string

// The types.
const (
	Text     Type = "text"
	Bool     Type = "bool"
	Number   Type = "number"   // not negative
	Duration Type = "duration" // not negative
	Regexp   Type = "regexp"   // RE2, as Go's package regexp
)

// Param is a parameter of an application.
type Param struct {
	Name     string `json:"name"`
	Type     Type   `json:"type"`
	Default  string `json:"default"` // as it would be written; empty if Required
	Required bool   `json:"required"`
	Unit     string `json:"unit"` // for people: what the number counts; empty if the value says it
	Doc      string `json:"doc"`  // one line
}

// settings are checked values by parameter name.
type settings map[string]any

func (a App) settings(params map[string]string) (settings, error) {
	for _, name := range slices.Sorted(maps.Keys(params)) { // so that of several mistakes the same is told each time
		if at, hint := spelling.Find(name, a.Params, func(p Param) string { return p.Name }); at < 0 {
			return nil, fmt.Errorf("application %s has no parameter %q%s", a.Name, name, hint)
		}
	}
	set := settings{}
	for _, p := range a.Params {
		text, ok := params[p.Name]
		if !ok {
			if p.Required {
				return nil, fmt.Errorf("application %s needs the parameter %q: %s", a.Name, p.Name, p.Doc)
			}
			text = p.Default
		}
		value, err := p.Type.parse(text)
		if err != nil {
			return nil, fmt.Errorf("application %s, parameter %q: %w", a.Name, p.Name, err)
		}
		set[p.Name] = value
	}
	return set, nil
}

func (t Type) parse(text string) (any, error) {
	switch t {
	case Bool:
		switch text {
		case "true":
			return true, nil
		case "false":
			return false, nil
		}
		return nil, fmt.Errorf("%q is neither true nor false", text)
	case Number:
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("%q is not a number", text)
		}
		if x < 0 {
			return nil, fmt.Errorf("%s is negative", text)
		}
		return x, nil
	case Duration:
		d, err := units.ParseDuration(text)
		if err != nil {
			return nil, err
		}
		if d < 0 {
			return nil, fmt.Errorf("%s is negative", text)
		}
		return d, nil
	case Regexp:
		re, err := compile(text)
		if err != nil {
			return nil, fmt.Errorf("%q is not a regular expression: %s", text, strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		}
		return re, nil
	}
	return text, nil
}
