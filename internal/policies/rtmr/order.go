package rtmr

import (
	"slices"

	"github.com/slackline/slackline/internal/policies/reserve"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// order is the paper's Priority-Q as keys of the ledger (paper 003, section 5.2, second assumption,
// and 5.2.1, admission controller): a job that has started is never overtaken, so jobs stand
//
//  1. those that have started, in the order in which they did;
//  2. the others with a promise, by deadline and arrival;
//  3. those of which a sample is measured, as their deadlines do not wait;
//  4. those without a promise, by arrival.
type order struct {
	sched.Flat
	*scheduler
}

// JobKey is the place of the job. It is the same for all stages.
func (o order) JobKey(_ sched.View, j *sched.Job, _ sched.Stage) sched.Key { return o.Place(j.ID) }

// Key is the place of a job with a promise.
func (s *scheduler) Key(r *reserve.Record) sched.Key {
	if r.Rank > 0 {
		return sched.Key{0, r.Rank}
	}
	return sched.Key{1, int64(r.Claim.Deadline), r.Claim.Seq}
}

// Starts notes that a task of the job is about to go out: from now on nobody overtakes it, nor those
// that stand before it. These have started themselves, but for jobs without maps, whose reduces
// wait for slots; they are ranked again. It returns false, and has changed nothing of the job, if
// the item is refused.
func (s *scheduler) Starts(v sched.View, j sched.JobID, p *sched.Plan, add func() bool) bool {
	r, now := s.Of(j), v.Now()
	if r.Rank > 0 || s.Advised(v, r) {
		return add()
	}
	for _, ahead := range s.before(j) {
		s.Rank(ahead)
		s.plan.Start(now, ahead)
		p.Rank(ahead, sched.Because(sched.PlaceChanged))
	}
	s.Rank(j)
	if add() {
		s.plan.Start(now, j)
		return true
	}
	s.Dequeue(j)
	r.Rank = 0
	s.Active = s.Active[:len(s.Active)-1]
	s.Enqueue(j)
	return false
}

// recount sets right from when on the tasks of started jobs run. A job whose first task the world has not
// started keeps its place, as others may have started behind it; until a task of it does start, its tasks
// start from now on. Else the schedule would have them run, and promise others the slots that they still
// need. O(started jobs).
func (s *scheduler) recount(v sched.View, batch []sched.Event, kinds sched.Events, p *sched.Plan) {
	if kinds.Has(sched.Refused) {
		for i := range batch {
			j := batch[i].Job
			if r := s.Of(j); batch[i].Kind == sched.Refused && s.PromisedTo(j) && r.Rank > 0 && !r.Begun(v.Job(j)) {
				r.Unstarted = true
			}
		}
	}
	for _, j := range s.Active {
		switch r := s.Of(j); {
		case !r.Unstarted:
		case r.Begun(v.Job(j)):
			r.Unstarted = false
			s.plan.Begin(v.Now(), j)
		default:
			s.plan.Restart(j)
		}
	}
	s.StartedByOthers(v, kinds, p, func(j sched.JobID) { s.plan.Start(v.Now(), j) })
}

// before lists the jobs that stand before j and have not started.
func (s *scheduler) before(j sched.JobID) []sched.JobID {
	from := len(s.Queue)
	for i, k := range s.Queue {
		if k == j {
			return slices.Clone(s.Queue[min(from, i):i])
		}
		if from == len(s.Queue) && s.Of(k).Rank == 0 {
			from = i
		}
	}
	return nil
}

// finish is when the job ends by the schedule, if every task takes its worst time and nobody overtakes it.
func (s *scheduler) finish(now units.Time, j sched.JobID) units.Time {
	_, at, _ := s.plan.Estimate(now, j)
	return at
}
