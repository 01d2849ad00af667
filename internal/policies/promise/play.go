package promise

import (
	"cmp"
	"math"
	"slices"

	"github.com/slackline/slackline/internal/maths/heap"
	"github.com/slackline/slackline/units"
)

// A span is a stage of a job in a play: so many tasks, each of which takes its mean.
type span struct {
	ready units.Time     // when its tasks may start; Never if that follows from another span
	mean  units.Duration // of a task
	left  int32          // tasks to start
	then  int32          // the span that is ready when this one has ended, 0 = none
	last  units.Time     // when its last task starts
	end   units.Time     // when its last task ends, also of those that run already
	row   [2]int32       // the first and the last chunk of its row, 0 = none
}

// chunk is a number of slots that are free from the same instant.
type chunk struct {
	at   units.Time
	n    int32
	next int32 // in its row
}

// head is when the first chunk of a row is free: of the one that a span gives back, as its tasks end in the order in
// which they started, or of those that were held before any, row 0.
type head struct {
	at  units.Time
	row int32
}

// A pool is slots of a kind. play hands them out as a scheduler does that keeps no slot idle: whenever one falls free,
// the first span that is ready takes it. So a span takes what those before it leave, also before these are ready.
type pool struct {
	slots int32
	held  []chunk          // what is free when, before anybody has got any
	free  []chunk          // and in the play; the first is none
	rows  heap.Heap[head]  // of these
	spare int32            // a row of those that are none any more
	first []int32          // spans that are ready at first, the last of these at the front
	open  heap.Heap[int32] // spans that are ready since, the first first
	soon  heap.Heap[int32] // those that will be, by when
	spans []span           // in their order; the first is none
}

func (p *pool) reset() {
	p.slots = 0
	p.held = p.held[:0]
	if p.open.Before == nil {
		p.rows.Before = func(a, b *head) bool { return a.at < b.at }
		p.open.Before = func(a, b *int32) bool { return *a < *b }
		p.soon.Before = func(a, b *int32) bool {
			x, y := &p.spans[*a], &p.spans[*b]
			return x.ready < y.ready || x.ready == y.ready && *a < *b
		}
	}
}

// has adds slots.
func (p *pool) has(n int32, at units.Time) {
	if n > 0 {
		p.held = append(p.held, chunk{at: at, n: n})
		p.slots += n
	}
}

// begin forgets the spans of the last play, and puts what is held into a row.
func (p *pool) begin() {
	p.spans = append(p.spans[:0], span{})
	p.free, p.spare = append(append(p.free[:0], chunk{}), p.held...), 0
	list := p.free[1:]
	slices.SortFunc(list, func(a, b chunk) int { return cmp.Compare(a.at, b.at) })
	p.rows.Clear()
	if n := len(list); n > 0 {
		for i := range list[:n-1] {
			list[i].next = int32(i + 2)
		}
		p.spans[0].row = [2]int32{1, int32(n)}
		p.rows.Push(head{at: list[0].at})
	}
}

// take has as many tasks of a span start as there are slots in the first chunk. Where there are many chunks those that
// the span gives back soon after one another are taken as one, at their mean. O(log of the rows).
func (p *pool) take(i int32, clock units.Time) {
	w, of := &p.spans[i], &p.spans[p.rows.List[0].row]
	k := of.row[0]
	c, at := &p.free[k], clock.Add(w.mean)
	n := min(c.n, w.left)
	w.left -= n
	w.last, w.end = clock, max(w.end, at)
	if c.n -= n; c.n > 0 {
		k = 0
	} else if of.row[0] = c.next; c.next > 0 {
		p.rows.List[0].at = p.free[c.next].at
		p.rows.Fix(0)
	} else {
		p.rows.Pop()
	}
	if w.row[0] == 0 {
		k = p.chunk(k, chunk{at: at, n: n})
		w.row = [2]int32{k, k}
		p.rows.Push(head{at, i})
		return
	}
	t := &p.free[w.row[1]]
	if w.row[0] != w.row[1] && at.Sub(t.at) <= w.mean/near && len(p.free) > most {
		t.n += n
		t.at = t.at.Add(units.FromSeconds(units.Rounded(at.Sub(t.at).Seconds() * float64(n) / float64(t.n))))
		if k > 0 {
			c.next, p.spare = p.spare, k
		}
		return
	}
	k = p.chunk(k, chunk{at: at, n: n})
	p.free[w.row[1]].next, w.row[1] = k, k
}

// chunk puts a chunk to where none is any more: at k, if that is not 0.
func (p *pool) chunk(k int32, c chunk) int32 {
	if k == 0 {
		if k = p.spare; k > 0 {
			p.spare = p.free[k].next
		} else {
			k = int32(len(p.free))
			p.free = append(p.free, chunk{})
		}
	}
	p.free[k] = c
	return k
}

// add adds a span behind the others, and returns its place.
func (p *pool) add(w span) int32 {
	p.spans = append(p.spans, w)
	return int32(len(p.spans) - 1)
}

const (
	most = 32 // of so many chunks or fewer none are taken as one
	near = 16 // nor are those that are free later than this part of a task
)

// play plays the spans. O(spans · log, and what starts at different instants: waves of most chunks, where slots are
// many).
func (p *pool) play(now units.Time) {
	p.open.Clear()
	p.soon.Clear()
	p.first = p.first[:0]
	for i := int32(len(p.spans)) - 1; i > 0; i-- {
		if w := &p.spans[i]; w.ready <= now && w.left > 0 {
			p.first = append(p.first, i)
		} else if w.ready != units.Never {
			p.soon.Push(i)
		}
	}
	clock := now
	for len(p.soon.List)+len(p.open.List)+len(p.first) > 0 {
		if len(p.rows.List) == 0 {
			p.never()
			return
		}
		clock = max(clock, p.rows.List[0].at)
		if len(p.open.List)+len(p.first) == 0 {
			clock = max(clock, p.spans[p.soon.List[0]].ready)
		}
		for len(p.soon.List) > 0 && p.spans[p.soon.List[0]].ready <= clock {
			i := p.soon.Pop()
			if p.spans[i].left > 0 {
				p.open.Push(i)
			} else {
				p.over(i, p.spans[i].ready)
			}
		}
		i, last := int32(math.MaxInt32), len(p.first)-1
		if last >= 0 {
			i = p.first[last]
		}
		if len(p.open.List) > 0 && p.open.List[0] < i {
			i, last = p.open.List[0], -1
		}
		if i == math.MaxInt32 {
			continue
		}
		w := &p.spans[i]
		p.take(i, clock)
		if w.left == 0 {
			if last >= 0 {
				p.first = p.first[:last]
			} else {
				p.open.Pop()
			}
			p.over(i, clock)
		}
	}
	p.never() // those that wait for what never comes
}

// over has the next span follow one of which all tasks have started.
func (p *pool) over(i int32, now units.Time) {
	w := &p.spans[i]
	w.end = max(w.end, now)
	if w.then > 0 {
		p.spans[w.then].ready = w.end
		p.soon.Push(w.then)
	}
}

// never says of all that still wait that they never end.
func (p *pool) never() {
	for i := range p.spans {
		if w := &p.spans[i]; w.left > 0 || w.ready == units.Never && i > 0 {
			w.last, w.end = units.Never, units.Never
		}
	}
}
