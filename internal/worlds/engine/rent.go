package engine

import (
	"fmt"
	"time"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/worlds/cloud"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// lease is where a node stands that a cloud offers.
type lease uint8

const (
	own      lease = iota // it is none of those
	offered               // it can be rented
	booting               // it was rented, and does not serve yet
	serving               // it serves
	draining              // it finishes what runs on it, and keeps the map outputs on it that are wanted
	leaving               // it was given back, which was not confirmed yet
	lost                  // it is gone, and is offered again with the next batch
)

// rents tells whether any node can be rented.
func (w *World) rents() bool { return len(w.cfg.Cluster.Own()) < len(w.cfg.Cluster.Nodes) }

// goShopping opens a desk for each cloud, and offers its nodes.
func (w *World) goShopping() {
	if !w.rents() {
		return
	}
	began := w.cfg.began()
	if began.IsZero() {
		began = time.Now()
	}
	boots := map[string]units.Duration{}
	for _, c := range w.cfg.Cluster.Classes {
		boots[c.Name] = c.WakeTime
	}
	here, desks := cloud.NewSlots(boots), map[cloud.Provider]*cloud.Desk{}
	tell := func(c cloud.Change) {
		if c.Is != cloud.Named {
			w.reports.post(report{node: c.Node, up: c.Is == cloud.Serves, rented: true})
		}
	}
	for i := range w.nodes[1:] {
		n, nd := cluster.NodeID(i+1), w.nodes[i+1]
		if nd.lease == own {
			continue
		}
		var p cloud.Provider = here
		if of := w.cfg.Clouds[nd.Spec.Class.Name]; of != nil {
			p = of
		}
		if desks[p] == nil {
			desks[p] = cloud.Open(p, fmt.Sprintf("slackline-%d", began.UnixMilli()), tell, func(text string) {
				if w.cfg.Warn != nil {
					w.cfg.Warn("", text)
				}
			})
			w.desks = append(w.desks, desks[p])
		}
		nd.desk = desks[p]
		w.offer(n)
	}
}

// offer offers a node.
func (w *World) offer(n cluster.NodeID) {
	w.nodes[n].lease = offered
	w.emit(sched.Event{Kind: sched.NodeChanged, Node: n, State: sched.Offered, Detail: &sched.Detail{Node: w.nodes[n].Spec}})
}

// rent rents a node, or drains it so that it can be given back.
func (w *World) rent(it *sched.Item) {
	nd := w.nodes[it.Node]
	refuse := func(why sched.Code) {
		w.emit(sched.Event{Kind: sched.Refused, Item: it.ID, Node: it.Node, Why: why})
	}
	switch {
	case nd.lease == own:
		refuse(sched.CannotDo)
	case it.Verb == sched.Wake && nd.lease == offered:
		nd.lease = booting
		w.emit(sched.Event{Kind: sched.NodeChanged, Node: it.Node, State: sched.Waking})
		nd.desk.Rent(it.Node, nd.Spec.Class, nd.Spec.Class.PriceAt(w.now))
	case it.Verb == sched.Wake || nd.lease != serving:
		refuse(sched.NodeAway)
	case len(nd.outputs) > 0:
		refuse(sched.Needed)
	default:
		nd.lease = draining
		w.drains++
	}
}

// rented takes in what a cloud says of a node.
func (w *World) rented(n cluster.NodeID, up bool) {
	nd := w.nodes[n]
	if up {
		if nd.lease == booting {
			nd.lease = serving
			w.nodeUp(n)
		}
		return
	}
	switch nd.lease {
	case booting, leaving:
		w.offer(n)
	case serving, draining: // the cloud took it back
		if nd.lease == draining {
			w.drains--
		}
		nd.lease = lost
		w.lost = append(w.lost, n)
		w.nodeDown(n)
	}
}

// giveBack gives back whoever is drained, and offers again what was lost with the batch before.
func (w *World) giveBack() {
	if len(w.lost) > 0 && len(w.out) == 0 {
		for _, n := range w.lost {
			w.offer(n)
		}
		w.lost = nil
	}
	if w.drains == 0 {
		return
	}
	for i, nd := range w.nodes[1:] {
		if nd.lease == draining && nd.Free == nd.Spec.Class.Capacity && len(nd.outputs) == 0 {
			w.drains--
			nd.lease, nd.up = leaving, false
			nd.desk.GiveBack(cluster.NodeID(i + 1))
		}
	}
}

// giveAllBack gives back all that is rented when the run is over, or pauses.
func (w *World) giveAllBack() {
	for _, d := range w.desks {
		d.Close()
	}
	w.desks = nil
}
