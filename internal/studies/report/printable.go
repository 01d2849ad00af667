package report

import (
	"strconv"
	"strings"
	"unicode"
)

// Printable makes what a user's code said fit for a terminal: one line, with control characters quoted, as they could move the cursor
// or imitate other output.
func Printable(text string) string {
	text = strings.TrimSpace(text)
	if !strings.ContainsFunc(text, unicode.IsControl) {
		return text
	}
	var b strings.Builder
	for _, c := range text {
		if unicode.IsControl(c) {
			q := strconv.QuoteRune(c)
			b.WriteString(q[1 : len(q)-1])
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}
