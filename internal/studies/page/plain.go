package page

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/slackline/slackline/internal/maths/each"
)

// Plain writes a page without scripts, in the style of all pages: a title, a line about it,
// sections of HTML, and what is below them. The title and the texts are escaped here; sections and
// further style are the caller's to escape.
func Plain(w io.Writer, title, about string, sections []string, more, foot string) error {
	var b strings.Builder
	b.WriteString(firstLine + `
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="slackline">
<title>` + html.EscapeString(title) + `</title>
<link rel="icon" href="data:,">
<style>` + style + more + `</style>
</head>
<body>
<header><div><h1>` + html.EscapeString(title) + `</h1><p id="about">` + html.EscapeString(about) + `</p></div></header>
<main>
`)
	for _, s := range sections {
		b.WriteString("<section>\n" + s + "\n</section>\n")
	}
	b.WriteString("</main>\n<footer><p>" + html.EscapeString(foot) + "</p></footer>\n</body>\n</html>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// Cell is a field of a table: HTML, and its class.
type Cell struct{ Class, HTML string }

// Text is a cell of text.
func Text(class, text string) Cell { return Cell{class, html.EscapeString(text)} }

// Table is a table of texts; the first row is its heading, as of TableOf.
func Table(rows [][]string) string {
	text := func(text string) Cell { return Text("", text) }
	return TableOf(rows[0], each.Of(rows[1:], func(row []string) []Cell { return each.Of(row, text) }))
}

// TableOf is a table with a heading, where names that begin with ">" are of columns flush right.
// Cells with a class of their own say themselves where they stand.
func TableOf(heading []string, rows [][]Cell) string {
	var b strings.Builder
	write := func(tag string, c Cell) {
		if c.Class != "" {
			c.Class = ` class="` + c.Class + `"`
		}
		fmt.Fprintf(&b, "<%s%s>%s</%s>", tag, c.Class, c.HTML, tag)
	}
	b.WriteString(`<div class="scroll"><table><thead><tr>`)
	classes := make([]string, len(heading))
	for k, text := range heading {
		name, right := strings.CutPrefix(text, ">")
		if right {
			classes[k] = "right"
		}
		write("th", Text(classes[k], name))
	}
	b.WriteString("</tr></thead><tbody>")
	for _, row := range rows {
		b.WriteString("<tr>")
		for k, c := range row {
			write("td", Cell{cmp.Or(c.Class, classes[k]), c.HTML})
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody></table></div>")
	return b.String()
}
