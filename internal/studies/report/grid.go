package report

import (
	"io"
	"strings"
	"unicode/utf8"
)

// Grid is a table of texts with a heading. A column whose heading begins with ">" is flush right.
type Grid struct {
	Title string
	rows  [][]string
}

// widest is how long the line below the heading gets.
const widest = 130

// Add adds a row; the first is the heading.
func (g *Grid) Add(cells ...string) { g.rows = append(g.rows, cells) }

// Write prints the title, the heading over a line, and the rows, with two spaces between columns.
func (g *Grid) Write(w io.Writer) error {
	var widths []int
	var right []bool
	for r, row := range g.rows {
		for c, cell := range row {
			if r == 0 {
				right = append(right, strings.HasPrefix(cell, ">"))
				widths = append(widths, 0)
				row[c] = strings.TrimPrefix(cell, ">")
			}
			if len(row) > 1 { // a row of one cell is a remark that may run on
				widths[c] = max(widths[c], utf8.RuneCountInString(row[c]))
			}
		}
	}
	var b strings.Builder
	if g.Title != "" {
		b.WriteString(g.Title + "\n\n")
	}
	for r, row := range g.rows {
		var line strings.Builder
		for c, cell := range row {
			gap := strings.Repeat(" ", max(0, widths[c]-utf8.RuneCountInString(cell)))
			if c > 0 {
				line.WriteString("  ")
			}
			if right[c] {
				line.WriteString(gap + cell)
			} else {
				line.WriteString(cell + gap)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
		if r == 0 {
			total := 2 * (len(widths) - 1)
			for _, n := range widths {
				total += n
			}
			b.WriteString(strings.Repeat("─", min(total, widest)) + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
