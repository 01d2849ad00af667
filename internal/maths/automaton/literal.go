package automaton

import (
	"regexp/syntax"
	"unicode"
	"unicode/utf8"
)

// A literal is text that each match contains, at most so many bytes behind where the match begins;
// most < 0 is no bound.
type literal struct {
	text string
	most int
}

// shape is what is known of the texts that an expression matches.
type shape struct {
	most  int    // bytes; < 0 is no bound
	exact bool   // it matches text and nothing else, where its assertions hold
	text  string // if exact
	best  literal
}

// noBound is a length without a bound.
const noBound = -1

// longest is how long a bound, or a literal, may be; beyond it nothing is gained.
const longest = 1 << 10

// required returns the literal of an expression that is rarest in texts, "" if it has none. whole
// tells that the expression matches the literal and nothing else, wherever it stands.
func required(re *syntax.Regexp) (lit literal, whole bool) {
	s := shapeOf(re)
	if s.exact && s.text != "" {
		return literal{text: s.text}, !asserts(re)
	}
	return s.best, false
}

func shapeOf(re *syntax.Regexp) shape {
	switch re.Op {
	case syntax.OpNoMatch:
		return shape{}
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpBeginText, syntax.OpEndLine, syntax.OpEndText,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return shape{exact: true}
	case syntax.OpLiteral:
		var all sequence
		for _, r := range re.Rune {
			all.add(ofRune(r, re.Flags&syntax.FoldCase != 0))
		}
		return all.end()
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return shape{most: utf8.UTFMax}
	case syntax.OpCharClass:
		if n := len(re.Rune); n > 0 {
			return shape{most: width(re.Rune[n-1])}
		}
		return shape{}
	case syntax.OpCapture:
		return shapeOf(re.Sub[0])
	case syntax.OpConcat:
		var all sequence
		for _, sub := range re.Sub {
			all.add(shapeOf(sub))
		}
		return all.end()
	case syntax.OpAlternate:
		most := 0
		for _, sub := range re.Sub {
			most = larger(most, shapeOf(sub).most)
		}
		return shape{most: most}
	case syntax.OpPlus:
		return shape{most: noBound, best: shapeOf(re.Sub[0]).literal()}
	case syntax.OpQuest:
		return shape{most: shapeOf(re.Sub[0]).most}
	}
	return shape{most: noBound} // OpStar; there is no OpRepeat in a simplified expression
}

// ofRune is the shape of a character. One that also stands for bytes that are no UTF-8 has no text,
// and no line has an LF.
func ofRune(r rune, fold bool) shape {
	s := shape{most: width(r), exact: r != utf8.RuneError && r != '\n', text: string(r)}
	if fold {
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			s.most, s.exact = max(s.most, width(f)), false
		}
	}
	return s
}

// width is the length of a character. Half of a surrogate pair has none, but may stand for a range that ends with it.
func width(r rune) int {
	if n := utf8.RuneLen(r); n > 0 {
		return n
	}
	return 3
}

// literal is the best literal of a shape.
func (s shape) literal() literal {
	if s.exact {
		return literal{text: s.text}
	}
	return s.best
}

// sequence joins shapes that stand one behind the other.
type sequence struct {
	shape
	run   literal // the text that is exact up to here
	mixed bool    // something was not exact
}

func (q *sequence) add(s shape) {
	if s.exact && len(q.run.text) < longest {
		if q.run.text == "" {
			q.run.most = q.most
		}
		q.run.text += s.text
	} else {
		q.cut()
		q.mixed = true
		if lit := s.literal(); lit.text != "" {
			lit.most = sum(q.most, lit.most)
			q.offer(lit)
		}
	}
	q.most = sum(q.most, s.most)
}

// cut ends the exact text.
func (q *sequence) cut() {
	q.offer(q.run)
	q.run = literal{}
}

func (q *sequence) offer(lit literal) {
	if lit.text != "" && (q.best.text == "" || oftenness(lit.text) < oftenness(q.best.text)) {
		q.best = lit
	}
}

func (q *sequence) end() shape {
	if !q.mixed {
		q.exact, q.text = true, q.run.text
		return q.shape
	}
	q.cut()
	return q.shape
}

func larger(a, b int) int {
	if a < 0 || b < 0 {
		return noBound
	}
	return max(a, b)
}

func sum(a, b int) int {
	if a < 0 || b < 0 || a+b > longest {
		return noBound
	}
	return a + b
}

// asserts tells whether an expression has an assertion.
func asserts(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginLine, syntax.OpBeginText, syntax.OpEndLine, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return true
	}
	for _, sub := range re.Sub {
		if asserts(sub) {
			return true
		}
	}
	return false
}

// often is how many of a thousand bytes of text are this one, by a rough guess. Only speed depends on it.
func often(b byte) float64 {
	switch {
	case b == ' ':
		return 160
	case 'a' <= b && b <= 'z':
		return [...]float64{65, 12, 22, 33, 100, 18, 16, 48, 57, 1, 6, 33, 20, 57, 61, 15, 0.8, 48, 51, 73, 22, 8, 19, 1.5, 16, 0.7}[b-'a']
	case 'A' <= b && b <= 'Z':
		return 3
	case '0' <= b && b <= '9':
		return 5
	case b == '.' || b == ',' || b == '-' || b == '_' || b == '/' || b == ':' || b == '"' || b == '\t':
		return 8
	case b < ' ' || b == 0x7f:
		return 0.1
	case b < 0x80:
		return 2
	}
	return 10
}

// rarest is the place of the byte of a text that is least often.
func rarest(text string) int {
	best := 0
	for i := range len(text) {
		if often(text[i]) < often(text[best]) {
			best = i
		}
	}
	return best
}

// oftenness is how often a text stands in texts, in relation to others.
func oftenness(text string) float64 {
	share := often(text[rarest(text)])
	for range min(len(text)-1, 8) {
		share *= 0.3 // what a further letter rules out, as letters depend on each other
	}
	return share
}
