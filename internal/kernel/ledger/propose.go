package ledger

import (
	"math"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Begin empties the plan, binds it to the book, and proposes the held items whose time or beat has come.
func (l *Ledger) Begin(p *sched.Plan) {
	p.Reset(l)
	l.unsettled = false
	if len(l.held) == 0 {
		return
	}
	keep := l.held[:0]
	for i := range l.held {
		it := l.held[i]
		if !l.isDue(&it) {
			keep = append(keep, it)
			continue
		}
		it.Held = false
		p.Add(it)
	}
	l.held = keep
}

// isDue tells whether a held item need not wait any more.
func (l *Ledger) isDue(it *sched.Item) bool {
	if it.At > l.now && waitsForAt(it.Verb) {
		return false
	}
	if it.Verb != sched.Start || it.Group > 0 || l.can.Heartbeat == 0 {
		return true
	}
	nb := l.node(it.Node)
	return nb == nil || !nb.Serves() || nb.Beats
}

// waitsForAt tells whether At is the time at which an item is to be done. For the other verbs it is
// a part of what they say.
func waitsForAt(v sched.Verb) bool {
	return v != sched.SetDeadline && v != sched.WakeMe
}

// Propose checks an item and books it. Of starts and kills it books what is possible and sets Count
// to that; none at all is a refusal. A start costs O(log jobs) for each queue above the job, and
// O(1) amortised for each task.
func (l *Ledger) Propose(p *sched.Plan, it *sched.Item) sched.Code {
	why := l.propose(p, it)
	l.unsettled = l.unsettled || why != sched.OK || it.Held || it.Group > 0 || l.watching
	return why
}

func (l *Ledger) propose(p *sched.Plan, it *sched.Item) sched.Code {
	is := l.found
	l.found = found{}
	if it.ID == 0 {
		l.lastItem++
		it.ID = l.lastItem
	}
	switch {
	case it.Verb == sched.NoVerb || it.Verb >= sched.Verbs || it.Stage >= sched.Stages || it.Count < 0 && it.Verb != sched.SetSlots:
		return sched.BadItem
	case !l.can.Can(it.Verb):
		return sched.CannotDo
	case it.Group > 0 && it.Verb != sched.Start && it.Verb != sched.Speculate && it.Verb != sched.Kill:
		return sched.BadItem // only what can be taken back can be in a group
	case it.Group > 0 && it.At > l.now:
		return sched.BadItem
	}
	if l.yielded && (it.Verb == sched.Start || it.Verb == sched.Speculate || it.Verb == sched.Kill) {
		return sched.Yielded
	}
	if it.Verb == sched.Start && l.job(it.Job) == nil {
		return sched.UnknownJob // rather than to hold it first
	}
	if it.Verb == sched.Rank && it.Job == 0 && l.now < l.rankable {
		if l.ranksLater(p, it) {
			return sched.OK
		}
		it.At = max(it.At, l.rankable)
	}
	if !l.isDue(it) {
		it.Held = true
		return sched.OK
	}
	switch it.Verb {
	case sched.Rank:
		return l.proposeRank(it)
	case sched.Start:
		return l.proposeStart(p, it, &is)
	case sched.Speculate:
		return l.proposeSecond(p, it, &is)
	case sched.Kill:
		return l.proposeKill(p, it)
	case sched.WakeMe:
		if it.At <= l.now {
			return sched.TooLate
		}
		l.wake = min(l.wake, it.At)
		return sched.OK
	case sched.Sleep, sched.Wake:
		return l.proposeNode(it)
	}
	return l.proposeJob(it)
}

// proposeRank asks for the keys of a job again, or of all jobs: at once, so that the plan goes on in the new order.
func (l *Ledger) proposeRank(it *sched.Item) sched.Code {
	if it.Job != 0 {
		b := l.job(it.Job)
		if b == nil {
			return sched.UnknownJob
		}
		l.rekey(b, allStages)
		return sched.OK
	}
	l.rankable = l.now.Add(sched.RankInterval)
	for i := range l.jobs {
		if b := &l.jobs[i]; b.Ranked != 0 {
			l.rekey(b, allStages)
		}
	}
	return sched.OK
}

// ranksLater tells whether another item will rank all jobs as soon as that is allowed: one that was
// held, or one of this plan.
func (l *Ledger) ranksLater(p *sched.Plan, it *sched.Item) bool {
	waits := func(o *sched.Item) bool {
		return o != it && o.Verb == sched.Rank && o.Job == 0 && o.Held && o.Refused == sched.OK && o.At <= l.rankable
	}
	for i := range l.held {
		if waits(&l.held[i]) {
			return true
		}
	}
	for i := range p.Items {
		if waits(&p.Items[i]) {
			return true
		}
	}
	return false
}

// proposeJob books what is decided on a whole job or stage.
func (l *Ledger) proposeJob(it *sched.Item) sched.Code {
	b := l.job(it.Job)
	if b == nil {
		return sched.UnknownJob
	}
	if is := b.Standing(); is == sched.Finished || is == sched.Rejected {
		return sched.TooLate
	}
	was := b.Job
	t := &b.Stages[it.Stage]
	switch it.Verb {
	case sched.Admit, sched.Hold, sched.Reject:
		to := sched.Admitted
		if it.Verb == sched.Hold {
			to = sched.HeldBack
		} else if it.Verb == sched.Reject {
			to = sched.Rejected
		}
		why := it.Reason
		if why.Evidence = (sched.Span{}); !why.Same(&b.Why) {
			b.Why = why
		}
		b.Outlook = it.Outlook
		switch {
		case l.watching:
			l.setState(b, b.State, to)
		case b.State == sched.Waiting && to != sched.Rejected:
			b.Decided = to
			return sched.OK
		default:
			l.setState(b, to, sched.NoJob)
		}
		for s := range b.Stages {
			b.Stages[s].Sample = -1 // what was decided needs no measuring
		}
	case sched.Foretell:
		b.Outlook = it.Outlook
		return sched.OK
	case sched.SetDeadline:
		if it.At < 0 {
			return sched.BadItem
		}
		b.Virtual = it.At
	default:
		st := b.Spec.Stage(it.Stage)
		if st == nil {
			return sched.BadItem
		}
		switch it.Verb {
		case sched.Sample:
			if b.Standing() == sched.Admitted {
				return sched.TooLate
			}
			t.Sample = it.Count
		case sched.Withhold:
			t.Withheld = true
		case sched.Release:
			t.Withheld = false
		case sched.SetSlots:
			t.Limit = max(it.Count, -1)
		case sched.SetTasks:
			switch {
			case st.MaxTasks == 0 || it.Count < int32(max(1, st.MinTasks)) || int(it.Count) > st.MaxTasks:
				return sched.BadItem
			case !b.untouched(it.Stage):
				return sched.TooLate
			}
			if !l.watching {
				b.Molds[it.Stage] = sched.Mold{Item: it.ID, Asked: it.Count}
				l.rekey(b, allStages)
			}
			return sched.OK
		default:
			return sched.BadItem
		}
	}
	l.rekey(b, allStages) // also if nothing changed: the order may know more than the record
	if l.watching && b.Job == was {
		return sched.Unchanged
	}
	return sched.OK
}

func (l *Ledger) proposeNode(it *sched.Item) sched.Code {
	nb := l.node(it.Node)
	if nb == nil {
		return sched.UnknownNode
	}
	was, to := nb.State, sched.Waking
	switch {
	case was == sched.Down, it.Verb == sched.Sleep && was != sched.Awake:
		return sched.NodeAway
	case it.Verb == sched.Wake && was != sched.Asleep && was != sched.Offered:
		return sched.TooLate
	case it.Verb == sched.Wake:
	case nb.Occupied > 0:
		to = sched.Draining
	case nb.Spec.Class.Rented():
		to = sched.Offered
	default:
		to = sched.Asleep
	}
	l.turn(nb, to, l.now)
	nb.asked = it.ID
	return sched.OK
}

// roomFor checks all that must hold before a container of the stage may go to the node, but for what was
// just found out, and returns how many at most.
func (l *Ledger) roomFor(it *sched.Item, is *found) (*nodeBook, *jobBook, int32, sched.Code) {
	b, nb := l.job(it.Job), l.node(it.Node)
	if !is.startable || it.Count < 1 || is.container != it.Container || !is.is(it.Node, it.Job, it.Stage) {
		if why := l.mayStart(it, nb, b); why != sched.OK {
			return nil, nil, 0, why
		}
	}
	n, t := it.Count, &b.Stages[it.Stage]
	if t.Limit >= 0 {
		n = min(n, t.Limit-t.Occupied)
	}
	if b.Standing() != sched.Admitted {
		n = min(n, t.Sample)
	}
	if n > 1 {
		n = int32(min(int64(n), nb.Free.Times(&b.needs[it.Stage][it.Container].Vector), math.MaxInt32))
	}
	return nb, b, n, sched.OK
}

// mayStart tells why a container of the stage may not go to the node.
func (l *Ledger) mayStart(it *sched.Item, nb *nodeBook, b *jobBook) sched.Code {
	if b == nil || b.State == sched.Finished {
		return sched.UnknownJob
	}
	if nb == nil {
		return sched.UnknownNode
	}
	switch t := &b.Stages[it.Stage]; {
	case int(it.Container) >= len(b.needs[it.Stage]) || it.Count < 1:
		return sched.BadItem
	case !nb.Serves():
		return sched.NodeAway
	case !nb.Suits(b.Spec):
		if nb.Spec.Carries(b.Spec.Labels) {
			return sched.Avoided
		}
		return sched.WrongLabels
	case b.Cancelled:
		return sched.TooLate
	case !t.Ready, b.Molds[it.Stage].Open():
		return sched.NotReady
	case t.Withheld:
		return sched.Withheld
	case !b.may(it.Stage):
		return sched.NotAdmitted
	case t.Limit >= 0 && t.Occupied >= t.Limit:
		it.Reason.A = int64(t.Limit)
		return sched.AtLimit
	case !nb.Free.Fits(&b.needs[it.Stage][it.Container].Vector):
		return sched.NoRoom
	}
	return sched.OK
}

func (l *Ledger) proposeStart(p *sched.Plan, it *sched.Item, is *found) sched.Code {
	nb, b, n, why := l.roomFor(it, is)
	if why != sched.OK {
		return why
	}
	far := it.Locality
	if far == sched.NoLocality {
		far = sched.Remote
	}
	s := it.Stage
	t, tally := b.tasks[s], &b.Stages[s]
	booked, farthest := int32(0), sched.NoLocality
	from := int32(len(p.Bound))
	named := l.can.Bind && it.Task != 0
	if named {
		n = 1
	}
	for ; booked < n; booked++ {
		id, locality := is.task, is.locality
		if named {
			if id, locality = it.Task, sched.NoLocality; t.of(id) != nil && t.isOpen(int32(id)) {
				locality = l.distance(nb, t, id)
			}
		} else if booked > 0 || !is.asked || !is.is(it.Node, it.Job, s) {
			id, locality = l.nearest(nb, it.Job, s)
		}
		if locality == sched.NoLocality || locality > far {
			break
		}
		if l.can.Bind {
			tk := &t.List[id]
			t.take(id)
			tk.State, tk.By = taskPromised, int32(it.ID)
			tk.Live++
			p.Bound = append(p.Bound, sched.Bound{Task: id, Locality: locality})
		} else {
			if booked > 0 && locality != farthest {
				break // one locality for each item that speaks in counts
			}
			t.moveDemand(nb, locality, -1)
		}
		farthest = max(farthest, locality)
		tally.Open--
		l.book(nb, b, s, it.Container, 1)
	}
	if booked == 0 {
		return sched.NoTask
	}
	if tally.Sample > 0 {
		tally.Sample -= booked
	}
	l.grants.put(grant{Item: it.ID, Job: it.Job, Stage: s, Container: it.Container, Near: farthest, Node: it.Node, Left: booked})
	if it.Group > 0 && booked < it.Count {
		l.undo(p, it)
		return sched.NoTask
	}
	it.Locality, it.Count = farthest, booked
	it.Tasks = sched.Span{From: from, To: int32(len(p.Bound))}
	if stages := l.counted(b, s); stages != 0 {
		l.rekey(b, stages)
	}
	return sched.OK
}

// proposeSecond books a second attempt of a task that runs once.
func (l *Ledger) proposeSecond(p *sched.Plan, it *sched.Item, is *found) sched.Code {
	it.Count = 1
	nb, b, _, why := l.roomFor(it, is)
	if why != sched.OK {
		return why
	}
	t := b.tasks[it.Stage]
	tk := t.of(it.Task)
	if tk == nil || tk.State != taskLive || tk.Live != 1 || !l.running(b, it.Stage, it.Task) {
		return sched.NoTask
	}
	tk.Live++
	tk.By = int32(it.ID)
	from := int32(len(p.Bound))
	p.Bound = append(p.Bound, sched.Bound{Task: it.Task, Locality: l.distance(nb, t, it.Task)})
	it.Tasks = sched.Span{From: from, To: from + 1}
	if tally := &b.Stages[it.Stage]; tally.Sample > 0 {
		tally.Sample--
	}
	l.book(nb, b, it.Stage, it.Container, 1)
	l.grants.put(grant{Item: it.ID, Job: it.Job, Stage: it.Stage, Container: it.Container, Node: it.Node, Left: 1, Second: it.Task})
	l.rekey(b, l.counted(b, it.Stage))
	return sched.OK
}

// running tells whether an attempt of the task runs. One that does not may still have a second
// attempt promised, behind a first that has ended: of that there is to be no other. O(running
// attempts of the stage).
func (l *Ledger) running(b *jobBook, s sched.Stage, id sched.TaskID) bool {
	for a := b.heads[s]; a != 0; a = l.attempts[a].older {
		if l.attempts[a].Task == id {
			return true
		}
	}
	return false
}

// distance says how far the node is from the task's input.
func (l *Ledger) distance(nb *nodeBook, t *tasks, id sched.TaskID) sched.Locality {
	hosts := t.Spec.Hosts.Of(int(id - 1))
	if len(hosts) == 0 {
		return sched.Anywhere
	}
	locality := sched.Remote
	for _, h := range hosts {
		switch {
		case h == nb.ID:
			return sched.NodeLocal
		case nb.rack() > 0 && l.rackOf(h) == nb.rack():
			locality = sched.RackLocal
		}
	}
	return locality
}

func (l *Ledger) proposeKill(p *sched.Plan, it *sched.Item) sched.Code {
	from := int32(len(p.Victims))
	if it.Attempt != 0 {
		ab := l.attempt(it.Attempt)
		if ab == nil || ab.Dying {
			return sched.UnknownAttempt
		}
		ab.Dying = true
		it.Job, it.Stage, it.Node, it.Count = ab.Job, ab.Stage, ab.Node, 1
		p.Victims = append(p.Victims, it.Attempt)
	} else {
		b := l.job(it.Job)
		if b == nil {
			return sched.UnknownJob
		}
		n := int32(0)
		for a := b.heads[it.Stage]; a != 0 && n < it.Count; a = l.attempts[a].older {
			if !l.attempts[a].Dying {
				l.attempts[a].Dying = true
				p.Victims = append(p.Victims, a)
				n++
			}
		}
		if n == 0 {
			return sched.UnknownAttempt
		}
		it.Count = n
	}
	it.Attempts = sched.Span{From: from, To: int32(len(p.Victims))}
	return sched.OK
}

// Check settles the plan when the policy has decided: groups are granted all or not at all, held
// items are kept for later, refusals go into the next batch.
func (l *Ledger) Check(p *sched.Plan) {
	if !l.unsettled {
		return
	}
	grouped := false
	for i := range p.Items {
		grouped = grouped || p.Items[i].Group > 0
	}
	if grouped {
		l.checkGroups(p)
	}
	if l.watching {
		l.checkWatched(p)
	}
	for i := range p.Items {
		switch it := &p.Items[i]; {
		case it.Refused == sched.Watched && advises(it.Verb): // it stands, beside what is
		case it.Refused != sched.OK:
			l.refusals = append(l.refusals, refusal(it, it.Refused))
		case it.Held:
			l.held = append(l.held, *it)
		}
	}
}

// checkGroups takes back all items of a group of which one was refused, or one start granted in
// part. O(groups × items).
func (l *Ledger) checkGroups(p *sched.Plan) {
	for i := range p.Items {
		it := &p.Items[i]
		if it.Group <= 0 || it.Refused == sched.OK {
			continue
		}
		for k := range p.Items {
			if other := &p.Items[k]; other.Group == it.Group && other.Refused == sched.OK {
				l.undo(p, other)
				other.Refused = sched.GroupBroken
			}
		}
	}
}

// checkWatched keeps from the world what it is not to do while the scheduler watches, and takes
// back what would act, last things first.
func (l *Ledger) checkWatched(p *sched.Plan) {
	for i := len(p.Items) - 1; i >= 0; i-- {
		it := &p.Items[i]
		switch {
		case it.Refused != sched.OK, it.Verb == sched.Foretell, it.Verb == sched.Rank, it.Verb == sched.WakeMe:
			continue
		case advises(it.Verb):
			if it.Held {
				continue // it is advice when its time has come
			}
		default:
			it.Held = false
			l.undo(p, it)
		}
		it.Refused = sched.Watched
	}
}

// advises tells whether the verb only says how a job is to be planned for, so that it can stand as advice.
func advises(v sched.Verb) bool {
	switch v {
	case sched.Admit, sched.Hold, sched.Reject, sched.Sample, sched.Withhold, sched.Release, sched.SetSlots, sched.SetDeadline:
		return true
	}
	return false
}

// undo takes back what an item booked. Nothing has run meanwhile: the node stands as it did.
func (l *Ledger) undo(p *sched.Plan, it *sched.Item) {
	if nb := l.node(it.Node); nb != nil {
		defer func(since units.Time) { nb.Since = since }(nb.Since)
		if nb.asked == it.ID { // only while the scheduler watches, when no node sleeps or wakes on its account
			l.turn(nb, nb.Was, 0)
		}
	}
	for _, a := range p.Victims[it.Attempts.From:it.Attempts.To] {
		l.attempts[a].Dying = false
	}
	it.Attempts = sched.Span{}
	g, b := l.grants.find(it.ID), l.job(it.Job)
	if g == nil || b == nil {
		return
	}
	gr := *g
	l.grants.answer(g, g.Left)
	l.takeBack(b, &gr, 0, gr.Left)
	it.Tasks = sched.Span{}
	l.rekey(b, allStages)
}
