package reserve

import (
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// A Promiser is what a policy has of its own that keeps slots for promises: how it judges a claim, and in which
// order jobs with a promise stand.
type Promiser interface {
	// Judge promises the job its deadline, or refuses it. Its claim is complete.
	Judge(v sched.View, job *sched.Job, r *Record, p *sched.Plan)
	// Regain promises a job that has begun its deadline if that can be kept, and tells whether it did.
	Regain(v sched.View, job *sched.Job, r *Record, p *sched.Plan) bool
	// Renew tells a job again, after a resync, what it was promised under its old handle.
	Renew(v sched.View, job *sched.Job, r, old *Record, was sched.JobID, p *sched.Plan)
	// Key is the place of a job with a promise.
	Key(r *Record) sched.Key
	// Starts adds the start of a task of a job with a promise to the plan, by add, and notes that it has begun.
	Starts(v sched.View, j sched.JobID, p *sched.Plan, add func() bool) bool

	Opened(job *sched.Job)                 // a record of the job
	Closed(j sched.JobID)                  // the same
	Granted(now units.Time, r *Record)     // a promise
	Dropped(now units.Time, j sched.JobID) // one that is there no more
	Lent(job *sched.Job)                   // slots, to a job without one
	Up(now units.Time, j sched.JobID)      // the job's master is
	Again(now units.Time, j sched.JobID)   // it starts again
	Moved(place int, in bool)              // somebody came to that place of the queue, or left it
	Resized(now units.Time)                // there are more slots in service, or fewer
	Void()                                 // whatever follows from what was told, before it is told again
}
