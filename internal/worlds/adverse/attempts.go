package adverse

import (
	"cmp"
	"slices"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

func (w *World) endAttempts() {
	for _, a := range w.attempts[1:] {
		if a == nil || a.ends > w.beat {
			continue
		}
		if w.naughty(12) {
			w.end(a, sched.Failed)
		} else {
			w.end(a, sched.Committed)
		}
	}
}

// end ends an attempt. One whose start was never told comes and goes in one batch.
func (w *World) end(a *attempt, o sched.Outcome) {
	if !a.began {
		w.tellStart(a)
	}
	s := w.jobs[a.job].stages[a.stage]
	w.nodes[a.node].free.Add(w.need(a.job, a.stage, a.kind))
	if o == sched.Committed {
		s.done++
	} else {
		s.open++
		s.asked = true
	}
	w.attempts[a.id] = nil
	w.tell(sched.Event{Kind: sched.Ended, Attempt: a.id, Outcome: o})
}

func (w *World) need(j sched.JobID, s int, kind uint8) *units.Vector {
	c := w.jobs[j].stages[s].spec.Container(int(kind))
	return &c.Needs
}

// doOrders does what was asked for and is due, as far as the world likes.
func (w *World) doOrders() {
	later := w.orders[:0]
	for _, o := range w.orders {
		if o.due > w.beat {
			later = append(later, o)
			continue
		}
		w.lastItem = max(w.lastItem, o.item.ID)
		it := &o.item
		jb := w.jobs[it.Job]
		k := slices.IndexFunc(jb.stages, func(s *stage) bool { return s.spec.Kind == it.Stage })
		left := it.Count
		for ; left > 0 && !w.naughty(8) && w.startable(it, k); left-- {
			w.start(it.Job, k, it.Node, it.Container, it.ID)
		}
		if left > 0 {
			w.tell(sched.Event{Kind: sched.Refused, Item: it.ID, Job: it.Job, Stage: it.Stage, Node: it.Node, Count: left, Why: sched.Stale})
			if k >= 0 {
				jb.stages[k].asked = true
			}
		}
	}
	w.orders = later
}

func (w *World) startable(it *sched.Item, k int) bool {
	jb := w.jobs[it.Job]
	return k >= 0 && !jb.over && jb.stages[k].ready && jb.stages[k].open > 0 && w.nodes[it.Node].up &&
		w.nodes[it.Node].free.Fits(w.need(it.Job, k, it.Container))
}

func (w *World) start(j sched.JobID, k int, n sched.NodeID, kind uint8, item sched.ItemID) {
	id := slices.IndexFunc(w.attempts[1:], func(a *attempt) bool { return a == nil }) + 1
	if id == 0 || slices.ContainsFunc(w.out, func(e sched.Event) bool { return e.Attempt == sched.AttemptID(id) }) {
		id = len(w.attempts)
		w.attempts = append(w.attempts, nil)
	}
	a := &attempt{id: sched.AttemptID(id), job: j, stage: k, node: n, kind: kind, item: item, ends: w.beat + 1 + w.dice.IntN(4)}
	w.attempts[id] = a
	w.jobs[j].stages[k].open--
	w.nodes[n].free.Sub(w.need(j, k, kind))
	w.tellStart(a)
}

func (w *World) tellStart(a *attempt) {
	a.began = true
	w.tell(sched.Event{Kind: sched.Started, Attempt: a.id, Job: a.job, Stage: w.jobs[a.job].stages[a.stage].spec.Kind, Node: a.node,
		Container: a.kind, Locality: sched.Anywhere, Item: a.item})
}

// startUnplanned does what a stock scheduler beside ours would.
func (w *World) startUnplanned() {
	for j := 1; j < len(w.jobs); j++ {
		jb := w.jobs[j]
		for k, s := range jb.stages {
			n := sched.NodeID(1 + w.dice.IntN(len(w.nodes)-1))
			if jb.arrived && jb.admitted && !jb.over && s.ready && s.open > 0 && w.nodes[n].up && w.naughty(30) &&
				w.nodes[n].free.Fits(w.need(sched.JobID(j), k, 0)) {
				w.start(sched.JobID(j), k, n, 0, 0)
				s.asked = true
			}
		}
	}
}

// Enact takes over what the plan says, to be done some time.
func (w *World) Enact(p *sched.Plan) error {
	for i := range p.Items {
		it := &p.Items[i]
		if it.Refused != sched.OK || it.Held {
			continue
		}
		switch it.Verb {
		case sched.Start:
			if w.naughty(60) {
				w.told = false // swallowed: only a resync will tell
				continue
			}
			due := w.beat + 1
			if w.beat < w.cfg.Calm {
				due += w.dice.IntN(3)
			}
			w.orders = append(w.orders, order{*it, due})
		case sched.Kill:
			for _, a := range p.Victims[it.Attempts.From:it.Attempts.To] {
				if at := w.attempts[a]; at != nil && !w.naughty(10) {
					w.end(at, cmp.Or(it.Outcome, sched.Killed))
				} else {
					w.tell(sched.Event{Kind: sched.Refused, Item: it.ID, Job: it.Job, Stage: it.Stage, Attempt: a, Count: 1, Why: sched.Stale})
				}
			}
		case sched.Admit, sched.Hold:
			w.jobs[it.Job].admitted = it.Verb == sched.Admit
		case sched.Reject:
			if jb := w.jobs[it.Job]; !jb.over {
				w.endJob(it.Job, sched.Killed, it.Reason.String())
			}
		}
	}
	return nil
}
