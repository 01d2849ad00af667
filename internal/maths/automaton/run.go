package automaton

import (
	"bytes"
	"encoding/binary"
)

// eight is how many bytes are run between two looks at the result.
const eight = 8

// run goes on from a state over the bytes, eight at a time, for as long as no row is missing and no
// line matches. It returns how many bytes it has passed, and the state behind them.
func (d *states) run(text []byte, s uint32) (int, uint32) {
	next, class, stop := d.next, &d.p.class, d.hit
	n := 0
	for ; len(text)-n >= eight; n += eight {
		w := binary.LittleEndian.Uint64(text[n:])
		t := next[s+uint32(class[byte(w)])]
		t = next[t+uint32(class[byte(w>>8)])]
		t = next[t+uint32(class[byte(w>>16)])]
		t = next[t+uint32(class[byte(w>>24)])]
		t = next[t+uint32(class[byte(w>>32)])]
		t = next[t+uint32(class[byte(w>>40)])]
		t = next[t+uint32(class[byte(w>>48)])]
		t = next[t+uint32(class[byte(w>>56)])]
		if t <= stop {
			break
		}
		s = t
	}
	d.scanned += n
	return n, s
}

// ways is how many parts of a block run at once: the table answers several questions in the time of one.
const ways = 4

// runAll does what run does with four texts from four states, for as long as there are eight bytes
// of each. It returns how many bytes of each it has passed.
func (d *states) runAll(text *[ways][]byte, s *[ways]uint32) int {
	next, class, stop := d.next, &d.p.class, d.hit
	a, b, c, e := text[0], text[1], text[2], text[3]
	size := min(len(a), len(b), len(c), len(e)) &^ (eight - 1)
	a, b, c, e = a[:size], b[:size], c[:size], e[:size]
	s0, s1, s2, s3 := s[0], s[1], s[2], s[3]
	n := 0
	for ; n <= size-eight; n += eight {
		v, w, x, y := binary.LittleEndian.Uint64(a[n:]), binary.LittleEndian.Uint64(b[n:]), binary.LittleEndian.Uint64(c[n:]), binary.LittleEndian.Uint64(e[n:])
		t0, t1, t2, t3 := s0, s1, s2, s3
		for range eight {
			t0 = next[t0+uint32(class[byte(v)])]
			t1 = next[t1+uint32(class[byte(w)])]
			t2 = next[t2+uint32(class[byte(x)])]
			t3 = next[t3+uint32(class[byte(y)])]
			v, w, x, y = v>>8, w>>8, x>>8, y>>8
		}
		if min(t0, t1, t2, t3) <= stop {
			break
		}
		s0, s1, s2, s3 = t0, t1, t2, t3
	}
	*s = [ways]uint32{s0, s1, s2, s3}
	d.scanned += ways * n
	return n
}

// A part is a piece of a block, of whole lines, on its way through the automaton.
type part struct {
	begin, at, end int
	found          []Line
}

// parallel appends the lines of a block that match.
func (s *Scanner) parallel(block []byte, from, to int, out []Line) []Line {
	d := s.states
	step := (to - from) / ways
	at := from
	for i := range s.parts {
		p := &s.parts[i]
		p.begin, p.at, p.found = at, at, p.found[:0]
		at = lineBehind(block, min(max(at, from+(i+1)*step), to), to)
		if i == ways-1 {
			at = to
		}
		p.end = at
		s.held[i] = d.start
	}
	for !d.tired {
		var text [ways][]byte
		for i, p := range s.parts {
			text[i] = block[p.at:p.end]
		}
		n := d.runAll(&text, &s.held)
		short := false
		for i := range s.parts {
			s.parts[i].at += n
			short = short || s.parts[i].end-s.parts[i].at < eight
		}
		if short {
			break
		}
		for i := range s.parts {
			if n, to := d.run(text[i][n:n+eight], s.held[i]); n > 0 {
				s.parts[i].at, s.held[i] = s.parts[i].at+n, to
			} else {
				s.crawl(block, i)
			}
		}
	}
	for i := range s.parts {
		s.alone(block, i)
		out = append(out, s.parts[i].found...)
	}
	return out
}

// alone runs a part to its end.
func (s *Scanner) alone(block []byte, i int) {
	p, d := &s.parts[i], s.states
	for p.at < p.end && !d.tired {
		n, to := d.run(block[p.at:p.end], s.held[i])
		p.at += n
		s.held[i] = to
		s.crawl(block, i)
	}
	if d.tired {
		s.giveUp(block, p)
		s.held[i] = d.start
		return
	}
	// The last line may have no LF, and has to be told of its end nevertheless.
	if s.held[i] != d.start && block[p.end-1] != '\n' && s.step(i, '\n') == d.hit {
		p.found = append(p.found, lineAround(block, p.end))
	}
	s.held[i] = d.start
}

// giveUp looks at the rest of a part line by line, from the line on that it is in.
func (s *Scanner) giveUp(block []byte, p *part) {
	at := p.begin + bytes.LastIndexByte(block[p.begin:p.at], '\n') + 1
	if n := len(p.found); n == 0 || p.found[n-1].Start < at { // else it is behind the last line, which has no LF
		p.found = s.each(block, at, p.end, p.found)
	}
	p.at = p.end
}

// step goes on from the state of a part by one byte.
func (s *Scanner) step(i int, b byte) uint32 {
	d := s.states
	from, class := s.held[i], d.p.class[b]
	to := d.next[from+uint32(class)]
	if to == unknown {
		to = d.step(from, class, s.held[:])
	}
	return to
}

// crawl goes on in a part by eight bytes, one by one, or to the end of the line that turns out to match.
func (s *Scanner) crawl(block []byte, i int) {
	p, d := &s.parts[i], s.states
	for range min(eight, p.end-p.at) {
		to := d.next[s.held[i]+uint32(d.p.class[block[p.at]])]
		if to == unknown {
			to = s.step(i, block[p.at])
		}
		p.at++
		if to == d.hit {
			line := lineAround(block, p.at-1)
			p.found = append(p.found, line)
			s.held[i], p.at = d.start, min(line.End+1, p.end)
			return
		}
		s.held[i] = to
	}
	d.scanned += eight
}

// lineAround returns the line in which a byte is; an LF belongs to the line that it ends.
func lineAround(block []byte, at int) Line {
	line := Line{bytes.LastIndexByte(block[:at], '\n') + 1, len(block)}
	if i := bytes.IndexByte(block[at:], '\n'); i >= 0 {
		line.End = at + i
	}
	return line
}

// lineBehind returns where the first line begins at a place or behind it, to if none does before that.
func lineBehind(block []byte, at, to int) int {
	if at == 0 || at >= to || block[at-1] == '\n' {
		return min(at, to)
	}
	if i := bytes.IndexByte(block[at:to], '\n'); i >= 0 {
		return at + i + 1
	}
	return to
}
