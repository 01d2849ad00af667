package experiment

import (
	"fmt"
	"slices"
	"strings"
)

// A param is a value for a parameter of a policy. Its key is policy.NAME.PARAMETER.
type param struct{ policy, name, value string }

// paramOf is the param of a key; ok is false if the key is one of a scenario.
func paramOf(key, value string) (p param, ok bool) {
	of, ok := strings.CutPrefix(key, "policy.")
	if !ok {
		return param{}, false
	}
	p.value = value
	p.policy, p.name, ok = strings.Cut(of, ".")
	return p, ok
}

// in writes the value into a policy as a series has it. Another policy stays as it is, and so does one that
// gives the parameter itself.
func (p param) in(text string) string {
	name, parts, plus := strings.Cut(text, "+")
	name, given, _ := strings.Cut(strings.TrimSuffix(name, ")"), "(")
	list := strings.Split(given, ",")
	if name != p.policy || slices.ContainsFunc(list, func(g string) bool { return strings.HasPrefix(strings.TrimSpace(g), p.name+"=") }) {
		return text
	}
	if given == "" {
		list = nil
	}
	text = fmt.Sprintf("%s(%s)", name, strings.Join(append(list, p.name+"="+p.value), ","))
	if plus {
		text += "+" + parts
	}
	return text
}

// unplayed says which policy no series plays of those whose parameters the experiment varies.
func (e *Experiment) unplayed() error {
	var keys []string
	for i := range e.Assumptions {
		keys = append(keys, e.Assumptions[i].Key)
	}
	if e.Calibration != nil {
		for i := range e.Calibration.Grid {
			keys = append(keys, e.Calibration.Grid[i].Key)
		}
	}
	for _, key := range keys {
		of, ok := paramOf(key, "")
		if ok && !slices.ContainsFunc(e.files, func(file string) bool { return e.varies(file, of) }) {
			return fmt.Errorf("%s: assumptions.yaml: %s: no series plays %s without a %s of its own", e.Name, key, of.policy, of.name)
		}
	}
	return nil
}

// varies tells whether a series of a file plays another policy with the param.
func (e *Experiment) varies(file string, p param) bool {
	return slices.ContainsFunc(e.plays[file], func(text string) bool { return p.in(text) != text })
}
