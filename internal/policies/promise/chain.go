package promise

import (
	"cmp"
	"slices"

	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// A job that others wait for is due when they can still be in time behind it: its virtual deadline is the earliest of
// theirs, each less what that job takes, along the chain from its end. Who is waited for by a job with a promise does
// not go behind for others' sake.

// mostLinks is how far up a chain a deadline reaches.
const mostLinks = 64

// chains tells whether a job waits for others, or another one did.
func (s *scheduler) chains(v sched.View) bool {
	return slices.ContainsFunc(s.line, func(j sched.JobID) bool {
		job := v.Job(j)
		return job.State == sched.Waiting || job.Due() != stated(job)
	})
}

// link hands on what jobs that wait have to say to those they wait for, until nobody hears anything new. O(links),
// times the length of the longest chain if jobs came in the wrong order.
func (s *scheduler) link(v sched.View, hear func(r, of *record, by *sched.Job) bool) {
	for again, n := true, 0; again && n < mostLinks; n++ {
		again = false
		for i := len(s.line) - 1; i >= 0; i-- {
			by := v.Job(s.line[i])
			if by.State != sched.Waiting {
				continue
			}
			for _, id := range by.Spec.After {
				if j := v.Find(id); j != 0 {
					if job := v.Job(j); s.of(job) != nil && hear(s.of(job), &s.jobs[by.ID], by) {
						again = true
					}
				}
			}
		}
	}
}

// carry notes who is waited for by a job with a promise.
func (s *scheduler) carry(v sched.View) {
	for _, j := range s.line {
		s.jobs[j].carries = false
	}
	if s.chains(v) {
		s.link(v, func(r, of *record, _ *sched.Job) bool {
			if r.carries || of.Promised == 0 && !of.carries {
				return false
			}
			r.carries = true
			return true
		})
	}
}

// deadlines has virtual deadlines set, where they move by more than a second and a tenth of the time that is left.
func (s *scheduler) deadlines(v sched.View, set func(job *sched.Job, at units.Time)) {
	if !s.chains(v) {
		return
	}
	for _, j := range s.line {
		s.jobs[j].latest = stated(v.Job(j))
	}
	s.link(v, func(r, of *record, by *sched.Job) bool {
		if of.latest == units.Never {
			return false
		}
		latest := of.latest.Add(-ofSeconds(s.alone(of, by)))
		sooner := latest < r.latest
		r.latest = min(r.latest, latest)
		return sooner
	})
	for _, j := range s.line {
		job, r := v.Job(j), &s.jobs[j]
		is, was := r.latest, job.Due()
		if is <= v.Now() { // what nothing can save brings nobody to the front
			is = stated(job)
		}
		if is == was || was != units.Never && is != stated(job) && max(is, was).Sub(min(is, was)) <= max(leastMove, was.Sub(v.Now())/leftMove) {
			continue
		}
		r.InTime, r.Handed = is != units.Never && (r.InTime || was == units.Never && !r.Handed), is != units.Never
		if is == stated(job) {
			is = job.Spec.Virtual
		}
		set(job, is)
	}
	slices.SortStableFunc(s.line, func(a, b sched.JobID) int { return byDue(v.Job(a), v.Job(b)) })
}

// stated is the deadline that orders read of a job of which no other says anything.
func stated(job *sched.Job) units.Time { return cmp.Or(job.Spec.Virtual, job.Deadline) }

// alone is what the job takes alone, in seconds; of one of which nothing is known, nothing.
func (s *scheduler) alone(r *record, job *sched.Job) (sum float64) {
	if r.Strange {
		return 0
	}
	for k := range r.Laws {
		stage := sched.Map + sched.Stage(k)
		if n := job.Stages[stage].Left(); n > 0 {
			_, slots := s.poolOf(job, stage)
			seconds := s.task(r, k)
			sum += seconds + float64(seconds*float64(n)/float64(max(1, slots)))
		}
	}
	return r.Master.Seconds() + sum
}
