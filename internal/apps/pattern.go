package apps

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"regexp"
	"regexp/syntax"
)

// A pattern finds the lines that match a regular expression. Package regexp looks at some 20 to 100
// MB/s, so it is shown only lines that have a text which each match contains, where such texts are
// known (texts.go). The others are shown one by one: package regexp is faster with a line than with
// a block, for which it has only its slowest matcher.
type pattern struct {
	*regexp.Regexp
	sieve *sieve // of the texts; nil = none are known
	whole bool   // a line that has a text matches
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
	p := &pattern{Regexp: re}
	// regexp.LiteralPrefix is no answer: it takes ^x$ for nothing but x
	found := matched(core(tree.Simplify(), true, true))
	if need := rarer(found.need, found.all); need != nil {
		p.sieve, p.whole = newSieve(need), found.exact
	}
	return p, nil
}

// each calls f with the lines of a block that match, in order, until f returns an error.
func (p *pattern) each(block []byte, f func(line []byte) error) error {
	find := func([]byte) int { return 0 }
	if p.sieve != nil {
		find = p.sieve.finder(block)
	}
	for len(block) > 0 {
		at := find(block)
		if at < 0 {
			return nil
		}
		block = block[bytes.LastIndexByte(block[:at], '\n')+1:]
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

// A sieve finds where one of some texts stands. By the first places of each it finds where one may,
// with one bit for each place and each of eight kinds of texts, and one step for each byte
// (Baeza-Yates and Gonnet, "A new approach to text searching", 1992); then it compares. A bit is 0
// where the bytes so far fit.
type sieve struct {
	texts   texts
	depth   int         // places that are looked at
	misfits [256]uint64 // eight bits for each place, the last place at the top
	begin   uint64
}

const (
	kinds  = 8
	places = 8
	half   = 256        // bytes that are looked at beside as many others, so that neither waits for the other's steps
	none   = 0xff << 56 // what does not fit is not below
)

func newSieve(of texts) *sieve {
	s := &sieve{texts: of, depth: places}
	for _, t := range of {
		s.depth = min(s.depth, len(t))
	}
	s.begin = ^uint64(0) << (8 * (places - s.depth))
	for b := range s.misfits {
		s.misfits[b] = s.begin
	}
	for i, t := range of {
		kind := i * kinds / max(len(of), kinds)
		for place, set := range t[:s.depth] {
			for b := range s.misfits {
				if set.has(byte(b)) {
					s.misfits[b] &^= 1 << (8*(places-s.depth+place) + kind)
				}
			}
		}
	}
	return s
}

// finder returns what finds the place of a text in a block and its parts, -1 where there is none. One
// text is found by the two places of it that are rarest where the block begins.
func (s *sieve) finder(block []byte) func([]byte) int {
	if len(s.texts) > 1 {
		return s.find
	}
	sample := block[:min(len(block), 4<<10)]
	var rarest [2]spot
	least := [2]int{math.MaxInt, math.MaxInt}
	for at, set := range s.texts[0][:min(len(s.texts[0]), 16)] {
		p, ok := spotOf(at, set)
		if !ok {
			continue
		}
		n := bytes.Count(sample, []byte{byte(p.fits)}) + bytes.Count(sample, []byte{byte(p.fits &^ p.fold)})
		if n < least[0] {
			rarest, least = [2]spot{p, rarest[0]}, [2]int{n, least[0]}
		} else if n < least[1] {
			rarest[1], least[1] = p, n
		}
	}
	switch {
	case least[0] == math.MaxInt:
		return s.find
	case least[1] == math.MaxInt:
		rarest[1] = rarest[0]
	}
	return func(b []byte) int { return s.pair(b, rarest[0], rarest[1]) }
}

// spot is a place of a text with one byte, or one letter in both cases. Its byte stands in each of a word's.
type spot struct {
	at         int
	fits, fold uint64 // a byte fits if it is this one once the bits of fold are set
}

func spotOf(at int, s set) (spot, bool) {
	bytes := s.bytes()
	switch {
	case len(bytes) == 1:
		return spot{at, each8 * uint64(bytes[0]), 0}, true
	case len(bytes) == 2 && bytes[0]|' ' == bytes[1]:
		return spot{at, each8 * uint64(bytes[1]), each8 * ' '}, true
	}
	return spot{}, false
}

const each8 = 0x0101010101010101

// pair finds the one text, looking for two of its places in eight bytes at once.
func (s *sieve) pair(b []byte, p, q spot) int {
	const step = 32
	i := 0
	for last := len(b) - max(p.at, q.at) - step; i <= last; i += step {
		atP, atQ := (*[step]byte)(b[i+p.at:]), (*[step]byte)(b[i+q.at:])
		if both(atP, atQ, 0, p, q)|both(atP, atQ, 8, p, q)|both(atP, atQ, 16, p, q)|both(atP, atQ, 24, p, q) == 0 {
			continue
		}
		for k := 0; k < step; k += 8 {
			for fits := both(atP, atQ, k, p, q); fits != 0; fits &= fits - 1 {
				if at := i + k + bits.TrailingZeros64(fits)/8; s.has(b[at:]) {
					return at
				}
			}
		}
	}
	for ; i < len(b); i++ {
		if s.has(b[i:]) {
			return i
		}
	}
	return -1
}

// both has a bit for the first of eight bytes at which both places fit, and perhaps for later ones.
func both(atP, atQ *[32]byte, i int, p, q spot) uint64 {
	odd := binary.LittleEndian.Uint64(atP[i:i+8]) | p.fold ^ p.fits | (binary.LittleEndian.Uint64(atQ[i:i+8]) | q.fold ^ q.fits)
	return (odd - each8) &^ odd & (each8 << 7)
}

// find returns where the first places of a text end, -1 if there is none.
func (s *sieve) find(b []byte) int {
	from := 0
	for ; from+2*half <= len(b); from += 2 * (half - places) {
		if to := from + 2*half - places; s.mayHave(b[from:from+half], b[to-half:to]) {
			if at := s.search(b, from, to); at >= 0 {
				return at
			}
		}
	}
	return s.search(b, from, len(b))
}

// mayHave looks at two parts of a block at once.
func (s *sieve) mayHave(a, b []byte) bool {
	fitA, fitB, all := s.begin, s.begin, ^uint64(0)
	b = b[:len(a)]
	for i := range a {
		fitA = fitA<<8 | s.misfits[a[i]]
		fitB = fitB<<8 | s.misfits[b[i]]
		all &= fitA & fitB
	}
	return all < none
}

func (s *sieve) search(b []byte, from, to int) int {
	fit := s.begin
	for i := from; i < to; i++ {
		if fit = fit<<8 | s.misfits[b[i]]; fit < none && s.has(b[i+1-s.depth:]) {
			return i
		}
	}
	return -1
}

// has tells whether b begins with one of the texts.
func (s *sieve) has(b []byte) bool {
texts:
	for _, t := range s.texts {
		for i := range t {
			if i == len(b) || !t[i].has(b[i]) {
				continue texts
			}
		}
		return true
	}
	return false
}
