// Package order holds the orders in which jobs are served, each as keys (sched.Order): the ledger
// does the sorting.
//
//	FIFO      priority, then arrival                                      Hadoop 1.2.1, JobQueueTaskScheduler
//	EDF       deadline, then arrival                                      paper 000, section 6
//	Feasible  EDF among jobs that could be in time, then least work left  Slackline; see Feasible
//	Fair      pools by share, users in a pool, jobs by share or FIFO      Hadoop 1.2.1, FairScheduler
//	Capacity  a tree of queues by used/guaranteed, FIFO in a leaf         Hadoop 1.2.1 and YARN, CapacityScheduler
//
// Maps and reduces are ranked separately wherever what a job holds counts, as Hadoop's schedulers do.
//
// Deviations from Hadoop:
//
//   - A job's pool is its queue unless it is asked to be its user; in Hadoop 1.2.1 it is the user unless told otherwise
//     (mapred.fairscheduler.poolnameproperty). Sharing among the users of a pool is ours.
//   - Pools have no maximum share (maxMaps, maxReduces), and jobs no weight by size
//     (mapred.fairscheduler.sizebasedweight).
//   - The leaves of Capacity always heed priorities; in Hadoop 1.2.1 they do if told to (supports-priority).
//   - Hadoop 1.2.1 refuses a container that would go beyond a maximum or user limit; here one of
//     several units may do so by less than its size.
//   - Equal pools, queues and jobs go by arrival. A pool, a queue, or a user in one, arrives with
//     the first job that ever stood in it.
//
// An order here also ranks jobs that are not admitted yet (Line), for limits on running jobs.
package order

import "github.com/slackline/slackline/sched"

// Liner is an order that ranks jobs which wait to be admitted. They hold nothing, stand in no
// queue's ranking, and are compared over all queues, so their key is a function of the job alone.
// It changes only when the job is amended, so that nobody has to ask again about all that wait.
type Liner interface {
	Line(j *sched.Job) sched.Key
}
