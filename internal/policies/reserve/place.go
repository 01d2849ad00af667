package reserve

import (
	"slices"

	"github.com/slackline/slackline/sched"
)

// Place is that of a job:
//
//  1. those with a promise, as the policy has them (0 and 1);
//  2. those of which a sample is measured, as their deadlines do not wait;
//  3. those without a promise.
//
// What a job was promised and when it started stand in the scheduler's records. Each change of them
// is made just before the item that brings it about is added to the plan, so that the book asks for
// the key again when it books that item; where no such item is about the job, a Rank item is.
func (s *Scheduler) Place(j sched.JobID) sched.Key {
	r := s.Of(j)
	switch {
	case r != nil && r.Standing == sampled:
		return sched.Key{2}
	case r == nil || r.Standing != Promised:
		return sched.Key{3}
	}
	return s.Own.Key(r)
}

// Advised tells whether the start of a job's task is advice: while the scheduler watches, a job has started when
// the stock scheduler has started it.
func (s *Scheduler) Advised(v sched.View, r *Record) bool {
	return r.Advice && !r.Begun(v.Job(r.Claim.Job))
}

// Begun tells whether a task of the job has started that the schedule counts, or is about to. While the
// scheduler watches none is: what it plans then is advice.
func (r *Record) Begun(job *sched.Job) bool {
	for s := sched.Stage(0); job != nil && s < sched.Stages; s++ {
		t := &job.Stages[s]
		if started := t.Running > 0 || t.Done > 0 || t.Occupied > 0 && !r.Advice; started && (s != sched.Master || r.Claim.Slot) {
			return true
		}
	}
	return false
}

// Rank gives a job the next place among those that have started.
func (s *Scheduler) Rank(j sched.JobID) {
	s.Dequeue(j)
	s.Started++
	s.Of(j).Rank = s.Started
	s.Active = append(s.Active, j)
	s.Enqueue(j)
}

func (s *Scheduler) Dequeue(j sched.JobID) {
	if i := slices.Index(s.Queue, j); i >= 0 {
		s.Queue = slices.Delete(s.Queue, i, i+1)
		s.Own.Moved(i, false)
	}
}

// StartedByOthers ranks jobs that a stock scheduler has started: while this one watches, where it takes over again, or
// is told all again. O(jobs with a promise), then.
func (s *Scheduler) StartedByOthers(v sched.View, kinds sched.Events, p *sched.Plan, started func(j sched.JobID)) {
	if len(s.Queue) == 0 {
		return
	}
	// Also a promise of before is advice in the book while the scheduler watches.
	if first := v.Job(s.Queue[0]); !kinds.Has(sched.Resync) && !kinds.Has(sched.Control) && (first == nil || first.Advice == sched.NoJob) {
		return
	}
	for _, j := range slices.Clone(s.Queue) {
		if r := s.Of(j); r.Rank == 0 && r.Begun(v.Job(j)) {
			s.Rank(j)
			started(j)
			p.Rank(j, sched.Because(sched.PlaceChanged))
		}
	}
}
