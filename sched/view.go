package sched

import (
	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// View is what a policy may know: the scheduler's belief at one instant. Pointers it returns are to be read only, and only
// within the Decide call. Items added to the plan are counted at once.
type View interface {
	Now() units.Time
	Round() int64            // number of the batch
	World() *Capabilities    // what the world can do
	Capacity() *units.Vector // of all nodes that are up

	Job(JobID) *Job // nil: unknown
	Jobs() JobID    // no handle in use is above it
	Find(id string) JobID
	Node(NodeID) *Node // nil: unknown
	Nodes() NodeID     // no handle in use is above it
	Queue(QueueID) *Queue
	Queues() QueueID // no handle in use is above it
	Attempt(AttemptID) *Attempt
	Profile(class string) *profile.Class // nil: nothing known
	Supply(SupplyKind) *Supply           // nil: never told
	Forecast(SupplyKind) *Forecast       // the latest, nil: none

	// First returns the first job in the policy's order, behind the job after (0 = from the start), with an open task of
	// the stage that may start on the node, 0 if there is none. Finding the next job costs O(log jobs).
	First(n NodeID, s Stage, after JobID) JobID
	// FirstLocal is First among the jobs that have an open task which is local to the node: its input lies there, or it is at home
	// everywhere (Anywhere). It costs O(log jobs) for each queue with such jobs, and O(log) for each job that was let in, or whose key
	// fell, since the last question about the node; jobs that only wait cost nothing.
	FirstLocal(n NodeID, s Stage, after JobID) JobID
	// Nearest returns the best locality at which the job has an open task of the stage for the node, NoLocality if none is open.
	Nearest(n NodeID, j JobID, s Stage) Locality
	// Waiting returns the jobs of the order one by one, whatever a node could take: those with open tasks of the stage.
	Waiting(s Stage, after JobID) JobID
	// Youngest walks the attempts of a job's stage from the last started to the first; 0 starts and ends the walk.
	Youngest(j JobID, s Stage, after AttemptID) AttemptID
}

// Capabilities are what a world can do. A policy that needs more is refused at the start with one clear sentence.
type Capabilities struct {
	World     string         `json:"world"`            // its name
	Bind      bool           `json:"bind"`             // the ledger's binder chooses tasks; false: the world binds late and speaks in counts
	Kill      bool           `json:"kill"`             // attempts can be killed
	Speculate bool           `json:"speculate"`        // a task may have two attempts
	Mold      bool           `json:"mold"`             // the number of tasks can be set before a stage starts
	Power     bool           `json:"power"`            // nodes can sleep and wake
	Heartbeat units.Duration `json:"heartbeat"`        // interval of heartbeats; 0 = nodes are served at once
	Origin    string         `json:"origin,omitempty"` // the instant that 0 stands for, in RFC 3339; "" = none. A world may begin later than 0, never earlier
}

// Can tells whether the world understands the verb.
func (c *Capabilities) Can(v Verb) bool {
	switch v {
	case Kill:
		return c.Kill
	case Speculate:
		return c.Speculate
	case SetTasks:
		return c.Mold
	case Sleep, Wake:
		return c.Power
	case CapHeadroom:
		return !c.Bind // only ApplicationMasters ask for headroom
	}
	return true
}

// JobState is where a job stands. The order of the constants is the order of its life.
type JobState uint8

// The states of a job.
const (
	NoJob    JobState = iota
	Waiting           // for its predecessors. It may be admitted, held or rejected meanwhile; that counts once they are done
	Pending           // arrived; the policy has not decided
	HeldBack          // by the policy
	Admitted          // may run
	Rejected          // will not run
	Finished          // committed, failed or killed; the handle is free after this batch
)

var jobStateNames = [...]string{"none", "waiting", "pending", "held", "admitted", "rejected", "finished"}

// String names the state.
func (s JobState) String() string { return nameOf(jobStateNames[:], int(s)) }

// Job is the book's record of a job.
type Job struct {
	ID        JobID
	State     JobState
	Advice    JobState // while the scheduler watches: what it would have the job be, NoJob = nothing yet
	Seq       int64    // order of arrival
	Spec      *workload.Job
	Queue     QueueID    // the leaf under which it stands
	Arrived   units.Time // when it did, as the world says
	Started   units.Time // the first attempt that the book knows of, Never before
	Deadline  units.Time // the job's own: what was promised, and what is reported
	Virtual   units.Time // the deadline that a plan set for orders to read, 0 = none
	Headroom  int32      // containers that its ApplicationMaster was told are to be had, -1 = no bound
	Cancelled bool       // its user wants it gone: nothing of it starts any more, and its end follows
	Stages    [Stages]Tally
	Molds     [Stages]Mold // of each stage the last SetTasks
}

// Due is the deadline by which orders rank the job: the virtual one if a plan set one, else its own.
func (j *Job) Due() units.Time {
	if j.Virtual != 0 {
		return j.Virtual
	}
	return j.Deadline
}

// Standing is where the job stands as far as the policy has decided: its advice while it watches, else the job's state.
func (j *Job) Standing() JobState {
	if j.Advice != NoJob && (j.State == Pending || j.State == Waiting && j.Advice == Rejected) {
		return j.Advice
	}
	return j.State
}

// Begun tells whether a task of the job runs, is promised a container, or is done.
func (j *Job) Begun() bool {
	for s := range j.Stages {
		if t := &j.Stages[s]; t.Occupied > 0 || t.Done > 0 {
			return true
		}
	}
	return false
}

// Tally counts the tasks of a stage of one job.
type Tally struct {
	Total    int32 // tasks; of a stage that Grows those known of so far
	Open     int32 // to be started
	Occupied int32 // containers promised or running, all attempts
	Running  int32 // attempts that the world confirmed
	Done     int32 // committed
	Limit    int32 // slots it may occupy, -1 = no bound
	Sample   int32 // tasks that may still be started as a sample, -1 = it is no sample
	Ready    bool  // its tasks may start
	Withheld bool  // by the policy
}

// Mold is a SetTasks and its answer.
type Mold struct {
	Item     ItemID `json:"item"`     // 0 = nobody has asked
	Asked    int32  `json:"asked"`    // tasks
	Accepted int32  `json:"accepted"` // tasks that the stage then had; 0 = no answer yet, -1 = the world refused
}

// PowerState says whether a node that is up can serve.
type PowerState uint8

// The power states.
const (
	Awake       PowerState = iota
	Asleep                 // it offers nothing
	Waking                 // it was asked to wake; its NodeUp says when it has
	PowerStates            // their number
)

var powerNames = [PowerStates]string{"awake", "asleep", "waking"}

// String names the state.
func (s PowerState) String() string { return nameOf(powerNames[:], int(s)) }

// Node is the book's record of a node.
type Node struct {
	ID       NodeID
	Spec     *cluster.Node
	Up       bool
	Draining bool
	Power    PowerState
	Beats    bool       // it can be served in this batch
	Beat     units.Time // when it last could be served, -1 = never
	Speed    float64
	Free     units.Vector // capacity less what is promised or running; negative if over-committed
	Occupied int32        // containers
	Since    units.Time   // when the last container was taken back, or the node came up
}

// Serves tells whether something may start on the node.
func (n *Node) Serves() bool { return n.Up && !n.Draining && n.Power == Awake }

// Queue is the book's record of a queue: what stands below it.
type Queue struct {
	ID     QueueID
	Parent QueueID
	Name   string
	Depth  int32
	Jobs   int32 // not finished
	Active [Stages]int32
	Stages [Stages]QueueTally
	Used   units.Vector // by containers promised or running
	Runs   int32        // jobs that are admitted, or are advised to be
	// Head is the first job below the queue, in the policy's order, with work of the stage that may start; 0 = none. So a
	// queue's key can be its first job's, which keeps the jobs of several queues in one line.
	Head [Stages]JobID
}

// QueueTally counts a stage below a queue.
type QueueTally struct {
	Open     int32 // tasks of admitted jobs that could be started
	Occupied int32
}

// Attempt is the book's record of a running attempt.
type Attempt struct {
	ID        AttemptID
	Job       JobID
	Stage     Stage
	Container uint8
	Locality  Locality
	Task      TaskID // 0 = the world bound it late and did not say
	Node      NodeID
	Item      ItemID
	Started   units.Time
	Progress  float64
	Dying     bool // a kill is under way
}
