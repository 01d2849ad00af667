package page

import (
	"fmt"
	"html"
	"io"
	"strings"
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

// Table is a table; the first row is its heading, where names that begin with ">" are of columns flush right.
func Table(rows [][]string) string {
	var b strings.Builder
	b.WriteString(`<div class="scroll"><table>`)
	var right []bool
	for i, row := range rows {
		tag := "td"
		if i == 0 {
			tag = "th"
			b.WriteString("<thead>")
		}
		b.WriteString("<tr>")
		for k, text := range row {
			if i == 0 {
				name, is := strings.CutPrefix(text, ">")
				text, right = name, append(right, is)
			}
			class := ""
			if k < len(right) && right[k] {
				class = ` class="right"`
			}
			fmt.Fprintf(&b, "<%s%s>%s</%s>", tag, class, html.EscapeString(text), tag)
		}
		b.WriteString("</tr>")
		if i == 0 {
			b.WriteString("</thead><tbody>")
		}
	}
	b.WriteString("</tbody></table></div>")
	return b.String()
}

// Colours are told apart also by those who see few of them (Okabe and Ito, 2008).
var Colours = [...]string{"#0072b2", "#d55e00", "#009e73", "#a15c8a"}
