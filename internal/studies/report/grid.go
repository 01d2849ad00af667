package report

import (
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Grid is a table of texts with a heading. A column whose heading begins with ">" is flush right.
type Grid struct {
	Title string
	rows  [][]string
}

// GridOf is a grid of these rows; the first is the heading.
func GridOf(title string, rows [][]string) *Grid { return &Grid{title, rows} }

// Rows are the heading and the rows.
func (g *Grid) Rows() [][]string { return g.rows }

// Add adds a row; the first is the heading. A row of one cell is a remark that may run on.
func (g *Grid) Add(cells ...string) { g.rows = append(g.rows, cells) }

// style has a line below the heading and two spaces between columns, nothing else.
var style = table.Style{
	Box:     table.BoxStyle{MiddleHorizontal: "─", MiddleVertical: "", PaddingRight: "  ", MiddleSeparator: "", EmptySeparator: ""},
	Format:  table.FormatOptions{Header: text.FormatDefault, Row: text.FormatDefault},
	Options: table.Options{SeparateHeader: true},
}

// Write prints the title, the heading over a line, and the rows.
func (g *Grid) Write(w io.Writer) error {
	t := table.NewWriter()
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	var columns []table.ColumnConfig
	for r, cells := range g.rows {
		row := make(table.Row, len(cells))
		for c, cell := range cells {
			if r == 0 {
				name, right := strings.CutPrefix(cell, ">")
				cell = name
				if right {
					columns = append(columns, table.ColumnConfig{Number: c + 1, Align: text.AlignRight, AlignHeader: text.AlignRight})
				}
			}
			row[c] = quoted(cell, "") // names are what users make them
		}
		if r == 0 {
			t.AppendHeader(row)
		} else {
			t.AppendRow(row)
		}
	}
	t.SetColumnConfigs(columns)
	out := t.Render() + "\n"
	if g.Title != "" {
		out = g.Title + "\n\n" + out
	}
	_, err := io.WriteString(w, out)
	return err
}
