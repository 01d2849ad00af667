package automaton

import (
	"encoding/binary"
	"slices"
)

// Rows of the table that are no states. Their number comes before those of all states. Both lead to
// themselves on every byte, so that whoever runs several bytes without a look at the state is still
// there.
const (
	unknown = 0 // has to be worked out
	hit     = 1 // the line matches. Times the stride.
)

// limits bound what a scanner keeps, before it starts again.
type limits struct {
	table int // numbers in the table
	items int // in all states together
}

var usual = limits{table: 1 << 20, items: 1 << 20}

// A table that is full is started again if it took so many bytes of text for each of its states and
// items. Else the states cost more than regexp does: some tens of nanoseconds for a byte.
const (
	bytesPerState = 8
	bytesPerItem  = 0.25
)

// An item is what a state remembers of one way through the program: an instruction that comes next,
// or, in the upper half, the node that the character at hand has come to and, in the lower half,
// the instruction behind that.
type item uint64

func (x item) pc() uint32  { return uint32(x) }
func (x item) node() int32 { return int32(x >> 32) }

// state is a set of items, and what was read last.
type state struct {
	from, to int // the items
	context
}

// context is what decides, beside the items, on what comes next.
type context struct {
	first   bool  // nothing was read of the line
	word    bool  // the last byte was one of a word
	reading uint8 // how far a character has been read
	bytes   uint8 // bytes of that character
}

// states is a deterministic automaton that is worked out where the text leads it. States are named
// by the place of their row in the table.
type states struct {
	p     *program
	limit limits

	next  []uint32 // rows of a number for each class of bytes
	all   []state  // by row
	items []item   // of all states
	byKey map[string]uint32
	start uint32 // the state at the begin of a line
	// the states behind a character within a line, not of a word and of one, in which nothing has
	// begun to match
	base [2]uint32
	hit  uint32

	scanned int  // bytes since the table was begun
	tired   bool // it was full too soon

	// The state being made.
	set []item
	context
	matched bool
	seen    []uint32 // by instruction: in which round it was added
	round   uint32
	stack   []uint32
	key     []byte
	old     []item
	aside   []item
	done    []uint32 // behind which instructions a character is complete
}

func newStates(p *program, limit limits) *states {
	limit.table = max(limit.table, 12*int(p.stride)) // rows for what is always there, what is held, and one more
	d := &states{p: p, limit: limit, seen: make([]uint32, len(p.insts)), hit: hit * p.stride}
	d.begin()
	return d
}

// begin empties the table and makes the states that are always there.
func (d *states) begin() {
	d.byKey = map[string]uint32{}
	d.items = d.items[:0]
	d.all = append(d.all[:0], state{}, state{})
	d.next = append(d.next[:0], make([]uint32, 2*d.p.stride)...)
	for c := range d.p.stride {
		d.next[d.hit+c] = d.hit
	}
	d.scanned = 0
	for i := range d.base {
		d.fresh(context{word: i == 1})
		d.add(d.p.start, later)
		d.base[i] = d.name()
	}
	d.fresh(context{first: true})
	d.add(d.p.start, later)
	d.start = d.name()
}

// name returns the state that has been made.
func (d *states) name() uint32 {
	id, ok := d.find()
	if !ok {
		id = d.keep()
	}
	return id
}

// find looks for the state that has been made. Once the line matches, nothing else counts.
func (d *states) find() (uint32, bool) {
	if d.matched {
		return d.hit, true
	}
	d.canonize()
	d.key = append(d.key[:0], byte(btoi(d.first)|btoi(d.word)<<1), d.reading, d.bytes)
	for _, x := range d.set {
		d.key = binary.LittleEndian.AppendUint64(d.key, uint64(x))
	}
	id, ok := d.byKey[string(d.key)]
	return id, ok
}

// keep gives the state, which find did not find, a row.
func (d *states) keep() uint32 {
	id := uint32(len(d.next))
	d.next = append(d.next, make([]uint32, d.p.stride)...)
	d.all = append(d.all, state{len(d.items), len(d.items) + len(d.set), d.context})
	d.items = append(d.items, d.set...)
	d.byKey[string(d.key)] = id
	return id
}

// canonize gives equal states equal descriptions.
func (d *states) canonize() {
	slices.Sort(d.set)
	d.set = slices.Compact(d.set)
	asserts := false
	for _, x := range d.set {
		asserts = asserts || d.p.insts[x.pc()].kind != read && x.node() == 0
	}
	d.first = d.first && asserts
	d.word = d.word && d.p.words
}

// full tells whether there is no room for one more state.
func (d *states) full() bool {
	return len(d.next)+int(d.p.stride) > d.limit.table || len(d.items)+len(d.set) > d.limit.items
}

// restart empties the table but for the states that are held. If the table filled up too soon to be worth its cost, the
// automaton is tired of it.
func (d *states) restart(held []uint32) {
	if float64(d.scanned) < bytesPerState*float64(len(d.all))+bytesPerItem*float64(len(d.items)) {
		d.tired = true
	}
	type kept struct {
		items []item
		context
	}
	var keep []kept
	for _, id := range held {
		st := d.all[id/d.p.stride]
		keep = append(keep, kept{slices.Clone(d.items[st.from:st.to]), st.context})
	}
	d.begin()
	for i, k := range keep {
		if held[i] == d.hit {
			continue
		}
		d.fresh(k.context)
		d.set = append(d.set, k.items...)
		held[i] = d.name()
	}
}

// fresh begins to make a state.
func (d *states) fresh(c context) {
	d.set, d.context, d.matched = d.set[:0], c, false
	d.round++
}

// ahead is what an assertion needs to know of what comes next.
type ahead uint8

const (
	later  ahead = iota // nothing is known yet
	atEnd               // the line ends
	atWord              // a letter of a word
	atElse              // another character
)

// add adds what comes at an instruction to the state being made, past assertions that are known to hold.
func (d *states) add(pc uint32, next ahead) {
	boundary := d.word != (next == atWord)
	d.stack = append(d.stack[:0], pc)
	for len(d.stack) > 0 {
		pc := d.stack[len(d.stack)-1]
		d.stack = d.stack[:len(d.stack)-1]
		if d.seen[pc] == d.round {
			continue
		}
		d.seen[pc] = d.round
		in := &d.p.insts[pc]
		holds := false
		switch in.kind {
		case fork:
			d.stack = append(d.stack, in.arg, in.out)
			continue
		case match:
			d.matched = true
			continue
		case fail:
			continue
		case read:
			d.set = append(d.set, item(pc))
			continue
		case pass:
			holds = true
		case begin:
			holds = d.first
		case end:
			holds = next == atEnd
		case word:
			holds = boundary
		case inner:
			holds = !boundary
		}
		switch {
		case next == later && (in.kind == end || in.kind == word || in.kind == inner):
			d.set = append(d.set, item(pc))
		case holds:
			d.stack = append(d.stack, in.out)
		}
	}
}

// settle lets assertions hold or fail, now that it is known what comes next. What remains reads characters.
func (d *states) settle(next ahead) {
	d.old = append(d.old[:0], d.set...)
	d.fresh(d.context)
	for _, x := range d.old {
		if x.node() != 0 {
			d.set = append(d.set, x)
		} else {
			d.add(x.pc(), next)
		}
	}
}

// step works out where a class of bytes leads from a state, and returns that. held are the states
// that the caller will go on from, in case the table is started again.
func (d *states) step(from uint32, class uint8, held []uint32) uint32 {
	st := d.all[from/d.p.stride]
	d.fresh(st.context)
	d.set = append(d.set, d.items[st.from:st.to]...)
	b := d.p.sample[class]
	switch {
	case b == '\n':
		d.endLine()
	case !d.p.decode:
		d.byte(b)
	default:
		d.decode(b)
	}
	to, ok := d.find()
	if !ok {
		if d.full() {
			set, context := slices.Clone(d.set), d.context
			d.restart(held)
			d.fresh(context)
			d.set = append(d.set, set...)
			return d.name()
		}
		to = d.keep()
	}
	d.next[from+uint32(class)] = to
	return to
}

// endLine ends the line: it has matched or the next one begins.
func (d *states) endLine() {
	d.replay()
	if !d.matched {
		d.settle(atEnd)
	}
	if !d.matched {
		d.fresh(context{first: true})
		d.add(d.p.start, later)
	}
}

// byte reads a byte where it does not count where characters begin.
func (d *states) byte(b byte) {
	next := atElse
	if isWord(b) {
		next = atWord
	}
	d.settle(next)
	if d.matched {
		return
	}
	d.read(b)
	d.between(next == atWord)
}

// read goes on with all that reads the byte.
func (d *states) read(b byte) {
	d.old = append(d.old[:0], d.set...)
	d.fresh(context{})
	for _, x := range d.old {
		node := x.node()
		in := &d.p.insts[x.pc()]
		out := x.pc()
		if node == 0 {
			node, out = in.node, in.out
		}
		to, ok := follow(d.p.nodes[node], b)
		switch {
		case !ok:
		case to == done:
			d.done = append(d.done, out)
		default:
			d.set = append(d.set, item(to)<<32|item(out))
		}
	}
}

// between comes behind a character: what it completed goes on, and a match may begin.
func (d *states) between(word bool) {
	d.word = word
	for _, pc := range d.done {
		d.add(pc, later)
	}
	d.done = d.done[:0]
	d.add(d.p.start, later)
}

// decode reads a byte where it counts where characters begin. Within a character a state has two
// kinds of items: nodes, which count if the character is complete, and instructions that read
// U+FFFD, which count if it turns out to be none.
func (d *states) decode(b byte) {
	if d.reading != boundary {
		if next, ok := follows(d.reading, b); ok {
			bytes := d.bytes + 1
			invalid := d.instructions()
			d.read(b) // of instructions nothing remains, as no character begins so
			if next == boundary {
				d.between(false)
				return
			}
			d.set = append(d.set, invalid...)
			d.reading, d.bytes = next, bytes
			return
		}
		d.replay()
		if d.matched {
			return
		}
	}
	reading, ok := leads(b)
	next := atElse
	if isWord(b) {
		next = atWord
	}
	d.settle(next)
	if d.matched {
		return
	}
	switch {
	case !ok:
		d.invalid()
	case reading == boundary:
		d.read(b)
		d.between(next == atWord)
	default:
		invalid := d.instructions()
		d.read(b)
		d.set = append(d.set, invalid...)
		d.reading, d.bytes = reading, 1
	}
}

// instructions returns those items that read U+FFFD.
func (d *states) instructions() []item {
	d.aside = d.aside[:0]
	for _, x := range d.set {
		if x.node() == 0 && d.p.insts[x.pc()].invalid {
			d.aside = append(d.aside, x)
		}
	}
	return d.aside
}

// replay reads the bytes of a character that was none, each as U+FFFD.
func (d *states) replay() {
	for n := d.bytes; n > 0 && !d.matched; n-- {
		d.settle(atElse)
		if !d.matched {
			d.invalid()
		}
	}
}

// invalid reads a byte that is no part of a character.
func (d *states) invalid() {
	for _, x := range d.set {
		if in := &d.p.insts[x.pc()]; x.node() == 0 && in.invalid {
			d.done = append(d.done, in.out)
		}
	}
	d.fresh(context{})
	d.between(false)
}
