package admit

import "github.com/slackline/slackline/internal/policies/compose"

// AllEntry lists the admission of every job.
func AllEntry() compose.Entry {
	return compose.Entry{
		Name: "all",
		Kind: compose.KindAdmit,
		Doc:  "admits every job when it arrives",
		Cite: "Hadoop 1.2.1, JobQueueTaskScheduler",
		Fill: func(r *compose.Recipe, _ compose.Args) error { r.Admit = All{}; return nil },
	}
}

// SerialEntry lists one job at a time.
func SerialEntry() compose.Entry {
	return compose.Entry{
		Name: "serial",
		Kind: compose.KindAdmit,
		Doc:  "one job runs at a time; the next is the first in the order among those that wait",
		Cite: "paper 000, section 6 (EDF-N)",
		Fill: func(r *compose.Recipe, _ compose.Args) error { r.Admit = Serial(); return nil },
	}
}

// LimitEntry lists bounds on running jobs.
func LimitEntry() compose.Entry {
	return compose.Entry{
		Name: "limit",
		Kind: compose.KindAdmit,
		Doc:  "bounds running jobs in all, of a queue, of a user; what a queue says of itself goes first",
		Cite: "Hadoop 1.2.1, FairScheduler (maxRunningJobs, userMaxJobsDefault, poolMaxJobsDefault)",
		Params: []compose.Param{
			{Name: "running", Type: compose.Count, Default: "0", Unit: "jobs", Doc: "in all, 0 = what the queues' description says"},
			{Name: "per_queue", Type: compose.Count, Default: "0", Unit: "jobs", Doc: "of each queue without a bound, 0 = as described"},
			{Name: "per_user", Type: compose.Count, Default: "0", Unit: "jobs", Doc: "of each user, 0 = as described"},
		},
		Fill: func(r *compose.Recipe, a compose.Args) error {
			c := a.Queues
			if n := a.Count("running"); n > 0 {
				c.MaxRunning = n
			}
			if n := a.Count("per_queue"); n > 0 {
				c.MaxRunningPerQueue = n
			}
			if n := a.Count("per_user"); n > 0 {
				c.MaxRunningPerUser = n
			}
			r.Admit = NewLimit(c)
			return nil
		},
	}
}
