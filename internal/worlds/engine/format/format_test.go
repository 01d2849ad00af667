package format

import (
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	for _, name := range Inputs {
		if f, err := (&Spec{Name: name}).Input(); err != nil || (f == nil) != (name == "text") {
			t.Errorf("%s: %v, %v", name, f, err)
		}
	}
	for _, name := range Outputs {
		if f, err := (&Spec{Name: name}).Output(); err != nil || (f == nil) != (name == "text") {
			t.Errorf("%s: %v, %v", name, f, err)
		}
	}
	for want, s := range map[string]Spec{
		`there is no format "xml" of input; there are: text, kv, json, csv, whole`: {Name: "xml"},
		`";;" cannot be a delimiter; it must be one byte`:                          {Name: "csv", Delimiter: ";;"},
		`fields cannot be separated by a quote or a line end`:                      {Name: "csv", Delimiter: "\n"},
	} {
		if _, err := s.Input(); err == nil || err.Error() != want {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := (&Spec{Name: "whole"}).Output(); err == nil || !strings.Contains(err.Error(), `"whole" of output`) {
		t.Errorf("%v", err)
	}
}

// What makes files different shows in the line.
func TestString(t *testing.T) {
	none := (*Spec)(nil)
	if got := none.String(); got != "the program's own" {
		t.Error(got)
	}
	s := Spec{Name: "csv", Delimiter: ";", NoHeader: true, Columns: []string{"a", "b"}}
	if got, want := s.String(), `csv, delimiter ";", without a header, columns ["a" "b"]`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
