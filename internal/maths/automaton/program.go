package automaton

import (
	"encoding/binary"
	"errors"
	"fmt"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// maxProgram bounds the instructions, and the nodes, of an expression that is made an automaton.
const maxProgram = 1 << 13

// program is an expression as a nondeterministic automaton over bytes.
type program struct {
	insts  []inst
	start  uint32
	nodes  [][]edge
	class  [256]uint8 // of bytes that no state tells apart
	sample []byte     // one byte of each class
	stride uint32     // classes
	lf     uint8      // the class of '\n'
	words  bool       // it has a \b or \B

	// decode: where characters begin has to be known, as something matches U+FFFD, hence bytes that
	// are no UTF-8, or as \B is true within characters. Otherwise it need not, as no other byte of
	// a character is like a first one.
	decode bool
}

type kind uint8

const (
	read  kind = iota // one of the characters that node reads, then out
	fork              // out or arg
	pass              // out
	begin             // at the begin of a line: out
	end               // at the end of a line: out
	word              // at \b: out
	inner             // at \B: out
	match
	fail
)

type inst struct {
	kind     kind
	invalid  bool // of read: it reads U+FFFD, hence each byte that is no UTF-8
	out, arg uint32
	node     int32
}

// assemble makes the program of a simplified expression, or tells why there is none.
func assemble(re *syntax.Regexp) (*program, error) {
	prog, err := syntax.Compile(re)
	if err != nil {
		return nil, err
	}
	if len(prog.Inst) > maxProgram {
		return nil, fmt.Errorf("it has %d instructions, more than %d", len(prog.Inst), maxProgram)
	}
	p := &program{start: uint32(prog.Start)}
	enc := newEncoder()
	var key []byte
	classes := map[string]int32{} // nodes of classes, as repetitions have the same ones many times
	for i := range prog.Inst {
		in := inst{out: prog.Inst[i].Out, arg: prog.Inst[i].Arg}
		switch prog.Inst[i].Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			in.kind = fork
		case syntax.InstCapture, syntax.InstNop:
			in.kind = pass
		case syntax.InstMatch:
			in.kind = match
		case syntax.InstFail:
			in.kind = fail
		case syntax.InstEmptyWidth:
			if in.kind, err = assertion(syntax.EmptyOp(in.arg)); err != nil {
				return nil, err
			}
			p.words = p.words || in.kind == word || in.kind == inner
			p.decode = p.decode || in.kind == inner
		default:
			spans := characters(&prog.Inst[i])
			key = key[:0]
			for _, s := range spans {
				key = binary.LittleEndian.AppendUint64(key, uint64(s.lo)<<32|uint64(s.hi))
			}
			var known bool
			if in.node, known = classes[string(key)]; !known {
				in.node = enc.first(spans)
				classes[string(key)] = in.node
			}
			in.invalid = len(clip(spans, utf8.RuneError, utf8.RuneError)) > 0
			p.decode = p.decode || in.invalid
		}
		p.insts = append(p.insts, in)
		if len(enc.nodes) > maxProgram {
			return nil, fmt.Errorf("its characters need more than %d nodes", maxProgram)
		}
	}
	p.nodes = enc.nodes
	p.classify()
	return p, nil
}

// assertion is the kind of an assertion. A line is all of the text that an expression sees, so that
// ^ is \A and $ is \z.
func assertion(op syntax.EmptyOp) (kind, error) {
	switch op {
	case syntax.EmptyBeginLine, syntax.EmptyBeginText:
		return begin, nil
	case syntax.EmptyEndLine, syntax.EmptyEndText:
		return end, nil
	case syntax.EmptyWordBoundary:
		return word, nil
	case syntax.EmptyNoWordBoundary:
		return inner, nil
	}
	return fail, errors.New("it has an assertion of a kind unknown here")
}

// characters returns what an instruction reads, in order.
func characters(in *syntax.Inst) []span {
	var all []span
	switch in.Op {
	case syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		all = []span{{0, utf8.MaxRune}}
	default:
		if len(in.Rune) == 1 {
			r := in.Rune[0]
			all = append(all, span{r, r})
			if syntax.Flags(in.Arg)&syntax.FoldCase != 0 {
				for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
					all = append(all, span{f, f})
				}
			}
			slices.SortFunc(all, func(a, b span) int { return int(a.lo - b.lo) })
		}
		for i := 0; i+1 < len(in.Rune); i += 2 {
			all = append(all, span{in.Rune[i], in.Rune[i+1]})
		}
	}
	return all
}

// classify finds the classes of bytes.
func (p *program) classify() {
	var cut [257]bool
	cut['\n'], cut['\n'+1] = true, true
	for _, edges := range p.nodes {
		for _, e := range edges {
			cut[e.lo], cut[int(e.hi)+1] = true, true
		}
	}
	if p.words {
		for b := 1; b < 256; b++ {
			cut[b] = cut[b] || isWord(byte(b)) != isWord(byte(b-1))
		}
	}
	if p.decode {
		for _, b := range readingCuts {
			cut[b] = true
		}
	}
	// Ranges that the same edges lead over are one class, wherever they lie: vowels are. A
	// signature is all that is asked of a byte.
	known := map[string]uint8{}
	var sign []byte
	for b := 0; b < 256; b++ {
		if b > 0 && !cut[b] {
			p.class[b] = p.class[b-1]
			continue
		}
		sign = p.signature(sign[:0], byte(b))
		c, ok := known[string(sign)]
		if !ok {
			c = uint8(len(p.sample))
			known[string(sign)] = c
			p.sample = append(p.sample, byte(b))
		}
		p.class[b] = c
	}
	p.lf = p.class['\n']
	p.stride = uint32(len(p.sample))
}

// signature appends what tells a byte from others: where it leads from each node, and what it is to
// characters and words.
func (p *program) signature(sign []byte, b byte) []byte {
	flags := byte(0)
	if b == '\n' {
		flags |= 1
	}
	if p.words && isWord(b) {
		flags |= 2
	}
	sign = append(sign, flags)
	if p.decode {
		reading, ok := leads(b)
		if !ok {
			reading = 0xff
		}
		sign = append(sign, reading)
		for r := uint8(one); r <= threeF4; r++ {
			_, ok := follows(r, b)
			sign = append(sign, byte(btoi(ok)))
		}
	}
	for _, edges := range p.nodes {
		to := uint32(0xffffffff)
		if n, ok := follow(edges, b); ok {
			to = uint32(n)
		}
		sign = append(sign, byte(to), byte(to>>8), byte(to>>16))
	}
	return sign
}

// follow returns where a byte leads.
func follow(edges []edge, b byte) (int32, bool) {
	for _, e := range edges {
		if e.lo <= b && b <= e.hi {
			return e.to, true
		}
	}
	return 0, false
}

// isWord tells the letters of \w, of which \b knows.
func isWord(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '_'
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
