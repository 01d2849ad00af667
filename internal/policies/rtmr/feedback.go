package rtmr

import (
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// The fourth element: the feedback controller (paper 003, algorithms 5.5 and 5.6; the vectors are
// rebuilt in Schedule.Finish). When a job has ended whose finish is not what was estimated, by as
// much as one of its maps takes at worst (line 7 with ≥), or which came too late, its vectors and
// those of all behind it follow what really happened.
//
// The ends of tasks are counted as they are committed, since an event of an end does not say whose
// it is: what a job has committed more than before was committed now. When nodes come or go the
// vectors change their length (scheduler.resize).

// A tally follows the commits of a stage.
type tally struct {
	Done int32        `json:"done"`
	Ends []units.Time `json:"ends,omitempty"` // of committed tasks since the promise
}

// count notes the tasks that have been committed by now, and lets the reduces go of jobs whose last map was among them.
func (s *scheduler) count(v sched.View, batch []sched.Event, p *sched.Plan) {
	for i := range batch { // also of jobs that others have started
		if e := &batch[i]; e.Kind == sched.Demand && s.promisedTo(e.Job) && v.Job(e.Job) != nil {
			s.restrain(v.Job(e.Job), p)
		}
	}
	for _, j := range s.active {
		job, r := v.Job(j), s.of(j)
		if job == nil {
			continue
		}
		s.restrain(job, p)
		r.Maps.upTo(job.Stages[sched.Map].Done, v.Now())
		r.Reduces.upTo(job.Stages[sched.Reduce].Done, v.Now())
	}
}

// upTo notes that so many tasks have been committed. One whose output is lost runs again, and ends again.
func (t *tally) upTo(done int32, now units.Time) {
	for ; t.Done < done; t.Done++ {
		t.Ends = append(t.Ends, now)
	}
	t.Done = done
}

// ended closes the record of a job. Of one that was committed the schedule learns the ends
// (algorithm 5.5); one that failed or was killed leaves it.
func (s *scheduler) ended(v sched.View, e *sched.Event) {
	r := s.of(e.Job)
	if r == nil {
		return
	}
	if r.Standing == promised {
		if e.Outcome == sched.Committed {
			threshold := r.Claim.Map // ΔT
			if r.Claim.Maps == 0 {
				threshold = r.Claim.Reduce
			}
			maps := r.Maps.Ends
			if r.Claim.Slot {
				maps = append(maps, v.Now()) // of its master
			}
			s.plan.Finish(v.Now(), e.Job, maps, r.Reduces.Ends, threshold, s.conf.Feedback)
		} else {
			s.plan.Remove(v.Now(), e.Job)
		}
	}
	s.forget(e.Job)
}
