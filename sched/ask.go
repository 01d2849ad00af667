package sched

import (
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Asker is a Policy that can be asked about a job that has not arrived: what it would decide if the
// job arrived at an instant, and nothing else had happened until then. If the instant is before the
// time of the book, the time of the book counts. Asking decides nothing: it changes neither the
// book nor what the policy saves. A policy must not be asked while it decides: whoever has the loop
// asks between two of its steps. It runs the code that judges an arriving job, on a page that is not
// in the book, and stops before any consequence.
type Asker interface {
	// Ask says what the policy would decide about the job.
	Ask(v View, now units.Time, job *workload.Job) Answer
}

// Answer is what a policy would do with a job.
type Answer struct {
	// Verb is Admit, Hold or Reject. It is Sample if the job would be held while some of its tasks
	// are measured, and NoVerb if there is no verdict: see BehindOthers and NotAsked.
	Verb Verb
	// Reason says why, as the item of the plan would; without a verdict, why there is none.
	Reason Reason
	// Evidence is that of the reason, whose span counts from its start.
	Evidence []Evidence

	// Outlook is what the job would be told of its finish, if it would be admitted.
	Outlook Outlook
	// Offer is the earliest deadline that would be accepted, whatever the verdict, as a Reject tells it.
	Offer Outlook
}

// Why an answer has no verdict.
var (
	// BehindOthers: nothing is decided before the predecessors of the job are done.
	BehindOthers = &Cause{Name: "behind-others", Text: "nothing is decided about it until the jobs that it waits for are done"}
	// NotAsked: the policy has an admission that answers no questions.
	NotAsked = &Cause{Name: "not-asked", Text: "this admission cannot be asked: it decides when the job comes"}
)

// At is the view as it would be at a later instant if nothing had happened since. Askers use it.
func At(v View, now units.Time) View { return later{v, max(now, v.Now())} }

// later is a view with a later clock.
type later struct {
	View
	now units.Time
}

// Now is the later time.
func (l later) Now() units.Time { return l.now }

// Asked is the record that the book would open for a job if it arrived now, behind all others.
// Askers use it.
func Asked(v View, spec *workload.Job) *Job {
	j := &Job{ID: v.Jobs() + 1, State: Pending, Seq: 1<<63 - 1, Spec: spec, Arrived: v.Now(), Started: units.Never, Deadline: spec.Deadline,
		Virtual: spec.Virtual}
	for i := range spec.Stages {
		st := &spec.Stages[i]
		n, done := int32(len(st.Tasks)), int32(len(st.Done))
		j.Stages[st.Kind] = Tally{Total: n, Done: done, Limit: -1, Sample: -1, Ready: i == 0}
		// Elsewhere its Demand says what is open.
		if v.World().Bind {
			j.Stages[st.Kind].Open = n - done
		}
	}
	for _, id := range spec.After {
		if v.Find(id) != 0 {
			j.State = Waiting
		}
	}
	return j
}
