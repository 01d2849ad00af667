package files

import (
	"errors"
	"io"
	"math"
	"strings"
	"testing"
)

// Each row is held against its heading; what stands before the heading is not.
func TestTable(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a,b\n1,2\n# note\n\n 3 , \"4,5\"\n", "1|2 3|4,5"},
		{"a,b\n1,2,3\n", "t.csv:2:5: the row has 3 fields, but the heading has 2; if its numbers have decimal commas, write points, such as 104.4"},
		{"a,b\n1,2\n1\n", "t.csv:3:1: the row has 1 field, but the heading has 2; a value that is missing is an empty field between its commas"},
		{"a,b,c\n1,5,2,\n", "t.csv:2:7: the row has 4 fields, but the heading has 3; if its numbers"},
		{"a;b\n1;2,5\n", "t.csv:2:1: the row has 2 fields, but the heading has 1; separate columns by commas and not by semicolons, and write points in numbers"},
		{"a,b,,\n1,2,,\n3,4\n5,6,\n", "1|2|| 3|4 5|6|"},
		{"a,b,,\n1,5,2,\n", "t.csv:2:5: the row has 3 fields, but the heading has 2; if its numbers"},
		{"a,b\n1,\"2\n", "t.csv:2:6: extraneous or missing \" in quoted-field"},
		{"a,b\r\n1,2\r3,4\r\n", "1|2 3|4"},
		{"a,b\n1,2\n,\n\" \", \n3,4\n,\n", "1|2 3|4"},
		{"a\n1\n\"\"\n2\n", "1  2"},
		{"", "EOF"},
	} {
		in, err := Read("t.csv", strings.NewReader(c.text))
		if err != nil {
			t.Fatal(err)
		}
		table := NewTable("t.csv", in)
		var rows []string
		_, err = table.Next()
		for table.Heading(); err == nil; {
			var row []string
			if row, err = table.Next(); err == nil {
				rows = append(rows, strings.Join(row, "|"))
			}
		}
		got := strings.Join(rows, " ")
		if !errors.Is(err, io.EOF) {
			got = err.Error()
		} else if c.text == "" {
			got = "EOF"
		}
		if got != c.want && !(c.want != "" && !errors.Is(err, io.EOF) && strings.HasPrefix(got, c.want)) {
			t.Errorf("%q: %s\nwant %s", c.text, got, c.want)
		}
	}
	two := NewTable("t.csv", strings.NewReader("about,x,y,z\na,b\n1,2\n"))
	for range 2 {
		if _, err := two.Next(); err != nil {
			t.Fatal(err)
		}
	}
	if heading := two.Heading(); strings.Join(heading, " ") != "a b" {
		t.Error(heading)
	}
	if row, err := two.Next(); err != nil || row[1] != "2" {
		t.Error(row, err)
	}
	two.Loose()
	if _, err := two.Next(); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	if err := two.Errorf(9, "no"); err.Error() != "t.csv:3:3: no" {
		t.Error(err)
	}
}

// A number is read, missing by a word or by a number of its source, or refused with what is right.
func TestNumber(t *testing.T) {
	for _, c := range []struct {
		field string
		x     float64
		by    string
		want  string
	}{
		{"1.5", 1.5, "", ""}, {"", math.NaN(), "", ""}, {"n/a", math.NaN(), "", ""}, {"Null", math.NaN(), "", ""},
		{"-9999", math.NaN(), "MIDC, SRML", ""}, {"99", 99, "", ""}, {"-99", math.NaN(), "BSRN", ""}, {"-98", -98, "", ""}, {"9999", math.NaN(), "EPW", ""},
		{"\"1,5\"", 0, "", `t.csv:2:3: "1,5" has a decimal comma; write 1.5`}, {"x", 0, "", `t.csv:2:3: "x" is not a number; write one`}, {"\"1,5,6\"", 0, "", "is not a number"},
	} {
		table := NewTable("t.csv", strings.NewReader("a,b\n0,"+c.field+"\n"))
		for range 2 {
			if _, err := table.Next(); err != nil {
				t.Fatal(err)
			}
			if err := table.Separated(); err != nil {
				t.Error(err)
			}
		}
		x, by, err := table.Number(1, 0, 100, Float, "write one")
		if x != c.x && !(math.IsNaN(x) && math.IsNaN(c.x)) || by != c.by || (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %q, %v", c.field, x, by, err)
		}
	}
}
