package ledger

import (
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// book enters (by = 1) or strikes out (by = -1) a container of the job's stage on the node, if the book knows
// it: on the records of the node, the job and the queues above it.
func (l *Ledger) book(nb *nodeBook, b *jobBook, s sched.Stage, container uint8, by int32) {
	need := l.need(b, s, container)
	if nb != nil {
		nb.Occupied += by
		if by < 0 {
			nb.Since = l.now
		}
		need.AddTo(&nb.Free, -int64(by))
		if nb.State == sched.Awake {
			need.AddTo(&l.classes[nb.Class].Free, -int64(by))
		}
	}
	b.Stages[s].Occupied += by
	l.bookQueues(b, s, need, by)
}

func (l *Ledger) bookQueues(b *jobBook, s sched.Stage, need *units.Need, by int32) {
	for q := b.Queue; ; q = l.queues[q].Parent {
		qb := &l.queues[q]
		qb.Stages[s].Occupied += by
		need.AddTo(&qb.Used, int64(by))
		if q == sched.Root {
			return
		}
	}
}

// need returns what a kind of container takes; a kind that the job does not list counts as its first.
func (l *Ledger) need(b *jobBook, s sched.Stage, container uint8) *units.Need {
	kinds := b.needs[s]
	if len(kinds) == 0 {
		return &l.nothing
	}
	if int(container) >= len(kinds) {
		container = 0
	}
	return &kinds[container]
}

// begin opens the record of an attempt that the world has started: one that was promised, or one that nobody planned.
func (l *Ledger) begin(e *sched.Event) {
	b := l.job(e.Job)
	switch {
	case e.Attempt < 1 || e.Stage >= sched.Stages:
		l.discrepancy(e, "an attempt started that has no handle or no stage")
		return
	case b == nil:
		l.discrepancy(e, "an attempt started of a job that the book does not know")
		return
	case l.attempt(e.Attempt) != nil:
		l.discrepancy(e, "an attempt started under a handle that is in use; the older one counts as lost")
		l.finish(&sched.Event{Kind: sched.Ended, Attempt: e.Attempt, Outcome: sched.Lost})
	}
	tk := b.tasks[e.Stage].of(e.Task)
	if g := l.grants.find(e.Item); g != nil && g.Job == e.Job && g.Stage == e.Stage && g.Node == e.Node &&
		(tk == nil || tk.State == taskPromised || tk.By == int32(e.Item)) {
		l.grants.answer(g, 1) // no key depends on what this changes, so the job stays where it stands
	} else {
		l.markDirty(b, allStages)
		if !l.resyncing && !l.yielded && !l.watching && e.Why != sched.Yielded {
			l.discrepancy(e, "an attempt started that was not planned")
		}
		l.book(l.node(e.Node), b, e.Stage, e.Container, 1)
		l.grow(b, e.Stage)
		if tk != nil {
			tk.Live++
			if tk.State == taskOpen {
				b.Stages[e.Stage].Open--
				b.tasks[e.Stage].take(e.Task)
			}
		}
	}
	if tk != nil && tk.State != taskDone {
		tk.State = taskLive
	}
	b.Stages[e.Stage].Running++
	since := l.since(e)
	b.Started = min(b.Started, since)
	for int(e.Attempt) >= len(l.attempts) {
		l.attempts = append(l.attempts, attemptBook{})
	}
	ab := &l.attempts[e.Attempt]
	*ab = attemptBook{Attempt: sched.Attempt{ID: e.Attempt, Job: e.Job, Stage: e.Stage, Container: e.Container, Locality: e.Locality,
		Task: e.Task, Node: e.Node, Item: e.Item, Started: since}}
	l.link(b, ab)
}

// link gives an attempt its place among those of its job's stage: in front of all, but for those
// that started after it. What is told late, and only that, has some to pass.
func (l *Ledger) link(b *jobBook, ab *attemptBook) {
	ab.older = b.heads[ab.Stage]
	for ab.older != 0 && l.attempts[ab.older].Started > ab.Started {
		ab.younger, ab.older = ab.older, l.attempts[ab.older].older
	}
	if ab.older != 0 {
		l.attempts[ab.older].younger = ab.ID
	}
	if ab.younger != 0 {
		l.attempts[ab.younger].older = ab.ID
	} else {
		b.heads[ab.Stage] = ab.ID
	}
}

// finish closes the record of an attempt. A task that has neither committed nor another attempt is
// open again; where the world binds late, its next Demand says so.
func (l *Ledger) finish(e *sched.Event) {
	ab := l.attempt(e.Attempt)
	if ab == nil {
		l.discrepancy(e, "an attempt ended that the book does not know")
		return
	}
	a := ab.Attempt
	b := &l.jobs[a.Job]
	tally := &b.Stages[a.Stage]
	l.unlink(ab)
	nb, since := l.node(a.Node), units.Time(0)
	if nb != nil {
		since = nb.Since
	}
	l.book(nb, b, a.Stage, a.Container, -1)
	if nb != nil && e.Age > 0 {
		nb.Since = max(since, l.since(e))
	}
	tally.Running--
	t := b.tasks[a.Stage]
	if tk := t.of(a.Task); tk != nil {
		tk.Live--
		switch {
		case tk.State == taskDone:
		case e.Outcome == sched.Committed:
			if tk.State == taskOpen {
				tally.Open--
				t.take(a.Task)
			}
			tk.State = taskDone
			tally.Done++
			if tk.Live == 0 {
				tk.By = -int32(a.Node)
			}
		case tk.Live == 0 && tk.State != taskOpen:
			l.reopen(b, t, a.Task)
		}
	} else if e.Outcome == sched.Committed {
		tally.Done++
		l.grow(b, a.Stage)
	}
	l.markDirty(b, l.counted(b, a.Stage))
}

// reopen lets a task be started again, in its old place before those that never were.
func (l *Ledger) reopen(b *jobBook, t *tasks, id sched.TaskID) {
	t.List[id].State = taskOpen
	t.open[id>>6] |= 1 << (id & 63)
	b.Stages[t.Spec.Kind].Open++
	l.enter(t, id)
	l.postNews(b, t.Spec.Kind)
}

func (l *Ledger) unlink(ab *attemptBook) {
	if ab.younger != 0 {
		l.attempts[ab.younger].older = ab.older
	} else {
		l.jobs[ab.Job].heads[ab.Stage] = ab.older
	}
	if ab.older != 0 {
		l.attempts[ab.older].younger = ab.younger
	}
	// Whose it was is known to the end of the batch (Ended).
	*ab = attemptBook{Attempt: sched.Attempt{Job: ab.Job, Stage: ab.Stage, Node: ab.Node, Item: sched.ItemID(l.round)}}
}

// loseOutput takes back the commit of a task whose result is gone.
func (l *Ledger) loseOutput(e *sched.Event) {
	b := l.job(e.Job)
	if b == nil || e.Stage >= sched.Stages {
		l.discrepancy(e, "an output was lost of a job that the book does not know")
		return
	}
	t := b.tasks[e.Stage]
	tk := t.of(e.Task)
	if tk == nil {
		if b.Stages[e.Stage].Done == 0 {
			l.discrepancy(e, "an output was lost of a stage that has done nothing")
			return
		}
		// Bound late: the next Demand asks for the task again.
		b.Stages[e.Stage].Done--
		l.markDirty(b, allStages)
		return
	}
	if tk.State != taskDone {
		l.discrepancy(e, "an output was lost of a task that had not committed")
		return
	}
	b.Stages[e.Stage].Done--
	if tk.Live > 0 {
		tk.State = taskLive // a second attempt is still at it
	} else {
		l.reopen(b, t, e.Task)
	}
	l.markDirty(b, allStages)
}

// Youngest walks the attempts of a job's stage from the last started to the first.
func (l *Ledger) Youngest(j sched.JobID, s sched.Stage, after sched.AttemptID) sched.AttemptID {
	if ab := l.attempt(after); ab != nil {
		return ab.older
	}
	if b := l.job(j); b != nil && after == 0 && s < sched.Stages {
		return b.heads[s]
	}
	return 0
}

// refusedByWorld takes back what a plan had booked and the world did not do. Task 0 means as many
// as Count of the item's tasks, all that are left for Count 0.
func (l *Ledger) refusedByWorld(e *sched.Event) {
	g := l.grants.find(e.Item)
	if g == nil {
		l.spare(e)
		l.refusedAsked(e)
		return
	}
	b := l.job(g.Job)
	if b == nil {
		l.grants.answer(g, g.Left)
		return
	}
	n := min(g.Left, e.Count)
	if e.Count == 0 {
		n = g.Left
	}
	if e.Task != 0 {
		n = 1
	}
	gr := *g
	l.grants.answer(g, n)
	l.takeBack(b, &gr, e.Task, n)
	l.markDirty(b, allStages)
}

// takeBack strikes out n containers that a grant has promised; those of one task, or of any of its tasks for task 0.
func (l *Ledger) takeBack(b *jobBook, g *grant, task sched.TaskID, n int32) {
	for range n {
		l.book(l.node(g.Node), b, g.Stage, g.Container, -1)
	}
	if b.Stages[g.Stage].Sample >= 0 {
		b.Stages[g.Stage].Sample += n
	}
	t := b.tasks[g.Stage]
	if t == nil {
		return
	}
	if !l.can.Bind {
		if g.Counted {
			return
		}
		b.Stages[g.Stage].Open += n
		t.moveDemand(&l.nodes[g.Node], g.Near, n)
		l.postNews(b, g.Stage)
		return
	}
	release := func(id sched.TaskID) {
		tk := &t.List[id]
		if tk.Live--; tk.Live == 0 && (tk.State == taskPromised || tk.State == taskLive) {
			l.reopen(b, t, id)
		}
	}
	if g.Second != 0 {
		task = g.Second
	}
	if task != 0 {
		if t.of(task) != nil {
			release(task)
		}
		return
	}
	for id := len(t.List) - 1; id > 0 && n > 0; id-- {
		if tk := &t.List[id]; tk.By == int32(g.Item) && tk.State == taskPromised {
			release(sched.TaskID(id))
			n--
		}
	}
}

// spare marks attempts whose kill was refused as living on.
func (l *Ledger) spare(e *sched.Event) {
	if ab := l.attempt(e.Attempt); ab != nil {
		ab.Dying = false
		return
	}
	if e.Attempt != 0 || e.Stage >= sched.Stages {
		return
	}
	for a := l.Youngest(e.Job, e.Stage, 0); a != 0; a = l.Youngest(e.Job, e.Stage, a) {
		l.attempts[a].Dying = false
	}
}
