package page

import (
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
