package automaton

import (
	"encoding/binary"
	"slices"
	"unicode/utf8"
)

// A span is a range of characters, or of their last bits, both ends included.
type span struct{ lo, hi rune }

// An edge leads from a node, on the bytes from lo to hi, to another node, or to done.
type edge struct {
	lo, hi byte
	to     int32
}

// done is where the last byte of a character leads.
const done = 0

// encoder makes nodes that read the UTF-8 of sets of characters, byte by byte. Equal nodes are one.
type encoder struct {
	nodes [][]edge // by number; 0 is done
	known map[string]int32
	key   []byte
}

func newEncoder() *encoder {
	return &encoder{nodes: make([][]edge, 1), known: map[string]int32{}}
}

// node returns the node with these edges.
func (e *encoder) node(edges []edge) int32 {
	e.key = e.key[:0]
	for _, x := range edges {
		e.key = append(e.key, x.lo, x.hi)
		e.key = binary.LittleEndian.AppendUint32(e.key, uint32(x.to))
	}
	if n, ok := e.known[string(e.key)]; ok {
		return n
	}
	n := int32(len(e.nodes))
	e.nodes = append(e.nodes, edges)
	e.known[string(e.key)] = n
	return n
}

// first returns the node that reads one of the characters in spans, which are in order and apart.
// Halves of surrogate pairs have no UTF-8 and are never read.
func (e *encoder) first(spans []span) int32 {
	var edges []edge
	for _, s := range clip(spans, 0, 0x7f) {
		edges = append(edges, edge{byte(s.lo), byte(s.hi), done})
	}
	for lead := rune(0xc2); lead <= 0xdf; lead++ {
		edges = e.lead(edges, spans, lead, 1, (lead&0x1f)<<6, (lead&0x1f)<<6|0x3f)
	}
	for lead := rune(0xe0); lead <= 0xef; lead++ {
		lo, hi := (lead&0xf)<<12, (lead&0xf)<<12|0xfff
		switch lead {
		case 0xe0:
			lo = 0x800
		case 0xed:
			hi = 0xd7ff
		}
		edges = e.lead(edges, spans, lead, 2, lo, hi)
	}
	for lead := rune(0xf0); lead <= 0xf4; lead++ {
		lo, hi := (lead&7)<<18, (lead&7)<<18|0x3ffff
		edges = e.lead(edges, spans, lead, 3, max(lo, 0x10000), min(hi, utf8.MaxRune))
	}
	return e.node(edges)
}

// lead appends the edge of a first byte, behind which tail more follow, for characters from lo to hi.
func (e *encoder) lead(edges []edge, spans []span, lead rune, tail int, lo, hi rune) []edge {
	inside := clip(spans, lo, hi)
	if len(inside) == 0 {
		return edges
	}
	base := lo &^ (1<<(6*tail) - 1)
	for i := range inside {
		inside[i].lo -= base
		inside[i].hi -= base
	}
	return join(edges, edge{byte(lead), byte(lead), e.tail(inside, tail)})
}

// tail returns the node that reads the last n bytes of characters whose last 6n bits lie in spans.
func (e *encoder) tail(spans []span, n int) int32 {
	if n == 0 {
		return done
	}
	bits := 6 * (n - 1)
	if spans[0].lo == 0 && spans[0].hi == 1<<(6*n)-1 {
		return e.node([]edge{{0x80, 0xbf, e.tail([]span{{0, 1<<bits - 1}}, n-1)}})
	}
	var edges []edge
	for c := spans[0].lo >> bits; c <= spans[len(spans)-1].hi>>bits; c++ {
		lo := c << bits
		inside := clip(spans, lo, lo|(1<<bits-1))
		if len(inside) == 0 {
			continue
		}
		for i := range inside {
			inside[i].lo -= lo
			inside[i].hi -= lo
		}
		edges = join(edges, edge{byte(0x80 + c), byte(0x80 + c), e.tail(inside, n-1)})
	}
	return e.node(edges)
}

// join appends an edge, as part of the last one if it goes on where that one ends.
func join(edges []edge, x edge) []edge {
	if n := len(edges); n > 0 && edges[n-1].to == x.to && edges[n-1].hi+1 == x.lo {
		edges[n-1].hi = x.hi
		return edges
	}
	return append(edges, x)
}

// clip returns what of the spans, which are in order, lies between lo and hi.
func clip(spans []span, lo, hi rune) []span {
	from, _ := slices.BinarySearchFunc(spans, lo, func(s span, lo rune) int { return int(s.hi - lo) })
	var out []span
	for _, s := range spans[from:] {
		if s.lo > hi {
			break
		}
		out = append(out, span{max(s.lo, lo), min(s.hi, hi)})
	}
	return out
}

// How far a character has been read: 0 between characters, and then how many bytes have to follow,
// with the cases in which the next one is not free.
const (
	boundary = iota
	one
	two
	three
	twoE0
	twoED
	threeF0
	threeF4
)

// leads tells what follows a first byte; ok is false for a byte that begins no character.
func leads(b byte) (reading uint8, ok bool) {
	switch {
	case b < 0x80:
		return boundary, true
	case b < 0xc2 || b > 0xf4:
		return boundary, false
	case b < 0xe0:
		return one, true
	case b == 0xe0:
		return twoE0, true
	case b == 0xed:
		return twoED, true
	case b < 0xf0:
		return two, true
	case b == 0xf0:
		return threeF0, true
	case b == 0xf4:
		return threeF4, true
	}
	return three, true
}

// follows tells what follows a further byte; ok is false if it cannot stand there.
func follows(reading uint8, b byte) (next uint8, ok bool) {
	lo, hi := byte(0x80), byte(0xbf)
	switch reading {
	case one:
		next = boundary
	case two:
		next = one
	case three:
		next = two
	case twoE0:
		next, lo = one, 0xa0
	case twoED:
		next, hi = one, 0x9f
	case threeF0:
		next, lo = two, 0x90
	case threeF4:
		next, hi = two, 0x8f
	}
	return next, lo <= b && b <= hi
}

// readingCuts are the bytes at which a range that these functions treat alike begins.
var readingCuts = [...]byte{0x80, 0x90, 0xa0, 0xc0, 0xc2, 0xe0, 0xe1, 0xed, 0xee, 0xf0, 0xf1, 0xf4, 0xf5}
