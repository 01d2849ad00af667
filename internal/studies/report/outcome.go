package report

import (
	"slices"

	"github.com/slackline/slackline/sched"
)

// Outcome is what became of a job that was submitted. Each has exactly one.
type Outcome string

// The outcomes. In time means by the deadline; a promise is one of the deadline, given at admission.
const (
	Refused     Outcome = "refused"     // by the policy
	Kept        Outcome = "kept"        // promised, and in time
	Broken      Outcome = "broken"      // promised, and late
	Met         Outcome = "met"         // in time, not promised
	Late        Outcome = "late"        // late, not promised
	Done        Outcome = "done"        // finished; it has no deadline, or nobody knows when it finished
	Failed      Outcome = "failed"      // a task of it failed too often
	Killed      Outcome = "killed"      // by its user, or with a job that it waited for
	Interrupted Outcome = "interrupted" // a real run ended before it did
	Unfinished  Outcome = "unfinished"  // a simulation ended before it did
)

// Outcomes are all of them.
var Outcomes = []Outcome{Refused, Kept, Broken, Met, Late, Done, Failed, Killed, Interrupted, Unfinished}

// InTime tells whether the job finished by its deadline.
func (o Outcome) InTime() bool { return o == Kept || o == Met }

// Late tells whether the job finished after its deadline.
func (o Outcome) Late() bool { return o == Broken || o == Late }

// Finished tells whether the job finished, in time or not.
func (o Outcome) Finished() bool { return o.InTime() || o.Late() || o == Done }

// Facts are what the outcome of a job follows from.
type Facts struct {
	Refused  bool
	Promised bool
	End      sched.Outcome // of the job; NoOutcome: it has not ended
	InTime   *bool         // whether it finished by its deadline; nil: it has none, or nobody knows
	Real     bool          // it ran on a real machine
}

// Outcome is the one outcome of a job.
func (f Facts) Outcome() Outcome {
	switch {
	case f.Refused:
		return Refused
	case f.End == sched.NoOutcome && f.Real:
		return Interrupted
	case f.End == sched.NoOutcome:
		return Unfinished
	case f.End == sched.Failed:
		return Failed
	case f.End != sched.Committed:
		return Killed
	case f.InTime == nil:
		return Done
	case *f.InTime && f.Promised:
		return Kept
	case *f.InTime:
		return Met
	case f.Promised:
		return Broken
	}
	return Late
}

// judged tells whether the job had a deadline, and it is known what became of that. Nobody knows it
// of a job that had finished before the run that this one continues was interrupted, unless its
// outcome was found in the store.
func (j *Job) judged() bool { return j.Deadline != nil && !(j.Before && j.Outcome == Done) }

// promised tells whether the deadline of the job was promised, and it is known what became of that:
// Kept and Broken are counted among the same jobs. Of one that had finished before an interruption
// the outcome alone says so.
func (j *Job) promised() bool {
	if j.Before {
		return j.Outcome == Kept || j.Outcome == Broken
	}
	return j.Promised != nil && j.Outcome != Refused
}

// Tally counts the outcomes of the jobs, and the deadlines, into the summary.
func (r *Run) Tally() {
	s := &r.Summary
	s.Jobs, s.Admitted = 0, 0
	for _, o := range Outcomes {
		*s.count(o) = 0
	}
	s.Promised, s.Deadlines, s.InTime, s.SoftDeadlines, s.SoftInTime = 0, 0, 0, 0, 0
	s.DeadlineWork, s.WorkInTime, r.Classes = new(0.0), new(0.0), nil
	for i := range r.Jobs {
		r.tally(&r.Jobs[i])
	}
	r.judgeWorkflows()
}

// tally counts a job.
func (r *Run) tally(j *Job) {
	s := &r.Summary
	s.Jobs++
	if n := s.count(j.Outcome); n != nil {
		*n++
	}
	if j.Admitted {
		s.Admitted++
	}
	if j.promised() {
		s.Promised++
	}
	if j.SoftDeadline != nil && !j.Before {
		s.SoftDeadlines++
		if j.Outcome.Finished() && j.Finished != nil && *j.Finished <= *j.SoftDeadline {
			s.SoftInTime++
		}
	}
	if !j.judged() {
		return
	}
	inTime := 0
	if j.Outcome.InTime() {
		inTime = 1
	}
	s.Deadlines++
	s.InTime += inTime
	if j.Promise != "" {
		c := classOf(&r.Classes, j.Promise)
		c.Deadlines++
		c.InTime += inTime
	}
	if j.TaskTime == nil {
		s.DeadlineWork, s.WorkInTime = nil, nil
	}
	if s.DeadlineWork != nil {
		*s.DeadlineWork += *j.TaskTime
		*s.WorkInTime += float64(inTime) * *j.TaskTime
	}
}

// count is the number of jobs with an outcome, nil if there is no such. Its list is in the order of
// Outcomes.
func (s *Summary) count(o Outcome) *int {
	counts := [...]*int{&s.Refused, &s.Kept, &s.Broken, &s.Met, &s.Late, &s.Done, &s.Failed, &s.Killed, &s.Interrupted, &s.Unfinished}
	if i := slices.Index(Outcomes, o); i >= 0 {
		return counts[i]
	}
	return nil
}

// Finished is the number of jobs that finished, in time or not.
func (s *Summary) Finished() int { return s.Kept + s.Broken + s.Met + s.Late + s.Done }

// ran tells whether anything ran, now or in the run that this one continues: a makespan of
// refusals alone says nothing.
func (s *Summary) ran() bool { return s.Attempts > 0 || s.Finished() > 0 }

// Of returns the number of jobs with an outcome.
func (s *Summary) Of(o Outcome) int { return *s.count(o) }
