package adverse

import (
	"cmp"
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// endAttempts ends what is due. A map may fail while its attempt ends well, as a container's exit says
// nothing of its task: that it is asked for once more is all that tells.
func (w *World) endAttempts() {
	for _, a := range w.attempts[1:] {
		if a == nil || a.ends > w.beat {
			continue
		}
		jb := w.jobs[a.job]
		s := jb.stages[a.stage]
		switch {
		case a.task < 0: // nobody needs it: it is given back
			w.end(a, sched.Killed)
		case s.spec.Kind == sched.Master: // it lives as long as its job
		case a.stage > 0 && jb.stages[a.stage-1].spec.Kind == sched.Map && !jb.stages[a.stage-1].finished():
			a.ends = w.beat + 1 // it waits for the last map
		case w.naughty(12):
			w.end(a, sched.Failed)
		case s.spec.Kind == sched.Map && w.naughty(15):
			task := a.task
			w.end(a, sched.Committed)
			s.move(task, taskHidden)
			s.hidden = append(s.hidden, hidden{task, w.beat + 1 + w.dice.IntN(3)})
		default:
			w.end(a, sched.Committed)
		}
	}
}

// noticeFailures has ApplicationMasters ask once more for tasks that have failed unseen.
func (w *World) noticeFailures() {
	for i := 1; i < len(w.jobs); i++ {
		for _, s := range w.jobs[i].stages {
			s.hidden = slices.DeleteFunc(s.hidden, func(h hidden) bool {
				if h.due > w.beat || w.jobs[i].over {
					return false
				}
				s.lose(h.task)
				w.tell(sched.Event{Kind: sched.OutputLost, Job: sched.JobID(i), Stage: s.spec.Kind})
				return true
			})
		}
	}
}

// lose makes a task one that is asked for once more.
func (s *stage) lose(task int) {
	s.move(task, taskOpen)
	s.again[task], s.asked = true, true
}

// end ends an attempt.
func (w *World) end(a *attempt, o sched.Outcome) {
	w.stop(a, o)
	w.over(a.id, a.life)
}

// over tells that an attempt has ended.
func (w *World) over(id sched.AttemptID, l *Life) {
	w.ending = append(w.ending, l)
	w.tell(sched.Event{Kind: sched.Ended, Attempt: id, Outcome: l.Outcome})
}

// stop ends an attempt, and tells nobody.
func (w *World) stop(a *attempt, o sched.Outcome) {
	s := w.jobs[a.job].stages[a.stage]
	w.nodes[a.node].free.Add(w.need(a.job, a.stage, a.kind))
	w.nodes[a.node].idle = w.beat
	switch {
	case a.task < 0:
		s.asked = true
	case o == sched.Committed:
		s.move(a.task, taskDone)
	default:
		s.lose(a.task)
	}
	w.attempts[a.id] = nil
	a.life.Outcome = o
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
		k := w.stageOf(it)
		left, why := it.Count, sched.Stale
		if w.naughty(9) {
			why = sched.Gone
		}
		for ; left > 0 && !w.naughty(8); left-- {
			if why = w.startable(it, k); why != sched.OK {
				break
			}
			w.start(it.Job, k, it.Node, it.Container, it.ID, it.Locality)
			why = sched.Stale
		}
		if left > 0 {
			w.refuse(it, left, why)
			w.jobs[it.Job].stages[k].asked = true
		}
	}
	w.orders = later
}

func (w *World) refuse(it *sched.Item, count int32, why sched.Code) {
	w.tell(sched.Event{Kind: sched.Refused, Item: it.ID, Job: it.Job, Stage: it.Stage, Node: it.Node, Count: count, Why: why})
}

// stageOf returns the place of the item's stage among those of its job, -1 if there is none.
func (w *World) stageOf(it *sched.Item) int {
	return slices.IndexFunc(w.jobs[it.Job].stages, func(s *stage) bool { return s.spec.Kind == it.Stage })
}

// startable says why one more task may not start where the item wants it, sched.OK if it may.
func (w *World) startable(it *sched.Item, k int) sched.Code {
	jb, nd := w.jobs[it.Job], w.nodes[it.Node]
	s := jb.stages[k]
	_, locality := w.nearest(s, it.Node)
	switch {
	case jb.over:
		return sched.UnknownJob
	case !nd.serves():
		return sched.NodeAway
	case !jb.admitted && s.sample <= 0:
		return sched.NotAdmitted
	case !s.ready:
		return sched.NotReady
	case !nd.spec.Carries(jb.spec.Labels):
		return sched.WrongLabels
	case jb.shunned == it.Node, s.claim == 0, it.Locality != sched.NoLocality && locality > it.Locality:
		return sched.Stale
	case !nd.free.Fits(w.need(it.Job, k, it.Container)):
		return sched.NoRoom
	}
	return sched.OK
}

// nearest returns the open task, of those that the stage asks for, that is nearest to the node, and how
// near it is.
func (w *World) nearest(s *stage, n sched.NodeID) (task int, locality sched.Locality) {
	if s.mute {
		return 0, sched.NoLocality
	}
	first := [sched.Remote + 1]int{}
	for i, state := range s.tasks[:s.shown] {
		if l := w.distance(s.spec.Hosts.Of(i), n); state == taskOpen && first[l] == 0 {
			first[l] = i + 1
		}
	}
	for _, l := range []sched.Locality{sched.NodeLocal, sched.Anywhere, sched.RackLocal, sched.Remote} {
		if first[l] > 0 {
			return first[l] - 1, l
		}
	}
	return 0, sched.NoLocality
}

func (w *World) distance(hosts []cluster.NodeID, n sched.NodeID) sched.Locality {
	switch {
	case len(hosts) == 0:
		return sched.Anywhere
	case slices.Contains(hosts, n):
		return sched.NodeLocal
	case w.inRack(hosts, w.nodes[n].spec.Rack):
		return sched.RackLocal
	}
	return sched.Remote
}

// inRack tells whether a copy of the task's input lies in the rack.
func (w *World) inRack(hosts []cluster.NodeID, r cluster.RackID) bool {
	return slices.ContainsFunc(hosts, func(h sched.NodeID) bool { return w.nodes[h].spec.Rack == r })
}

// start starts a container, for the nearest open task, or for none: that one is given back.
func (w *World) start(j sched.JobID, k int, n sched.NodeID, kind uint8, item sched.ItemID, far sched.Locality) {
	id := 1
	for id < len(w.attempts) && w.attempts[id] != nil || w.taken(sched.AttemptID(id)) ||
		slices.ContainsFunc(w.out, func(e sched.Event) bool { return e.Attempt == sched.AttemptID(id) }) {
		id++
	}
	for id >= len(w.attempts) {
		w.attempts = append(w.attempts, nil)
	}
	s := w.jobs[j].stages[k]
	task, locality := w.nearest(s, n)
	if locality == sched.NoLocality {
		task, locality = -1, cmp.Or(far, sched.Anywhere)
	}
	s.claim--
	a := &attempt{id: sched.AttemptID(id), job: j, stage: k, task: task, locality: locality, node: n, kind: kind, item: item,
		since: w.beat, ends: w.beat + 1 + w.dice.IntN(4)}
	a.life = &Life{Job: w.jobs[j].spec.ID, Arrived: w.when(w.jobs[j].came), Stage: s.spec.Kind, Node: n,
		Container: kind, Locality: locality, Item: item, Began: w.now()}
	w.Lives = append(w.Lives, a.life)
	w.attempts[id] = a
	if s.flight++; task >= 0 {
		s.move(task, taskRuns)
	}
	if s.sample > 0 {
		s.sample--
	}
	w.nodes[n].free.Sub(w.need(j, k, kind))
	w.tellStart(a)
}

func (w *World) tellStart(a *attempt) {
	w.tell(sched.Event{Kind: sched.Started, Attempt: a.id, Job: a.job, Stage: w.jobs[a.job].stages[a.stage].spec.Kind, Node: a.node,
		Container: a.kind, Locality: a.locality, Age: w.age(a.since), Item: a.item})
}

// startUnplanned does what a stock scheduler beside ours would, and what it does alone when we have yielded
// or watch: then it asks for no verdict of ours.
func (w *World) startUnplanned() {
	for j := 1; j < len(w.jobs); j++ {
		jb := w.jobs[j]
		for k, s := range jb.stages {
			n := sched.NodeID(1 + w.dice.IntN(len(w.nodes)-1))
			may := jb.arrived && (jb.admitted || w.watching) && !jb.over && jb.cancelled == 0 && s.ready && s.claim > 0 && s.wanted() > 0
			if may && w.nodes[n].serves() && jb.shunned != n && (w.yielded || w.watching || w.naughty(30)) &&
				w.nodes[n].free.Fits(w.need(sched.JobID(j), k, 0)) && w.nodes[n].spec.Carries(jb.spec.Labels) {
				w.start(sched.JobID(j), k, n, 0, 0, 0)
				s.asked = true
			}
		}
	}
}

// Enact takes over what the plan says, to be done some time. An item whose id was seen before changes
// nothing.
func (w *World) Enact(p *sched.Plan) error {
	for i := range p.Items {
		it := &p.Items[i]
		if it.Refused != sched.OK || it.Held || it.ID > 0 && w.seen[it.ID] {
			continue
		}
		w.seen[it.ID] = true
		if w.watching && it.Verb != sched.Foretell && it.Verb != sched.Rank && it.Verb != sched.WakeMe {
			w.refuse(it, it.Count, sched.Watched)
			continue
		}
		switch it.Verb {
		case sched.Start:
			w.takeOver(it)
		case sched.Kill:
			w.kill(p, it)
		case sched.Admit, sched.Hold, sched.Reject, sched.Sample:
			if it.Job < 1 || int(it.Job) >= len(w.jobs) || !w.jobs[it.Job].arrived || w.jobs[it.Job].over {
				w.refuse(it, 0, sched.UnknownJob)
				continue
			}
			w.judge(it)
		default:
			w.ask(it)
		}
	}
	return nil
}

// takeOver puts a start in line, in part or not at all, and says so; what it swallows it says nothing of.
func (w *World) takeOver(it *sched.Item) {
	switch {
	case it.Job < 1 || int(it.Job) >= len(w.jobs) || !w.jobs[it.Job].arrived || w.jobs[it.Job].over:
		w.refuse(it, it.Count, sched.UnknownJob)
		return
	case it.Node < 1 || int(it.Node) >= len(w.nodes):
		w.refuse(it, it.Count, sched.UnknownNode)
		return
	}
	k := w.stageOf(it)
	if k < 0 || it.Count < 1 || int(it.Container) >= max(1, len(w.jobs[it.Job].stages[k].spec.Containers)) {
		w.refuse(it, it.Count, sched.BadItem)
		return
	}
	if w.jobs[it.Job].cancelled > 0 {
		w.refuse(it, it.Count, sched.TooLate)
		return
	}
	if w.yielded {
		w.refuse(it, it.Count, sched.Yielded)
		return
	}
	if w.naughty(60) {
		w.told = false // swallowed: only a resync will tell
		return
	}
	o := order{*it, w.beat + 1}
	if w.beat < w.cfg.Calm {
		o.due += w.dice.IntN(3)
	}
	if it.Count > 1 && w.naughty(3) {
		o.item.Count = 1 + w.dice.Int32N(it.Count-1)
	}
	w.tell(sched.Event{Kind: sched.Granted, Item: it.ID, Job: it.Job, Stage: it.Stage, Node: it.Node, Count: o.item.Count})
	w.orders = append(w.orders, o)
}

func (w *World) kill(p *sched.Plan, it *sched.Item) {
	if it.Attempts.From < 0 || int(it.Attempts.To) > len(p.Victims) || it.Attempts.Len() <= 0 {
		w.refuse(it, it.Count, sched.BadItem)
		return
	}
	for _, a := range p.Victims[it.Attempts.From:it.Attempts.To] {
		if a > 0 && int(a) < len(w.attempts) && w.attempts[a] != nil && !w.yielded && !w.naughty(10) {
			w.end(w.attempts[a], cmp.Or(it.Outcome, sched.Killed))
		} else {
			w.tell(sched.Event{Kind: sched.Refused, Item: it.ID, Job: it.Job, Stage: it.Stage, Attempt: a, Count: 1, Why: sched.Stale})
		}
	}
}

// judge takes note of what was decided on a job.
func (w *World) judge(it *sched.Item) {
	jb := w.jobs[it.Job]
	switch it.Verb {
	case sched.Reject:
		w.endJob(it.Job, sched.Killed, it.Reason.String())
	case sched.Sample:
		if k := w.stageOf(it); k >= 0 {
			jb.stages[k].sample = it.Count
		} else {
			w.refuse(it, it.Count, sched.BadItem)
		}
	default:
		jb.admitted = it.Verb == sched.Admit
		for _, s := range jb.stages {
			s.sample = 0
		}
	}
}
