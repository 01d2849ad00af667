package ledger

import (
	"cmp"
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
)

// nearestDemand is the best locality at which a stage that is bound late asks for the node.
func (t *tasks) nearestDemand(nb *nodeBook) sched.Locality {
	if i, ok := t.demandOn(nb.ID); ok && t.Demand[i].Count > 0 {
		return sched.NodeLocal
	}
	switch r := nb.rack(); {
	case int(r) < len(t.ByRack) && t.ByRack[r] > 0:
		return sched.RackLocal
	case t.Anywhere > 0 && len(t.ByRack) == 0:
		return sched.Anywhere
	case t.Anywhere > 0:
		return sched.Remote
	}
	return sched.NoLocality
}

func (t *tasks) demandOn(n cluster.NodeID) (int, bool) {
	return slices.BinarySearchFunc(t.Demand, n, func(d placeDemand, n cluster.NodeID) int { return cmp.Compare(d.Node, n) })
}

// setDemand replaces the open demand of a late-binding stage by what the world says, by place; all of it may go anywhere
// unless the world says how much of it may. O(places log places).
func (l *Ledger) setDemand(b *jobBook, s sched.Stage, all int32, places []sched.PlaceDemand) {
	t := b.tasks[s]
	t.Demand, t.Anywhere = t.Demand[:0], all
	clear(t.ByRack)
	for _, p := range places {
		switch {
		case p.Node > 0:
			t.Demand = append(t.Demand, placeDemand{p.Node, p.Count})
			l.point(p.Node, b, s)
		case p.Rack > 0:
			for int(p.Rack) >= len(t.ByRack) {
				t.ByRack = append(t.ByRack, 0)
			}
			t.ByRack[p.Rack] = p.Count
		default:
			t.Anywhere = p.Count
		}
	}
	slices.SortStableFunc(t.Demand, func(a, b placeDemand) int { return cmp.Compare(a.Node, b.Node) })
}

// takeDemand takes containers on the node off the demand at each level, as YARN's own accounting does.
func (t *tasks) takeDemand(nb *nodeBook, by int32) {
	if i, ok := t.demandOn(nb.ID); ok {
		t.Demand[i].Count -= min(by, t.Demand[i].Count)
	}
	if r := nb.rack(); int(r) < len(t.ByRack) {
		t.ByRack[r] -= min(by, t.ByRack[r])
	}
	t.Anywhere -= min(by, t.Anywhere)
}

// giveDemand is the inverse: the containers are asked for again, as near as they were.
func (t *tasks) giveDemand(nb *nodeBook, near sched.Locality, n int32) {
	if i, ok := t.demandOn(nb.ID); ok && near == sched.NodeLocal {
		t.Demand[i].Count += n
	}
	if r := nb.rack(); int(r) < len(t.ByRack) && (near == sched.NodeLocal || near == sched.RackLocal) {
		t.ByRack[r] += n
	}
	t.Anywhere += n
}
