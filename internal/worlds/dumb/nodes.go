package dumb

import (
	"cmp"
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

type node struct {
	spec                              *cluster.Node
	free                              units.Vector
	factor                            float64
	state                             state
	causes, lives, failures           int // reasons to be away; how often it came up; failed attempts
	removed, crashes, listed, news    bool
	slept                             bool // it drains to sleep
	beat                              units.Time
	breaks, repaired, awake, restored moment
}

type state int

const (
	down state = iota
	up
	draining
	asleep
	offered
)

func (nd *node) serves() bool { return nd.state == up && !nd.listed }

type rack struct {
	id      cluster.RackID
	times   int // that it broke
	class   int // of its next change
	changes moment
}

type change struct {
	at   units.Time
	does func()
}

// plan writes down what the configuration says will happen.
func (w *World) plan() (all []change) {
	add := func(at units.Time, does func()) {
		if at != units.Never {
			all = append(all, change{at, does})
		}
	}
	for _, o := range w.cfg.Outages {
		for n := 1; n < len(w.nodes); n++ {
			if int(o.Node) == n || o.Rack > 0 && o.Rack == w.rackOf(n) {
				add(o.Down, func() { w.away(n, 1) })
				add(o.Up, func() { w.away(n, -1) })
			}
		}
	}
	for _, s := range w.cfg.Sizes {
		add(s.At, func() { w.resize(s.Nodes, s.Crash) })
	}
	for _, s := range w.cfg.Speeds {
		add(s.At, func() {
			for n := 1; n < len(w.nodes); n++ {
				if s.Node == 0 || int(s.Node) == n {
					w.setSpeed(n, s.Factor)
				}
			}
		})
	}
	for _, s := range w.cfg.Supply {
		add(s.At, func() { w.emit(sched.Event{Kind: sched.SupplyChanged, Of: s.Of, X: s.Amount}) })
	}
	for _, o := range w.cfg.Expect {
		add(o.At, func() {
			w.emit(sched.Event{Kind: sched.ForecastIssued, Of: o.Of, Detail: &sched.Detail{Forecast: o.Forecast}})
		})
	}
	slices.SortStableFunc(all, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	return all
}

func (w *World) tell(kind sched.EventKind, n int, x float64, spec *cluster.Node) {
	e := sched.Event{Kind: kind, Node: cluster.NodeID(n), X: x}
	if spec != nil {
		e.Detail = &sched.Detail{Node: spec}
	}
	w.emit(e)
}

// offering is the node as it describes itself: without any room when it offers nothing.
func (nd *node) offering(something bool) *cluster.Node {
	spec, class := *nd.spec, *nd.spec.Class
	if spec.Class = &class; !something {
		class.Capacity = units.Vector{}
	}
	return &spec
}

func (w *World) comeUp(n int) {
	nd := w.nodes[n]
	nd.state, nd.slept, nd.listed, nd.failures, nd.news = up, false, false, 0, true
	nd.free = nd.spec.Class.Capacity
	nd.awake, nd.restored = never, never
	nd.lives++
	w.tell(sched.NodeUp, n, 0, nd.offering(true))
	if nd.factor != 1 {
		w.tell(sched.NodeChanged, n, nd.factor, nil)
	}
	rate := nd.spec.Class.Interruptions / 3600 // a second
	if mean := w.cfg.Failures.MTBF; mean > 0 {
		rate += 1 / mean.Seconds()
	}
	if mean := units.FromSeconds(1 / rate); rate > 0 {
		nd.breaks = w.in(span(w.draw(breakDraw, 0, n, nd.lives, 0), mean))
	}
}

// wakeUp brings a node back from its sleep, or from its cloud if that is not cut off. What was told at this instant of
// where it stands is over.
func (w *World) wakeUp(n int) {
	nd := w.nodes[n]
	nd.awake = never
	switch {
	case nd.state == offered && nd.causes > 0:
		w.turned(n, sched.Offered)
	case nd.state == offered || nd.state == asleep:
		for i, e := range w.out {
			if e.Kind == sched.NodeChanged && int(e.Node) == n {
				w.out[i].State = sched.Down
			}
		}
		w.comeUp(n)
	}
}

// turned tells where a node stands.
func (w *World) turned(n int, to sched.NodeState) {
	w.emit(sched.Event{Kind: sched.NodeChanged, Node: cluster.NodeID(n), State: to})
}

// offer says that a node of a cloud can be had.
func (w *World) offer(n int) {
	w.nodes[n].state = offered
	w.emit(sched.Event{Kind: sched.NodeChanged, Node: cluster.NodeID(n), State: sched.Offered, Detail: &sched.Detail{Node: w.nodes[n].offering(true)}})
}

// fallAsleep puts a node to sleep that was drained for it, or gives it back.
func (w *World) fallAsleep(n int) {
	nd := w.nodes[n]
	if nd.slept = false; nd.spec.Class.Most > 0 {
		nd.state = offered
		w.turned(n, sched.Offered)
	} else {
		nd.state = asleep
		w.turned(n, sched.Asleep)
	}
}

// needed tells whether a job still needs a map output on the node, or a block that lies on no other that is up.
func (w *World) needed(n int) bool {
	if !w.clean(n) {
		return true
	}
	for _, j := range w.jobs {
		for _, s := range j.all() {
			for i, t := range s.tasks {
				left, here := 0, false
				for _, h := range s.spec.Hosts.Of(i) {
					if int(h) == n {
						here = true
					} else if int(h) < len(w.nodes) && w.nodes[h].state == up {
						left++
					}
				}
				if t.state != done && here && left == 0 {
					return true
				}
			}
		}
	}
	return false
}

func (w *World) away(n, more int) {
	w.nodes[n].causes += more
	w.unsettle(n)
}

func (w *World) unsettle(n int) {
	if !slices.Contains(w.toSettle, n) {
		w.toSettle = append(w.toSettle, n)
	}
}

func (w *World) resize(nodes int, crash bool) {
	for n := 1; n < len(w.nodes) && w.nodes[n].spec.Class.Most == 0; n++ {
		nd := w.nodes[n]
		nd.removed = n > nodes
		nd.crashes = nd.removed && (nd.crashes || crash)
		if n > min(nodes, w.size) {
			w.unsettle(n)
		}
	}
	w.size = nodes
}

// settle brings nodes to where they should be, now that all is known that changes at this instant.
func (w *World) settle() {
	for _, n := range w.toSettle {
		switch nd := w.nodes[n]; {
		case nd.causes > 0 || nd.crashes:
			if nd.state != down && nd.state != offered {
				w.crash(n)
			}
		case nd.removed && (nd.state == up || nd.state == asleep):
			if nd.state = draining; w.empty(n) {
				w.goDown(n)
			} else {
				w.tell(sched.NodeChanged, n, nd.factor, nd.offering(false))
			}
		case !nd.removed && nd.state == down && nd.spec.Class.Most > 0:
			w.offer(n)
		case !nd.removed && nd.state == down:
			w.comeUp(n)
		case !nd.removed && nd.state == draining && !nd.slept:
			if nd.state, nd.news = up, true; !nd.listed {
				w.tell(sched.NodeChanged, n, nd.factor, nd.offering(true))
			}
		}
	}
	w.toSettle = nil
}

func (w *World) goDown(n int) {
	nd := w.nodes[n]
	nd.state, nd.slept, nd.breaks, nd.awake, nd.restored = down, false, never, never, never
	w.tell(sched.NodeDown, n, 0, nil)
}

func (w *World) crash(n int) {
	w.goDown(n)
	for _, r := range w.newestOn(n) {
		w.stop(r, sched.Lost, "")
	}
	for _, j := range w.jobs {
		if maps, _ := j.readers(); maps != nil {
			for t := range maps.tasks {
				if maps.tasks[t].state == done && maps.tasks[t].node == n {
					maps.tasks[t].state = vanished
				}
			}
			w.rerun(j, true)
		}
	}
}

// newestOn lists the attempts on a node, those first that started last.
func (w *World) newestOn(n int) (on []*run) {
	for _, r := range w.runs {
		if r.node == n {
			on = slices.Insert(on, 0, r)
		}
	}
	return on
}

// empty tells whether nothing runs on the node and no job needs a map output from it.
func (w *World) empty(n int) bool { return len(w.newestOn(n)) == 0 && w.clean(n) }

// clean tells whether no job needs a map output from the node.
func (w *World) clean(n int) bool {
	for _, j := range w.jobs {
		if maps, _ := j.readers(); maps != nil {
			if slices.ContainsFunc(maps.tasks, func(t task) bool { return t.state == done && t.node == n }) {
				return false
			}
		}
	}
	return true
}

// drained lets a draining node that is empty go with the next batch.
func (w *World) drained(n int) {
	if w.nodes[n].state == draining && w.empty(n) {
		w.leaving = append(w.leaving, n)
	}
}

func (w *World) breakDown(n int) {
	nd := w.nodes[n]
	nd.breaks = never
	nd.repaired = w.in(span(w.draw(repairDraw, 0, n, nd.lives, 0), w.cfg.Failures.MTTR))
	w.away(n, 1)
}

func (w *World) expectRack(i int) {
	if r := w.racks[i]; w.cfg.Failures.RackMTBF > 0 {
		r.class, r.changes = rackBreaks, w.in(span(w.draw(rackBreakDraw, 0, i, r.times, 0), w.cfg.Failures.RackMTBF))
	}
}

func (w *World) rackChanges(i int) {
	r, more := w.racks[i], 1
	if r.class == rackBreaks {
		r.class, r.changes = rackRepairs, w.in(span(w.draw(rackRepairDraw, 0, i, r.times, 0), w.cfg.Failures.RackMTTR))
	} else {
		more = -1
		r.times++
		w.expectRack(i)
	}
	for n := 1; n < len(w.nodes); n++ {
		if w.rackOf(n) == r.id && w.nodes[n].spec.Class.Most == 0 {
			w.away(n, more)
		}
	}
}

// failedOn counts a failed attempt and puts a node on the blacklist on which too many fail.
func (w *World) failedOn(n int) {
	nd, b := w.nodes[n], w.cfg.Failures.Blacklist
	nd.failures++
	if b.Failures == 0 || nd.failures < b.Failures || nd.listed || nd.state == down {
		return
	}
	if nd.listed = true; nd.state == up {
		w.tell(sched.NodeChanged, n, nd.factor, nd.offering(false))
	}
	if b.Restore > 0 {
		nd.restored = w.in(b.Restore)
	}
}

func (w *World) restore(n int) {
	nd := w.nodes[n]
	nd.restored, nd.listed, nd.failures = never, false, 0
	if nd.state == up {
		nd.news = true
		w.tell(sched.NodeChanged, n, nd.factor, nd.offering(true))
	}
}

// setSpeed goes on at another speed with what runs on the node; what is done of it stays done.
func (w *World) setSpeed(n int, factor float64) {
	nd := w.nodes[n]
	if nd.factor == factor {
		return
	}
	nd.factor = factor
	if nd.state == down {
		return
	}
	w.tell(sched.NodeChanged, n, factor, nil)
	for _, r := range w.newestOn(n) {
		if r.end == never {
			continue
		}
		if r.since < w.now {
			r.left = max(0, r.left-float64(w.now.Sub(r.since))/r.slow)
			r.since = w.now
		}
		w.goOn(r)
	}
}
