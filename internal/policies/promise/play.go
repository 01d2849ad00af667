package promise

import (
	"math"

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
}

// chunk is a number of slots that are free from the same instant.
type chunk struct {
	at units.Time
	n  int32
}

// chunks are a heap by when they are free: by hand, as nearly all the time of a look goes here.
type chunks []chunk

func (h *chunks) push(c chunk) {
	*h = append(*h, c)
	list := *h
	i := len(list) - 1
	for i > 0 && c.at < list[(i-1)/2].at {
		list[i] = list[(i-1)/2]
		i = (i - 1) / 2
	}
	list[i] = c
}

func (h chunks) sink(i int) {
	c := h[i]
	for {
		k := 2*i + 1
		if k >= len(h) {
			break
		}
		if k+1 < len(h) && h[k+1].at < h[k].at {
			k++
		}
		if c.at <= h[k].at {
			break
		}
		h[i] = h[k]
		i = k
	}
	h[i] = c
}

func (h chunks) order() {
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.sink(i)
	}
}

// A pool is slots of a kind. play hands them out as a scheduler does that keeps no slot idle: whenever one falls free,
// the first span that is ready takes it. So a span takes what those before it leave, also before these are ready.
type pool struct {
	slots int32
	free  chunks
	held  []chunk          // what is free when, before anybody has got any
	first []int32          // spans that are ready at first, the last of these at the front
	open  heap.Heap[int32] // spans that are ready since, the first first
	soon  heap.Heap[int32] // those that will be, by when
	spans []span           // in their order; the first is none
}

func (p *pool) reset() {
	p.slots = 0
	p.held = p.held[:0]
	if p.open.Before == nil {
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
		p.held = append(p.held, chunk{at, n})
		p.slots += n
	}
}

// begin forgets the spans of the last play.
func (p *pool) begin() {
	p.spans = append(p.spans[:0], span{})
	p.free = append(p.free[:0], p.held...)
	p.free.order()
}

// add adds a span behind the others, and returns its place.
func (p *pool) add(w span) int32 {
	p.spans = append(p.spans, w)
	return int32(len(p.spans) - 1)
}

// long is for how many tasks a slot most of a span are passed over at once.
const long = 3

// play plays the spans. O(spans · log, and what starts at different instants).
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
		if len(p.free) == 0 {
			p.never()
			return
		}
		clock = max(clock, p.free[0].at)
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
		if w.left > long*p.slots && p.leap(w, clock) {
			continue
		}
		c := p.free[0]
		n := min(c.n, w.left)
		at := clock.Add(w.mean)
		w.left -= n
		w.last, w.end = clock, max(w.end, at)
		if n == c.n {
			p.free[0].at = at
			p.free.sink(0)
		} else {
			p.free[0].n -= n
			p.free.push(chunk{at, n})
		}
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

// leap starts most tasks of a long span at once, up to when another may go before it.
func (p *pool) leap(w *span, now units.Time) bool {
	until := now.Add(w.mean * units.Duration(w.left/p.slots-1))
	if len(p.soon.List) > 0 {
		until = min(until, p.spans[p.soon.List[0]].ready)
	}
	if w.mean <= 0 || until.Sub(now)/w.mean < long-1 {
		return false
	}
	for k := range p.free {
		c := &p.free[k]
		if from := max(c.at, now); from < until {
			each := (until.Sub(from) + w.mean - 1) / w.mean
			w.left -= int32(each) * c.n
			c.at = from.Add(each * w.mean)
		}
	}
	p.free.order()
	return true
}

// never says of all that still wait that they never end.
func (p *pool) never() {
	for i := range p.spans {
		if w := &p.spans[i]; w.left > 0 || w.ready == units.Never && i > 0 {
			w.last, w.end = units.Never, units.Never
		}
	}
}
