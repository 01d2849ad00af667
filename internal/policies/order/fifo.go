package order

import "github.com/slackline/slackline/sched"

// FIFO serves jobs by priority, higher first, and by arrival among equals: Hadoop's default
// scheduler (JobQueueTaskScheduler; paper 003, section 2.1.1).
type FIFO struct{ sched.Flat }

// JobKey is (priority, arrival). It is the same for all stages.
func (FIFO) JobKey(_ sched.View, j *sched.Job, _ sched.Stage) sched.Key { return fifoKey(j) }

// Line ranks jobs that wait as it ranks those that run.
func (FIFO) Line(j *sched.Job) sched.Key { return fifoKey(j) }

func fifoKey(j *sched.Job) sched.Key {
	return sched.Key{-int64(j.Spec.Priority), int64(j.Arrived)}
}

// Follows says that a job stands where it stands while it runs.
func (FIFO) Follows() sched.Tallies { return sched.NoTally }
