package automaton

import (
	"bytes"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

// Line is where a line stands in a block, without its LF.
type Line struct{ Start, End int }

// Expr is a regular expression that has been looked at. It does not change.
type Expr struct {
	re     *regexp.Regexp
	prog   *program // nil = there is none,
	why    string   // for this reason
	lit    literal  // empty = no match needs one that is rare
	whole  bool     // lit is all there is to the expression
	bytes  []byte   // of lit
	rare   int      // the place of its rarest byte
	pair   pair     // of its bytes, if there are two
	common bool     // the rarest is not rare
}

// Compile reads an expression in the syntax of package regexp. Its errors are those of regexp.
func Compile(expr string) (*Expr, error) {
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, err
	}
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, err
	}
	tree = tree.Simplify()
	e := &Expr{re: re}
	e.lit, e.whole = required(tree)
	if !e.whole && e.lit.text != "" && oftenness(e.lit.text) > tooOften {
		e.lit = literal{}
	}
	if e.lit.text != "" {
		e.bytes, e.rare = []byte(e.lit.text), rarest(e.lit.text)
		if len(e.bytes) > 1 {
			e.pair, e.common = pairOf(e.lit.text), often(e.bytes[e.rare]) > tooOften
		}
	}
	if e.prog, err = assemble(tree); err != nil {
		e.why = err.Error()
	}
	return e, nil
}

// String is the expression as it was written.
func (e *Expr) String() string { return e.re.String() }

// Scanner finds lines that match an expression. It remembers what it has learned of the text, so it
// belongs to one goroutine.
type Scanner struct {
	expr   *Expr
	states *states // nil = lines are shown to regexp one by one
	every  bool    // each line matches
	parts  [ways]part
	held   [ways]uint32 // the states in which the parts are
	found  []Line
	dense  int // windows in a row in which the literal was too frequent to look for
	rest   int // windows until it is looked for again
	crowd  int // bytes in which its rarest byte is not looked for alone, as it was all over those before; if above 0
}

// NewScanner returns a scanner that has seen nothing yet.
func (e *Expr) NewScanner() *Scanner { return e.scanner(usual) }

func (e *Expr) scanner(limit limits) *Scanner {
	s := &Scanner{expr: e}
	if e.prog != nil {
		s.states = newStates(e.prog, limit)
		s.every = s.states.start == s.states.hit
		for i := range s.held {
			s.held[i] = s.states.start
		}
	}
	return s
}

// Method says in some words how lines are looked for, and, if slowly, why. It may change while a text is scanned.
func (s *Scanner) Method() string {
	switch {
	case s.expr.whole:
		return fmt.Sprintf("literal %q", s.expr.lit.text)
	case s.every:
		return "every line matches"
	case s.states == nil:
		return "line by line, slowly: " + s.expr.why
	case s.states.tired:
		return "line by line, slowly: on this text the automaton would have too many states"
	case s.expr.lit.text != "":
		return fmt.Sprintf("literal %q, and an automaton around it", s.expr.lit.text)
	}
	return "automaton"
}

// Slow tells whether lines are shown to package regexp one by one.
func (s *Scanner) Slow() bool { return strings.HasPrefix(s.Method(), "line by line") }

// window is about how many bytes are scanned before what was found is handed on.
const window = 256 << 10

// Each calls f with each line of a block that matches, in order. A block begins where a line does;
// its last line may have no LF. Each ends with the first error of f, and returns it.
func (s *Scanner) Each(block []byte, f func(Line) error) error {
	for from := 0; from < len(block); {
		to := lineBehind(block, min(from+window, len(block)), len(block))
		s.found = s.scan(block, from, to, s.found[:0])
		for _, line := range s.found {
			if err := f(line); err != nil {
				return err
			}
		}
		from = to
	}
	return nil
}

// Count returns how many lines of a block match.
func (s *Scanner) Count(block []byte) int {
	n := 0
	for from := 0; from < len(block); {
		to := lineBehind(block, min(from+window, len(block)), len(block))
		s.found = s.scan(block, from, to, s.found[:0])
		n += len(s.found)
		from = to
	}
	return n
}

// scan appends the lines that match and stand between from and to.
func (s *Scanner) scan(block []byte, from, to int, out []Line) []Line {
	switch {
	case s.expr.whole:
		return s.literals(block, from, to, out)
	case s.every, s.states == nil, s.states.tired:
		return s.each(block, from, to, out)
	case s.expr.lit.text != "" && s.rest == 0:
		return s.search(block, from, to, out)
	}
	s.rest = max(s.rest-1, 0)
	return s.parallel(block, from, to, out)
}

// each appends the lines that match, by looking at each.
func (s *Scanner) each(block []byte, from, to int, out []Line) []Line {
	for from < to {
		line := Line{from, to}
		if i := bytes.IndexByte(block[from:to], '\n'); i >= 0 {
			line.End = from + i
		}
		if s.every || s.expr.re.Match(block[line.Start:line.End]) {
			out = append(out, line)
		}
		from = line.End + 1
	}
	return out
}

// Matches calls f with the bounds of the matches in a line, in order, as regexp.FindAllIndex has
// them: they do not overlap, and each is the first that Perl would find. It ends with the first
// error of f, and returns it.
func (s *Scanner) Matches(line []byte, f func(start, end int) error) error {
	if s.expr.whole {
		text := s.expr.lit.text
		for at := 0; ; at += len(text) {
			i := s.index(line[at:])
			if i < 0 {
				return nil
			}
			at += i
			if err := f(at, at+len(text)); err != nil {
				return err
			}
		}
	}
	for _, at := range s.expr.re.FindAllIndex(line, -1) {
		if err := f(at[0], at[1]); err != nil {
			return err
		}
	}
	return nil
}
