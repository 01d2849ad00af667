package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Pos is a place in a file; lines and columns count from 1. The zero value is the file as a whole.
type Pos struct{ Line, Col int }

// Error is one thing that is wrong with a file.
type Error struct {
	File string
	Pos  Pos
	Text string // what is wrong and what would be right
}

// Error prints file:line:col: text.
func (e *Error) Error() string {
	if e.Text == "" {
		return fmt.Sprintf("%s:%d:%d", e.File, e.Pos.Line, e.Pos.Col) // the place alone
	}
	if e.Pos.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Text)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Pos.Line, e.Pos.Col, e.Text)
}

// Errors is everything that is wrong with a file, in the order of the file, one line each.
type Errors []*Error

// Error prints at most ten errors, one a line.
func (es Errors) Error() string {
	const most = 10
	var b strings.Builder
	for i, e := range es {
		if i == most {
			fmt.Fprintf(&b, "\n%s: and %d more", e.File, len(es)-most)
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(e.Error())
	}
	return b.String()
}

// Err returns the errors sorted by place, nil if there are none.
func (es Errors) Err() error {
	if len(es) == 0 {
		return nil
	}
	slices.SortStableFunc(es, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
	return es
}
