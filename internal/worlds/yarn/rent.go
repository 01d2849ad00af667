package yarn

import (
	"fmt"
	"maps"
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/worlds/cloud"
	"github.com/slackline/slackline/internal/worlds/yarn/wire"
	"github.com/slackline/slackline/sched"
)

// Offer is nodes that can be rented for the cluster.
type Offer struct {
	*cluster.Class // whose capacity is in memory and vcores
	From           cloud.Provider
}

// lease is where a rented node stands.
type lease uint8

const (
	offered  lease = iota // it can be rented
	booting               // it was rented, and its NodeManager has not joined
	serving               // it has
	draining              // what runs on it ends, and what jobs want of it is fetched
	leaving               // it was given back, which the cloud has not confirmed
)

// tenant is a node of a cloud. Its handle is its own; the name of the NodeManager that has joined for it is that of the
// handle meanwhile.
type tenant struct {
	id    sched.NodeID
	spec  *cluster.Node // as it is offered
	lease lease
	desk  *cloud.Desk
}

// goShopping opens a desk for each cloud.
func (w *World) goShopping() {
	if len(w.cfg.Offers) == 0 || w.tenants != nil {
		return
	}
	tell := func(c cloud.Change) {
		select {
		case w.news <- c:
		case <-w.stopped:
		}
	}
	w.tenants = map[sched.NodeID]*tenant{}
	desks := map[cloud.Provider]*cloud.Desk{}
	for _, o := range w.cfg.Offers {
		if desks[o.From] == nil {
			desks[o.From] = cloud.Open(o.From, fmt.Sprintf("slackline-%d", w.originMs), tell, func(text string) { w.note("cloud: %s", text) })
			w.desks = append(w.desks, desks[o.From])
		}
		class := *o.Class
		class.Capacity = w.cfg.Slots.capacity(class.Capacity)
		for i := range class.Most {
			spec := &cluster.Node{Name: fmt.Sprintf("%s-%d", class.Name, i+1), Rack: w.racks.give("/" + class.Name), Class: &class}
			t := &tenant{id: w.nodes.give("offered: " + spec.Name), spec: spec, desk: desks[o.From]}
			w.tenants[t.id] = t
		}
	}
}

// GiveBack gives back all that is rented. It is for when the run is over.
func (w *World) GiveBack() {
	w.Stop()
	for _, d := range w.desks {
		d.Close()
	}
}

// stand tells where nodes of clouds stand of which a full state says nothing.
func (w *World) stand() {
	for _, id := range slices.Sorted(maps.Keys(w.tenants)) {
		switch t := w.tenants[id]; {
		case w.up[id] != nil:
		case t.lease == booting:
			w.turn(t, sched.Waking)
		case t.lease == offered:
			w.turn(t, sched.Offered)
		default: // its NodeManager was lost meanwhile
			w.giveBack(t)
		}
	}
}

func (w *World) turn(t *tenant, to sched.NodeState) {
	w.tell(sched.Event{Kind: sched.NodeChanged, Node: t.id, State: to, Detail: &sched.Detail{Node: t.spec}})
}

// rent rents a node, or drains it so that it can be given back.
func (w *World) rent(it *sched.Item) {
	t := w.tenants[it.Node]
	refuse := func(why sched.Code) { w.refuse(it, 0, 0, why) }
	switch {
	case t == nil:
		refuse(sched.CannotDo)
	case w.mode == wire.Mode_MODE_WATCH:
		refuse(sched.Watched)
	case w.mode != wire.Mode_MODE_OURS:
		refuse(sched.Yielded)
	case it.Verb == sched.Wake && t.lease == offered:
		t.lease = booting
		w.refusals = append(w.refusals, sched.Event{Kind: sched.NodeChanged, Node: t.id, State: sched.Waking})
		t.desk.Rent(t.id, t.spec.Class, t.spec.Class.PriceAt(w.at))
	case it.Verb == sched.Wake || t.lease != serving:
		refuse(sched.NodeAway)
	case w.wanted(t.id):
		refuse(sched.Needed)
	default:
		t.lease = draining
	}
}

// wanted tells whether an application that runs may still fetch what its tasks have left on a node.
func (w *World) wanted(n sched.NodeID) bool {
	for _, a := range w.apps {
		if a.left[n] {
			return true
		}
	}
	return false
}

// leave notes on which node a task has left what others of its application fetch.
func (a *app) leave(stage sched.Stage, n sched.NodeID) {
	if stage == sched.Map && !a.mapOnly || stage > sched.Reduce {
		if a.left == nil {
			a.left = map[sched.NodeID]bool{}
		}
		a.left[n] = true
	}
}

// drain gives back whoever is drained.
func (w *World) drain() {
	for _, t := range w.tenants {
		if t.lease == draining && !w.wanted(t.id) && !w.busy(t.id) {
			w.giveBack(t)
		}
	}
}

func (w *World) busy(n sched.NodeID) bool {
	for _, b := range w.boxes {
		if b.node == n {
			return true
		}
	}
	return false
}

func (w *World) giveBack(t *tenant) {
	t.lease = leaving
	t.desk.GiveBack(t.id)
}

// hear takes in what a cloud says of a node. That it serves is for the ResourceManager to say.
func (w *World) hear(c cloud.Change) {
	t := w.tenants[c.Node]
	switch {
	case c.Is == cloud.Named && t.lease == booting:
		if other := w.nodes.find(c.Name); w.up[other] != nil {
			w.note("node %s has joined before its cloud told its name, so it counts as one of the cluster's own; the name must be in the first list after it was rented",
				c.Name)
			w.giveBack(t)
			return
		}
		w.nodes.call(t.id, c.Name)
	case c.Is == cloud.Gone && t.lease != offered:
		was := w.up[t.id] != nil
		if w.nodes.call(t.id, "offered: "+t.spec.Name); was && t.lease != leaving {
			w.tell(sched.Event{Kind: sched.NodeDown, Node: t.id})
		}
		delete(w.up, t.id)
		t.lease = offered
		w.turn(t, sched.Offered)
		w.batches.flush(w.at)
	}
}

// joined is what the policy is to know of a node that has joined, and where it stands. One of a cloud is of the class
// that was offered, as large as it is.
func (w *World) joined(id sched.NodeID, spec *cluster.Node) (*cluster.Node, sched.NodeState) {
	t := w.tenants[id]
	if t == nil {
		return spec, 0
	}
	class := *t.spec.Class
	class.Capacity, spec.Class = spec.Class.Capacity, &class
	switch t.lease {
	case booting:
		t.lease = serving
	case draining, leaving:
		return spec, sched.Draining
	}
	return spec, 0
}
