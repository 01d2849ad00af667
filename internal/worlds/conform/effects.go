package conform

import (
	"github.com/slackline/slackline/internal/kernel/ledger"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// effects looks for what verbs bring about that no event answers:
//
//   - Hold, Withhold and SetSlots: a start that they forbid is refused for that reason. A world that
//     binds tasks has to refuse it itself (meddle.go); for one that binds late the book does.
//   - Admit: a task of the job starts. Sample: one starts of a job that is not admitted.
//   - Release: a task starts of a stage that was withheld.
//   - Sleep: the node says that it sleeps, or that it can be had again.
//   - SetDeadline: the job is due then, and its own deadline stays.
//   - Foretell: the book has what the job was told.
//   - Rank: jobs that stood where their keys do not put them stand where these do.
type effects struct {
	binds bool
	watch *Watch
	book  func() *ledger.Ledger
	did   func(sched.Verb)

	verdicts map[sched.JobID]sched.Verb
	sampled  map[sched.JobID]bool
	withheld map[stageOf]bool
	released map[stageOf]bool
	bound    map[stageOf]bool
	freed    map[sched.ItemID]bool // starts of stages that were released
	slept    map[sched.NodeID]bool
	due      map[sched.JobID]units.Time
	wrong    bool // a job stood where its key does not put it when the policy was asked
	ranked   bool // all were ranked in this round
}

type stageOf struct {
	job   sched.JobID
	stage sched.Stage
}

// forbidden is a start that no world may do, the verb that forbids it, and the code by which it is refused.
type forbidden struct {
	by  sched.Verb
	why sched.Code
}

// forget drops what a resync voids.
func (f *effects) forget() {
	f.verdicts, f.sampled = make(map[sched.JobID]sched.Verb), make(map[sched.JobID]bool)
	f.withheld, f.released, f.bound = make(map[stageOf]bool), make(map[stageOf]bool), make(map[stageOf]bool)
	f.freed = make(map[sched.ItemID]bool)
	f.slept, f.due = make(map[sched.NodeID]bool), make(map[sched.JobID]units.Time)
}

// shows looks at what happened.
func (f *effects) shows(e *sched.Event) {
	switch e.Kind {
	case sched.Resync:
		f.forget()
	case sched.ProfileLearned, sched.SupplyChanged, sched.ForecastIssued, sched.Tick:
		j, _ := f.book().Misranked()
		f.wrong = j != 0
	case sched.Started:
		switch verdict := f.verdicts[e.Job]; {
		case e.Item == 0: // it is none of the policy's
		case verdict == sched.Admit:
			f.did(sched.Admit)
		case f.sampled[e.Job]:
			f.did(sched.Sample)
		}
		if f.freed[e.Item] {
			f.did(sched.Release)
		}
	case sched.Refused:
		if no, is := f.watch.barred[e.Item]; is && !e.Derived && e.Why == no.why {
			f.did(no.by)
		}
	case sched.NodeChanged:
		if f.slept[e.Node] && (e.State == sched.Asleep || e.State == sched.Offered) {
			f.did(sched.Sleep)
			delete(f.slept, e.Node)
		}
	case sched.NodeUp, sched.NodeDown:
		delete(f.slept, e.Node)
	case sched.JobEnded:
		delete(f.verdicts, e.Job)
		delete(f.sampled, e.Job)
		delete(f.due, e.Job)
		for s := range sched.Stages {
			k := stageOf{e.Job, s}
			delete(f.withheld, k)
			delete(f.released, k)
			delete(f.bound, k)
		}
	}
}

// asks looks at an item that the book has let pass or refused.
func (f *effects) asks(it *sched.Item) {
	k := stageOf{it.Job, it.Stage}
	if it.Refused != sched.OK {
		if it.Verb == sched.Start && !f.binds {
			f.refused(it, k)
		}
		return
	}
	switch it.Verb {
	case sched.Admit, sched.Hold:
		f.verdicts[it.Job] = it.Verb
	case sched.Sample:
		f.sampled[it.Job] = true
	case sched.Withhold:
		f.withheld[k] = true
	case sched.Release:
		f.released[k] = f.released[k] || f.withheld[k]
		f.withheld[k] = false
	case sched.SetSlots:
		f.bound[k] = it.Count >= 0
	case sched.Start:
		f.freed[it.ID] = f.released[k]
	case sched.Sleep:
		f.slept[it.Node] = true
	case sched.SetDeadline:
		f.due[it.Job] = it.At
	case sched.Foretell:
		if j := f.book().Job(it.Job); j != nil && it.Outlook != (sched.Outlook{}) && j.Outlook == it.Outlook {
			f.did(sched.Foretell)
		}
	case sched.Rank:
		f.ranked = f.ranked || it.Job == 0
	}
}

// refused looks at a start that the book refuses.
func (f *effects) refused(it *sched.Item, k stageOf) {
	switch {
	case it.Refused == sched.NotAdmitted && f.verdicts[it.Job] == sched.Hold:
		f.did(sched.Hold)
	case it.Refused == sched.Withheld && f.withheld[k]:
		f.did(sched.Withhold)
	case it.Refused == sched.AtLimit && f.bound[k]:
		f.did(sched.SetSlots)
	}
}

// look looks at the book after a step.
func (f *effects) look() {
	said.lock.Lock()
	defer said.lock.Unlock()
	l := f.book()
	if j, _ := l.Misranked(); f.wrong && f.ranked && j == 0 {
		f.did(sched.Rank)
	}
	f.wrong, f.ranked = false, false
	for id, at := range f.due {
		if j := l.Job(id); j != nil && at != 0 && j.Due() == at && j.Deadline == j.Spec.Deadline && at != j.Deadline {
			f.did(sched.SetDeadline)
		}
	}
	clear(f.due)
}
