package automaton

import (
	"bytes"
	"unicode/utf8"
)

// A literal that stands in text more often than this, of a thousand places, is not worth to be
// looked for, as what stands around it would have to be run through the automaton.
const tooOften = 10

// apart is how many bytes, on average, have to lie between two places of a literal, so that it goes
// on being looked for.
const apart = 64

// literals appends the lines in which the literal stands, if that is all there is to the expression.
func (s *Scanner) literals(block []byte, from, to int, out []Line) []Line {
	for from < to {
		i := s.index(block[from:to])
		if i < 0 {
			break
		}
		line := lineAround(block, from+i)
		out = append(out, line)
		from = line.End + 1
	}
	return out
}

// search appends the lines that match, by the literal that each match contains.
//
// No match begins before from that is not known yet: there a line begins, or else the automaton was in its base state.
func (s *Scanner) search(block []byte, from, to int, out []Line) []Line {
	d, lit := s.states, s.expr.lit
	tries, begin := 0, from
	for from < to && !d.tired {
		i := s.index(block[from:to])
		if i < 0 {
			s.dense = 0
			return out
		}
		i += from
		if tries++; tries*apart > i-begin+8<<10 {
			s.dense = min(s.dense+1, 6)
			s.rest = 1<<s.dense - 1
			from = begin + bytes.LastIndexByte(block[begin:from], '\n') + 1
			return s.parallel(block, from, to, out)
		}
		hit, end := s.around(block, s.before(block, from, i, lit.most), i, to)
		d.scanned += end - from
		if hit {
			line := lineAround(block, end-1)
			out = append(out, line)
			end = line.End + 1
		}
		from = end
	}
	if d.tired && from < to {
		from = begin + bytes.LastIndexByte(block[begin:from], '\n') + 1
		return s.each(block, from, to, out)
	}
	return out
}

// before returns where the automaton has to begin for a literal at i: most bytes before it, if that
// is bounded, but not before from, nor before the line, nor within a character.
func (s *Scanner) before(block []byte, from, i, most int) int {
	at := from
	if most >= 0 {
		at = max(at, i-most)
	}
	low := from
	if n := bytes.LastIndexByte(block[at:i], '\n'); n >= 0 {
		at += n + 1
		low = at
	}
	for at > low && !utf8.RuneStart(block[at]) {
		at--
	}
	return at
}

// around runs the automaton from a place at the begin of a character to one behind i at which
// nothing has begun to match. It tells whether the line matches before that, and where it ended.
func (s *Scanner) around(block []byte, at, i, to int) (bool, int) {
	d := s.states
	s.held[0] = d.start
	if at > 0 && block[at-1] != '\n' {
		s.held[0] = d.base[btoi(isWord(block[at-1]))]
	}
	for ; at < to; at++ {
		s.held[0] = s.step(0, block[at])
		switch s.held[0] {
		case d.hit:
			s.held[0] = d.start
			return true, at + 1
		case d.start, d.base[0], d.base[1]:
			if at >= i {
				return false, at + 1
			}
		}
	}
	matched := block[to-1] != '\n' && s.step(0, '\n') == d.hit
	s.held[0] = d.start
	return matched, to
}

// crowd is for how many bytes the literal is looked for by two of its bytes, before it is tried by its rarest again.
const crowd = 64 * window

// index looks for the literal by its rarest byte. If that is not rare after all, it looks for two of them.
func (s *Scanner) index(text []byte) int {
	e := s.expr
	lit, k := e.lit.text, e.rare
	if e.common || s.crowd > 0 {
		return s.pairs(text, 0)
	}
	end := len(text) - len(lit) + k // of the places at which that byte may stand
	at := k
	for fails := 0; at <= end; at++ {
		i := bytes.IndexByte(text[at:end+1], lit[k])
		if i < 0 {
			return -1
		}
		at += i
		if string(text[at-k:at-k+len(lit)]) == lit {
			return at - k
		}
		if fails++; fails*apart > at+8<<10 {
			s.crowd = crowd
			return s.pairs(text, at-k)
		}
	}
	return -1
}

// pairs looks for the literal from a place on.
func (s *Scanner) pairs(text []byte, at int) int {
	i := s.expr.pair.find(text[at:], s.expr.bytes)
	if i < 0 {
		s.crowd -= len(text) - at
		return -1
	}
	s.crowd -= i
	return at + i
}
