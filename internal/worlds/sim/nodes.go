package sim

import (
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/energy"
	"github.com/slackline/slackline/internal/worlds/truth"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// node is the truth about a node, four lines of memory: what starts and ends of containers of slots touch is in the
// first.
type node struct {
	runs    running
	state   nodeState
	listed  bool    // it is on the blacklist
	removed bool    // the number of nodes is below its handle
	crashes bool    // and one of the steps that removed it since was a crash
	queued  bool    // it is among the touched
	waking  bool    // it is asleep or offered, and somebody woke it
	sleeps  bool    // it drains to sleep, or to be given back
	factor  float64 // of its class's speed
	truth.Node
	up       *sched.Detail // what NodeUp carries
	bare     *sched.Detail // what NodeChanged carries when it drains: the same node, offering nothing
	share    energy.Share  // of what it draws
	outputs  int32         // map outputs on it that jobs still need; counted while it drains
	lives    uint32        // how often it came up
	away     int32         // failures that keep it down
	failures int           // of attempts on it since it came up or was restored
	_        [24]byte
}

// nodeState is where a node stands. Up ── removed ──▶ draining ── empty ──▶ down; a failure leads
// from everywhere straight to down. Up ── put to sleep ──▶ draining ── empty ──▶ asleep, or offered if it is
// rented ── woken, after the wake time of its class ──▶ up.
type nodeState uint8

const (
	nodeDown nodeState = iota
	nodeOpen
	nodeDraining
	nodeAsleep
	nodeOffered
)

// atRest is the state of a node that sleeps, or was given back.
func (nd *node) atRest() nodeState {
	if nd.Spec.Class.Rented() {
		return nodeOffered
	}
	return nodeAsleep
}

// kind is a kind of container on nodes with certain labels: two stages of one kind wait for the same room.
type kind struct {
	needs   units.Need
	labels  []string
	carries []bool  // by node position; nil = no labels are asked for
	room    nodeset // nodes, by position, where one more fits
	refs    int32   // stages of jobs in the system that name it
	stages  int32   // of these, that wait for it
	fresh   bool    // since the last batch more work waits for it
}

func (w *World) makeNodes() {
	w.nodes = make([]node, len(w.cfg.Cluster.Nodes)+1)
	bare := make(map[*cluster.Class]*cluster.Class)
	for i, spec := range w.cfg.Cluster.Nodes {
		class := bare[spec.Class]
		if class == nil {
			c := *spec.Class
			c.Capacity = units.Vector{}
			class = &c
			bare[spec.Class] = class
		}
		empty := *spec
		empty.Class = class
		w.nodes[i+1] = node{Node: truth.Node{Spec: spec}, factor: 1, up: &sched.Detail{Node: spec}, bare: &sched.Detail{Node: &empty}}
	}
}

// kindOf returns the kind for so much on nodes with such labels, for one stage more. A new one
// takes the place of one that no job names.
func (w *World) kindOf(needs units.Vector, labels []string) int32 {
	at := len(w.kinds)
	for i := range w.kinds {
		k := &w.kinds[i]
		if k.needs.Vector == needs && slices.Equal(k.labels, labels) {
			k.refs++
			return int32(i)
		}
		if k.refs == 0 && !k.fresh {
			at = i
		}
	}
	k := kind{needs: units.NeedOf(needs), labels: labels, refs: 1, room: newNodeset(len(w.cfg.Cluster.Nodes))}
	if len(labels) > 0 {
		k.carries = make([]bool, len(w.cfg.Cluster.Nodes))
		for i, n := range w.cfg.Cluster.Nodes {
			k.carries[i] = n.Carries(labels)
		}
	}
	if at == len(w.kinds) {
		w.kinds = append(w.kinds, k)
	} else {
		w.kinds[at] = k
	}
	for n := 1; n < len(w.nodes); n++ {
		w.kinds[at].room.put(n-1, w.kinds[at].fits(&w.nodes[n], int32(n)))
	}
	return int32(at)
}

// setRoom notes for which kinds of containers the node has room. O(kinds).
func (w *World) setRoom(n int32) {
	w.beat.known = false
	nd := &w.nodes[n]
	for i := range w.kinds {
		k := &w.kinds[i]
		k.room.put(int(n-1), k.fits(nd, n))
	}
}

// freed is setRoom for a node on which a container has ended that needed so much: it has room for no fewer kinds
// than before.
func (w *World) freed(n int32, needs *units.Need) {
	nd := &w.nodes[n]
	for i := range w.kinds {
		if k := &w.kinds[i]; k.needs.Meets(needs) && !k.room.has(int(n-1)) && k.fits(nd, n) {
			k.room.put(int(n-1), true)
			w.beat.known = false
		}
	}
}

// taken is setRoom for a node on which a container has begun that needs so much: it has room for no
// more kinds than before.
func (w *World) taken(n int32, needs *units.Need) {
	free := &w.nodes[n].Free
	for i := range w.kinds {
		if k := &w.kinds[i]; k.needs.Meets(needs) && k.room.has(int(n-1)) && !free.Fits(&k.needs.Vector) {
			k.room.put(int(n-1), false)
			w.beat.known = false
		}
	}
}

// fits tells whether a container of the kind may start on the node.
func (k *kind) fits(nd *node, n int32) bool {
	return nd.state == nodeOpen && nd.Free.Fits(&k.needs.Vector) && !nd.listed && (k.carries == nil || k.carries[n-1])
}

// comes brings a node that is down, or offers it.
func (w *World) comes(n int32) {
	if nd := &w.nodes[n]; nd.Spec.Class.Rented() {
		nd.state = nodeOffered
		w.emit(sched.Event{Kind: sched.NodeChanged, Node: cluster.NodeID(n), State: sched.Offered, Detail: nd.up})
	} else {
		w.nodeUp(n)
	}
}

func (w *World) nodeUp(n int32) {
	nd := &w.nodes[n]
	nd.state, nd.listed, nd.failures, nd.waking = nodeOpen, false, 0, false
	nd.Free = nd.Spec.Class.Capacity
	nd.lives++
	w.emit(sched.Event{Kind: sched.NodeUp, Node: cluster.NodeID(n), Detail: nd.up})
	if nd.factor != 1 {
		w.emit(sched.Event{Kind: sched.NodeChanged, Node: cluster.NodeID(n), X: nd.factor})
	}
	w.setRoom(n)
	w.beat.freshen(n)
	w.expectBreakdown(n)
}

// change does one entry of the script. What it means for a node is settled by reconcile, when all
// changes of the instant are known: a node that is to leave and to come at once just stays.
func (w *World) change(c *change) {
	switch c.does {
	case toDown:
		w.nodes[c.node].away++
		w.touch(int32(c.node))
	case toUp:
		w.nodes[c.node].away--
		w.touch(int32(c.node))
	case toSpeed:
		if c.node > 0 {
			w.setSpeed(int32(c.node), c.factor)
			return
		}
		for n := 1; n < len(w.nodes); n++ {
			w.setSpeed(int32(n), c.factor)
		}
	case toTell:
		w.emit(c.tells)
	case toSize:
		for n := min(w.size, c.nodes) + 1; n <= len(w.racks.order); n++ {
			nd := &w.nodes[n]
			nd.removed = n > c.nodes
			nd.crashes = nd.removed && (c.crash || nd.crashes)
			w.touch(int32(n))
		}
		w.size = c.nodes
	}
}

func (w *World) touch(n int32) {
	if nd := &w.nodes[n]; !nd.queued {
		nd.queued = true
		w.touched = append(w.touched, n)
	}
}

// reconcile brings the touched nodes to where they should be.
func (w *World) reconcile() {
	if len(w.touched) == 0 {
		return
	}
	for _, n := range w.touched {
		nd := &w.nodes[n]
		nd.queued = false
		switch {
		case nd.away > 0 || nd.crashes:
			if nd.state != nodeDown && nd.state != nodeOffered {
				w.crash(n)
			}
		case nd.removed:
			if nd.state == nodeOpen || nd.state == nodeAsleep {
				w.drain(n)
			}
		case nd.state == nodeDown:
			w.comes(n)
		case nd.state == nodeDraining && !nd.sleeps:
			nd.state = nodeOpen
			w.draining--
			if !nd.listed {
				w.emit(sched.Event{Kind: sched.NodeChanged, Node: cluster.NodeID(n), X: nd.factor, Detail: nd.up})
			}
			w.setRoom(n)
			w.beat.freshen(n)
		}
	}
	w.touched = w.touched[:0]
}

// crash takes the node down with all that is on it: attempts are lost, and committed map outputs
// that a job still needs.
func (w *World) crash(n int32) {
	nd := &w.nodes[n]
	w.goDown(n)
	for nd.runs.last != 0 {
		w.lose(nd.runs.last)
	}
	w.loseOutputs(n)
}

func (w *World) goDown(n int32) {
	nd := &w.nodes[n]
	if nd.state == nodeDraining {
		w.draining--
	}
	nd.state, nd.sleeps = nodeDown, false
	w.setRoom(n)
	w.emit(sched.Event{Kind: sched.NodeDown, Node: cluster.NodeID(n)})
}

// drain lets the node finish what it runs. It leaves, or sleeps, when nothing runs on it and no job needs a map
// output from it, as under YARN's graceful decommissioning. Until then it offers nothing.
func (w *World) drain(n int32) {
	nd := &w.nodes[n]
	nd.state = nodeDraining
	w.draining++
	if nd.outputs = w.countOutputs(n); nd.runs.last == 0 && nd.outputs == 0 {
		w.leave(n)
		return
	}
	if !nd.sleeps {
		w.emit(sched.Event{Kind: sched.NodeChanged, Node: cluster.NodeID(n), X: nd.factor, Detail: nd.bare})
	}
	w.setRoom(n)
}

// drained notes that something ended on a draining node.
func (w *World) drained(n int32) {
	if w.draining == 0 {
		return
	}
	if nd := &w.nodes[n]; nd.state == nodeDraining && nd.runs.last == 0 && nd.outputs == 0 {
		w.leaving = append(w.leaving, n)
	}
}

// leave takes an empty node away, unless it is needed again meanwhile. That is told one batch after the end of its last
// attempt: within a batch, nodes come before attempts.
func (w *World) leave(n int32) {
	switch nd := &w.nodes[n]; {
	case nd.state != nodeDraining || nd.runs.last != 0 || nd.outputs > 0:
	case nd.sleeps && !nd.removed:
		w.fallAsleep(n)
	default:
		w.goDown(n)
	}
}
