package config

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/slackline/slackline/internal/files"
)

// Bounds on what is read, so that no file takes the memory or the stack of the machine.
const (
	maxDepth = 64
	maxNodes = 8 << 20 // aliases counted as often as they are used
)

// Parse returns the documents of a file, at least one. The error, if any, is an Errors.
func Parse(file string, src []byte) ([]*Document, error) {
	roots, failed := documents(file, src)
	if failed != nil {
		return nil, Errors{failed}
	}
	docs := make([]*Document, len(roots))
	for i, root := range roots {
		docs[i] = &Document{File: file, root: root}
	}
	return docs, nil
}

// ParseOne is Parse for a file of one document.
func ParseOne(file string, src []byte) (*Document, error) {
	docs, err := Parse(file, src)
	if err != nil {
		return nil, err
	}
	if len(docs) > 1 {
		return nil, Errors{{File: file, Pos: startOf(docs[1].root), Text: "a second document begins here; a file has one document"}}
	}
	return docs[0], nil
}

// documents returns the documents of the source, at least one, or the one error that stands in the way.
func documents(file string, src []byte) (roots []ast.Node, failed *Error) {
	whole := func(text string) *Error { return &Error{File: file, Text: text} }
	if len(src) > files.MaxBytes {
		return nil, whole(fmt.Sprintf("the file is larger than %d MB", files.MaxBytes>>20))
	}
	if !utf8.Valid(src) { // the parser would take other bytes for those that are none
		lines := bytes.Split(src[:bytes.IndexRune(src, utf8.RuneError)], []byte("\n"))
		at := Pos{len(lines), utf8.RuneCount(lines[len(lines)-1]) + 1}
		return nil, &Error{File: file, Pos: at, Text: "here it is not UTF-8; save it as UTF-8, or name a file of text"}
	}
	if pos, deep := tooDeep(src); deep {
		return nil, &Error{File: file, Pos: pos, Text: fmt.Sprintf("nested more than %d deep", maxDepth)}
	}
	defer func() {
		// The parser is a guest: whatever it trips over is the fault of the file.
		if recover() != nil {
			roots, failed = nil, whole("this YAML cannot be read")
		}
	}()
	src = hideBraces(src)
	tree, err := parser.ParseBytes(src, 0, parser.AllowDuplicateMapKey()) // told by decode
	if err != nil {
		if ye, ok := errors.AsType[yaml.Error](err); ok && ye.GetToken() != nil {
			return nil, &Error{File: file, Pos: posOf(ye.GetToken()), Text: "this is not YAML: " + plainly(braces.Replace(ye.GetMessage()))}
		}
		return nil, whole("this is not YAML: " + oneLine(err.Error()))
	}
	for _, doc := range tree.Docs {
		if doc.Body == nil {
			continue
		}
		if _, comment := doc.Body.(*ast.CommentGroupNode); comment {
			continue
		}
		roots = append(roots, doc.Body)
	}
	if len(roots) == 0 {
		return nil, whole("the file is empty")
	}
	return roots, nil
}

// trips is what people most often trip over, by what the parser says of it.
var trips = [][2]string{
	{"\t", "a tab stands where only spaces may; indent lines with spaces"},
	{"mapping value is not allowed", "a colon and a space stand within this value; put all of it in quotes, or indent the next line as far as this one"},
	{"undefined alias name", "a text that begins with an asterisk must be in quotes"},
	{"undefined anchor", "a text that begins with & must be in quotes"},
	{"is a reserved character", "a text that begins so must be in quotes"},
	{"unexpected directive value", "a text that begins with % must be in quotes"},
	{"non-map value is specified", "this line has no key; write key: value, with a space behind the colon"},
	{"value is not allowed in this context", "a text goes on behind a bracket that is closed; put all of it in quotes"},
}

// plainly says it so that they find it.
func plainly(said string) string {
	for _, t := range trips {
		if strings.Contains(said, t[0]) {
			return t[1]
		}
	}
	return oneLine(said)
}

// tooDeep looks for nesting that would exhaust the parser's stack, without understanding YAML:
// brackets that stay open, and runs of "- ", "? " and ": " at the start of a line. Brackets in
// quotes and comments may be counted, which does no harm below the bound.
func tooDeep(src []byte) (Pos, bool) {
	open, run, start := 0, 0, true
	line, col := 1, 0
	for i, c := range src {
		col++
		switch c {
		case '\n':
			line, col, run, start = line+1, 0, 0, true
		case ' ', '\t':
		case '[', '{':
			open++
			start = false
		case ']', '}':
			open = max(0, open-1)
			start = false
		case '-', '?', ':':
			if start && i+1 < len(src) && (src[i+1] == ' ' || src[i+1] == '\t') {
				run++
			} else {
				start = false
			}
		default:
			start = false
		}
		if open > maxDepth || run > maxDepth {
			return Pos{line, col}, true
		}
	}
	return Pos{}, false
}

func posOf(t *token.Token) Pos {
	if t == nil || t.Position == nil {
		return Pos{}
	}
	return Pos{t.Position.Line, t.Position.Column}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// startOf returns where a node begins in the eyes of a reader: a mapping begins at its first key.
func startOf(n ast.Node) Pos {
	switch n := n.(type) {
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			return posOf(n.Values[0].Key.GetToken())
		}
	case *ast.MappingValueNode:
		return posOf(n.Key.GetToken())
	}
	return posOf(n.GetToken())
}

// kindOf names what a node is for people.
func kindOf(n ast.Node) string {
	switch n := n.(type) {
	case nil, *ast.NullNode:
		return "nothing"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	default:
		if s, ok := scalar(n); ok {
			if len(s) > 40 {
				s = s[:40] + "…"
			}
			return quote(s)
		}
		return n.Type().YAMLName()
	}
}

// scalar returns the text of a scalar node as it was written, less its quotes.
func scalar(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return braces.Replace(n.Value), true
	case *ast.LiteralNode:
		return braces.Replace(n.Value.Value), true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return strings.TrimSpace(n.GetToken().Value), true
	}
	return "", false
}

// A placeholder, such as {day}, ${VAR} or {day-1:%Y%m%d}, would begin a mapping where it stands first
// or in a list. So the braces of what can be nothing else are other characters, of which no file has
// any, while YAML is parsed.
var (
	placeholder = regexp.MustCompile(`\{[A-Za-z_][A-Za-z0-9_]*([+-][0-9]+)?(:%[^{}\[\],\n]*)?\}`)
	braces      = strings.NewReplacer("\ue000", "{", "\ue001", "}")
)

// hideBraces hides the braces of placeholders from the parser of YAML.
func hideBraces(src []byte) []byte {
	if bytes.ContainsAny(src, "\ue000\ue001") {
		return src
	}
	return placeholder.ReplaceAllFunc(src, func(b []byte) []byte {
		return slices.Concat([]byte("\ue000"), b[1:len(b)-1], []byte("\ue001"))
	})
}

// FromFiles joins what is made of each of the files, which are read by open.
func FromFiles[T any](files []string, open func(file string) ([]byte, error), parse func(file string, src []byte) ([]T, error)) (all []T, err error) {
	for _, file := range files {
		src, err := open(file)
		if err != nil {
			return nil, err
		}
		more, err := parse(file, src)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}
