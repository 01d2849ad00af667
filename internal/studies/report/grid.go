package report

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Sheet is what text for people is written on.
type Sheet struct {
	io.Writer
	Columns int  // 0 = as many as it needs
	Colours bool // what is late, failed or refused stands out
}

// sheetOf is what a writer is, as wide as it needs if that is no sheet.
func sheetOf(w io.Writer) *Sheet {
	if s, is := w.(*Sheet); is {
		return s
	}
	return &Sheet{Writer: w}
}

// Like is a sheet of the same kind as a writer, with another below.
func Like(w, below io.Writer) *Sheet {
	s := *sheetOf(w)
	s.Writer = below
	return &s
}

// Wrapped is text in which no sentence is wider than the sheet. What follows of one is indented.
func (s *Sheet) Wrapped(said string) string {
	if s.Columns == 0 {
		return said
	}
	lines := strings.Split(said, "\n")
	for i, line := range lines {
		if text.StringWidthWithoutEscSequences(line) > s.Columns {
			first, rest, _ := strings.Cut(text.WrapSoft(line, s.Columns), "\n")
			if lines[i] = strings.TrimRight(first, " "); rest == "" {
				continue
			}
			for part := range strings.SplitSeq(text.WrapSoft(strings.Join(strings.Fields(rest), " "), s.Columns-4), "\n") {
				lines[i] += "\n    " + strings.TrimRight(part, " ")
			}
		}
	}
	return strings.Join(lines, "\n")
}

// Grid is a table of texts with a heading. A column whose heading begins with ">" is flush right.
type Grid struct {
	Title string
	Least []string // columns that are left out where a sheet is too narrow, the first of them first
	rows  [][]string
}

// GridOf is a grid of these rows; the first is the heading.
func GridOf(title string, rows [][]string) *Grid { return &Grid{Title: title, rows: rows} }

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

// Write prints the title, the heading over a line, and the rows. On a sheet that is too narrow the least important
// columns are left out, texts are wrapped, and what does not fit even so stands below, beside the first column again.
func (g *Grid) Write(w io.Writer) error {
	s := sheetOf(w)
	out := ""
	if g.Title != "" {
		out = s.Wrapped(g.Title) + "\n\n"
	}
	kept, gone := g.fit(s.Columns)
	for i, columns := range g.blocks(kept, s.Columns) {
		if i > 0 {
			out += "\n"
		}
		out += g.render(columns, s) + "\n"
	}
	for r := range g.rows {
		if s.Columns > 0 && g.remarks(r) {
			out += s.Wrapped(quoted(g.rows[r][0], "")) + "\n"
		}
	}
	if len(gone) > 0 {
		out += s.Wrapped("not shown: "+strings.Join(gone, ", ")+"; -o wide has all") + "\n"
	}
	_, err := io.WriteString(w, out)
	return err
}

// remarks tells whether a row is a remark.
func (g *Grid) remarks(r int) bool { return r > 0 && len(g.rows[r]) == 1 && len(g.rows[0]) > 1 }

// width is that of a column: of its heading and its cells.
func (g *Grid) width(c int) (n int) {
	for r, cells := range g.rows {
		if c < len(cells) && !g.remarks(r) {
			n = max(n, text.StringWidth(strings.TrimPrefix(quoted(cells[c], ""), ">")))
		}
	}
	return n
}

// wide is how wide these columns are, with two blanks behind each.
func (g *Grid) wide(columns []int) (n int) {
	for _, c := range columns {
		n += g.width(c) + 2
	}
	return n
}

// fit leaves out as many columns as it takes, as far as they may be; 0 = there is no bound.
func (g *Grid) fit(most int) (kept []int, gone []string) {
	if len(g.rows) == 0 {
		return nil, nil
	}
	for c := range g.rows[0] {
		kept = append(kept, c)
	}
	for _, name := range g.Least {
		if most == 0 || g.wide(kept) <= most {
			break
		}
		before := len(kept)
		if kept = slices.DeleteFunc(kept, func(c int) bool { return strings.TrimPrefix(g.rows[0][c], ">") == name }); len(kept) < before {
			gone = append(gone, cmp.Or(name, "notes"))
		}
	}
	return kept, gone
}

// narrowest is how narrow a column of texts may become.
const narrowest = 24

// blocks puts columns side by side as far as there is room, each time behind the first. A column without a heading
// stays with the one before.
func (g *Grid) blocks(kept []int, most int) (all [][]int) {
	if most == 0 || len(kept) < 2 {
		return [][]int{kept}
	}
	block := kept[:1:1]
	for i := 1; i < len(kept); {
		n := i + 1
		for n < len(kept) && g.rows[0][kept[n]] == "" {
			n++
		}
		more := slices.Concat(block, kept[i:n])
		if over := g.wide(more) - most; over > 0 && len(block) > 1 && g.wraps(more, over) < 0 {
			all, block = append(all, block), kept[:1:1]
			continue
		}
		block, i = more, n
	}
	return append(all, block)
}

// wraps is the widest column of texts if it can be narrower by so much, else -1.
func (g *Grid) wraps(columns []int, over int) int {
	widest := -1
	for _, c := range columns[1:] {
		if !strings.HasPrefix(g.rows[0][c], ">") && (widest < 0 || g.width(c) > g.width(widest)) {
			widest = c
		}
	}
	if widest >= 0 && g.width(widest)-over < narrowest {
		return -1
	}
	return widest
}

// render prints some columns.
func (g *Grid) render(columns []int, s *Sheet) string {
	t := table.NewWriter()
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	wrap, over := -1, 0
	if s.Columns > 0 && len(columns) > 1 {
		if over = g.wide(columns) - s.Columns; over > 0 {
			wrap = g.wraps(columns, over)
		}
	}
	var configs []table.ColumnConfig
	for r, cells := range g.rows {
		if g.remarks(r) {
			if s.Columns == 0 {
				t.AppendRow(rowOf(cells, []int{0}, false))
			}
			continue
		}
		row := rowOf(cells, columns, s.Colours && r > 0)
		if r > 0 {
			t.AppendRow(row)
			continue
		}
		for i, c := range columns {
			config := table.ColumnConfig{Number: i + 1}
			name, right := strings.CutPrefix(cells[c], ">")
			if row[i] = quoted(name, ""); right {
				config.Align, config.AlignHeader = text.AlignRight, text.AlignRight
			}
			if c == wrap {
				config.WidthMax, config.WidthMaxEnforcer = g.width(c)-over, text.WrapSoft
			}
			configs = append(configs, config)
		}
		t.AppendHeader(row)
	}
	t.SetColumnConfigs(configs)
	return t.Render()
}

// rowOf are some cells of a row. Names are what users make them.
func rowOf(cells []string, columns []int, colours bool) (row table.Row) {
	for _, c := range columns {
		cell := ""
		if c < len(cells) {
			cell = quoted(cells[c], "")
		}
		if colours {
			cell = coloured(cell)
		}
		row = append(row, cell)
	}
	return row
}

// loud are the words that stand out, at the beginning of a cell.
var loud = []struct {
	word   string
	colour text.Color
}{{"LATE", text.FgRed}, {"BROKEN", text.FgRed}, {"OVERDUE", text.FgRed}, {"failed", text.FgRed}, {"killed", text.FgRed},
	{"refused", text.FgYellow}, {"interrupted", text.FgYellow}, {"met", text.FgGreen}, {"kept", text.FgGreen}}

// coloured is a cell in the colour of its first word.
func coloured(cell string) string {
	for _, l := range loud {
		if rest, is := strings.CutPrefix(cell, l.word); is && (rest == "" || rest[0] == ' ') {
			return text.Escape(cell, l.colour.EscapeSeq())
		}
	}
	return cell
}
