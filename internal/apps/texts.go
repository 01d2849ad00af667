package apps

import (
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// set is a set of bytes.
type set [4]uint64

func (s *set) add(b byte)      { s[b>>6] |= 1 << (b & 63) }
func (s *set) has(b byte) bool { return s[b>>6]>>(b&63)&1 != 0 }

func (s *set) bytes() (list []byte) {
	for b := range 256 {
		if s.has(byte(b)) {
			list = append(list, byte(b))
		}
	}
	return list
}

// texts are some texts, each with the bytes that may stand at each of its places. nil = any text.
type texts [][]set

const (
	mostTexts = 64
	mostRunes = 1000 // in a class
)

// with is each of these texts with each of the others behind it; nil if that is too many.
func (t texts) with(others texts) (all texts) {
	if len(t)*len(others) > mostTexts {
		return nil
	}
	for _, a := range t {
		for _, b := range others {
			all = append(all, slices.Concat(a, b))
		}
	}
	return all
}

// share is about which share of the places in a text these stand at; only speed depends on it.
func (t texts) share() (sum float64) {
	for _, text := range t {
		part := 1.0
		for _, s := range text[:min(len(text), places)] {
			part *= float64(len(s.bytes())) / 32 // as if letters were all that there is
		}
		sum += part
	}
	return sum
}

// rarer returns those of two that are found at fewer places; nil if either is anywhere.
func rarer(a, b texts) texts {
	empty := func(t []set) bool { return len(t) == 0 }
	if a == nil || slices.ContainsFunc(a, empty) {
		a = nil
	}
	if b == nil || slices.ContainsFunc(b, empty) || a != nil && a.share() <= b.share() {
		return a
	}
	return b
}

// matches is what an expression matches within a line: all or need is known, or neither.
type matches struct {
	all   texts // each match is one of these
	exact bool  // and each of these is a match, wherever it stands
	need  texts // each match has one of these in it
}

var nothing = matches{all: texts{nil}, exact: true}

func matched(re *syntax.Regexp) matches {
	var subs []matches
	for _, sub := range re.Sub {
		m := matched(sub)
		if sub.Op == syntax.OpPlus && re.Op == syntax.OpConcat { // the first one, any, and the last one
			one := matched(sub.Sub[0])
			subs = append(subs, one, m)
			m = one
		}
		subs = append(subs, m)
	}
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			runes := []rune{r, r}
			if re.Flags&syntax.FoldCase != 0 {
				for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
					runes = append(runes, other, other)
				}
			}
			subs = append(subs, ofRunes(runes))
		}
		return concatenated(subs)
	case syntax.OpCharClass:
		return ofRunes(re.Rune)
	case syntax.OpEmptyMatch:
		return nothing
	case syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return matches{all: nothing.all}
	case syntax.OpCapture:
		return subs[0]
	case syntax.OpPlus:
		return matches{need: rarer(subs[0].need, subs[0].all)}
	case syntax.OpQuest:
		return alternated([]matches{subs[0], nothing})
	case syntax.OpConcat:
		return concatenated(subs)
	case syntax.OpAlternate:
		return alternated(subs)
	}
	return matches{}
}

// core is an expression that matches in the same lines: where it begins or ends a match, none of what may be there and
// one of what may come again are enough.
func core(re *syntax.Regexp, begins, ends bool) *syntax.Regexp {
	if !begins && !ends {
		return re
	}
	switch re.Op {
	case syntax.OpStar, syntax.OpQuest:
		return &syntax.Regexp{Op: syntax.OpEmptyMatch}
	case syntax.OpPlus, syntax.OpCapture:
		return core(re.Sub[0], begins, ends)
	case syntax.OpConcat, syntax.OpAlternate:
		of := *re
		of.Sub = slices.Clone(re.Sub)
		for i := range of.Sub {
			is := re.Op == syntax.OpAlternate
			of.Sub[i] = core(of.Sub[i], begins && (is || i == 0), ends && (is || i == len(of.Sub)-1))
		}
		return &of
	}
	return re
}

// concatenated is what they match one behind the other.
func concatenated(subs []matches) matches {
	m := nothing // the texts behind the last part that may be anything
	parts := 1
	for _, sub := range subs {
		all := m.all.with(sub.all)
		if all == nil {
			parts++
			m.need = rarer(rarer(m.need, m.all), sub.need)
			if all = sub.all; all == nil {
				all = nothing.all
			}
		}
		m.all, m.exact = all, m.exact && sub.exact
	}
	if parts > 1 {
		return matches{need: rarer(m.need, m.all)}
	}
	return m
}

// alternated is what one of them matches.
func alternated(subs []matches) matches {
	m := matches{exact: true}
	listed, needed := true, true
	for _, sub := range subs {
		need := rarer(sub.need, sub.all)
		listed, needed = listed && sub.all != nil, needed && need != nil
		m.all, m.need, m.exact = append(m.all, sub.all...), append(m.need, need...), m.exact && sub.exact
	}
	switch {
	case listed && len(m.all) <= mostTexts:
		m.need = nil
	case needed && len(m.need) <= mostTexts:
		return matches{need: m.need}
	default:
		return matches{}
	}
	return m
}

// ofRunes is a rune of these ranges.
func ofRunes(ranges []rune) matches {
	m := matches{exact: true}
	var of [utf8.UTFMax + 1][]set // by the length of runes
	count := 0
	for i := 0; i < len(ranges); i += 2 {
		from, to := ranges[i], ranges[i+1]
		// U+FFFD matches any byte that is not UTF-8 as well
		if count += int(to-from) + 1; count > mostRunes || from <= utf8.RuneError && utf8.RuneError <= to {
			return matches{}
		}
		for r := from; r <= to; r++ {
			n := utf8.RuneLen(r)
			if n < 0 || r == '\n' { // which no line has
				continue
			}
			m.exact = m.exact && (n == 1 || of[n] == nil)
			if of[n] == nil {
				of[n] = make([]set, n)
			}
			for at, b := range []byte(string(r)) {
				of[n][at].add(b)
			}
		}
	}
	for _, text := range of {
		if text != nil {
			m.all = append(m.all, text)
		}
	}
	if m.all == nil {
		m.all = texts{make([]set, 1)} // no byte fits
	}
	return m
}
