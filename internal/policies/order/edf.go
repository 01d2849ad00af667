package order

import "github.com/slackline/slackline/sched"

// EDF serves the job with the earliest deadline first, by arrival among equals; jobs without a
// deadline come last (paper 000, section 6). A virtual deadline, where a plan set one, counts in
// place of the job's own. User priorities do not count, which the paper names as a price of EDF
// (section 2.2).
type EDF struct{ sched.Flat }

// JobKey is (deadline, arrival). It is the same for all stages.
func (EDF) JobKey(_ sched.View, j *sched.Job, _ sched.Stage) sched.Key { return edfKey(j) }

// Line ranks jobs that wait as it ranks those that run.
func (EDF) Line(j *sched.Job) sched.Key { return edfKey(j) }

func edfKey(j *sched.Job) sched.Key { return sched.Key{int64(j.Due()), int64(j.Arrived)} }

// Follows says that a job stands where it stands while it runs.
func (EDF) Follows() sched.Tallies { return sched.NoTally }
