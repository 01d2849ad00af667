package files

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
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
	named   int // so many columns of the heading have names; those behind it are empty
}

// NewTable reads a table from a text (Open, Read).
func NewTable(name string, in io.Reader) *Table {
	t := &Table{name: name, csv: csv.NewReader(in)}
	t.csv.FieldsPerRecord, t.csv.ReuseRecord, t.csv.TrimLeadingSpace, t.csv.Comment = -1, true, true, '#'
	return t
}

// Next reads a row, without blanks around its fields; io.EOF behind the last. It is good until the
// next call. Once there is a heading, the row has as many fields. A row of empty fields, as spreadsheets
// leave them below the others, is none.
func (t *Table) Next() ([]string, error) {
	row, err := t.csv.Read()
	for err == nil && t.heading != nil && len(row) > 1 && strings.TrimSpace(strings.Join(row, "")) == "" {
		row, err = t.csv.Read()
	}
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
	t.row = row
	return row, t.held()
}

// Heading takes the row that was read last as the heading of those that follow.
func (t *Table) Heading() []string {
	t.heading = slices.Clone(t.row)
	t.named = filled(t.row)
	return t.heading
}

// Loose ends that: rows until the next heading may have any number of fields.
func (t *Table) Loose() { t.heading = nil }

// filled is the number of fields up to the last that is not empty.
func filled(row []string) int {
	n := len(row)
	for n > 0 && row[n-1] == "" {
		n--
	}
	return n
}

// held holds the row against its heading. A row whose decimals have become commas would else have
// its columns shifted.
func (t *Table) held() error {
	has, columns := len(t.row), len(t.heading)
	switch {
	case t.heading == nil || has >= t.named && has <= columns && filled(t.row) <= t.named:
		return nil
	case columns == 1 && has > 1 && strings.Contains(t.heading[0], ";"):
		return t.Errorf(0, "the row has %s, but the heading has 1; separate columns by commas and not by semicolons, and write points in numbers", units.Count(has, "field"))
	case has < t.named:
		return t.Errorf(0, "the row has %s, but the heading has %d; a value that is missing is an empty field between its commas", units.Count(has, "field"), t.named)
	case has <= columns: // there is something where the heading has no name
		has, columns = filled(t.row), t.named
	}
	return t.Errorf(columns, "the row has %s, but the heading has %d; if its numbers have decimal commas, write points, such as 104.4", units.Count(has, "field"), columns)
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
