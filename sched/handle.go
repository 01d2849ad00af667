package sched

import (
	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/workload"
)

type (
	// JobID is the handle of a job.
	JobID int32
	// QueueID is the handle of a queue, a node in the tree under which an Order sorts jobs. The
	// root is 1.
	QueueID int32
	// AttemptID is the handle of a running attempt of a task.
	AttemptID int32
	// TaskID is the number of a task within its stage, from 1.
	TaskID int32
	// ItemID is the number of a plan item. Numbers are never used again.
	ItemID int64
	// ClassID is the handle of a class of nodes, from 1 in the order in which the book met them.
	ClassID int32
	// NodeID is the handle of a node.
	NodeID = cluster.NodeID
	// Stage is the kind of a stage.
	Stage = workload.Stage
)

// The stages of package workload, so that policies need one import less.
const (
	// Master is the ApplicationMaster.
	Master = workload.Master
	// Map and Reduce are the stages of a MapReduce job.
	Map    = workload.Map
	Reduce = workload.Reduce
	// Stages is the number of kinds of stages, with those of jobs that are not plain MapReduce.
	Stages = workload.Stages
)

// Root is the queue above all others. It is there in every world.
const Root QueueID = 1

// Locality says how far a task is from its input. Smaller is nearer.
type Locality uint8

// The localities.
const (
	// NoLocality is none.
	NoLocality Locality = iota
	// Anywhere is the locality of a task without a preferred node: it is at home on each.
	Anywhere
	// NodeLocal: the input lies on the node.
	NodeLocal
	// RackLocal: the input lies in the node's rack.
	RackLocal
	// Remote: the input lies elsewhere.
	Remote
)

var localityNames = [...]string{"none", "anywhere", "node", "rack", "remote"}

// String names the locality.
func (l Locality) String() string { return nameOf(localityNames[:], int(l)) }

// Outcome says how an attempt, or a job, ended.
type Outcome uint8

// The outcomes. Each attempt has exactly one.
const (
	// NoOutcome is that of an attempt that still runs.
	NoOutcome Outcome = iota
	// Committed: its result counts.
	Committed
	// Superseded: another attempt of the same task committed first.
	Superseded
	// Killed: it was ended on request.
	Killed
	// Preempted: it was ended on request, to make room for another job.
	Preempted
	// Failed: it broke. The task is tried again, up to the world's limit.
	Failed
	// Lost: its node went away.
	Lost
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

// Row is the element of a list by handle or index. The list grows until it has it; what it did not have is zero.
func Row[E any, H ~int | ~int32 | ~int64](list *[]E, h H) *E {
	for int(h) >= len(*list) {
		*list = append(*list, *new(E))
	}
	return &(*list)[h]
}
