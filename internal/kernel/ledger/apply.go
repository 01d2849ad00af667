package ledger

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Apply takes in what happened at one time. It never fails: what does not fit the book is followed
// nevertheless, and noted by a Discrepancy. It returns the events together with those that follow
// from them, in the order of their kinds; the slice is good until the next call.
func (l *Ledger) Apply(at units.Time, round int64, events []sched.Event) []sched.Event {
	l.now, l.round, l.found = at, round, found{}
	for _, n := range l.beating {
		l.nodes[n].Beats = false
	}
	l.beating = l.beating[:0]
	for _, j := range l.closing {
		l.jobs[j] = jobBook{}
	}
	l.closing = l.closing[:0]
	if len(l.vacant) > 0 {
		l.clearVacant()
	}
	l.derived = l.derived[:0]
	void := len(events) > 0 && events[0].Kind == sched.Resync
	if !void && len(l.refusals) > 0 { // else what was refused is void too, and its handles may be others' by now
		l.derived = append(l.derived, l.refusals...)
	}
	l.refusals = l.refusals[:0]
	if void {
		l.resync(events)
	} else {
		for i := range events {
			l.take(&events[i])
		}
	}
	if len(l.left) > 0 {
		l.loseLeft()
	}
	if len(l.held) > 0 {
	}
	if len(l.dirty) > 0 {
		l.rekeyDirty()
	}
	if len(l.derived) == 0 {
		return events
	}
	l.events = append(append(l.events[:0], events...), l.derived...)
	slices.SortStableFunc(l.events, func(a, b sched.Event) int { return cmp.Compare(a.Kind, b.Kind) })
	return l.events
}

// resync takes in the full state of the world in the order of kinds, but for what is about jobs
// that must be there first: attempts, and who was cancelled. Of jobs, and of attempts that run, the
// oldest come first: so they stand as they did before.
func (l *Ledger) resync(events []sched.Event) {
	order := make([]*sched.Event, len(events))
	for i := range events {
		order[i] = &events[i]
	}
	slices.SortStableFunc(order, func(a, b *sched.Event) int {
		byAge := 0
		if a.Kind == b.Kind && (a.Kind == sched.JobArrived || a.Kind == sched.Started) {
			byAge = cmp.Compare(b.Age, a.Age)
		}
		return cmp.Or(cmp.Compare(turn(a.Kind), turn(b.Kind)), cmp.Compare(a.Kind, b.Kind), byAge)
	})
	l.resyncing = true
	l.begun = make(map[string]units.Time)
	for i := range l.jobs {
		if b := &l.jobs[i]; b.State != sched.NoJob && b.Started != units.Never {
			l.begun[b.Spec.ID] = b.Started
		}
	}
	for _, e := range order {
		l.take(e)
	}
	l.resyncing, l.begun = false, nil
}

// turn is 1 for what a resync takes in last.
func turn(k sched.EventKind) int {
	switch k {
	case sched.Started, sched.Progress, sched.Ended, sched.JobCancelled:
		return 1
	}
	return 0
}

// take books one event.
func (l *Ledger) take(e *sched.Event) {
	if e.Kind > sched.Ended && len(l.left) > 0 {
		l.loseLeft() // so that what comes after all ends does not count them
	}
	switch e.Kind {
	case sched.Resync:
		l.clear()
	case sched.Control:
		l.control(e)
	case sched.NodeUp:
		l.nodeUp(e)
	case sched.NodeChanged:
		l.nodeChanged(e)
	case sched.NodeDown:
		l.nodeDown(e)
	case sched.SupplyChanged:
		l.supplyChanged(e)
	case sched.ForecastIssued:
		l.forecastIssued(e)
	case sched.ProfileLearned:
		if e.Detail != nil && e.Detail.Profile != nil {
			l.profiles.Put(e.Detail.Profile)
		}
	case sched.Granted:
		l.granted(e)
	case sched.Started:
		l.begin(e)
	case sched.Progress:
		if ab := l.attempt(e.Attempt); ab != nil {
			ab.Progress = e.X
		} else {
			l.discrepancy(e, "an attempt got on that the book does not know")
		}
	case sched.Ended:
		l.finish(e)
	case sched.OutputLost:
		l.loseOutput(e)
	case sched.JobEnded:
		l.jobEnded(e)
	case sched.JobCancelled:
		l.jobCancelled(e)
	case sched.JobAmended:
		l.jobAmended(e)
	case sched.JobArrived:
		l.jobArrived(e)
	case sched.StageReady:
		if b := l.job(e.Job); b != nil && e.Stage < sched.Stages {
			l.ready(b, e.Stage)
		} else {
			l.discrepancy(e, "a stage became ready of a job that the book does not know")
		}
	case sched.Demand:
		l.demand(e)
	case sched.Refused:
		if !e.Derived {
			l.refusedByWorld(e)
		}
	case sched.Tick:
		if l.wake <= l.now {
			l.wake = units.Never
		}
	case sched.Heartbeat:
		if nb := l.node(e.Node); nb != nil && !nb.Beats {
			nb.Beats, nb.Beat = true, l.now
			l.beating = append(l.beating, e.Node)
		}
	case sched.Discrepancy:
		// The ledger's own.
	default:
		l.discrepancy(e, "there is no such event")
	}
}

// control follows who places work. Watching begins and ends with a book that is void.
func (l *Ledger) control(e *sched.Event) {
	switch {
	case l.watching, e.Control == sched.Watch && !l.resyncing:
		l.discrepancy(e, "watching begins and ends with a resync only")
	case e.Control == sched.Watch:
		l.watching, l.yielded = true, false
	case e.Control == sched.TakeOver || e.Control == sched.Yield:
		l.yielded = e.Control == sched.Yield
	}
}

// since is when what the event says began to hold. Nothing can have begun to hold later than now.
func (l *Ledger) since(e *sched.Event) units.Time {
	if e.Age < 0 {
		l.discrepancy(e, "it holds since a time to come; it counts as of now")
		return l.now
	}
	return l.now.Add(-e.Age)
}

// discrepancy notes that an event did not fit the book.
func (l *Ledger) discrepancy(e *sched.Event, what string) {
	l.derived = append(l.derived, sched.Event{Kind: sched.Discrepancy, Derived: true, Job: e.Job, Stage: e.Stage, Node: e.Node,
		Attempt: e.Attempt, Task: e.Task, Item: e.Item, Text: fmt.Sprintf("%v: %s", e.Kind, what)})
}

func refusal(it *sched.Item, why sched.Code) sched.Event {
	e := sched.Event{Kind: sched.Refused, Derived: true, Item: it.ID, Job: it.Job, Stage: it.Stage, Node: it.Node,
		Attempt: it.Attempt, Count: it.Count, Why: why}
	if it.Stage >= sched.Stages {
		e.Stage = 0 // the plan's line in the journal has what was asked for
	}
	return e
}
