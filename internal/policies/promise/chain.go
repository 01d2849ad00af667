package promise

import (
	"cmp"
	"slices"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// A job that others wait for is due when they can still be in time behind it: its virtual deadline is the earliest of
// theirs, each less what that job takes, along the chain from its end. Who is waited for by a job with a promise that
// can be kept does not go behind for others' sake. A deadline that nothing can save any more is handed on by a promise
// alone, and by one that is lost only to a job that has none of its own.

// chains tells whether a job waits for others, or another one did.
func (s *scheduler) chains(v sched.View) bool {
	return slices.ContainsFunc(s.line, func(j sched.JobID) bool {
		job := v.Job(j)
		return job.State == sched.Waiting || job.Due() != stated(job) || s.jobs[j].Handed || s.jobs[j].owes
	})
}

// link finds who waits for whom. O(jobs + links).
func (s *scheduler) link(v sched.View) {
	for i := range s.behindIt {
		s.behindIt[i] = s.behindIt[i][:0]
	}
	for len(s.behindIt) < len(s.jobs) {
		s.behindIt = append(s.behindIt, nil)
	}
	for _, j := range s.line {
		r, job := &s.jobs[j], v.Job(j)
		r.latest, r.owes, r.carries, r.linked = stated(job), false, false, false
		if job.State != sched.Waiting {
			continue
		}
		for _, id := range job.Spec.After {
			if k := v.Find(id); k != 0 && s.of(v.Job(k)) != nil {
				s.behindIt[k] = append(s.behindIt[k], j)
			}
		}
	}
}

// hear finds when a job is to be done for those that wait for it, and whether one of them has a promise.
func (s *scheduler) hear(v sched.View, j sched.JobID) *record {
	r := &s.jobs[j]
	if r.linked {
		return r
	}
	r.linked = true
	for _, k := range s.behindIt[j] {
		by := s.hear(v, k)
		owes, carries := by.owes || by.Promised > 0, by.carries || by.Promised > 0 && !by.lost
		r.owes, r.carries = r.owes || owes, r.carries || carries
		if by.latest == units.Never {
			continue
		}
		if at := by.latest.Add(-ofSeconds(s.alone(by, v.Job(k)))); carries || owes && stated(v.Job(j)) == units.Never || at > v.Now() {
			r.latest = min(r.latest, max(at, 1))
		}
	}
	return r
}

// carry notes by when jobs are to be done for others, and which of these have a promise; false if nobody waits.
func (s *scheduler) carry(v sched.View) bool {
	if !s.chains(v) {
		return false
	}
	s.link(v)
	for _, j := range s.line {
		s.hear(v, j)
	}
	return true
}

// deadlines has virtual deadlines set. Once set, they move by more than a second and a tenth of the time that is left.
func (s *scheduler) deadlines(v sched.View, set func(job *sched.Job, at units.Time)) {
	if !s.carry(v) {
		return
	}
	for _, j := range s.line {
		job, r := v.Job(j), &s.jobs[j]
		is, was, own := r.latest, job.Due(), stated(job)
		switch off := max(is, was).Sub(min(is, was)); {
		case is == was, was != own && is != own && off <= max(leastMove, was.Sub(v.Now())/leftMove):
		default:
			r.InTime, r.Handed = is != units.Never && (r.InTime || was == units.Never && !r.Handed), is != units.Never
			if is == own {
				is = job.Spec.Virtual
			}
			set(job, is)
		}
		if v.Job(j).Due() == units.Never {
			r.InTime, r.Handed = false, false
		}
	}
	slices.SortStableFunc(s.line, func(a, b sched.JobID) int { return byDue(v.Job(a), v.Job(b)) })
}

// guessed tells whether nothing is known of the class of a job, or of one before it, or that is not there.
func (s *scheduler) guessed(v sched.View, job *sched.Job) bool {
	line := []sched.JobID{job.ID}
	for i := 0; i < len(line); i++ {
		job, found := v.Job(line[i]), false
		for _, id := range job.Spec.After {
			if j := v.Find(id); s.of(v.Job(j)) != nil {
				if found = true; !slices.Contains(line, j) {
					line = append(line, j)
				}
			}
		}
		if s.of(job).Strange || job.State == sched.Waiting && !found {
			return true
		}
	}
	return false
}

// orphan tells whether a job waits for one that was rejected, and so will never run.
func orphan(v sched.View, job *sched.Job) bool {
	return slices.ContainsFunc(job.Spec.After, func(id string) bool {
		j := v.Job(v.Find(id))
		return j != nil && j.Standing() == sched.Rejected
	})
}

// stated is the deadline that orders read of a job of which no other says anything.
func stated(job *sched.Job) units.Time { return cmp.Or(job.Spec.Virtual, job.Deadline) }

// alone is what the job takes alone, wave after wave, in seconds; of one of which nothing is known, nothing.
func (s *scheduler) alone(r *record, job *sched.Job) (sum float64) {
	if r.Strange {
		return 0
	}
	for k := range r.Laws {
		stage := sched.Map + sched.Stage(k)
		if n := job.Stages[stage].Left(); n > 0 {
			_, slots := s.poolOf(r, job, k)
			seconds := s.task(r, k)
			sum += float64(seconds * float64((n-1)/max(1, slots)+1))
		}
	}
	return r.Master.Seconds() + sum
}
