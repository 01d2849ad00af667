package arch

import (
	"bufio"
	_ "embed"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// maxComment is how many columns a line with a comment may have; a tab counts as four.
const maxComment = 120

// phrases lists what is not to be written, and what to write instead: "phrase = instead", one a line.
//
//go:embed phrases.txt
var phrases string

// checkText holds comments, messages, documents and scripts to plain English.
func (c *checker) checkText() error {
	banned := bannedPhrases()
	skip := func(_, rel string) bool {
		return slices.Contains([]string{".git", "testdata", "vendor", "results", "node_modules"}, path.Base(rel))
	}
	return c.walk(skip, func(rel string, read func() (string, error)) error {
		if !isText(rel) {
			return nil
		}
		text, err := read()
		if err != nil {
			return err
		}
		c.checkPhrases(rel, text, banned)
		if strings.HasSuffix(rel, ".go") && !strings.Contains("\n"+text, "\n// Code generated ") {
			c.checkWidth(rel, text)
		}
		return nil
	})
}

// isText tells whether people write the file: Go, documents, YAML, scripts and pages. A changelog
// tells of the past, and the list of phrases has to name them.
func isText(rel string) bool {
	switch filepath.Ext(rel) {
	case ".go", ".md", ".yaml", ".yml", ".sh", ".py", ".js", ".txt", ".html", ".css", ".proto", ".java":
		return filepath.Base(rel) != "CHANGELOG.md" && filepath.Base(rel) != "phrases.txt"
	case "":
		return filepath.Base(rel) == "Makefile" || strings.HasPrefix(rel, ".ci/")
	}
	return false
}

// bannedPhrases returns the list: what to write instead of each phrase.
func bannedPhrases() map[string]string {
	instead := map[string]string{}
	for s := bufio.NewScanner(strings.NewReader(phrases)); s.Scan(); {
		if phrase, right, found := strings.Cut(s.Text(), " = "); found && !strings.HasPrefix(phrase, "#") {
			instead[phrase] = right
		}
	}
	return instead
}

// checkPhrases looks for whole phrases, also where a line breaks in the middle of one.
func (c *checker) checkPhrases(file, text string, banned map[string]string) {
	var flat strings.Builder
	var begins []int // of each line in flat
	for line := range strings.Lines(strings.ToLower(text)) {
		begins = append(begins, flat.Len())
		flat.WriteString(strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "/#")) + " ")
	}
	all := flat.String()
	for phrase, instead := range banned {
		for from := 0; ; {
			i := strings.Index(all[from:], phrase)
			if i < 0 {
				break
			}
			at := from + i
			from = at + len(phrase)
			if at > 0 && isLetter(all[at-1]) || isLetter(all[from]) {
				continue
			}
			line, exact := slices.BinarySearch(begins, at)
			if exact {
				line++
			}
			c.found = append(c.found, violation{file, line, "text-phrases", `"` + phrase + `" is not plain English; write: ` + instead})
		}
	}
}

func isLetter(b byte) bool { return b >= 'a' && b <= 'z' || b == '_' }

// checkWidth looks for comments that are too wide. Preformatted text in them may be as wide as it
// has to be, and so may code.
func (c *checker) checkWidth(file, text string) {
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    ")
		if len([]rune(line)) <= maxComment {
			continue
		}
		code, _, commented := strings.Cut(line, "// ")
		if commented && len([]rune(strings.TrimRight(code, " "))) <= maxComment && !strings.HasPrefix(strings.TrimSpace(line), "//    ") &&
			strings.Count(code, `"`)%2 == 0 && strings.Count(code, "`")%2 == 0 {
			c.found = append(c.found, violation{file, number, "text-width", "the comment is wider than 120 columns: wrap it, or put it above the line"})
		}
	}
}
