package rtmr

import (
	"slices"

	"github.com/slackline/slackline/sched"
)

// order is the paper's Priority-Q as keys of the ledger (paper 003, section 5.2, second assumption,
// and 5.2.1, admission controller): a job that has started is never overtaken, so jobs stand
//
//  1. those that have started, in the order in which they did;
//  2. the others with a promise, by deadline and arrival;
//  3. those of which a sample is measured, as their deadlines do not wait;
//  4. those without a promise, by arrival.
//
// What a job was promised and when it started stand in the scheduler's records. Each change of them
// is made just before the item that brings it about is added to the plan, so that the book asks for
// the key again when it books that item; where no such item is about the job, a Rank item is.
type order struct {
	sched.Flat
	*scheduler
}

// JobKey is the place of the job. It is the same for all stages.
func (o order) JobKey(_ sched.View, j *sched.Job, _ sched.Stage) sched.Key { return o.place(j.ID) }

func (s *scheduler) place(j sched.JobID) sched.Key {
	switch r := s.of(j); {
	case r == nil || r.Standing == lent:
		return sched.Key{3}
	case r.Standing == sampled:
		return sched.Key{2}
	case r.Rank > 0:
		return sched.Key{0, r.Rank}
	default:
		return sched.Key{1, int64(r.Claim.Deadline), r.Claim.Seq}
	}
}

// start starts the nearest task of a job with a promise. From its first on nobody overtakes the job, nor
// those that stand before it. These have started themselves, but for jobs without maps, whose reduces
// wait for slots; they are ranked again. It returns false, and has changed nothing of the job, if
// the item is refused.
func (s *scheduler) start(v sched.View, j sched.JobID, stage sched.Stage, n sched.NodeID, p *sched.Plan) bool {
	locality := v.Nearest(n, j, stage)
	if locality == sched.NoLocality || !v.Node(n).Suits(v.Job(j).Spec) {
		return false
	}
	r, now := s.of(j), v.Now()
	// While the scheduler watches, a job has started when the stock scheduler has started it.
	first := r.Rank == 0 && (!r.Advice || r.begun(v.Job(j)))
	if first {
		for _, ahead := range s.before(j) {
			s.rank(ahead)
			s.plan.Start(now, ahead)
			p.Rank(ahead, sched.Because(sched.PlaceChanged))
		}
		s.rank(j)
	}
	started := p.Start(j, stage, n, 1, locality, sched.Because(sched.FirstInOrder))
	switch {
	case !first:
	case started:
		s.plan.Start(now, j)
	default:
		drop(&s.queue, j)
		r.Rank = 0
		s.active = s.active[:len(s.active)-1]
		s.enqueue(j)
	}
	return started
}

// rank gives a job the next place among those that have started.
func (s *scheduler) rank(j sched.JobID) {
	drop(&s.queue, j)
	s.starts++
	s.of(j).Rank = s.starts
	s.active = append(s.active, j)
	s.enqueue(j)
}

// before lists the jobs that stand before j and have not started.
func (s *scheduler) before(j sched.JobID) []sched.JobID {
	from := len(s.queue)
	for i, k := range s.queue {
		if k == j {
			return slices.Clone(s.queue[min(from, i):i])
		}
		if from == len(s.queue) && s.of(k).Rank == 0 {
			from = i
		}
	}
	return nil
}

// begun tells whether a task of the job has started that the schedule counts, or is about to. While the
// scheduler watches none is: what it plans then is advice.
func (r *record) begun(job *sched.Job) bool {
	for s := sched.Stage(0); job != nil && s < sched.Stages; s++ {
		t := &job.Stages[s]
		if started := t.Running > 0 || t.Done > 0 || t.Occupied > 0 && !r.Advice; started && (s != sched.Master || r.Claim.Slot) {
			return true
		}
	}
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
			if r := s.of(j); batch[i].Kind == sched.Refused && s.promisedTo(j) && r.Rank > 0 && !r.begun(v.Job(j)) {
				r.Unstarted = true
			}
		}
	}
	for _, j := range s.active {
		switch r := s.of(j); {
		case !r.Unstarted:
		case r.begun(v.Job(j)):
			r.Unstarted = false
			s.plan.Begin(v.Now(), j)
		default:
			s.plan.Restart(j)
		}
	}
	s.startedByOthers(v, kinds, p)
}

// startedByOthers ranks jobs that a stock scheduler has started: while this one watches, where it takes over again, or
// is told all again. O(jobs with a promise), then.
func (s *scheduler) startedByOthers(v sched.View, kinds sched.Events, p *sched.Plan) {
	if len(s.queue) == 0 {
		return
	}
	// Also a promise of before is advice in the book while the scheduler watches.
	if first := v.Job(s.queue[0]); !kinds.Has(sched.Resync) && !kinds.Has(sched.Control) && (first == nil || first.Advice == sched.NoJob) {
		return
	}
	for _, j := range slices.Clone(s.queue) {
		if r := s.of(j); r.Rank == 0 && r.begun(v.Job(j)) {
			s.rank(j)
			s.plan.Start(v.Now(), j)
			p.Rank(j, sched.Because(sched.PlaceChanged))
		}
	}
}
