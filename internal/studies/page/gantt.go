package page

import (
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// The finest rows that are drawn.
const (
	bySlot = iota
	byNode // what a node has of a kind
	byRack
	byKind // the whole cluster
)

// Fewer bars than these for each row would show nothing, so rows merge.
const (
	leastBars  = 64
	leastCells = 256
	mostCells  = 2048
)

// bar is one attempt in one slot, or several neighbours in time.
type bar struct {
	begin, end   units.Time
	busy, wasted units.Duration // wasted: of attempts that did not commit
	n            int32          // attempts
	task         sched.TaskID   // of the one attempt
	stage        sched.Stage
	outcome      sched.Outcome // NoOutcome: it still ran
	mix          mix
}

// gantt holds the bars of a run, at most budget of them.
type gantt struct {
	budget int
	level  int
	lanes  []lane  // all so far
	bars   [][]bar // at level bySlot: by lane, in order of time without overlap
	total  int
	width  units.Duration // shorter neighbours that begin in the same stretch of this width are merged
	// at the other levels; twice as many as the budget during the run, as their width
	// doubles
	cells cells
	until units.Time // the last end
}

func newGantt(budget int) *gantt { return &gantt{budget: budget, width: units.Microsecond} }

// grow makes lanes known.
func (g *gantt) grow(lanes []lane) {
	for _, p := range lanes[len(g.lanes):] {
		g.lanes = append(g.lanes, p)
		if g.level == bySlot {
			g.bars = append(g.bars, nil)
		} else {
			g.cells.know(p)
		}
	}
	if g.level != bySlot && g.cells.count() > 2*g.budget {
		g.coarsen()
	}
}

// add takes in an attempt that has ended.
func (g *gantt) add(at int32, b *bar) {
	g.until = max(g.until, b.end)
	if g.level != bySlot {
		g.cells.spread(g.cells.rowOf[at], b)
		return
	}
	g.bars[at] = append(g.bars[at], *b)
	if g.total++; g.total > g.budget {
		g.shrink()
	}
}

// shrink merges until a quarter of the room is free, so that the work is paid for by the bars to come.
func (g *gantt) shrink() {
	if len(g.lanes)*leastBars > g.budget {
		g.coarsen()
		return
	}
	for {
		g.total = 0
		for i := range g.bars {
			g.bars[i] = merge(g.bars[i], g.width)
			g.total += len(g.bars[i])
		}
		if g.total <= g.budget*3/4 {
			return
		}
		g.width *= 2
	}
}

// merge joins neighbours that begin in the same stretch, if both are shorter than it.
func merge(bars []bar, width units.Duration) []bar {
	kept := bars[:0]
	for i := range bars {
		b := &bars[i]
		if len(kept) > 0 {
			last := &kept[len(kept)-1]
			if int64(last.begin)/int64(width) == int64(b.begin)/int64(width) && last.end.Sub(last.begin) < width && b.end.Sub(b.begin) < width {
				last.join(b)
				continue
			}
		}
		kept = append(kept, *b)
	}
	clear(bars[len(kept):])
	return kept
}

// join takes in a bar that comes later.
func (b *bar) join(o *bar) {
	b.end = o.end
	b.busy += o.busy
	b.wasted += o.wasted
	b.n += o.n
	b.mix.join(&o.mix)
	b.task = 0
	if b.stage != o.stage {
		b.stage = sched.Stages
	}
	b.outcome = sched.NoOutcome
}

// coarsen takes rows of nodes, racks or the whole cluster, the finest of which there are few enough.
func (g *gantt) coarsen() {
	level := max(g.level, byNode)
	next := newCells(level, g.lanes)
	for level < byKind && next.rows()*leastCells > g.budget {
		level++
		next = newCells(level, g.lanes)
	}
	next.size(2 * g.budget)
	if g.level == bySlot {
		for i := range g.bars {
			for k := range g.bars[i] {
				next.spread(next.rowOf[i], &g.bars[i][k])
			}
		}
	} else {
		for at, row := range g.cells.rowOf {
			if g.cells.first[row] == int32(at) {
				g.cells.each(row, g.until, func(b *bar) { next.spread(next.rowOf[at], b) })
			}
		}
	}
	g.level, g.bars, g.total, g.cells = level, nil, 0, next
}

// rowInfo describes a row of the drawing.
type rowInfo struct {
	lane
	slots int // lanes in it
}

// rows lists the rows with their bars, in order of time.
func (g *gantt) rows(do func(r rowInfo, bars []bar)) {
	if g.level == bySlot {
		for i, p := range g.lanes {
			do(rowInfo{p, 1}, g.bars[i])
		}
		return
	}
	cells := g.cells.fit(g.lanes, g.budget, g.until)
	for row := range cells.list {
		var bars []bar
		cells.each(int32(row), g.until, func(b *bar) { bars = append(bars, *b) })
		do(rowInfo{g.lanes[cells.first[row]], cells.slots[row]}, bars)
	}
}
