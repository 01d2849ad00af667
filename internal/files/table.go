package files

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/slackline/slackline/units"
)

// Table reads CSV: a heading that names the columns, and rows that each have a field for each
// column. A row with more or fewer is refused, never shifted. Lines that begin with # are passed over.
type Table struct {
	name    string
	csv     *csv.Reader
	row     []string
	line    int // of the row
	heading []string
	headed  int // the line of the heading
}

// NewTable reads a table from a text (Open, Read).
func NewTable(name string, in io.Reader) *Table {
	t := &Table{name: name, csv: csv.NewReader(in)}
	t.csv.FieldsPerRecord, t.csv.ReuseRecord, t.csv.TrimLeadingSpace, t.csv.Comment = -1, true, true, '#'
	return t
}

// Next reads a row, without blanks around its fields; io.EOF behind the last. It is good until the
// next call. Once there is a heading, the row has as many fields.
func (t *Table) Next() ([]string, error) {
	row, err := t.csv.Read()
	if wrong, ok := errors.AsType[*csv.ParseError](err); ok {
		return nil, fmt.Errorf("%s:%d:%d: %w", t.name, wrong.Line, wrong.Column, wrong.Err)
	}
	if errors.Is(err, io.EOF) {
		return nil, io.EOF
	}
	if err != nil {
		return nil, fmt.Errorf("%s:%d: it cannot be read: %w", t.name, t.line+1, err)
	}
	t.line, _ = t.csv.FieldPos(0)
	for i, field := range row {
		row[i] = strings.TrimSpace(field)
	}
	if t.row = row; t.heading != nil && len(row) != len(t.heading) {
		return nil, t.uneven()
	}
	return row, nil
}

// Heading takes the row that was read last as the heading. There may be other rows before it.
func (t *Table) Heading() []string {
	t.heading = append([]string{}, t.row...)
	t.headed = t.line
	return t.heading
}

// uneven says that a row has another number of fields than its heading, and why that may be so.
func (t *Table) uneven() error {
	why := ""
	switch n := len(t.heading); {
	case n == 1 && strings.Contains(t.heading[0], ";"):
		why = "; separate columns by commas and not by semicolons, and write decimal points"
	case len(t.row) > n && t.digits() >= len(t.row)-n:
		why = "; if its numbers have decimal commas, write points, as in 1.5"
	}
	return t.Errorf(min(len(t.row), len(t.heading))-1, "the row has %s, but the heading in line %d has %d%s", units.Count(len(t.row), "field"), t.headed, len(t.heading), why)
}

// digits counts the fields that may be what stands behind a decimal comma: they are nothing but
// digits, behind a number.
func (t *Table) digits() (n int) {
	whole := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	for i := 1; i < len(t.row); i++ {
		if whole(t.row[i]) && whole(strings.TrimLeft(t.row[i-1], "+-")) {
			n++
		}
	}
	return n
}

// Errorf is an error at a field of the row that was read last.
func (t *Table) Errorf(col int, format string, args ...any) error {
	line, at := t.Pos(col)
	return fmt.Errorf("%s:%d:%d: %s", t.name, line, at, fmt.Sprintf(format, args...))
}

// Pos is where a field of the row that was read last stands, or the last one if there are fewer.
func (t *Table) Pos(col int) (line, column int) {
	if len(t.row) == 0 {
		return 1, 1
	}
	return t.csv.FieldPos(max(0, min(col, len(t.row)-1)))
}
