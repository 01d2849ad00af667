package sched

import (
	"slices"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// View is what a policy may know: the scheduler's belief at one instant. The pointers that it
// returns are for reading only, and only within the Decide call. Items added to the plan are
// counted at once.
type View interface {
	// Now is the time of the batch.
	Now() units.Time
	// Round is the number of the batch.
	Round() int64
	// World says what the world can do.
	World() *Capabilities
	// Capacity is that of all nodes that are up.
	Capacity() *units.Vector

	// Job returns the record of a job, nil if there is none.
	Job(JobID) *Job
	// Jobs is a bound: no handle of a job in use is above it.
	Jobs() JobID
	// Find returns the handle of the job with that ID, 0 if there is none.
	Find(id string) JobID
	// Node returns the record of a node, nil if it was never up.
	Node(NodeID) *Node
	// Nodes is a bound: no handle of a node in use is above it.
	Nodes() NodeID
	// Class returns the record of a class of nodes, nil if there is none.
	Class(ClassID) *Class
	// Classes is a bound: no handle of a class in use is above it.
	Classes() ClassID
	// Queue returns the record of a queue, nil if there is none.
	Queue(QueueID) *Queue
	// Queues is a bound: no handle of a queue in use is above it.
	Queues() QueueID
	// Attempt returns the record of a running attempt, nil if there is none.
	Attempt(AttemptID) *Attempt
	// Ended returns the job, the stage and the node of an attempt that has ended in this batch, 0 if the
	// book knew none.
	Ended(AttemptID) (JobID, Stage, NodeID)
	// Profile returns what is known of a class, nil if nothing is.
	Profile(class string) *profile.Class
	// Supply returns how much there is of a supply, nil if nobody has said.
	Supply(SupplyKind) *Supply
	// Forecast returns the latest forecast of a supply, nil if there is none.
	Forecast(SupplyKind) *Forecast

	// First returns the first job in the policy's order, behind the job after (0 = from the start),
	// with an open task of the stage that may start on the node, 0 if there is none. It costs O(log
	// jobs).
	First(n NodeID, s Stage, after JobID) JobID
	// FirstLocal is First among the jobs with an open task that is local to the node: its input
	// lies there, or it is at home everywhere (Anywhere). It costs O(log jobs) for each queue with
	// such jobs, and O(log jobs) for each job that was admitted, or whose key fell, since the last
	// question about the node. Jobs that only wait cost nothing.
	FirstLocal(n NodeID, s Stage, after JobID) JobID
	// Nearest returns the best locality at which the job has an open task of the stage for the
	// node, NoLocality if no task is open.
	Nearest(n NodeID, j JobID, s Stage) Locality
	// Open returns the open task of the job's stage with the next number behind after, 0 if there is
	// none, or the world binds late.
	Open(j JobID, s Stage, after TaskID) TaskID
	// Waiting returns the job behind after (0 = from the start) in the policy's order that has open
	// tasks of the stage, whether or not a node has room for them; 0 ends the walk.
	Waiting(s Stage, after JobID) JobID
	// Youngest walks the attempts of a job's stage from the last started to the first. 0 starts and
	// ends the walk.
	Youngest(j JobID, s Stage, after AttemptID) AttemptID
}

// Capabilities are what a world can do. A policy that needs more is refused at the start, in one
// sentence.
type Capabilities struct {
	// World is its name.
	World string `json:"world"`
	// Bind says that the ledger's binder chooses tasks. Otherwise the world binds late, and speaks
	// in counts.
	Bind bool `json:"bind"`
	// Kill says that attempts can be killed.
	Kill bool `json:"kill"`
	// Speculate says that a task may have two attempts.
	Speculate bool `json:"speculate"`
	// Mold says that the number of tasks can be set before a stage starts.
	Mold bool `json:"mold"`
	// Power says that nodes can sleep and wake, or be rented and given back.
	Power bool `json:"power"`
	// Bounds says that the world keeps each queue within what it may have, and refuses a start beyond that.
	Bounds bool `json:"bounds,omitempty"`
	// Heartbeat is the interval of heartbeats, 0 = nodes are served at once.
	Heartbeat units.Duration `json:"heartbeat"`
	// Prompt says that a node beats at once when something changes for it, and waits for its interval only
	// where nothing does.
	Prompt bool `json:"prompt,omitempty"`
	// Origin is the instant that 0 stands for, in RFC 3339; "" = none. A world may begin later than
	// 0, but not earlier.
	Origin string `json:"origin,omitempty"`
}

// Served is how often a node gets tasks for the room that it has, 0 = at once.
func (c *Capabilities) Served() units.Duration {
	if c.Prompt {
		return 0
	}
	return c.Heartbeat
}

// Can tells whether the world can do what the verb asks for.
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
	}
	return true
}

// JobState is where a job stands. The order of the constants is the order of its life.
type JobState uint8

// The states of a job.
const (
	// NoJob is that of a handle without a job.
	NoJob JobState = iota
	// Waiting is for predecessors. The job may be admitted, held or rejected meanwhile, which
	// counts once they are done.
	Waiting
	// Pending has arrived, and the policy has not decided.
	Pending
	// HeldBack is held by the policy.
	HeldBack
	// Admitted may run.
	Admitted
	// Rejected will not run.
	Rejected
	// Finished has committed, failed or been killed. The handle is free after this batch.
	Finished
)

var jobStateNames = [...]string{"none", "waiting", "pending", "held", "admitted", "rejected", "finished"}

// String names the state.
func (s JobState) String() string { return nameOf(jobStateNames[:], int(s)) }

// Job is the book's record of a job.
type Job struct {
	// ID is the job's handle.
	ID JobID
	// State is where the job stands in the world.
	State JobState
	// Advice is what the policy would have the job be, while the scheduler watches. NoJob = nothing
	// yet.
	Advice JobState
	// Seq is its number in the order of arrival.
	Seq int64
	// Spec is its description, with all amendments.
	Spec *workload.Job
	// Queue is the leaf under which it stands.
	Queue QueueID
	// Arrived is when it arrived, as the world says.
	Arrived units.Time
	// Started is when the first attempt that the book has heard of began, units.Never before. A
	// Resync does not change it.
	Started units.Time
	// Deadline is the job's own: the one that was promised, and is reported.
	Deadline units.Time
	// Virtual is the deadline that the job came with, or a plan has set, for orders to read; 0 = none.
	Virtual units.Time
	// Cancelled says that its user wants it gone: none of its tasks start any more, and its end follows.
	Cancelled bool
	// Stages counts its tasks.
	Stages [Stages]Tally
	// Molds has the last SetTasks of each stage.
	Molds [Stages]Mold
	// Why is the reason of the last verdict, without its evidence.
	Why Reason
	// Outlook is what the job was last told of its finish.
	Outlook Outlook
}

// Due is the deadline by which orders rank the job: the virtual one if a plan has set it, else its own.
func (j *Job) Due() units.Time {
	if j.Virtual != 0 {
		return j.Virtual
	}
	return j.Deadline
}

// Standing is where the policy has put the job: its advice while the scheduler watches, else the
// job's state.
func (j *Job) Standing() JobState {
	if j.Advice != NoJob && (j.State == Pending || j.State == Waiting && j.Advice == Rejected) {
		return j.Advice
	}
	return j.State
}

// Over tells whether tasks of a stage have committed, and none runs or is to run. Where the world
// binds late nothing is asked for before the first demand either, so one has to be done. The number
// of tasks known does not decide it: an ApplicationMaster may have asked for more than it needs, or
// never say how many there are. So a stage may be over for a moment, between the end of a task that
// failed and the demand for its next attempt.
func (j *Job) Over(s Stage) bool {
	st, t := j.Spec.Stage(s), &j.Stages[s]
	return st == nil || t.Open <= 0 && t.Occupied <= 0 && (t.Done > 0 || t.Total == 0 && !st.Grows)
}

// Begun tells whether a task of the job is running, is promised a container, or is done.
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
	// Total is the number of tasks. For a stage that Grows it is the number known so far.
	Total int32
	// Open tasks are still to be started.
	Open int32
	// Occupied containers are promised or running, by all attempts.
	Occupied int32
	// Running attempts were confirmed by the world.
	Running int32
	// Done tasks have committed.
	Done int32
	// Limit is how many slots the stage may occupy, -1 = no bound.
	Limit int32
	// Sample is how many tasks may still be started as a sample, -1 = it is no sample.
	Sample int32
	// Ready says that its tasks may start.
	Ready bool
	// Withheld says that the policy withholds the stage.
	Withheld bool
}

// Left is how many tasks are still to be done: as many as the stage has and has not done, and no fewer
// than are asked for. Where the world binds late more may be asked for than the stage has: a task
// whose attempt ended well, as far as anybody was told, and which failed.
func (t *Tally) Left() int32 { return max(t.Total-t.Done, t.Open, 0) }

// ToStart is how many of these nobody works on. Where the world binds late an ApplicationMaster may not have asked for
// them yet, and they are not Open.
func (t *Tally) ToStart() int32 { return max(t.Total-t.Done-t.Occupied, t.Open, 0) }

// Mold is a SetTasks and its answer.
type Mold struct {
	// Item is the SetTasks, 0 = nobody has asked.
	Item ItemID `json:"item"`
	// Asked is the number of tasks asked for.
	Asked int32 `json:"asked"`
	// Accepted is the number of tasks that the stage then had; 0 = no answer yet, -1 = the world
	// refused.
	Accepted int32 `json:"accepted"`
}

// Open tells whether the world has not answered yet. Until then nothing of the stage starts: it may be cut otherwise.
func (m *Mold) Open() bool { return m.Item != 0 && m.Accepted == 0 }

// NodeState is where a node stands.
type NodeState uint8

// The states of a node. An event that names none says Down, which is 0.
const (
	// Down is a node that is not there, and cannot be had.
	Down NodeState = iota
	// Offered is a node of a cloud that is not there yet, or was given back: Wake rents it.
	Offered
	// Waking was asked for: it boots, or wakes. NodeUp says when it serves.
	Waking
	// Asleep serves nothing, and its data is not served either.
	Asleep
	// Awake serves.
	Awake
	// Draining finishes what runs on it, and takes nothing more. Then it sleeps, or is given back.
	Draining
	// NodeStates is the number of states.
	NodeStates
)

var nodeStateNames = [NodeStates]string{"down", "offered", "waking", "asleep", "awake", "draining"}

// String names the state.
func (s NodeState) String() string { return nameOf(nodeStateNames[:], int(s)) }

// There tells whether the node is there, or on its way.
func (s NodeState) There() bool { return s >= Waking }

// Node is the book's record of a node.
type Node struct {
	// ID is the node's handle.
	ID NodeID
	// Occupied is the number of containers promised or running on it.
	Occupied int32
	// Class is its class.
	Class ClassID
	// Spec is its description.
	Spec *cluster.Node
	// State is where it stands, with what plans have asked of it.
	State NodeState
	// Was is where it stood before.
	Was NodeState
	// Beats says that it can be served in this batch.
	Beats bool
	// Beat is when it last could be served, -1 = never.
	Beat units.Time
	// Speed is relative to the machine that task times were measured on.
	Speed float64
	// Since is when the last container was taken back, or the node came up.
	Since units.Time
	// Until is when one that is Waking is expected to serve.
	Until units.Time
	// Free is its capacity less what is promised or running, negative if it is over-committed.
	Free units.Vector
}

// Serves tells whether something may start on the node.
func (n *Node) Serves() bool { return n.State == Awake }

// Suits tells whether the node carries the labels that the job asks for, and the job does not avoid it.
func (n *Node) Suits(j *workload.Job) bool {
	return (len(j.Labels) == 0 || n.Spec.Carries(j.Labels)) && (len(j.Avoids) == 0 || !slices.Contains(j.Avoids, n.ID))
}

// Class is the book's record of a class of nodes: of all nodes whose class has that name.
type Class struct {
	// Spec is its description, as it was told last of a node that offers anything.
	Spec *cluster.Class
	// Nodes is how many stand where.
	Nodes [NodeStates]int32
	// Free is what those that are awake have free, less what is over-committed.
	Free units.Vector
}

// Rate is what a task of the job's stage takes and draws in the kind of container on a node of the class. It
// costs the number of rates that the class states, which are few.
func (c *Class) Rate(j *workload.Job, s Stage, kind int) cluster.Rate {
	k := j.Stage(s).Container(kind)
	return c.Spec.Rate(j.Class, &k)
}

// Queue is the book's record of a queue: what stands below it.
type Queue struct {
	// ID is the queue's handle.
	ID QueueID
	// Parent is the queue above it.
	Parent QueueID
	// Name is its name below the parent.
	Name string
	// Depth is how many queues are above it.
	Depth int32
	// Jobs is the number of jobs below it that have not finished.
	Jobs int32
	// Active is how many of its children have work of the stage that may start, or occupy containers.
	Active [Stages]int32
	// Stages counts the tasks below it.
	Stages [Stages]QueueTally
	// Used is what containers promised or running take.
	Used units.Vector
	// Runs is the number of jobs that are admitted, or advised to be.
	Runs int32
	// Head is the first job below the queue, in the policy's order, with work of the stage that may
	// start; 0 = none. So a queue's key can be that of its first job, which keeps the jobs of
	// several queues in one line.
	Head [Stages]JobID
}

// QueueTally counts a stage below a queue.
type QueueTally struct {
	// Open tasks belong to admitted jobs, and could be started.
	Open int32
	// Occupied containers are promised or running.
	Occupied int32
}

// Attempt is the book's record of a running attempt.
type Attempt struct {
	// ID is the attempt's handle.
	ID AttemptID
	// Job is the job whose task it runs.
	Job JobID
	// Stage is the task's stage.
	Stage Stage
	// Container is an index into the stage's kinds of containers.
	Container uint8
	// Locality is how far it is from its input.
	Locality Locality
	// Task is the task it runs, 0 if the world bound it late and did not say.
	Task TaskID
	// Node is where it runs.
	Node NodeID
	// Item is the Start or Speculate that it came from, 0 if nobody planned it.
	Item ItemID
	// Started is when it began.
	Started units.Time
	// Progress is the part of its work that is done, from 0 to 1.
	Progress float64
	// Dying says that a kill is under way.
	Dying bool
}
