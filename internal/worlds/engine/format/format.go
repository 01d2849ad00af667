// Package format names the formats of records that a job file can choose. What they do stands in
// package mapreduce.
package format

import (
	"fmt"
	"strings"

	"github.com/slackline/slackline/mapreduce"
)

// Spec is a format by its name, in the form in which it goes to attempts in other processes.
type Spec struct {
	Name      string   `json:"name"`
	Delimiter string   `json:"delimiter,omitempty"` // of csv: one byte; empty = a comma
	NoHeader  bool     `json:"no_header,omitempty"` // of csv, read
	Columns   []string `json:"columns,omitempty"`   // of csv, written
}

// String is the format on one line, with its options; of nil it is the program's own.
func (s *Spec) String() string {
	if s == nil {
		return "the program's own"
	}
	text := s.Name
	if s.Delimiter != "" && s.Delimiter != "," {
		text += fmt.Sprintf(", delimiter %q", s.Delimiter)
	}
	if s.NoHeader {
		text += ", without a header"
	}
	if len(s.Columns) > 0 {
		text += fmt.Sprintf(", columns %q", s.Columns)
	}
	return text
}

// Inputs and Outputs are the names.
var (
	Inputs  = []string{"text", "kv", "json", "csv", "whole"}
	Outputs = []string{"text", "raw", "json", "csv"}
)

// Input returns the format for input. It is nil for lines of text.
func (s *Spec) Input() (mapreduce.InputFormat, error) {
	switch s.Name {
	case "text":
		return nil, nil
	case "kv":
		return mapreduce.KeyValue{}, nil
	case "json":
		return mapreduce.JSONLines{}, nil
	case "csv":
		return s.csv()
	case "whole":
		return mapreduce.WholeFile{}, nil
	}
	return nil, fmt.Errorf("there is no format %q of input; there are: %s", s.Name, strings.Join(Inputs, ", "))
}

// Output returns the format for output. It is nil for text.
func (s *Spec) Output() (mapreduce.OutputFormat, error) {
	switch s.Name {
	case "text":
		return nil, nil
	case "raw":
		return mapreduce.Raw{}, nil
	case "json":
		return mapreduce.JSONLines{}, nil
	case "csv":
		return s.csv()
	}
	return nil, fmt.Errorf("there is no format %q of output; there are: %s", s.Name, strings.Join(Outputs, ", "))
}

func (s *Spec) csv() (mapreduce.CSV, error) {
	c := mapreduce.CSV{NoHeader: s.NoHeader, Columns: s.Columns}
	if len(s.Delimiter) > 1 {
		return c, fmt.Errorf("%q cannot be a delimiter; it must be one byte", s.Delimiter)
	}
	if s.Delimiter != "" {
		c.Comma = s.Delimiter[0]
	}
	return c, c.Check()
}
