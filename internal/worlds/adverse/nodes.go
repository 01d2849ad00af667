package adverse

import (
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// silence is an attempt that was lost with its node, while nobody has said so yet. Its handle stays taken
// until somebody does.
type silence struct {
	id   sched.AttemptID
	life *Life
	job  sched.JobID
	node sched.NodeID
	due  int  // beat
	back int  // beat in which the node came back
	gone bool // the book knows it no more: its end, when it comes, is that of a container that nobody knows
}

func (w *World) moveNodes() {
	for n := 1; n < len(w.nodes); n++ {
		nd := w.nodes[n]
		switch {
		case nd.state == sched.Down && nd.back <= w.beat && nd.spec.Class.Rented():
			nd.state = sched.Offered
			w.stands(sched.NodeID(n))
		case (nd.state == sched.Down || nd.state == sched.Waking) && nd.back <= w.beat:
			w.boot(sched.NodeID(n))
		case nd.twice && !w.busy(sched.NodeID(n)) && len(w.orders) == 0:
			nd.twice = false
			w.stands(sched.NodeID(n))
		case nd.state == sched.Draining && !w.busy(sched.NodeID(n)) && !w.naughty(2):
			w.rest(sched.NodeID(n))
		case nd.up && w.naughty(50):
			nd.up, nd.state, nd.leaving, nd.back = false, sched.Down, false, w.beat+2+w.dice.IntN(6)
			w.tell(sched.Event{Kind: sched.NodeDown, Node: sched.NodeID(n)})
			tell := w.end
			if w.naughty(2) {
				tell = w.vanish
			}
			for _, a := range w.attempts[1:] {
				if a != nil && a.node == sched.NodeID(n) {
					tell(a, sched.Lost)
				}
			}
			w.loseOutputs()
		case nd.up && nd.leaving && !w.busy(sched.NodeID(n)):
			nd.up, nd.state, nd.leaving, nd.spec, nd.back = false, sched.Down, false, nd.first, w.beat+2+w.dice.IntN(6)
			w.tell(sched.Event{Kind: sched.NodeDown, Node: sched.NodeID(n)})
		case nd.up && w.cfg.Retires && !nd.leaving && w.naughty(80):
			w.retire(sched.NodeID(n))
		case nd.up && (w.naughty(60) || w.beat >= w.cfg.Calm && nd.spec != nd.first):
			w.resize(sched.NodeID(n))
		}
	}
}

// stands tells of a node as the full state of the world does.
func (w *World) stands(n sched.NodeID) {
	nd := w.nodes[n]
	e := sched.Event{Kind: sched.NodeUp, Node: n, State: nd.state, Age: w.age(nd.idle), Detail: &sched.Detail{Node: nd.spec}}
	if !nd.up {
		e.Kind = sched.NodeChanged
	}
	w.tell(e)
	if nd.state != sched.Down {
		w.bury(n)
	}
}

// boot brings a node that was down, or wakes. One that wakes may never come, and who comes may say so twice.
func (w *World) boot(n sched.NodeID) {
	nd := w.nodes[n]
	if nd.state == sched.Waking && w.naughty(6) {
		if nd.rest(); nd.item != 0 && w.naughty(2) {
			w.tell(sched.Event{Kind: sched.Refused, Item: nd.item, Node: n, Why: sched.Gone})
		} else {
			w.tell(sched.Event{Kind: sched.NodeChanged, Node: n, State: nd.state})
		}
		return
	}
	nd.twice = nd.state == sched.Waking && w.naughty(6)
	nd.up, nd.state, nd.free, nd.idle = true, sched.Awake, nd.spec.Class.Capacity, w.beat
	w.stands(n)
}

// rest puts a node to sleep on which nothing runs, or gives it back, and says so, perhaps twice.
func (w *World) rest(n sched.NodeID) {
	nd := w.nodes[n]
	nd.rest()
	for more := true; more; more = w.naughty(5) {
		w.tell(sched.Event{Kind: sched.NodeChanged, Node: n, State: nd.state})
	}
	w.bury(n)
}

// rest has the node where one is that sleeps, or was given back.
func (nd *node) rest() {
	if nd.state = sched.Asleep; nd.spec.Class.Rented() {
		nd.up, nd.state = false, sched.Offered
	}
}

// resize gives a node other room, in the calm that which it had first. What runs there runs on.
func (w *World) resize(n sched.NodeID) {
	nd := w.nodes[n]
	spec := nd.first
	if w.beat < w.cfg.Calm {
		other, class := *nd.first, *nd.first.Class
		for d := range class.Capacity {
			if class.Capacity[d] > 0 {
				class.Capacity[d] = max(1, class.Capacity[d]+int64(w.dice.IntN(3)-1))
			}
		}
		other.Class, spec = &class, &other
	}
	nd.leaving = false
	w.change(n, spec)
}

// retire decommissions a node: it offers nothing any more, what runs there runs on, and then it goes, unless it is
// taken back before.
func (w *World) retire(n sched.NodeID) {
	nd := w.nodes[n]
	other, class := *nd.first, *nd.first.Class
	class.Capacity = units.Vector{}
	other.Class, nd.leaving = &class, true
	w.change(n, &other)
}

// busy tells whether anything runs on the node.
func (w *World) busy(n sched.NodeID) bool {
	return slices.ContainsFunc(w.attempts[1:], func(a *attempt) bool { return a != nil && a.node == n })
}

// change gives a node another description.
func (w *World) change(n sched.NodeID, spec *cluster.Node) {
	nd := w.nodes[n]
	nd.free.Sub(&nd.spec.Class.Capacity)
	nd.free.Add(&spec.Class.Capacity)
	nd.spec = spec
	w.tell(sched.Event{Kind: sched.NodeChanged, Node: n, Detail: &sched.Detail{Node: spec}})
}

// vanish loses an attempt, and tells nobody: its end comes later, or a node that comes back empty says it,
// or a resync.
func (w *World) vanish(a *attempt, o sched.Outcome) {
	w.stop(a, o)
	w.silent = append(w.silent, silence{id: a.id, life: a.life, job: a.job, node: a.node, due: w.beat + 1 + w.dice.IntN(8)})
}

// taken tells whether a handle cannot be used again yet.
func (w *World) taken(id sched.AttemptID) bool {
	return slices.ContainsFunc(w.silent, func(s silence) bool { return s.id == id })
}

// speakUp tells the ends that nobody was told of; of what the book knows no more it is the end of something
// unknown.
func (w *World) speakUp() {
	w.silent = slices.DeleteFunc(w.silent, func(s silence) bool {
		if s.due > w.beat && w.beat < w.cfg.Calm {
			return false
		}
		if s.gone {
			w.tell(sched.Event{Kind: sched.Ended, Attempt: s.id, Outcome: sched.Killed})
		} else {
			w.over(s.id, s.life)
		}
		return true
	})
}

// bury takes note that the book has heard of a node which came back empty.
func (w *World) bury(n sched.NodeID) {
	for i := range w.silent {
		if s := &w.silent[i]; s.node == n && !s.gone {
			s.gone, s.back, s.due = true, w.beat, w.beat+1+w.dice.IntN(4)
			s.life.Unseen = true
			w.ending = append(w.ending, s.life)
		}
	}
}

// loseOutputs takes back some committed maps of jobs whose reduces still need them.
func (w *World) loseOutputs() {
	for j := 1; j < len(w.jobs); j++ {
		jb := w.jobs[j]
		k := slices.IndexFunc(jb.stages, func(s *stage) bool { return s.spec.Kind == workload.Map })
		if !jb.arrived || jb.over || k < 0 || jb.done(k+1) || jb.stages[k].done == 0 {
			continue
		}
		s := jb.stages[k]
		s.lose(slices.Index(s.tasks, taskDone))
		w.tell(sched.Event{Kind: sched.OutputLost, Job: sched.JobID(j), Stage: s.spec.Kind})
	}
}
