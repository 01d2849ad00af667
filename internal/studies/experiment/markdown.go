package experiment

import (
	"fmt"
	"html"
	"regexp"
	"strings"
)

// markdown writes as HTML what READMEs here use: headings, paragraphs, lists, tables, code and bold
// text. All else stands as it is.
func markdown(text string) string {
	var b strings.Builder
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); {
		line := lines[i]
		switch {
		case strings.TrimSpace(line) == "":
			i++
		case strings.HasPrefix(line, "#"):
			title := strings.TrimLeft(line, "#")
			level := min(6, 2+len(line)-len(title)) // the page has its own first two
			fmt.Fprintf(&b, "<h%d>%s</h%d>\n", level, inline(strings.TrimSpace(title)), level)
			i++
		case strings.HasPrefix(line, "|"):
			i = markdownTable(&b, lines, i)
		case strings.HasPrefix(line, "- "):
			b.WriteString("<ul>\n")
			for i < len(lines) && strings.HasPrefix(lines[i], "- ") {
				var item string
				item, i = block(lines, i)
				fmt.Fprintf(&b, "<li>%s</li>\n", inline(strings.TrimPrefix(item, "- ")))
			}
			b.WriteString("</ul>\n")
		default:
			var paragraph string
			paragraph, i = block(lines, i)
			fmt.Fprintf(&b, "<p>%s</p>\n", inline(paragraph))
		}
	}
	return b.String()
}

// block joins a line with those that go on with it, and returns where the next begins.
func block(lines []string, i int) (string, int) {
	all := []string{lines[i]}
	for i++; i < len(lines); i++ {
		l := strings.TrimSpace(lines[i])
		if l == "" || strings.HasPrefix(l, "- ") || strings.HasPrefix(l, "#") || strings.HasPrefix(l, "|") {
			break
		}
		all = append(all, l)
	}
	return strings.Join(all, " "), i
}

// markdownTable writes a table, whose second line only rules it.
func markdownTable(b *strings.Builder, lines []string, i int) int {
	b.WriteString(`<div class="scroll"><table>`)
	for first := i; i < len(lines) && strings.HasPrefix(lines[i], "|"); i++ {
		tag := "td"
		switch i - first {
		case 0:
			tag = "th"
		case 1:
			continue
		}
		b.WriteString("<tr>")
		for part := range strings.SplitSeq(strings.Trim(strings.TrimSpace(lines[i]), "|"), "|") {
			fmt.Fprintf(b, `<%s class="wrap">%s</%s>`, tag, inline(strings.TrimSpace(part)), tag)
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</table></div>\n")
	return i
}

var (
	codeText = regexp.MustCompile("`([^`]+)`")
	boldText = regexp.MustCompile(`\*\*([^*]+)\*\*`)
)

// inline marks code and bold text; nothing within code is bold.
func inline(text string) string {
	var b strings.Builder
	bold := func(part string) { b.WriteString(boldText.ReplaceAllString(html.EscapeString(part), "<b>$1</b>")) }
	from := 0
	for _, at := range codeText.FindAllStringSubmatchIndex(text, -1) {
		bold(text[from:at[0]])
		b.WriteString("<code>" + html.EscapeString(text[at[2]:at[3]]) + "</code>")
		from = at[1]
	}
	bold(text[from:])
	return b.String()
}
