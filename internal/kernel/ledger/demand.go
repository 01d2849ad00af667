package ledger

import (
	"cmp"
	"slices"

	"github.com/slackline/slackline/sched"
)

// mostAsked is how many containers a stage may ask for at once: more than a cluster has, and few
// enough to count one by one.
const mostAsked = 1 << 20

// demand replaces the open demand of a stage by what the world says, less what was promised since.
// It may be for more than the stage has tasks: those of a stage that grows are not all known, and
// who has lost an attempt, or has not heard yet of the last grant, asks once more.
func (l *Ledger) demand(e *sched.Event) {
	b := l.job(e.Job)
	if b == nil || e.Stage >= sched.Stages || b.tasks[e.Stage] == nil {
		l.discrepancy(e, "demand of a job or stage that the book does not know")
		return
	}
	t, tally := b.tasks[e.Stage], &b.Stages[e.Stage]
	if e.Count < 0 || e.Count > mostAsked {
		l.discrepancy(e, "demand for less than nothing, or for more than any cluster has; it is cut to that")
	}
	tally.Open = min(max(e.Count, 0), mostAsked)
	if b.State == sched.Waiting {
		l.firstStage(b) // nobody else tells the policy that it need not wait
	}
	l.ready(b, e.Stage)
	var places []sched.LocationDemand
	if e.Detail != nil {
		places = e.Detail.Demand
	}
	l.setDemand(b, e.Stage, tally.Open, places)
	for i := l.grants.n - 1; i >= 0; i-- {
		g := l.grants.at(i)
		if g.Job != e.Job || g.Stage != e.Stage || g.Left == 0 {
			continue
		}
		if g.Counted = g.Item <= e.Item; !g.Counted {
			tally.Open -= g.Left
			g.Near = t.nearestDemand(&l.nodes[g.Node])
			t.moveDemand(&l.nodes[g.Node], g.Near, -g.Left)
		}
	}
	l.grow(b, e.Stage)
	l.markDirty(b, allStages)
}

// grow raises the number of tasks of a stage that grows to those that are known of: done, under way,
// asked for. What was left on a node that has come back is not under way.
func (l *Ledger) grow(b *jobBook, s sched.Stage) {
	t := &b.Stages[s]
	if l.can.Bind || b.tasks[s] == nil || !b.tasks[s].Spec.Grows {
		return
	}
	busy := t.Occupied
	for _, id := range l.left {
		if ab := l.attempt(id); ab != nil && ab.Job == b.ID && ab.Stage == s {
			busy--
		}
	}
	t.Total = max(t.Total, t.Done+busy+max(t.Open, 0))
}

// setDemand replaces the open demand of a late-binding stage by what the world says, by place; all
// of it may go anywhere unless the world says how much of it may. Rows of one place add up, as
// there is one for each priority; no place has more than all. O(places log places).
func (l *Ledger) setDemand(b *jobBook, s sched.Stage, all int32, places []sched.LocationDemand) {
	t := b.tasks[s]
	t.Demand, t.ByRack, t.Anywhere, t.Placed = t.Demand[:0], t.ByRack[:0], all, false
	anywhere := int32(-1)
	for _, p := range places {
		n := min(max(p.Count, 0), all)
		switch {
		case p.Node > 0:
			t.Demand = append(t.Demand, demandAt{int32(p.Node), n})
		case p.Rack > 0:
			t.ByRack = append(t.ByRack, demandAt{int32(p.Rack), n})
		default:
			anywhere = min(max(anywhere, 0)+n, all)
		}
		t.Placed = t.Placed || p.Node > 0 || p.Rack > 0
	}
	if anywhere >= 0 {
		t.Anywhere = anywhere
	}
	t.Demand, t.ByRack = sumRows(t.Demand, all), sumRows(t.ByRack, all)
	l.postNews(b, s)
}

// sumRows sorts rows by place, and makes one of those of a place.
func sumRows(rows []demandAt, all int32) []demandAt {
	slices.SortFunc(rows, func(a, b demandAt) int { return cmp.Compare(a.Place, b.Place) })
	sums := rows[:0]
	for _, r := range rows {
		if last := len(sums) - 1; last >= 0 && sums[last].Place == r.Place {
			sums[last].Count = min(sums[last].Count+r.Count, all)
		} else {
			sums = append(sums, r)
		}
	}
	return sums
}

func demandOf(list []demandAt, place int32) (int, bool) {
	return slices.BinarySearchFunc(list, place, func(d demandAt, place int32) int { return cmp.Compare(d.Place, place) })
}

// nearestDemand is the best locality at which a stage that is bound late asks for the node.
func (t *tasks) nearestDemand(nb *nodeBook) sched.Locality {
	if i, ok := demandOf(t.Demand, int32(nb.ID)); ok && t.Demand[i].Count > 0 {
		return sched.NodeLocal
	}
	if i, ok := demandOf(t.ByRack, int32(nb.rack())); ok && t.ByRack[i].Count > 0 {
		return sched.RackLocal
	}
	switch {
	case t.Anywhere > 0 && !t.Placed:
		return sched.Anywhere
	case t.Anywhere > 0:
		return sched.Remote
	}
	return sched.NoLocality
}

// moveDemand takes so many containers on the node off the demand (by < 0), or gives them back: at
// the levels of a start that was so near, as YARN's own accounting does. What was taken can always
// be given back exactly, so a row may fall below 0: more was promised there than is asked for.
func (t *tasks) moveDemand(nb *nodeBook, locality sched.Locality, by int32) {
	if i, ok := demandOf(t.Demand, int32(nb.ID)); ok && locality == sched.NodeLocal {
		t.Demand[i].Count += by
	}
	if i, ok := demandOf(t.ByRack, int32(nb.rack())); ok && (locality == sched.NodeLocal || locality == sched.RackLocal) {
		t.ByRack[i].Count += by
	}
	t.Anywhere += by
}
