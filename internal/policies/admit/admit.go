// Package admit holds the rules by which jobs are let in.
package admit

import "github.com/slackline/slackline/sched"

// All admits every job when it arrives.
type All struct{}

// Admit lets in whatever has arrived. After a resync, or when the policy has just been changed, that is every job not decided.
func (All) Admit(v sched.View, batch []sched.Event, p *sched.Plan) {
	for i := range batch {
		switch e := &batch[i]; e.Kind {
		case sched.JobArrived:
			if job := v.Job(e.Job); undecided(job) {
				p.Admit(job.ID, sched.Because(sched.AdmitAll))
			}
		case sched.Resync, sched.Control:
			for j := sched.JobID(1); j <= v.Jobs(); j++ {
				if job := v.Job(j); undecided(job) {
					p.Admit(j, sched.Because(sched.AdmitAll))
				}
			}
			return
		}
	}
}

// undecided tells whether the job may still be let in.
func undecided(j *sched.Job) bool {
	return j != nil && (j.State == sched.Waiting || j.State == sched.Pending || j.State == sched.HeldBack)
}
