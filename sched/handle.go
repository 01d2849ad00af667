package sched

import (
	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/workload"
)

type (
	// JobID is the handle of a job.
	JobID int32
	// QueueID is the handle of a queue, a node in the tree under which an Order sorts jobs. The root is 1.
	QueueID int32
	// AttemptID is the handle of a running attempt of a task.
	AttemptID int32
	// TaskID is the number of a task within its stage, from 1.
	TaskID int32
	// ItemID names a plan item for good: ids are never used again.
	ItemID int64
	// NodeID is the handle of a node.
	NodeID = cluster.NodeID
	// Stage is the kind of a stage.
	Stage = workload.Stage
)

// The stages again, so that policies need one import less.
const (
	Master = workload.Master
	Map    = workload.Map
	Reduce = workload.Reduce
	Stages = workload.Stages
)

// Root is the queue above all others.
const Root QueueID = 1

// Locality says how far a task is from its input. Smaller is nearer.
type Locality uint8

// The localities. Anywhere is the locality of a task that has no preferred node: it is at home on each.
const (
	NoLocality Locality = iota
	Anywhere
	NodeLocal
	RackLocal
	Remote
)

var localityNames = [...]string{"none", "anywhere", "node", "rack", "remote"}

// String names the locality.
func (l Locality) String() string { return nameOf(localityNames[:], int(l)) }

// Outcome says how an attempt, or a job, ended.
type Outcome uint8

// The outcomes. Each attempt has exactly one.
const (
	NoOutcome  Outcome = iota
	Committed          // its result counts
	Superseded         // another attempt of the same task committed first
	Killed             // ended on request
	Preempted          // ended on request to make room for another job
	Failed             // it broke; the task is tried again up to the world's limit
	Lost               // its node went away
)

var outcomeNames = [...]string{"none", "committed", "superseded", "killed", "preempted", "failed", "lost"}

// String names the outcome.
func (o Outcome) String() string { return nameOf(outcomeNames[:], int(o)) }

func nameOf(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return "unknown"
}
