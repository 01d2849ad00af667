package yarn

import (
	"cmp"
	"slices"

	"github.com/slackline/slackline/internal/worlds/yarn/wire"
	"github.com/slackline/slackline/sched"
)

// anyPlace is YARN's name of any place.
const anyPlace = "*"

// row is what a stage asks for at a priority in a place.
type row struct {
	prio  int32
	place string
	count int32
}

func compareRows(x, y row) int {
	return cmp.Or(cmp.Compare(x.prio, y.prio), cmp.Compare(x.place, y.place))
}

// at is how many containers the stage asks for at a priority in a place.
func (s *stage) at(prio int32, place string) int32 {
	if i, there := slices.BinarySearchFunc(s.rows, row{prio, place, 0}, compareRows); there {
		return s.rows[i].count
	}
	return 0
}

// placed tells whether the stage asks for certain places.
func (s *stage) placed() bool {
	return slices.ContainsFunc(s.rows, func(r row) bool { return r.place != anyPlace })
}

// asks takes in rows, each of which holds until another of its priority and place, and tells what each
// stage now asks for.
func (w *World) asks(x *wire.Asks) {
	a := w.apps[w.jobs.find(x.Application)]
	if a == nil || a.refused {
		return
	}
	if x.Attempt < a.attempt {
		return // of an ApplicationMaster that has ended
	}
	a.attempt, a.applied = x.Attempt, sched.ItemID(x.Applied)
	var touched [sched.Stages]bool
	failed := a.stages[sched.Map].at(prioAgain, anyPlace)
	if x.Whole {
		for s := range a.stages {
			touched[s] = len(a.stages[s].rows) > 0
			a.stages[s].rows = nil
		}
	}
	if x.Avoids != nil {
		a.avoids = x.Avoids.Names
		w.shun(a)
	}
	for _, r := range x.Rows {
		s := a.stageOf(r.Priority)
		touched[s] = true
		if r.Count > 0 {
			w.kind(a, s, r.Resources)
		}
		st := &a.stages[s]
		i, there := slices.BinarySearchFunc(st.rows, row{r.Priority, r.Place, 0}, compareRows)
		if !there {
			st.rows = slices.Insert(st.rows, i, row{prio: r.Priority, place: r.Place})
		}
		st.rows[i].count = max(0, r.Count)
	}
	if !w.batches.whole { // what is told again was lost before
		w.again(a, a.stages[sched.Map].at(prioAgain, anyPlace)-failed)
	}
	for s := range sched.Stages {
		if touched[s] && a.spec.Stage(s) != nil {
			w.recount(a, s)
			w.ready(a, s)
			w.demand(a, s, sched.ItemID(x.Applied))
		}
	}
}

// shun takes in where an application may have nothing now, if that has changed.
func (w *World) shun(a *app) {
	now := w.avoided(a)
	if slices.Equal(now, a.spec.Avoids) {
		return
	}
	spec := *a.spec
	spec.Avoids = now
	a.spec = &spec
	if !w.batches.whole {
		w.amended(a)
	}
}

// avoided are the nodes that are up and that an application avoids, by its names of them or of their racks.
func (w *World) avoided(a *app) (list []sched.NodeID) {
	for _, name := range a.avoids {
		rack := w.racks.find(name)
		for id, n := range w.up {
			if n.Name == name || rack != 0 && n.Rack == rack {
				list = append(list, id)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// again takes in that so many more maps are asked for at the priority of those that have failed. If no
// container was seen to end badly for them, they had counted as done: the exit of a container does not
// tell, and the output of a node that is lost goes with it.
func (w *World) again(a *app, more int32) {
	if more <= 0 {
		return
	}
	seen := min(more, a.broken)
	a.broken -= seen
	for range min(more-seen, a.stages[sched.Map].done) {
		a.stages[sched.Map].done--
		w.tell(sched.Event{Kind: sched.OutputLost, Job: a.id, Stage: sched.Map})
	}
}

// demand tells what a stage asks for, as the plug-in has it with all items up to this one. A place
// that never was a node is left out: applications name hosts that only store data, and these would be
// remembered for good.
func (w *World) demand(a *app, s sched.Stage, applied sched.ItemID) {
	e := sched.Event{Kind: sched.Demand, Job: a.id, Stage: s, Item: applied}
	st := &a.stages[s]
	if st.limited { // what is under way accounts for all that there is
		e.Item = max(applied, w.placed)
		w.tell(e)
		return
	}
	placed := st.placed()
	var list []sched.LocationDemand
	for _, r := range st.rows {
		d := sched.LocationDemand{Count: r.count}
		switch {
		case r.place == anyPlace:
			e.Count += r.count
		case w.racks.find(r.place) != 0:
			d.Rack = w.racks.find(r.place)
		case w.nodes.find(r.place) != 0:
			d.Node = w.nodes.find(r.place)
		default:
			continue
		}
		list = append(list, d)
	}
	if placed {
		e.Detail = &sched.Detail{Demand: list}
	}
	w.tell(e)
}
