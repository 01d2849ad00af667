package sched

import (
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Asker is a Policy that can be asked about a job that has not come: what it would decide if the job came at an instant and nothing else
// had happened until then. The instant is not before the time of the book; an earlier one counts as that. It decides nothing: neither the
// book nor what the policy saves is changed. It must not be asked while it decides.
type Asker interface {
	Ask(v View, now units.Time, job *workload.Job) Answer
}

// Answer is what a policy would do with a job.
type Answer struct {
	Verb     Verb       // Admit, Hold or Reject; Sample: Hold, while some of its tasks are measured; NoVerb: nothing before its predecessors are done
	Reason   Reason     // why, as the item of the plan would say; Reason.Cause.Word tells what it would be told of its deadline
	Evidence []Evidence // of the reason, which counts from its start

	// When it would end, where Foreseen; else the policy cannot say.
	Foreseen bool
	Finish   units.Time // as things stand, if each task takes the time that the policy reckons with and nobody overtakes the job
	Latest   units.Time // whatever comes behind it: its deadline, if that is promised; else Never

	// The earliest deadline that would be accepted, 0 = none is known. Exact: no earlier one would be.
	Earliest units.Time
	Exact    bool
}

// At is the view as it would be at a later instant if nothing had happened since: for those who answer questions.
func At(v View, now units.Time) View { return later{v, max(now, v.Now())} }

// later is a view whose clock has gone on.
type later struct {
	View
	now units.Time
}

// Now is what the clock shows.
func (l later) Now() units.Time { return l.now }

// Asked is the record that the book would open for a job if it came now, as the last of all: for those who answer questions.
func Asked(v View, spec *workload.Job) *Job {
	j := &Job{ID: v.Jobs() + 1, State: Pending, Seq: 1<<63 - 1, Spec: spec, Arrived: v.Now(), Started: units.Never, Deadline: spec.Deadline,
		Headroom: -1}
	for i := range spec.Stages {
		st := &spec.Stages[i]
		n, done := int32(len(st.Tasks)), int32(len(st.Done))
		j.Stages[st.Kind] = Tally{Total: n, Done: done, Limit: -1, Sample: -1, Ready: i == 0}
		if v.World().Bind { // else its Demand says what is open
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
