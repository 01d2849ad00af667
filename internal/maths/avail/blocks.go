package avail

import "github.com/slackline/slackline/units"

// blockSize is how many steps a block holds. Smaller ones make the list of blocks long, larger ones
// make an insertion move more: with a step for each of 100,000 slots, 256 take half the time of 64,
// and with some thousand steps no more.
const blockSize = 256

// blocks is a list of steps sorted by instant, no two at the same, in blocks: what is taken from
// its front costs nothing, and what is put in moves a block at most. Blocks lie in one piece of
// memory; those that were used up are used again.
type blocks struct {
	order []block // order[head:] are in use, by rising instant; none is empty
	head  int
	room  []Step // block k has room[k*blockSize:][:blockSize]
	free  []int32
}

// A block's steps are those from lo to hi of its room.
type block struct {
	first  units.Time // the instant of the first step
	at     int32      // which room
	lo, hi int32
}

// A mark is where what is left begins: behind so many slots of a step.
type mark struct{ block, step, slots int }

// of returns the steps of a block.
func (b *blocks) of(i int) []Step {
	k := &b.order[i]
	return b.room[int(k.at)*blockSize:][k.lo:k.hi]
}

// take finds room for a block.
func (b *blocks) take() int32 {
	if n := len(b.free); n > 0 {
		at := b.free[n-1]
		b.free = b.free[:n-1]
		return at
	}
	at := len(b.room) / blockSize
	b.room = append(b.room, make([]Step, blockSize)...)
	return int32(at)
}

// load replaces all there is.
func (b *blocks) load(steps []Step) {
	b.order, b.head, b.free, b.room = b.order[:0], 0, b.free[:0], b.room[:0]
	for len(steps) > 0 {
		n := min(len(steps), blockSize*3/4)
		at := b.take()
		copy(b.room[int(at)*blockSize:], steps[:n])
		b.order = append(b.order, block{steps[0].At, at, 0, int32(n)})
		steps = steps[n:]
	}
}

// copy replaces all there is by what o has.
func (b *blocks) copy(o *blocks) {
	b.order, b.head, b.free, b.room = append(b.order[:0], o.order[o.head:]...), 0, b.free[:0], b.room[:0]
	for i := range b.order {
		k := &b.order[i]
		steps := o.of(o.head + i)
		k.at = b.take()
		k.lo, k.hi = 0, int32(copy(b.room[int(k.at)*blockSize:], steps))
	}
}

// cut drops all steps before the mark.
func (b *blocks) cut(p mark) {
	for ; b.head < p.block; b.head++ {
		b.free = append(b.free, b.order[b.head].at)
	}
	if p.block == len(b.order) {
		return
	}
	k := &b.order[p.block]
	if k.lo += int32(p.step); k.lo == k.hi {
		b.free = append(b.free, k.at)
		b.head++
	} else {
		steps := b.of(p.block)
		steps[0].Slots -= p.slots
		k.first = steps[0].At
	}
	if b.head > 16 && b.head > len(b.order)/2 {
		b.order, b.head = b.order[:copy(b.order, b.order[b.head:])], 0
	}
}

// trim drops the last n slots.
func (b *blocks) trim(n int) {
	for n > 0 {
		i := len(b.order) - 1
		steps := b.of(i)
		last := &steps[len(steps)-1]
		if last.Slots > n {
			last.Slots -= n
			return
		}
		n -= last.Slots
		if b.order[i].hi--; b.order[i].hi == b.order[i].lo {
			b.free = append(b.free, b.order[i].at)
			b.order = b.order[:i]
		}
	}
}

// insert puts sorted steps, no two at the same instant, where they belong.
func (b *blocks) insert(steps []Step) {
	if b.head == len(b.order) {
		b.load(steps)
		return
	}
	for i := b.head; len(steps) > 0; {
		i = b.search(i, steps[0].At)
		n := min(len(steps), blockSize/2)
		if i+1 < len(b.order) && steps[n-1].At >= b.order[i+1].first {
			for n = 1; steps[n].At < b.order[i+1].first; n++ {
			}
		}
		if b.fit(i, steps[:n]) {
			steps = steps[n:]
		} else {
			i = b.split(i) // and try again: half a block has room for half a block
		}
	}
}

// search returns the last block from i on that begins at or before the instant, i if there is none.
func (b *blocks) search(i int, at units.Time) int {
	for n := len(b.order) - i; n > 1; { // without a jump that depends on the outcome
		half := n >> 1
		h := i + half
		if b.order[h].first <= at {
			i = h
		}
		n -= half
	}
	return i
}

// fit merges steps into a block from its end on, and returns false if they do not fit.
func (b *blocks) fit(i int, steps []Step) bool {
	o := &b.order[i]
	room := b.room[int(o.at)*blockSize:][:blockSize]
	if int(o.hi)+len(steps) > blockSize {
		if int(o.hi-o.lo)+len(steps) > blockSize {
			return false
		}
		copy(room, room[o.lo:o.hi])
		o.lo, o.hi = 0, o.hi-o.lo
	}
	if end := &room[o.hi-1]; end.At <= steps[0].At { // as where all tasks take as long
		if end.At == steps[0].At {
			end.Slots += steps[0].Slots
			steps = steps[1:]
		}
		o.hi += int32(copy(room[o.hi:], steps))
		return true
	}
	k, w := int(o.hi)-1, int(o.hi)+len(steps) // what is merged stands from w on
	// the last of steps goes behind all that are not after it: behind lo
	at, lo := steps[len(steps)-1].At, int(o.lo)-1
	for n := k - lo + 1; n > 1; {
		half := n >> 1
		h := lo + half
		if room[h].At <= at {
			lo = h
		}
		n -= half
	}
	if len(steps) == 1 && lo >= int(o.lo) && room[lo].At == at {
		room[lo].Slots += steps[0].Slots
		return true
	}
	copy(room[lo+1+len(steps):w], room[lo+1:k+1])
	w -= k - lo
	k = lo
	o.hi += int32(len(steps))
	for j := len(steps) - 1; j >= 0; j-- {
		p := steps[j]
		for k >= int(o.lo) && room[k].At > p.At {
			w--
			room[w] = room[k]
			k--
		}
		if k >= int(o.lo) && room[k].At == p.At {
			p.Slots += room[k].Slots
			k--
		}
		w--
		room[w] = p
	}
	if w > k+1 { // some were at the same instant
		o.hi = int32(k + 1 + copy(room[k+1:], room[w:o.hi]))
	}
	o.first = room[o.lo].At
	return true
}

// split makes two blocks of one, and returns where the first of them is.
func (b *blocks) split(i int) int {
	at := b.take()
	if b.head > 0 && i-b.head < len(b.order)-i { // the shorter part of the list moves
		b.head--
		copy(b.order[b.head:i], b.order[b.head+1:i+1])
		i--
	} else {
		b.order = append(b.order, block{})
		copy(b.order[i+1:], b.order[i:])
	}
	o, u := &b.order[i], &b.order[i+1]
	middle := (o.lo + o.hi) / 2
	u.at, u.lo, u.hi = at, 0, o.hi-middle
	copy(b.room[int(at)*blockSize:], b.room[int(o.at)*blockSize:][middle:o.hi])
	u.first, o.hi = b.room[int(at)*blockSize].At, middle
	return i
}
