package rtmr

import (
	"slices"

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
//
// Where promises have a probability, a job that has started is overtaken like any other: each verdict
// counts what really runs, and budgets bound what it may cost. And those without a promise, many of
// which have a deadline, stand as hope.go says.
//
// What a job was promised and when it started stand in the scheduler's records. Each change of them
// is made just before the item that brings it about is added to the plan, so that the book asks for
// the key again when it books that item; where no such item is about the job, a Rank item is.
type order struct {
	sched.Flat
	*scheduler
}

// JobKey is the place of the job. It is the same for all stages.
func (o order) JobKey(_ sched.View, j *sched.Job, _ sched.Stage) sched.Key {
	if r := o.of(j.ID); o.c.Most > 0 && r != nil && r.Standing == lent {
		return o.lentKey(j, r)
	}
	return o.key(j.ID)
}

func (s *scheduler) key(j sched.JobID) sched.Key {
	r := s.of(j)
	switch {
	case r != nil && r.Standing == sampled:
		return sched.Key{2}
	case r == nil || r.Standing != promised:
		return sched.Key{3}
	case r.Rank > 0 && s.c.Most == 0:
		return sched.Key{0, r.Rank}
	}
	return sched.Key{1, int64(r.Claim.Deadline), r.Claim.Seq}
}

// began notes that a task of the job is about to go out: from now on nobody overtakes it, nor those
// that stand before it. These have started themselves, but for jobs without maps, whose reduces
// wait for slots; they are ranked again. It returns false, and has changed nothing of the job, if
// the item is refused. While the scheduler watches its starts are advice: a job has started when the
// stock scheduler has started it.
func (s *scheduler) began(v sched.View, j sched.JobID, p *sched.Plan, add func() bool) bool {
	r, now := s.of(j), v.Now()
	if r.Rank > 0 || r.Advice && !r.begun(v.Job(j)) {
		return add()
	}
	if s.c.Most > 0 {
		if !add() {
			return false
		}
		s.starts++
		r.Rank = s.starts
		s.active = append(s.active, j)
		return true
	}
	for _, ahead := range s.before(j) {
		s.rank(ahead)
		s.plan.Start(now, ahead)
		p.Rank(ahead, sched.Because(sched.PlaceChanged))
	}
	s.rank(j)
	if add() {
		s.plan.Start(now, j)
		return true
	}
	s.dequeue(j)
	r.Rank = 0
	s.active = s.active[:len(s.active)-1]
	s.enqueue(j)
	return false
}

// recount sets right from when on the tasks of started jobs run. A job whose first task the world has not
// started keeps its place, as others may have started behind it; until a task of it does start, its tasks
// start from now on. Else the schedule would have them run, and promise others the slots that they still
// need. While the scheduler watches, a job starts when the stock scheduler starts it; so it has where this one
// takes over again, or is told all again. O(started jobs); then, and while it watches, O(jobs with a promise).
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

// rank gives a job the next place among those that have started.
func (s *scheduler) rank(j sched.JobID) {
	s.dequeue(j)
	s.starts++
	s.of(j).Rank = s.starts
	s.active = append(s.active, j)
	s.enqueue(j)
}

func (s *scheduler) dequeue(j sched.JobID) {
	if i := slices.Index(s.queue, j); i >= 0 {
		s.queue = slices.Delete(s.queue, i, i+1)
		s.deleteRow(i)
	}
}

// finish is when the job ends by the schedule, if every task takes its worst time and nobody overtakes it.
func (s *scheduler) finish(now units.Time, j sched.JobID) units.Time {
	_, at, _ := s.plan.Estimate(now, j)
	return at
}
