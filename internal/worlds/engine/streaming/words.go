package streaming

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// Words splits a command line as a POSIX shell does: at blanks, with quotes around what belongs
// together. Between single quotes every character stands for itself. Between double quotes a
// backslash escapes $, `, ", \ and the end of the line, and stands for itself before anything else.
// There is no shell: $x, *, ~, |, > and the like always stand for themselves. If you need them,
// write sh -c '…'.
//
// Outside of quotes a backslash takes the meaning from any sign behind it, but before a letter or
// digit it is refused: a shell would drop it, and Hadoop's tool keeps it. On Windows it separates
// the names of a path there, and stands for itself.
func Words(line string) ([]string, error) {
	return splitLine(line, func(byte, byte, bool, bool) error { return nil })
}

// Command splits the line of a command, and refuses what only a shell would make something of where
// nobody can mean the sign itself: |, &, ;, < and > outside of quotes, a ~ in front of a word, and
// a variable in front of one outside of single quotes.
func Command(line string) ([]string, error) {
	return splitLine(line, func(c, next byte, quoted, first bool) error {
		name := next == '_' || next == '{' || next|' ' >= 'a' && next|' ' <= 'z'
		switch {
		case !quoted && strings.IndexByte("|&;<>", c) >= 0, !quoted && first && c == '~', first && c == '$' && name:
			return fmt.Errorf("there is no shell to interpret %c; put the whole line into sh -c '…', or write '%c' for the character itself", c, c)
		}
		return nil
	})
}

// splitLine asks check about each sign that has no meaning here, and tells it the next one, whether
// it stands between double quotes, and whether it is the first of its word.
func splitLine(line string, check func(c, next byte, quoted, first bool) error) ([]string, error) {
	var words []string
	var word strings.Builder
	quote, begun := byte(0), false
	for i := 0; i < len(line); i++ {
		c, next := line[i], byte(0)
		if i+1 < len(line) {
			next = line[i+1]
		}
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == '"' && c == '\\' && strings.IndexByte("$`\"\\\n", next) >= 0:
			if i++; next != '\n' { // with which a line goes on
				word.WriteByte(next)
			}
		case quote != 0:
			if quote == '"' {
				if err := check(c, next, true, word.Len() == 0); err != nil {
					return nil, err
				}
			}
			word.WriteByte(c)
		case c == '\'' || c == '"':
			quote, begun = c, true
		case c == '\\' && os.PathSeparator != '\\':
			switch {
			case i+1 == len(line):
				return nil, errors.New("nothing follows the \\ at its end")
			case next >= '0' && next <= '9' || next|' ' >= 'a' && next|' ' <= 'z':
				return nil, fmt.Errorf(`outside of quotes a shell reads \%c as %c; write '\%c' for a backslash`, next, next, next)
			}
			if i++; next != '\n' {
				word.WriteByte(next)
				begun = true
			}
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			if begun {
				words = append(words, word.String())
				word.Reset()
				begun = false
			}
		default:
			if err := check(c, next, false, !begun); err != nil {
				return nil, err
			}
			word.WriteByte(c)
			begun = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("the quote %c is not closed", quote)
	}
	if begun {
		words = append(words, word.String())
	}
	if len(words) == 0 {
		return nil, errors.New("there is no command")
	}
	return words, nil
}

// Line writes the words of a command as one line that Words splits into the same words again.
func Line(argv []string) string {
	words := make([]string, len(argv))
	for i, word := range argv {
		plain := func(r rune) bool {
			return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("-_./,:=+%@^", r)
		}
		if words[i] = word; word == "" || strings.TrimFunc(word, plain) != "" {
			words[i] = "'" + strings.ReplaceAll(word, "'", `'"'"'`) + "'"
		}
	}
	return strings.Join(words, " ")
}
