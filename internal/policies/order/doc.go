// Package order holds the orders in which jobs are served, each as keys (sched.Order): the ledger does the sorting.
//
//	FIFO      priority, then arrival                                      Hadoop 1.2.1, JobQueueTaskScheduler
//	EDF       deadline, then arrival                                      paper 000, section 6
//	Fair      pools by share, users in a pool, jobs by share or FIFO      Hadoop 1.2.1, FairScheduler
//	Capacity  a tree of queues by used/guaranteed, FIFO in a leaf         Hadoop 1.2.1 and YARN, CapacityScheduler
//
// Maps and reduces are ranked separately wherever what a job holds counts, as Hadoop's schedulers do.
//
// An order here also ranks jobs that are not admitted yet (Line), for limits on running jobs.
package order

import "github.com/slackline/slackline/sched"

// Liner is an order that ranks jobs which wait to be admitted. They hold nothing, stand in no queue's ranking, and are
// compared over all queues, so their key is a function of the job alone.
type Liner interface {
	Line(j *sched.Job) sched.Key
}
