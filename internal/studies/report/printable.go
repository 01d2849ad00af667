package report

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable makes what a user's code said fit for a terminal: one line, with control characters
// quoted, as they could move the cursor or imitate other output.
func Printable(text string) string { return quoted(strings.TrimSpace(text), "") }

// PrintableLines does the same for text of several lines, and leaves them and their tabs.
func PrintableLines(text string) string { return quoted(text, "\n\t") }

// Indented does the same for text of several lines whose first stands behind something: the others
// begin with the indent, so that none of them looks like output of ours.
func Indented(text, indent string) string {
	return strings.ReplaceAll(PrintableLines(strings.TrimSpace(text)), "\n", "\n"+indent)
}

// quoted quotes what a terminal may take for a command, but for what is plain, and bytes that are
// no UTF-8: some terminals know commands of one byte.
func quoted(text, plain string) string {
	odd := func(c rune) bool {
		return unicode.In(c, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control) && !strings.ContainsRune(plain, c)
	}
	if utf8.ValidString(text) && !strings.ContainsFunc(text, odd) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		c, n := utf8.DecodeRuneInString(text)
		switch {
		case c == utf8.RuneError && n == 1:
			b.WriteString(`\x` + strconv.FormatInt(0x100|int64(text[0]), 16)[1:])
		case odd(c):
			q := strconv.QuoteRune(c)
			b.WriteString(q[1 : len(q)-1])
		default:
			b.WriteString(text[:n])
		}
		text = text[n:]
	}
	return b.String()
}

// ShellWord is a word as a shell reads it.
func ShellWord(word string) string {
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("_@%+=:,./-", c)
	}
	if word != "" && strings.IndexFunc(word, func(c rune) bool { return !plain(c) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
