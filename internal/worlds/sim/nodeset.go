package sim

import "math/bits"

// nodeset is a set of nodes by position, with a summary of its words, so that the next member is
// found in a few steps however few there are.
type nodeset struct {
	words []uint64
	some  []uint64 // bit w: words[w] is not zero
}

func newNodeset(n int) nodeset {
	words := (n + 63) / 64
	return nodeset{words: make([]uint64, words), some: make([]uint64, (words+63)/64)}
}

func (s *nodeset) has(i int) bool { return s.words[i>>6]>>(i&63)&1 != 0 }

func (s *nodeset) put(i int, in bool) {
	w := i >> 6
	if in {
		s.words[w] |= 1 << (i & 63)
		s.some[w>>6] |= 1 << (w & 63)
		return
	}
	if s.words[w] &^= 1 << (i & 63); s.words[w] == 0 {
		s.some[w>>6] &^= 1 << (w & 63)
	}
}

// next returns the first member at or behind i, -1 if there is none.
func (s *nodeset) next(i int) int {
	w := i >> 6
	if w >= len(s.words) {
		return -1
	}
	if rest := s.words[w] >> (i & 63); rest != 0 {
		return i + bits.TrailingZeros64(rest)
	}
	w++
	for sw := w >> 6; sw < len(s.some); sw++ {
		rest := s.some[sw]
		if sw == w>>6 {
			rest = rest >> (w & 63) << (w & 63)
		}
		if rest != 0 {
			w = sw<<6 + bits.TrailingZeros64(rest)
			return w<<6 + bits.TrailingZeros64(s.words[w])
		}
	}
	return -1
}
