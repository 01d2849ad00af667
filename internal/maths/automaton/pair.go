package automaton

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// A pair is the two rarest bytes of a literal, by their places in it. Where one byte alone stands
// all over a text, looking for both at once, eight places with each step, finds the literal several
// times as fast as bytes.Index, which then goes from place to place.
type pair struct{ first, second int }

// pairOf is the pair of a literal of at least two bytes.
func pairOf(text string) pair {
	a := rarest(text)
	b := -1
	for i := range len(text) {
		if i != a && (b < 0 || often(text[i]) < often(text[b])) {
			b = i
		}
	}
	return pair{a, b}
}

// least is a byte of 1 in each of the eight; times a byte it is that byte in all of them.
const least = 0x0101010101010101

// zeros tells which of eight bytes are 0, by their highest bits. The lowest of these is always
// right; one above may be wrong.
func zeros(w uint64) uint64 { return (w - least) &^ w & (least << 7) }

// find returns where the literal stands first, -1 if it does not.
func (p pair) find(text, lit []byte) int {
	places := len(text) - len(lit) + 1 // at which it may stand
	if places < 1 {
		return -1
	}
	first, second := text[p.first:], text[p.second:]
	b, c := least*uint64(lit[p.first]), least*uint64(lit[p.second])
	at := 0
	for ; at <= places-4*eight; at += 4 * eight {
		f, s := first[at:at+4*eight], second[at:at+4*eight]
		m := [4]uint64{
			zeros((binary.LittleEndian.Uint64(f) ^ b) | (binary.LittleEndian.Uint64(s) ^ c)),
			zeros((binary.LittleEndian.Uint64(f[8:]) ^ b) | (binary.LittleEndian.Uint64(s[8:]) ^ c)),
			zeros((binary.LittleEndian.Uint64(f[16:]) ^ b) | (binary.LittleEndian.Uint64(s[16:]) ^ c)),
			zeros((binary.LittleEndian.Uint64(f[24:]) ^ b) | (binary.LittleEndian.Uint64(s[24:]) ^ c)),
		}
		if m[0]|m[1]|m[2]|m[3] == 0 {
			continue
		}
		for i, w := range m {
			for ; w != 0; w &= w - 1 {
				n := at + i*eight + bits.TrailingZeros64(w)/8
				if bytes.Equal(text[n:n+len(lit)], lit) {
					return n
				}
			}
		}
	}
	if i := bytes.Index(text[at:], lit); i >= 0 {
		return at + i
	}
	return -1
}
