package apps

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// A pattern finds the lines that match a regular expression. Package regexp looks at some 20 to 100
// MB/s, so where each match contains a literal, only the lines that have it are shown to regexp.
// The others are shown one by one: package regexp is faster with a line than with a block, for
// which it has only its slowest matcher.
type pattern struct {
	*regexp.Regexp
	literal []byte // empty if none is known
	whole   bool   // a match is the literal and nothing else
}

// compile reads an expression in the syntax of package regexp. Its errors are those of regexp.
func compile(expr string) (*pattern, error) {
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, err
	}
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, err
	}
	literal := required(tree)
	for tree.Op == syntax.OpCapture {
		tree = tree.Sub[0]
	}
	// regexp.LiteralPrefix is no answer: it takes ^x$ for nothing but x
	whole := literal != "" && tree.Op == syntax.OpLiteral
	return &pattern{Regexp: re, literal: []byte(literal), whole: whole}, nil
}

// required returns the longest literal that is found in each match, or "".
func required(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		text := string(re.Rune)
		// U+FFFD matches any byte that is not UTF-8 as well, and no line has an LF.
		if re.Flags&syntax.FoldCase != 0 || strings.ContainsAny(text, string(utf8.RuneError)+"\n") {
			return ""
		}
		return text
	case syntax.OpConcat:
		longest := ""
		for _, sub := range re.Sub {
			if text := required(sub); len(text) > len(longest) {
				longest = text
			}
		}
		return longest
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	}
	return ""
}

// each calls f with the lines of a block that match, in order, until f returns an error.
func (p *pattern) each(block []byte, f func(line []byte) error) error {
	for len(block) > 0 {
		if len(p.literal) > 0 {
			at := bytes.Index(block, p.literal)
			if at < 0 {
				return nil
			}
			block = block[bytes.LastIndexByte(block[:at], '\n')+1:]
		}
		line, rest, _ := bytes.Cut(block, []byte{'\n'})
		if p.whole || p.Match(line) {
			if err := f(line); err != nil {
				return err
			}
		}
		block = rest
	}
	return nil
}
