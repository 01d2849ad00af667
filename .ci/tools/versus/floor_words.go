package main

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"fmt"
	"math/bits"
	"os"
	"slices"
)

// floorWordcount counts with a table of its own for each worker and writes the words in order.
func floorWordcount(in, out string) error {
	text, err := mapFile(in)
	if err != nil {
		return err
	}
	cut := len(text) / 2
	for cut < len(text) && text[cut] > ' ' {
		cut++
	}
	halves := [2][]byte{text[:cut], text[cut:]}
	counts := [2]*counter{newCounter(), newCounter()}
	if err := both(func(half int) error {
		counts[half].count(halves[half])
		return nil
	}); err != nil {
		return err
	}
	var found []slot
	for _, e := range counts[1].slots {
		if e.n > 0 {
			counts[0].add(e.lo, e.hi, e.n)
		}
	}
	for word, n := range counts[1].long {
		counts[0].long[word] += n
	}
	for _, e := range counts[0].slots {
		if e.n > 0 {
			found = append(found, e)
		}
	}
	slices.SortFunc(found, func(a, b slot) int {
		return cmp.Or(cmp.Compare(bits.ReverseBytes64(a.lo), bits.ReverseBytes64(b.lo)), cmp.Compare(bits.ReverseBytes64(a.hi), bits.ReverseBytes64(b.hi)))
	})
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	for i := range found {
		fmt.Fprintf(w, "%s\t%d\n", found[i].word(), found[i].n)
	}
	for word, n := range counts[0].long {
		fmt.Fprintf(w, "%s\t%d\n", word, n)
	}
	return cmp.Or(w.Flush(), f.Close())
}

// slot counts a word of up to 16 bytes, which it holds as two machine words.
type slot struct {
	lo, hi uint64
	n      int
}

func (s *slot) word() []byte {
	b := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, s.lo), s.hi)
	return b[:16-(bits.LeadingZeros64(s.hi)+(bits.LeadingZeros64(s.lo)*btoi(s.hi == 0)))/8]
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

type counter struct {
	slots []slot // a power of two
	used  int
	long  map[string]int
}

func newCounter() *counter { return &counter{slots: make([]slot, 1<<18), long: make(map[string]int)} }

const (
	low  = 0x0101010101010101
	high = 0x8080808080808080
)

// spaces has the high bit of the first byte of x that is not above a space, and perhaps of later ones.
func spaces(x uint64) uint64 { return (x - low*(' '+1)) &^ x & high }

func (c *counter) count(text []byte) {
	i := 0
	for i+24 <= len(text) {
		if text[i] <= ' ' {
			i++
			continue
		}
		lo := binary.LittleEndian.Uint64(text[i:])
		if m := spaces(lo); m != 0 {
			n := bits.TrailingZeros64(m) / 8
			c.add(lo&(1<<(8*n)-1), 0, 1)
			i += n + 1
			continue
		}
		hi := binary.LittleEndian.Uint64(text[i+8:])
		if m := spaces(hi); m != 0 {
			n := bits.TrailingZeros64(m) / 8
			c.add(lo, hi&(1<<(8*n)-1), 1)
			i += n + 9
			continue
		}
		i = c.slow(text, i)
	}
	for i < len(text) {
		i = c.slow(text, i)
	}
}

// slow counts the word behind i, however long, and returns where it ends.
func (c *counter) slow(text []byte, i int) int {
	for i < len(text) && text[i] <= ' ' {
		i++
	}
	from := i
	for i < len(text) && text[i] > ' ' {
		i++
	}
	switch n := i - from; {
	case n > 16:
		c.long[string(text[from:i])]++
	case n > 0:
		var b [16]byte
		copy(b[:], text[from:i])
		c.add(binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:]), 1)
	}
	return i
}

func (c *counter) add(lo, hi uint64, n int) {
	if 2*c.used >= len(c.slots) {
		bigger := counter{slots: make([]slot, 2*len(c.slots)), long: c.long}
		for _, e := range c.slots {
			if e.n > 0 {
				bigger.add(e.lo, e.hi, e.n)
			}
		}
		*c = bigger
	}
	mask := uint64(len(c.slots) - 1)
	h := (lo ^ bits.RotateLeft64(hi, 31)) * 0x9e3779b97f4a7c15
	for i := h >> 32 & mask; ; i = (i + 1) & mask {
		switch e := &c.slots[i]; {
		case e.n == 0:
			*e = slot{lo, hi, n}
			c.used++
			return
		case e.lo == lo && e.hi == hi:
			e.n += n
			return
		}
	}
}
