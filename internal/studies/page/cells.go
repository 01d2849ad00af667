package page

import (
	"math/bits"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// cells are rows of several slots each, with time in cells of one width that doubles as the run grows.
type cells struct {
	level int
	index map[rowKey]int32
	rowOf []int32 // of a lane
	first []int32 // lane of a row
	kinds []uint8
	slots []int // lanes of a row
	list  [][]cell
	bins  int // of a row
	width units.Duration
}

type rowKey struct {
	node sched.NodeID
	rack cluster.RackID
	kind uint8
}

type cell struct {
	busy, wasted units.Duration // summed over the slots
	n            int32          // attempts that began in it
	mix          mix
}

func newCells(level int, lanes []lane) cells {
	c := cells{level: level, index: map[rowKey]int32{}, bins: 2, width: units.Microsecond}
	for _, p := range lanes {
		c.know(p)
	}
	return c
}

// know gives a lane its row.
func (c *cells) know(p lane) {
	key := rowKey{kind: p.kind}
	if c.level <= byRack {
		key.rack = p.rack
	}
	if c.level <= byNode {
		key.node = p.node
	}
	row, there := c.index[key]
	if !there {
		row = int32(len(c.first))
		c.index[key] = row
		c.first, c.kinds = append(c.first, int32(len(c.rowOf))), append(c.kinds, p.kind)
		c.slots, c.list = append(c.slots, 0), append(c.list, nil)
	}
	c.rowOf = append(c.rowOf, row)
	c.slots[row]++
}

func (c *cells) rows() int { return len(c.first) }

// count is how many cells there may be.
func (c *cells) count() int { return c.rows() * c.bins }

// size takes as many cells as the budget gives, with some room for rows to come.
func (c *cells) size(budget int) {
	c.bins = max(2, min(mostCells, budget/max(1, c.rows()+c.rows()/8))&^1)
}

// spread shares a bar out over the cells, each getting what falls into it, and the last one the
// rest, so that nothing is lost.
func (c *cells) spread(row int32, b *bar) {
	for int64(b.end)/int64(c.bins) >= int64(c.width) {
		c.widen()
	}
	list := c.list[row]
	if last := int(int64(b.end) / int64(c.width)); last >= len(list) {
		list = append(list, make([]cell, last+1-len(list))...)
		c.list[row] = list
	}
	from, to := int64(b.begin)/int64(c.width), int64(b.end)/int64(c.width)
	list[from].n += b.n
	if from == to {
		list[from].put(b, b.busy, b.wasted)
		return
	}
	var busy, wasted units.Duration
	for i := from; i <= to; i++ {
		untilBusy := b.busy
		if i < to {
			untilBusy = part(b.busy, units.Duration((i+1)*int64(c.width)-int64(b.begin)), b.end.Sub(b.begin))
		}
		untilWasted := part(b.wasted, untilBusy, b.busy)
		list[i].put(b, untilBusy-busy, untilWasted-wasted)
		busy, wasted = untilBusy, untilWasted
	}
}

// part is d × x ÷ of, rounded down, where x is at most of; 0 of nothing. It is exact, as what
// rounding adds to one cell might be more than the cell has.
func part(d, x, of units.Duration) units.Duration {
	if d <= 0 || of <= 0 {
		return 0
	}
	high, low := bits.Mul64(uint64(d), uint64(x))
	q, _ := bits.Div64(high, low, uint64(of))
	return units.Duration(q)
}

// put adds so much of a bar to a cell.
func (l *cell) put(b *bar, busy, wasted units.Duration) {
	l.busy += busy
	l.wasted += wasted
	if busy == b.busy {
		l.mix.join(&b.mix)
		return
	}
	for i, w := range b.mix.weights {
		l.mix.add(b.mix.jobs[i], int64(part(units.Duration(w), busy, b.busy)))
	}
}

// widen doubles the width of the cells.
func (c *cells) widen() {
	c.width *= 2
	for r, list := range c.list {
		half := (len(list) + 1) / 2
		for i := range half {
			l := list[2*i]
			if 2*i+1 < len(list) {
				o := &list[2*i+1]
				l.busy += o.busy
				l.wasted += o.wasted
				l.n += o.n
				l.mix.join(&o.mix)
			}
			list[i] = l
		}
		clear(list[half:])
		c.list[r] = list[:half]
	}
}

// fit returns the same in as many cells as the budget gives for this length of the run.
func (c *cells) fit(lanes []lane, budget int, until units.Time) cells {
	next := newCells(c.level, lanes)
	next.bins = max(1, min(mostCells, budget/max(1, next.rows())))
	next.width = max(1, units.Duration(int64(until)/int64(next.bins)+1))
	for row := range c.list {
		c.each(int32(row), until, func(b *bar) { next.spread(int32(row), b) })
	}
	return next
}

// each shows the cells of a row in which anything ran, as bars that end with the run.
func (c *cells) each(row int32, until units.Time, do func(*bar)) {
	stage := [laneKinds]sched.Stage{mapSlots: sched.Map, reduceSlots: sched.Reduce, containers: sched.Stages}
	for i := range c.list[row] {
		l := &c.list[row][i]
		if l.n == 0 && l.busy == 0 {
			continue
		}
		begin, end := units.Time(int64(i)*int64(c.width)), units.Time(int64(i+1)*int64(c.width))
		do(&bar{begin: begin, end: min(max(until, begin), end), busy: l.busy, wasted: l.wasted, n: l.n,
			stage: stage[c.kinds[row]], mix: l.mix})
	}
}
