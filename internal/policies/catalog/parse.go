package catalog

import (
	"errors"
	"fmt"
	"strings"

	"github.com/slackline/slackline/internal/policies/compose"
)

// term is one part of a policy as written, at a byte of the text.
type term struct {
	name string
	at   int
	args []arg
}

type arg struct {
	key, value string
	at, end    int  // of the key
	bare       bool // only the key is written: it switches something on
}

func (t term) errorf(text, format string, args ...any) error {
	return wrong(text, t.at, format, args...)
}

// blame tells an error of the entry's own at the parameter that is at fault, else at the term.
func (t term) blame(text string, err error) error {
	if m, ok := errors.AsType[*compose.Misuse](err); ok {
		for _, a := range t.args {
			if a.key == m.Param {
				return a.errorf(text, "%v", err)
			}
		}
	}
	return t.errorf(text, "%v", err)
}

func (a arg) errorf(text, format string, args ...any) error {
	return wrong(text, a.at, format, args...)
}

// wrong is a sentence about the text with the place, counted in characters from 1.
func wrong(text string, at int, format string, args ...any) error {
	return fmt.Errorf("policy %q, character %d: %s", text, len([]rune(text[:at]))+1, fmt.Sprintf(format, args...))
}

// reader walks the text.
type reader struct {
	text string
	at   int
}

// parse reads the grammar; names and values are not looked at.
func parse(text string) ([]term, error) {
	r := &reader{text: text}
	var terms []term
	for {
		t, err := r.term()
		if err != nil {
			return nil, err
		}
		terms = append(terms, t)
		if r.done() {
			return terms, nil
		}
		if !r.take('+') {
			return nil, wrong(text, r.at, "found %s where \"+\" or the end was expected", r.here())
		}
	}
}

func (r *reader) term() (t term, err error) {
	r.skip()
	t.at = r.at
	if t.name = r.word(); t.name == "" {
		return t, wrong(r.text, r.at, "found %s where the name of a policy or part was expected", r.here())
	}
	if !r.take('(') {
		return t, nil
	}
	for !r.take(')') {
		if len(t.args) > 0 && !r.take(',') {
			return t, wrong(r.text, r.at, "found %s where \",\" or \")\" was expected", r.here())
		}
		r.skip()
		a := arg{at: r.at}
		if a.key = r.word(); a.key == "" {
			return t, wrong(r.text, r.at, "found %s where the name of a parameter was expected", r.here())
		}
		a.end = r.at
		if !r.take('=') {
			a.bare, a.value = true, "true"
			t.args = append(t.args, a)
			continue
		}
		r.skip()
		if a.value = r.word(); a.value == "" {
			return t, wrong(r.text, r.at, "found %s where the value of %s was expected", r.here(), a.key)
		}
		t.args = append(t.args, a)
	}
	return t, nil
}

func (r *reader) skip() {
	for r.at < len(r.text) && (r.text[r.at] == ' ' || r.text[r.at] == '\t') {
		r.at++
	}
}

func (r *reader) done() bool {
	r.skip()
	return r.at == len(r.text)
}

func (r *reader) take(c byte) bool {
	if r.done() || r.text[r.at] != c {
		return false
	}
	r.at++
	return true
}

// word takes everything up to a mark of the grammar or a space.
func (r *reader) word() string {
	from := r.at
	for r.at < len(r.text) && !strings.ContainsRune("+(),= \t", rune(r.text[r.at])) {
		r.at++
	}
	return r.text[from:r.at]
}

// valueless says that a parameter lacks its value.
func (a arg) valueless(text string) error {
	r := reader{text: text, at: a.end}
	r.skip()
	return wrong(text, r.at, "found %s where \"=\" and the value of %s was expected", r.here(), a.key)
}

// here names what stands at the reader's place.
func (r *reader) here() string {
	if r.at >= len(r.text) {
		return "the end of the text"
	}
	for _, c := range r.text[r.at:] {
		return fmt.Sprintf("%q", string(c))
	}
	return ""
}
