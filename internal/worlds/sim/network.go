package sim

import (
	"math"

	"github.com/slackline/slackline/internal/maths/heap"
	"github.com/slackline/slackline/units"
)

// Network is what shuffles share. Every reduce that fetches gets the same rate: that of its Link,
// or an even part of the Fabric between the nodes when that is less. So with n of them a shuffle
// goes on at
//
//	min(1, Fabric / (n·Link))
//
// of the speed that Task.Shuffle holds for (egalitarian processor sharing of one bottleneck). 0 = nothing is shared.
type Network struct {
	Fabric units.Bytes // a second, through the whole cluster
	Link   units.Bytes // a second, into one reduce
}

// fabric is the state of the network. All flows go on at one rate, so what each has been served is
// one number, and the next to end is the one that began with the least to go: a heap of ends in
// served time, whatever the rate does. O(log flows) for each change.
type fabric struct {
	served float64    // nanoseconds at full rate, to each flow since the start of the run
	since  units.Time // until when
	flows  int
	ends   heap.Heap[flow]
	gen    uint32 // of the entry in the event queue
	timed  bool   // there is one
}

// flow is a shuffle: when served reaches end it is over. It is stale if its attempt has another generation.
type flow struct {
	end     float64
	attempt int32
	gen     uint32
}

// rate is the part of the full rate at which flows go on.
func (w *World) rate() float64 {
	n := w.cfg.Network
	return min(1, float64(n.Fabric)/(float64(n.Link)*float64(w.fabric.flows)))
}

// serve brings what flows have been served up to now.
func (w *World) serve() {
	f := &w.fabric
	if f.flows > 0 {
		f.served += float64(w.now.Sub(f.since)) * w.rate()
	}
	f.since = w.now
}

// fetch lets an attempt begin its shuffle over the network, which takes so long at full rate.
func (w *World) fetch(a int32, takes units.Duration) {
	f := &w.fabric
	w.serve()
	t := &w.attempts[a]
	t.ready = units.Never
	t.fetching = true
	f.flows++
	f.ends.Push(flow{f.served + float64(takes), a, t.gen})
	w.expectFetched()
}

// unfetch takes an attempt off the network that was fetching. Its generation must have changed before.
func (w *World) unfetch(t *attempt) {
	w.serve()
	t.fetching = false
	w.fabric.flows--
	w.expectFetched()
}

// expectFetched enters the end of the next flow into the event queue.
func (w *World) expectFetched() {
	f := &w.fabric
	f.gen++
	if f.timed {
		f.timed = false
		w.lapsed++
	}
	for len(f.ends.List) > 0 && w.attempts[f.ends.List[0].attempt].gen != f.ends.List[0].gen {
		f.ends.Pop()
	}
	if len(f.ends.List) > 0 {
		left := math.Ceil((f.ends.List[0].end-f.served)/w.rate() - exact)
		w.queue.push(w.now.Add(units.Nanosecond.Scale(max(0, left))), fetched, 0, f.gen)
		f.timed = true
	}
}

// exact is how much of a nanosecond rounding may cost a flow.
const exact = 0.25

// fetched ends the flows that are over: their attempts go to work.
func (w *World) fetched() {
	f := &w.fabric
	w.serve()
	for len(f.ends.List) > 0 {
		top := f.ends.List[0]
		t := &w.attempts[top.attempt]
		if t.gen == top.gen {
			if top.end-f.served > exact {
				break
			}
			t.fetching = false
			f.flows--
			t.ready = w.launched(t)
			j := &w.jobs[t.job]
			w.schedule(top.attempt, t, j, j.stage(t.stage))
		}
		f.ends.Pop()
	}
	w.expectFetched()
}

func (a *flow) before(b *flow) bool { return a.end < b.end || a.end == b.end && a.attempt < b.attempt }
