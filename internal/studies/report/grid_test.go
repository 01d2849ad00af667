package report

import (
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"
	"pgregory.net/rapid"
)

// On a narrow sheet nothing is wider than it; the least columns go first, and are named. Whatever else there is stands
// there. On a sheet without a bound all is as it was.
func TestNarrowGrids(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &Grid{Least: []string{"c3", "c1"}}
		n := rapid.IntRange(1, 9).Draw(t, "columns")
		var head []string
		for c := range n {
			head = append(head, rapid.SampledFrom([]string{"", ">"}).Draw(t, "side")+"c"+string(rune('0'+c)))
		}
		g.Add(head...)
		word, words := rapid.StringMatching(`[a-z]{1,9}`), rapid.StringMatching(`[a-z]{1,9}( [a-z]{1,9}){0,6}`)
		var cells []string
		for range rapid.IntRange(0, 4).Draw(t, "rows") {
			var row []string
			for c := range n {
				if c == 0 || head[c][0] == '>' {
					row = append(row, word.Draw(t, "cell"))
				} else {
					row = append(row, words.Draw(t, "cell"))
				}
			}
			g.Add(row...)
			cells = append(cells, row...)
		}
		columns := rapid.IntRange(72, 120).Draw(t, "width")
		var narrow, wide strings.Builder
		if err := g.Write(&Sheet{Writer: &narrow, Columns: columns}); err != nil {
			t.Fatal(err)
		}
		_ = g.Write(&wide)
		for _, line := range strings.Split(narrow.String(), "\n") {
			if n := text.StringWidth(line); n > columns {
				t.Errorf("%d of %d columns: %s", n, columns, line)
			}
		}
		_, gone, _ := strings.Cut(narrow.String(), "not shown: ")
		for i, cell := range cells {
			name := "c" + string(rune('0'+i%n))
			for _, w := range strings.Fields(cell) {
				if !strings.Contains(gone, name) && !strings.Contains(narrow.String(), w) {
					t.Errorf("%q of %s is missing in\n%s", w, name, narrow.String())
				}
			}
		}
		if strings.Contains(wide.String(), "not shown") {
			t.Errorf("%s", wide.String())
		}
	})
}

// What is late, failed or refused stands out where colours are wanted, and nothing else does.
func TestColoursOfCells(t *testing.T) {
	for cell, want := range map[string]string{"LATE by 2 s": "\x1b[31mLATE by 2 s\x1b[0m", "refused": "\x1b[33mrefused\x1b[0m", "met by 1 s": "\x1b[32mmet by 1 s\x1b[0m", "metric": "metric", "later": "later"} {
		var b strings.Builder
		g := GridOf("", [][]string{{"x"}, {cell}})
		_ = g.Write(&Sheet{Writer: &b, Colours: true})
		if !strings.HasSuffix(b.String(), want+"\n") {
			t.Errorf("%q, want %q", b.String(), want)
		}
		var plain strings.Builder
		_ = g.Write(&plain)
		if strings.Contains(plain.String(), "\x1b") {
			t.Errorf("%q", plain.String())
		}
	}
}
