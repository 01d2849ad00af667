// Package admit holds the rules by which jobs are let in.
package admit

import (
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/sched"
)

// All admits every job when it arrives, but that jobs with ApplicationMasters wait until these
// leave room (masters.go). The zero All has no bound on masters.
type All struct{ bound *Limit }

// NewAll returns the rule with the bounds on masters of the description; it has no others.
func NewAll(c queues.Config) All {
	l := NewLimit(c)
	l.total.limit, l.each, l.user = 0, 0, 0
	clear(l.bounds)
	return All{l}
}

// LetIn has jobs let in with a verdict, in place of one that tells them nothing.
func (a All) LetIn(says Verdict) { a.bound.says = says }

// Again has a waiting job stand where its new deadline puts it.
func (a All) Again(j sched.JobID) {
	if a.bound != nil {
		a.bound.again(j)
	}
}

// Follow takes the order in which jobs that wait are let in.
func (a All) Follow(o sched.Order) error {
	if a.bound == nil {
		return nil
	}
	return a.bound.Follow(o)
}

// Decide lets in whatever has arrived. After a resync, or when the policy has just been changed,
// that is every job not decided. O(events), and as a Limit when a job with a master, or a node,
// comes or goes: it looks at all jobs only the first time.
func (a All) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	look := false
	if a.bound != nil {
		a.bound.note(v, batch)
	}
events:
	for i := range batch {
		switch e := &batch[i]; e.Kind {
		case sched.JobArrived:
			look = a.arrived(v, v.Job(e.Job), p) || look
		case sched.JobEnded, sched.JobAmended:
			look = look || a.bounds(v.Job(e.Job))
		case sched.StageReady:
			look = look || e.Stage == sched.Master && a.bounds(v.Job(e.Job))
		case sched.NodeUp, sched.NodeChanged:
			look = a.bound != nil
		case sched.Resync, sched.Control:
			a.bound.resume(v, p)
			look = a.bound != nil
			for j := sched.JobID(1); j <= v.Jobs(); j++ {
				a.arrived(v, v.Job(j), p)
			}
			break events
		}
	}
	if look {
		a.bound.admit(v, p)
	}
}

// arrived admits a job, or tells that there has to be room for its master.
func (a All) arrived(v sched.View, j *sched.Job, p *sched.Plan) (look bool) {
	if !undecided(j) {
		return false
	}
	if a.bounds(j) {
		return true
	}
	a.bound.lets(v, j.ID, sched.Because(sched.AdmitAll), p)
	return false
}

// bounds tells whether the job may have to wait for room for its master.
func (a All) bounds(j *sched.Job) bool {
	if a.bound == nil || j == nil || j.Spec == nil {
		return false
	}
	_, has := MasterOf(j.Spec)
	return has
}

// undecided tells whether the job may still be let in.
func undecided(j *sched.Job) bool {
	if j == nil {
		return false
	}
	is := j.Standing()
	return is == sched.Waiting || is == sched.Pending || is == sched.HeldBack
}

// Ask says what would become of a job that came now.
func (a All) Ask(v sched.View, job *sched.Job) sched.Answer {
	if a.bounds(job) {
		return a.bound.Ask(v, job)
	}
	return sched.Answer{Verb: sched.Admit, Reason: sched.Because(sched.AdmitAll)}
}
