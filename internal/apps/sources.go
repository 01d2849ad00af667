package apps

import (
	"fmt"
	"slices"
)

// Source is an input of a job as its job file describes it.
type Source struct {
	Name     string // empty = the job has one input, without a name
	Format   string // as a job file names it; empty = lines of text
	NoHeader bool   // of CSV
}

// CheckSources says which of the inputs, by its number from 0, an application cannot read, and why.
// For those that it can read it returns the column that each record must have; empty = none.
func (a App) CheckSources(params map[string]string, sources []Source) (columns []string, at int, err error) {
	set, err := a.settings(params)
	if err != nil || a.sources == nil {
		return make([]string, len(sources)), 0, err
	}
	return a.sources(set, sources)
}

// joinSources checks that a join has a left and a right input, and that records are what its keys are made for.
func joinSources(s settings, sources []Source) (columns []string, at int, err error) {
	const both = "join reads two inputs; name them under inputs, as in inputs: [{name: left, path: a.csv}, {name: right, path: b.csv}]"
	if byPath := s["right_path"] != ""; !byPath {
		for i, in := range sources {
			if in.Name == "" {
				return nil, i, fmt.Errorf("%s", both)
			}
			if in.Name != "left" && in.Name != "right" {
				return nil, i, fmt.Errorf("the input %q is neither left nor right; %s", in.Name, both)
			}
		}
		for _, side := range []string{"left", "right"} {
			if !slices.ContainsFunc(sources, func(in Source) bool { return in.Name == side }) {
				return nil, 0, fmt.Errorf("there is no input with the name %s; %s", side, both)
			}
		}
	}
	for i, in := range sources {
		param := "left_key"
		if in.Name == "right" {
			param = "right_key"
		}
		key, column := s[param].(string), ""
		switch named := !isNumber(key); in.Format {
		case "", "text":
			if named {
				return nil, i, fmt.Errorf("%s names the column %q, but lines of text have none; set the format of the input to json or csv, or %s to the number of a field", param, key, param)
			}
		case "json", "csv":
			if !named {
				return nil, i, fmt.Errorf("%s is the number of a field, %s, but records of %s have names; set %s to the name of a column", param, key, in.Format, param)
			}
			if in.NoHeader {
				return nil, i, fmt.Errorf("%s names the column %q, and csv without a header has no names", param, key)
			}
			column = key
		default:
			return nil, i, fmt.Errorf("join reads lines of text, json and csv, not %s", in.Format)
		}
		columns = append(columns, column)
	}
	return columns, 0, nil
}
